// Package engine reads hosts out of engines that speak Prometheus' HTTP API: what perfdeck
// pushed or was scraped of, and what windows_exporter, node_exporter and telegraf give, under
// the names of Windows; any other metric under its own name.
//
// An engine has many hosts, and is asked for all of them together: a Hub merges what the
// queries of its hosts want. Samples keep the engine's times: a rate is that between two
// samples, over the time between them.
package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/engine/query"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/lazy"
)

// Bounds of what is taken of an engine.
const (
	mostHosts   = 10_000
	mostMetrics = 100_000 // names
	mostOthers  = 5_000   // metrics that no table knows, each a counterset
)

// Host is one of an engine.
type Host struct {
	Name   string // as perfdeck calls it
	parts  []part // what is known to be of it, perfdeck's own first
	beside []part // what has its name, too, but the same counters as another part: it is left out
}

// part is series of a host that one label tells from others: of one exporter, mostly.
type part struct {
	label prom.Label
	kinds kinds
}

// kinds are those of all of its parts.
func (h *Host) kinds() (all kinds) {
	for _, p := range h.parts {
		all |= p.kinds
	}
	return all
}

// labels are the names of the labels that it is known by.
func (h *Host) labels() (names []string) {
	for _, p := range h.parts {
		if !slices.Contains(names, p.label.Name) {
			names = append(names, p.label.Name)
		}
	}
	return names
}

// valuesOf are those of a label that are the host.
func (h *Host) valuesOf(label string) (values []string) {
	for _, p := range h.parts {
		if p.label.Name == label {
			values = append(values, p.label.Value)
		}
	}
	return values
}

// take adds a part.
func (h *Host) take(p part) {
	for i := range h.parts {
		if h.parts[i].label == p.label {
			h.parts[i].kinds |= p.kinds
			return
		}
	}
	h.parts = append(h.parts, p)
}

// settle puts the parts in order and sets apart those with the same counters as others before them.
func (h *Host) settle() {
	slices.SortFunc(h.parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.label.Name, b.label.Name), cmp.Compare(a.label.Value, b.label.Value)) // host, instance
	})
	var seen kinds
	h.parts = slices.DeleteFunc(h.parts, func(p part) bool {
		double := p.kinds != 0 && p.kinds&^seen == 0
		if double {
			h.beside = append(h.beside, p)
		}
		seen |= p.kinds
		return double
	})
}

// kinds are what gave the series of a host.
type kinds uint8

const (
	ofPerfdeck kinds = 1 << iota
	ofWindowsExporter
	ofNodeExporter
	ofTelegraf
)

func (k kinds) String() string {
	var of []string
	for i, name := range []string{"perfdeck", "windows_exporter", "node_exporter", "telegraf"} {
		if k&(1<<i) != 0 {
			of = append(of, name)
		}
	}
	if len(of) == 0 {
		return "other exporters"
	}
	return strings.Join(of, ", ")
}

// markers are metrics that every host of a kind has, of which there is one series each. The
// first label that a host has is the one that it is known by.
var markers = map[string]kinds{
	"perfdeck_host_up":                  ofPerfdeck,
	"windows_exporter_build_info":       ofWindowsExporter,
	"windows_os_info":                   ofWindowsExporter,
	"windows_system_threads":            ofWindowsExporter,
	"node_exporter_build_info":          ofNodeExporter,
	"node_uname_info":                   ofNodeExporter,
	"node_load1":                        ofNodeExporter,
	"system_uptime":                     ofTelegraf,
	"system_load1":                      ofTelegraf,
	"win_system_Processor_Queue_Length": ofTelegraf,
	"win_system_System_Up_Time":         ofTelegraf,
}

// matcher is of all series of a part.
func (p *part) matcher() string { return p.label.Name + "=" + strconv.Quote(p.label.Value) }

// hostsMatcher is of all series of hosts that are known by a label.
func hostsMatcher(label string, names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	slices.Sort(quoted)
	return label + "=~" + strconv.Quote(strings.Join(quoted, "|"))
}

// metricsMatcher is of series of metrics, which are joined by |.
func metricsMatcher(metrics string) string { return "__name__=~" + strconv.Quote(metrics) }

// window makes samples themselves of a selector: those of so long.
func window(d time.Duration) string { return "[" + strconv.FormatInt(d.Milliseconds(), 10) + "ms]" }

// lookBack is how long a host without a sample is still one, as engines have it.
const lookBack = 5 * time.Minute

