package main

import (
	"cmp"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/engine/push"
	"perfdeck/session/inventory"
)

// Pushes beside something else that samples hosts: watch, a recording.

func (p *program) newPushDesk(report func(error)) *push.Desk {
	return push.NewDesk(push.DeskOptions{Report: report, Tell: p.tell, Hold: p.life.Keep, Patience: pushClosing})
}

// tell tells the user in words how things go.
func (p *program) tell(text string) { fmt.Fprintf(p.err, "perfdeck: %s\n", session.Printable(text)) }

// pushEntries are the pushes of the config. every is the interval of those without one.
func (p *program) pushEntries(every time.Duration) (out []push.Entry) {
	for _, named := range p.config.Pushes {
		out = append(out, p.pushEntry(named, every, func() ([]inventory.Query, error) { return p.pushedQueries(named, nil) }))
	}
	return out
}

// pushEntry is a push of what queries ask.
func (p *program) pushEntry(named config.Push, every time.Duration, queries func() ([]inventory.Query, error)) push.Entry {
	open := func() (push.Options, push.Asks, error) {
		asked, err := queries()
		if err != nil {
			return push.Options{}, nil, err
		}
		settled := named
		settled.QueueSize, settled.QueueAge = queueOr(named)
		o, err := p.pushOptions(settled, "", push.Shard{})
		o.Every = cmp.Or(named.Interval, every)
		what := pushed{queries: asked}
		return o, func(host string) ([]session.Question, bool) {
			return what.questionsFor(host), inventory.Means(named.Hosts, host)
		}, err
	}
	return push.Entry{Name: named.Name, Of: named, Open: open}
}

// pushedHost is a host as pushes know it.
func pushedHost(h inventory.Host) push.Host { return push.Host{Name: h.Name, Sampler: h.Sampler} }

// usualQueueSize and usualQueueAge bound what waits where nothing is said.
const (
	usualQueueSize = 1 << 30
	usualQueueAge  = 24 * time.Hour
)

func queueOr(named config.Push) (size int64, age time.Duration) {
	size, age = named.QueueSize, named.QueueAge
	if size == 0 {
		size = usualQueueSize
	}
	if age == 0 {
		age = usualQueueAge
	}
	return size, age
}

// pushBeside pushes what is recorded of hosts too: to the pushes or addresses of --push.
// end ends it.
func (p *program) pushBeside(to []string, hosts []inventory.Host, queries []inventory.Query, every time.Duration, report func(error)) (end func(), err error) {
	d := p.newPushDesk(report)
	for _, h := range hosts {
		d.Add(pushedHost(h))
	}
	for _, name := range to {
		named, err := p.pushNamed(name)
		if err != nil {
			d.Close()
			return nil, err
		}
		if named.Name == "" {
			named.Name = session.ShownAddress(name)
		}
		named.Hosts, named.Interval = nil, every // what is recorded, as it is recorded
		if err := d.Begin(p.pushEntry(named, every, func() ([]inventory.Query, error) { return queries, nil })); err != nil {
			d.Close()
			return nil, err
		}
	}
	return d.Close, nil
}
