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
)

// Bounds of what is taken of an engine.
const (
	mostHosts   = 10_000
	mostMetrics = 100_000 // names
	mostOthers  = 5_000   // metrics that no table knows, each a counterset
)

// Host is one of an engine.
type Host struct {
	Name  string // as perfdeck calls it
	label prom.Label
	kinds kinds
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
var markers = []struct {
	metric string
	kind   kinds
}{
	{"perfdeck_host_up", ofPerfdeck},
	{"windows_exporter_build_info", ofWindowsExporter},
	{"windows_os_info", ofWindowsExporter},
	{"windows_system_threads", ofWindowsExporter},
	{"node_exporter_build_info", ofNodeExporter},
	{"node_uname_info", ofNodeExporter},
	{"node_load1", ofNodeExporter},
	{"system_uptime", ofTelegraf},
	{"system_load1", ofTelegraf},
	{"win_system_Processor_Queue_Length", ofTelegraf},
	{"win_system_System_Up_Time", ofTelegraf},
}

// markerNames are the names of the markers, as a matcher has them.
func markerNames() string {
	names := make([]string, len(markers))
	for i, m := range markers {
		names[i] = m.metric
	}
	return strings.Join(names, "|")
}

// matcher is of all series of a host.
func (h *Host) matcher() string { return h.label.Name + "=" + strconv.Quote(h.label.Value) }

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
	reading chan struct{} // holding it is the right to read names

	mu      sync.Mutex
	hosts   int // that are open
	groups  map[string]*group
	lists   map[kinds]*list // by what the hosts are
	named   time.Time       // when names were read
	names   []string
	said    []string      // what the engine warned of, of the newest answers
	spacing time.Duration // between samples, as far as it is known
	seen    time.Duration // the same, once it was seen
}

// NewHub is a hub of an engine.
func NewHub(e *query.Engine, run func(func())) *Hub {
	return &Hub{engine: e, run: run, reading: make(chan struct{}, 1), groups: map[string]*group{}, lists: map[kinds]*list{}}
}

// ErrNoHosts says that an engine has no series of hosts that anybody here knows.
var ErrNoHosts = errors.New("it has no host: no series of perfdeck, windows_exporter, node_exporter or telegraf then, and no up")

// Hosts asks which hosts there are now.
func (h *Hub) Hosts(ctx context.Context) ([]Host, error) { return h.hostsAt(ctx, time.Time{}, 0) }

// HostsIn asks which hosts there were between two moments.
func (h *Hub) HostsIn(ctx context.Context, from, to time.Time) ([]Host, error) {
	return h.hostsAt(ctx, to, to.Sub(from))
}