// Hub is an engine with its hosts. It may be used by any goroutine.
type Hub struct {
	engine  *query.Engine
	run     func(func())
	own     []*session.Counterset
	reading chan struct{} // holding it is the right to read names

	mu      sync.Mutex
	hosts   int // that are open
	left    int // hosts that are too many
	groups  map[string]*group
	lists   map[listKey]*list
	names   map[string]named // by selector
	spacing time.Duration    // between samples of a host, as it was seen last
	sought  time.Time        // when spacing was sought farther back than usual
	clock   clock
}

// NewHub is a hub of an engine. own are countersets that perfdeck gives engines besides those
// of every computer, as manifests of feeds declare them.
func NewHub(e *query.Engine, run func(func()), own ...*session.Counterset) *Hub {
	return &Hub{engine: e, run: run, own: own, reading: make(chan struct{}, 1), groups: map[string]*group{}, lists: map[listKey]*list{}, names: map[string]named{}}
}

// ErrNoHosts says that an engine has no series of hosts that anybody here knows.
var ErrNoHosts = errors.New("it has no host: no series of perfdeck, windows_exporter, node_exporter or telegraf then, and no up")

// ErrNoHost says that an engine has no series of a host.
var ErrNoHost = errors.New("the engine has no such host")

// Hosts asks which hosts there are now: those that have what a table knows, else all.
func (h *Hub) Hosts(ctx context.Context) ([]Host, error) {
	return h.HostsIn(ctx, time.Time{}, time.Time{})
}

// HostsIn asks which hosts there were between two moments.
func (h *Hub) HostsIn(ctx context.Context, from, to time.Time) ([]Host, error) {
	all, err := h.hostsIn(ctx, from, to, upOrMarkers())
	if err != nil {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(all), func(one Host) bool { return one.kinds() == 0 })
	if len(known) == 0 {
		known = all
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("%s: %w", h.engine.Host(), ErrNoHosts)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = max(0, len(known)-mostHosts)
	return known[:min(len(known), mostHosts)], nil
}

// Named asks for a host by its name now, whatever its series are.
func (h *Hub) Named(ctx context.Context, name string) (Host, error) {
	return h.NamedIn(ctx, name, time.Time{}, time.Time{})
}

// NamedIn asks for a host by the name that it had between two moments.
func (h *Hub) NamedIn(ctx context.Context, name string, from, to time.Time) (Host, error) {
	called := "" // the host of the target of this name
	for _, selector := range []string{
		upOrMarkers(),
		"{" + prom.HostLabel + "=" + strconv.Quote(name) + "}",
		`{instance=~` + strconv.Quote(regexp.QuoteMeta(name)+"(:[0-9]+)?") + "}",
	} {
		all, err := h.hostsIn(ctx, from, to, selector)
		if err != nil {
			return Host{}, err
		}
		for _, one := range all {
			if paths.EqualFold(one.Name, name) {
				return one, nil
			}
			if slices.ContainsFunc(slices.Concat(one.parts, one.beside), func(p part) bool { return paths.EqualFold(p.label.Value, name) }) {
				called = one.Name
			}
		}
	}
	err := fmt.Errorf("%s: %w", name, ErrNoHost)
	if called != "" {
		return Host{}, failure.WithHint(err, "it is called "+called+" here: write #"+called)
	}
	return Host{}, err
}

// upOrMarkers is of series that hosts have one each of.
func upOrMarkers() string { return "{" + metricsMatcher(askAlive.joined()) + "}" }

// upMetric is what engines have of each target that they scrape: 1, or 0 where that failed.
const upMetric = "up"

// hostsIn asks for those of series between two moments; zero: now, as engines look back.
func (h *Hub) hostsIn(ctx context.Context, from, to time.Time, selector string) ([]Host, error) {
	found := map[string]*Host{}
	if !to.IsZero() {
		selector = "last_over_time(" + selector + window(to.Sub(from)) + ")"
	}
	_, err := h.engine.Instant(ctx, "group by (__name__, host, instance) ("+selector+")", to, func(s query.Series) error {
		name, p, ok := partOf(s.Labels)
		if !ok {
			return nil
		}
		p.kinds = markers[s.Labels.Get(query.NameLabel)]
		if p.kinds == ofWindowsExporter && p.label.Name == prom.HostLabel {
			p.kinds = ofPerfdeck // which uses its names
		}
		key := paths.Fold(name)
		if found[key] == nil {
			found[key] = &Host{Name: name}
		}
		found[key].Name = min(found[key].Name, name)
		found[key].take(p)
		return nil
	})
	out := make([]Host, 0, len(found))
	for _, host := range found {
		host.settle()
		out = append(out, *host)
	}
	slices.SortFunc(out, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) })
	return out, err
}

