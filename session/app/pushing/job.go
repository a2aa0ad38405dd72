// Package pushing makes pushes of what a [[push]] of the config or a command line says: which counters
// of which hosts go to which engine, and where they wait.
package pushing

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
	"perfdeck/session/give/push"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Maker makes pushes: it is what is the same for all of a process.
type Maker struct {
	Config *config.Config
	// Link is how an engine is reached, and who we are to it; what says what for, in messages.
	Link   func(u *url.URL, what, name string, account config.EngineAccount) (link.Engine, error)
	Clock  func() session.Clock
	Go     func(func())
	Report func(error)
	Tell   func(string)
	// Hold keeps the process while what waits is sent at the end; see push.GroupOptions.
	Hold func() (release func())
}

// What waits where nothing is said.
const (
	usualQueueSize = 1 << 30
	usualQueueAge  = 24 * time.Hour
)

// Named is the [[push]] of a name, or one of an address.
func (m *Maker) Named(to string) (config.Push, error) {
	if named, ok := m.Config.Push(to); ok {
		return named, nil
	}
	if strings.Contains(to, "://") {
		return config.Push{URL: to}, nil
	}
	known := make([]string, len(m.Config.Pushes))
	for i := range m.Config.Pushes {
		known[i] = m.Config.Pushes[i].Name
	}
	hint := "write an address as http://127.0.0.1:9090/api/v1/write"
	if len(known) > 0 {
		hint += ", or a name: " + strings.Join(known, ", ")
	}
	return config.Push{}, failure.Usage(fmt.Errorf("push to %q: that is no address, and the config has no [[push]] of that name", printable.Address(to)), hint)
}

// Queries are what a push asks for, with more: without any the usual countersets.
func Queries(named config.Push, more ...inventory.Query) ([]inventory.Query, error) {
	var all []inventory.Query
	for _, q := range prom.Whole(named.Sets, false) {
		all = append(all, inventory.Query{Question: q})
	}
	texts := slices.Clone(named.Paths)
	for _, name := range named.Packs {
		judged, err := rulepack.Paths(name)
		if err != nil {
			return nil, failure.Usage(err)
		}
		texts = append(texts, judged...)
	}
	for _, text := range texts {
		if _, err := paths.Parse(text); err != nil {
			return nil, failure.Usage(err)
		}
		all = append(all, inventory.NewQuery(text, ""))
	}
	all = append(all, more...)
	if len(all) == 0 {
		for _, q := range prom.Whole(prom.UsualSets(), true) {
			all = append(all, inventory.Query{Question: q})
		}
	}
	return all, nil
}

// questionsOf are those that are meant for a host.
func questionsOf(h push.Host, queries []inventory.Query) (out []session.Question) {
	for _, q := range queries {
		if q.IsFor(&inventory.Host{Name: h.Name, Aside: h.Aside}) {
			out = append(out, q.Question)
		}
	}
	return out
}

// Make settles a push of a part of the hosts. queue is the folder of what waits; empty: one of its
// own below that of the state. What is wrong with what was said is a session.UsageError.
func (m *Maker) Make(named config.Push, queue string, shard push.Shard) (push.Options, error) {
	o := push.Options{
		Raw: named.Raw, Queue: queue, MostRate: named.Rate, Every: named.Interval,
		Bytes: cmp.Or(named.QueueSize, usualQueueSize), Age: cmp.Or(named.QueueAge, usualQueueAge),
		Clock: m.Clock(), Go: m.Go, Report: m.Report, Tell: m.Tell,
	}
	for name, value := range named.Labels {
		o.Labels = append(o.Labels, prom.Label{Name: name, Value: value})
	}
	if named.Replica != "" {
		o.Labels = append(o.Labels, prom.Label{Name: "replica", Value: named.Replica})
	}
	if err := push.CheckLabels(o.Labels); err != nil {
		return o, failure.Usage(err)
	}
	u, err := push.ParseURL(named.URL)
	if err != nil {
		return o, failure.Usage(fmt.Errorf("push to %s: %w", printable.Address(named.URL), err))
	}
	if o.Engine, err = m.Link(u, "push to "+u.Host, named.Name, named.EngineAccount); err != nil {
		return o, err
	}
	if o.Queue == "" {
		state, err := config.MakeStateDir()
		if err != nil {
			return o, failure.WithHint(fmt.Errorf("push: no place for the queue: %w", err), "--queue DIR names one")
		}
		o.Queue = filepath.Join(state, "push", push.QueueName(u, named.Tenant, named.Replica, shard))
	}
	return o, nil
}

// Entries are the pushes of the config. every is the interval of those without one.
func (m *Maker) Entries(every time.Duration) (out []push.Entry) {
	for _, named := range m.Config.Pushes {
		out = append(out, m.entry(named, every, func() ([]inventory.Query, error) { return Queries(named) }))
	}
	return out
}

// entry is a push of what queries ask.
func (m *Maker) entry(named config.Push, every time.Duration, queries func() ([]inventory.Query, error)) push.Entry {
	open := func() (push.Options, push.Asks, error) {
		asked, err := queries()
		if err != nil {
			return push.Options{}, nil, err
		}
		o, err := m.Make(named, "", push.Shard{})
		o.Every = cmp.Or(named.Interval, every)
		return o, func(h push.Host) ([]session.Question, bool) {
			questions := questionsOf(h, asked)
			return questions, len(questions) > 0 && inventory.Means(named.Hosts, h.Name)
		}, err
	}
	return push.Entry{Name: named.Name, Of: named, Open: open}
}

// begin begins, in a group, pushes of what is recorded, as it is recorded.
func (m *Maker) begin(g *push.Group, to []string, queries []inventory.Query, every time.Duration) error {
	for _, name := range to {
		named, err := m.Named(name)
		if err != nil {
			return err
		}
		if named.Name == "" {
			named.Name = printable.Address(name)
		}
		named.Hosts, named.Interval = nil, every
		if err := g.Begin(m.entry(named, every, func() ([]inventory.Query, error) { return queries, nil })); err != nil {
			return err
		}
	}
	return nil
}

// Group is pushes that are given hosts.
type Group struct{ *push.Group }

// Group makes a group of pushes beside something else that samples hosts: alerts, a recording, or nothing.
// ended may be nil: see push.GroupOptions.
func (m *Maker) Group(ended func(push.Status, error)) Group {
	return Group{push.NewGroup(push.GroupOptions{Report: m.Report, Tell: m.Tell, Hold: m.Hold, Patience: Closing, Ended: ended})}
}

// Add gives pushes a host.
func (g Group) Add(h inventory.Host) { g.Group.Add(Host(h)) }

// Beside pushes what is recorded of hosts too, to the pushes of the config, or addresses. end ends
// that.
func (m *Maker) Beside(to []string, hosts []inventory.Host, queries []inventory.Query, every time.Duration) (end func(), err error) {
	group := m.Group(nil)
	for _, h := range hosts {
		group.Add(h)
	}
	if err := m.begin(group.Group, to, queries, every); err != nil {
		group.Close()
		return nil, err
	}
	return group.Close, nil
}

// Host is a host as pushes know it.
func Host(h inventory.Host) push.Host {
	return push.Host{Name: h.Name, Sampler: h.Sampler, Aside: h.Aside}
}

// Closing is how long the end of a push may take: what is not sent then stays in the queue.
const Closing = 5 * time.Second