// hostsAt asks for those of a time before a moment; zero: now, as engines look back.
func (h *Hub) hostsAt(ctx context.Context, at time.Time, before time.Duration) ([]Host, error) {
	of := map[string]kinds{}
	for _, m := range markers {
		of[m.metric] = m.kind
	}
	found := map[string]*Host{}
	take := func(s query.Series) error {
		host, ok := hostOf(s.Labels)
		if !ok {
			return nil
		}
		host.kinds = of[s.Labels.Get(query.NameLabel)]
		if host.kinds == ofWindowsExporter && host.label.Name == prom.HostLabel {
			host.kinds = ofPerfdeck // which uses its names
		}
		key := paths.Fold(host.Name)
		if known := found[key]; known != nil {
			known.kinds |= host.kinds
			return nil
		}
		if len(found) == mostHosts {
			return fmt.Errorf("%s: more than %d hosts: name them as #NAME behind the address", h.engine.Host(), mostHosts)
		}
		found[key] = &host
		return nil
	}
	ask := func(selector string) error {
		if before > 0 {
			selector = "last_over_time(" + selector + window(before) + ")"
		}
		_, err := h.engine.Instant(ctx, "group by (__name__, host, instance) ("+selector+")", at, take)
		return err
	}
	if err := ask(`{__name__=~"` + markerNames() + `"}`); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if err := ask("up"); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w", h.engine.Host(), ErrNoHosts)
	}
	return slices.SortedFunc(func(yield func(Host) bool) {
		for _, host := range found {
			if !yield(*host) {
				return
			}
		}
	}, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// hostOf is the host of a series: by its label host, as perfdeck and telegraf have it, else by
// the target that was scraped.
func hostOf(l query.Labels) (Host, bool) {
	if name := l.Get(prom.HostLabel); name != "" {
		return Host{Name: name, label: prom.Label{Name: prom.HostLabel, Value: name}}, true
	}
	target := l.Get("instance")
	if target == "" {
		return Host{}, false
	}
	name := target
	if host, _, err := net.SplitHostPort(target); err == nil && host != "" {
		name = host
	}
	return Host{Name: name, label: prom.Label{Name: "instance", Value: target}}, true
}

// namesFor is how long the names of metrics are good.
const namesFor = time.Minute

// list is what hosts of some kinds have.
type list struct {
	catalogue *session.Catalogue
	index     index
	warnings  []error
	hasClocks bool // perfdeck pushes clocks beside raw values
}

// listOf is what hosts of kinds have. All of them share it.
func (h *Hub) listOf(ctx context.Context, of kinds) (*list, error) {
	select {
	case h.reading <- struct{}{}: // others wait for the same
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-h.reading }()
	h.mu.Lock()
	fresh := time.Since(h.named) < namesFor
	h.mu.Unlock()
	if !fresh {
		if err := h.readNames(ctx); err != nil {
			return nil, err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lists[of]
	if l == nil {
		l = newList(h.engine.Host(), h.names, of)
		h.lists[of] = l
	}
	return l, nil
}

// readNames reads the names of all metrics of the last minutes.
func (h *Hub) readNames(ctx context.Context) error {
	var names []string
	now := time.Now()
	_, err := h.engine.Values(ctx, query.NameLabel, "", now.Add(-24*time.Hour), now.Add(time.Hour), func(name string) error {
		if len(names) < mostMetrics && isMetric.MatchString(name) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(names, h.names) {
		h.names = names
		clear(h.lists)
	}
	h.named = now
	return nil
}

var isMetric = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)

// sample is the newest of a series.
type sample struct {
	labels query.Labels
	at     int64 // milliseconds since 1970
	value  float64
}

// group is hosts that want the same metrics, which are asked for together.
type group struct {
	metrics string // joined by |
	label   string // by which its hosts are known

	wanted  map[string]time.Time // when hosts asked last
	looked  map[string]time.Time // when hosts had no sample in all the time that engines look back
	busy    chan struct{}        // of the query under way; nil: there is none
	waiting int                  // for it
	cancel  context.CancelFunc

	// Of the newest answer.
	at       time.Time
	everyone bool
	samples  map[string][]sample
	has      map[string]bool // hosts that were asked for
	had      map[string]bool // hosts that took it
	err      error
}

// mostNamed is how many hosts are named in a query: beyond, those of all are asked for.
const mostNamed = 100

// gather is how long a query waits for other hosts that want the same.
const gather = 25 * time.Millisecond

// samples are the newest of a host's series of some metrics. An answer serves all hosts that
// want the same, each of them once within every.
func (h *Hub) samples(ctx context.Context, host *Host, metrics []string, every time.Duration) ([]sample, error) {
	key := host.label.Name + " " + strings.Join(metrics, "|")
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.groups[key]
	if g == nil {
		maps.DeleteFunc(h.groups, func(_ string, o *group) bool { return o.isOver() })
		g = &group{metrics: strings.Join(metrics, "|"), label: host.label.Name, wanted: map[string]time.Time{}, looked: map[string]time.Time{}}
		h.groups[key] = g
	}
	me := host.label.Value
	g.wanted[me] = time.Now()
	if !g.gives(me, every, h.seen/2) {
		if g.busy == nil {
			h.begin(g)
		}
		busy := g.busy
		g.waiting++
		h.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
		}
		h.mu.Lock()
		if g.waiting--; g.waiting == 0 && g.busy == busy && ctx.Err() != nil {
			g.cancel() // nobody waits
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !g.everyone && !g.has[me] && g.err == nil { // it came when the query was on its way
			h.mu.Unlock()
			out, err := h.samples(ctx, host, metrics, every)
			h.mu.Lock()
			return out, err
		}
	}
	if errors.Is(g.err, context.Canceled) { // by others that did not wait any more
		g.at, g.err = time.Time{}, nil
		h.mu.Unlock()
		out, err := h.samples(ctx, host, metrics, every)
		h.mu.Lock()
		return out, err
	}
	if g.err != nil {
		return nil, g.err
	}
	g.had[me] = true
	return g.samples[me], nil
}

// gives tells whether the newest answer is one that a host did not have yet, or so new that the
// engine cannot have much more.
func (g *group) gives(host string, every, soon time.Duration) bool {
	age := time.Since(g.at)
	return g.busy == nil && g.err == nil && (g.everyone || g.has[host]) && (age < every && !g.had[host] || age < soon)
}

// forgotten is after how long without asking a host is no member of a group any more.
const forgotten = 2 * time.Minute

// isOver tells a group that nobody asks for any more.
func (g *group) isOver() bool {
	return g.busy == nil && g.waiting == 0 && !g.at.IsZero() && time.Since(g.at) > forgotten
}

// begin sends the query of a group. The caller holds the lock.
func (h *Hub) begin(g *group) {
	ctx, cancel := context.WithCancel(context.Background())
	busy := make(chan struct{})
	g.busy, g.cancel = busy, cancel
	many := h.hosts > 1
	h.run(func() {
		defer cancel()
		if many {
			time.Sleep(gather)
		}
		h.mu.Lock()
		maps.DeleteFunc(g.wanted, func(_ string, asked time.Time) bool { return time.Since(asked) > forgotten })
		names := slices.Collect(maps.Keys(g.wanted))
		back := h.window()
		h.mu.Unlock()
		found, warnings, spacing, err := h.ask(ctx, g, names, back)
		if late := g.late(names, found); err == nil && back < lookBack && len(late) > 0 {
			var slow map[string][]sample
			slow, _, _, err = h.ask(ctx, g, late, lookBack)
			maps.Copy(found, slow)
		}
		h.mu.Lock()
		g.at, g.err, g.samples, g.everyone = time.Now(), err, found, len(names) > mostNamed
		g.has, g.had = map[string]bool{}, map[string]bool{}
		for _, name := range names {
			g.has[name] = true
			if err == nil && len(found[name]) == 0 && time.Since(g.looked[name]) > deadFor {
				g.looked[name] = time.Now()
			}
		}
		if err == nil {
			h.said = warnings
			if spacing > 0 {
				h.spacing, h.seen = spacing, spacing
			} else if len(found) == 0 || h.spacing == 0 {
				h.spacing = min(max(2*h.spacing, back), lookBack)
			}
		}
		g.busy = nil
		h.mu.Unlock()
		close(busy)
	})
}

// deadFor is how long a host without a sample in the time that engines look back is not looked
// for there again.
const deadFor = 30 * time.Second

// late are hosts without a sample in the usual window: those that get them more rarely than
// others, and now and then those that may be gone.
func (g *group) late(names []string, found map[string][]sample) (late []string) {
	for _, name := range names {
		if len(found[name]) == 0 && time.Since(g.looked[name]) > deadFor {
			late = append(late, name)
		}
	}
	return late
}

// window is how far back a query looks for the newest samples: two of them, and what a scrape
// may be late. The caller holds the lock.
func (h *Hub) window() time.Duration {
	if h.spacing == 0 {
		return time.Minute
	}
	return min(max(h.spacing*5/2, 10*time.Second), lookBack)
}

// ask asks for the newest samples of a group's metrics, by host.
func (h *Hub) ask(ctx context.Context, g *group, names []string, back time.Duration) (found map[string][]sample, warnings []string, spacing time.Duration, err error) {
	hosts := g.label + `!=""`
	if len(names) <= mostNamed {
		hosts = hostsMatcher(g.label, names)
	}
	selector := "{" + metricsMatcher(g.metrics) + "," + hosts + "}" + window(back)
	found = map[string][]sample{}
	answer, err := h.engine.Instant(ctx, selector, time.Time{}, func(s query.Series) error {
		n := len(s.Points)
		if n == 0 {
			return nil
		}
		if n > 1 {
			if gap := s.Points[n-1].Time().Sub(s.Points[n-2].Time()); gap > spacing {
				spacing = gap
			}
		}
		host := s.Labels.Get(g.label)
		last := s.Points[n-1]
		found[host] = append(found[host], sample{slices.Clone(s.Labels), last.At, last.Value})
		return nil
	})
	if answer.Partial {
		warnings = append(warnings, "the engine's answer is a part of what there is")
	}
	warnings = append(warnings, answer.Warnings...)
	if answer.Histograms > 0 {
		warnings = append(warnings, fmt.Sprintf("%d series are native histograms, which have no one value", answer.Histograms))
	}
	return found, warnings, spacing, err
}

// warnings are what the engine warned of.
func (h *Hub) warnings() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.said)
}