// partOf is the host of a series, and the part of it: by its label host, as perfdeck and
// telegraf have it, else by the target that was scraped.
func partOf(l query.Labels) (name string, of part, ok bool) {
	if name := l.Get(prom.HostLabel); name != "" {
		return name, part{label: prom.Label{Name: prom.HostLabel, Value: name}}, true
	}
	target := l.Get("instance")
	if target == "" {
		return "", of, false
	}
	name = target
	if host, _, err := net.SplitHostPort(target); err == nil && host != "" {
		name = host
	}
	return name, part{label: prom.Label{Name: "instance", Value: target}}, true
}

// namesFor is how long the names of metrics are good.
const namesFor = time.Minute

// list is what hosts of some kinds have.
type list struct {
	catalogue *session.Catalogue
	index     index
	warnings  []error
	hasClocks bool // perfdeck pushes clocks beside raw values

	mu   sync.Mutex
	asks map[string]*ask // by what is wanted
}

// mostOwn is how many hosts are asked which metrics they have, each for itself: of more it is
// taken that those of a kind have what the engine has of it.
const mostOwn = 50

// listOfHost is what a host has: of few hosts its own metrics, which it tells by part, too, else
// those of its kinds.
func (h *Hub) listOfHost(ctx context.Context, host *Host) (l *list, has [][]string, err error) {
	h.mu.Lock()
	few := h.hosts <= mostOwn
	h.mu.Unlock()
	if few {
		var selectors []string
		for i := range host.parts {
			selectors = append(selectors, "{"+host.parts[i].matcher()+"}")
		}
		if l, has, err = h.list(ctx, host.kinds(), selectors...); !query.IsTooMuch(err) { // else it has very many series
			return l, has, err
		}
	}
	l, _, err = h.list(ctx, host.kinds(), everything)
	return l, nil, err
}

// everything selects all series.
const everything = ""

// list is what hosts of kinds have of the metrics that some selectors have, which it tells by
// selector, too. All that have the same share it.
func (h *Hub) list(ctx context.Context, of kinds, selectors ...string) (_ *list, has [][]string, err error) {
	select {
	case h.reading <- struct{}{}: // others wait for the same
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	defer func() { <-h.reading }()
	for _, selector := range selectors {
		names, err := h.namesOf(ctx, selector)
		if err != nil {
			return nil, nil, err
		}
		has = append(has, names)
	}
	names := slices.Concat(has...)
	slices.Sort(names)
	names = slices.Compact(names)
	h.mu.Lock()
	defer h.mu.Unlock()
	key := listKey{of, sha256.Sum256([]byte(strings.Join(names, "|")))}
	l := h.lists[key]
	if l == nil {
		maps.DeleteFunc(h.lists, func(listKey, *list) bool { return len(h.lists) > mostOwn })
		l = newList(h.engine.Host(), names, of, h.own...)
		h.lists[key] = l
	}
	return l, has, nil
}

// listKey is what lists differ by.
type listKey struct {
	of    kinds
	names [sha256.Size]byte // of all of them, joined by |
}

// named are the names of the metrics of a selector, sorted, and when they were read.
type named struct {
	at    time.Time
	names []string
}

// namesOf are the names of the metrics that a selector had since yesterday, sorted.
func (h *Hub) namesOf(ctx context.Context, selector string) ([]string, error) {
	now := time.Now()
	h.mu.Lock()
	known, is := h.names[selector]
	maps.DeleteFunc(h.names, func(_ string, n named) bool { return now.Sub(n.at) > namesFor })
	h.mu.Unlock()
	if is && now.Sub(known.at) < namesFor {
		return known.names, nil
	}
	var names []string
	there := now.Add(h.Ahead())
	_, err := h.engine.Values(ctx, query.NameLabel, selector, there.Add(-24*time.Hour), there.Add(time.Hour), 0, func(name string) error {
		if len(names) < mostMetrics && isMetric().MatchString(name) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.names[selector] = named{now, names}
	return names, nil
}

var isMetric = lazy.Regexp(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
