package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"perfdeck/session/engine/query"
	"perfdeck/session/text/english"
)

// sample is the newest of a series.
type sample struct {
	labels query.Labels
	at     int64 // milliseconds since 1970
	value  float64
	before query.Point // the sample before that; its zero: there is none
}

// heard is what an engine told of a part of a host.
type heard struct {
	kinds   kinds
	samples []sample
}

// hostAnswer is what an engine told of a host.
type hostAnswer struct {
	parts []heard
	gap   time.Duration // between its samples; 0: it is not known
	took  time.Duration // for the engine to tell it
}

// ask is what a host wants at once. Hosts that want the same counters are asked for together,
// whatever metrics they have them of.
type ask struct {
	key     string
	metrics []string
}

func (a *ask) joined() string { return strings.Join(a.metrics, "|") }

// group is hosts that want the same, which are asked for together.
type group struct {
	label   string // by which its hosts are known
	asks    map[*ask]bool
	metrics string // of all asks, joined by |; empty: to be made

	wanted  map[string]time.Time // when hosts asked last
	looked  map[string]time.Time // when hosts had no sample in all the time that engines look back
	busy    chan struct{}        // of the query under way; nil: there is none
	waiting int                  // for it
	cancel  context.CancelFunc
	spacing spacing

	// Of the newest answer.
	at       time.Time
	everyone bool
	newest   *reply
	asked    []string        // hosts that were asked for
	had      map[string]bool // hosts that took it
	said     []string        // what the engine warned of
	err      error
}

// spacing is how far samples are from each other, by host: of the host that has most of them,
// and of the one that has fewest. Zero: nothing is known.
type spacing struct{ least, most time.Duration }

// mostNamed is how many hosts are named in a query: beyond, those of all are asked for.
const mostNamed = 100

// gather is how long a query waits for other hosts that want the same, again and again while
// more of them come, but not longer than gatherMost.
const (
	gather     = 25 * time.Millisecond
	gatherMost = 20 * gather
)

// samples are the newest of a host's series. An answer serves all hosts that want the same, each
// of them once within every.
func (h *Hub) samples(ctx context.Context, host *Host, a *ask, every time.Duration) (out hostAnswer, err error) {
	out.parts = make([]heard, 0, len(host.parts))
	for _, label := range host.labels() {
		values := host.valuesOf(label)
		got, err := h.answered(ctx, label, values, a, every)
		if err != nil {
			return out, err
		}
		for _, p := range host.parts {
			if p.label.Name == label {
				samples, gap := got.samplesOf(p.label.Value)
				out.parts, out.gap = append(out.parts, heard{p.kinds, samples}), max(out.gap, gap)
			}
		}
		out.took = max(out.took, got.took)
	}
	return out, nil
}

// answered is what hosts that want the same are told, when there is an answer for one.
func (h *Hub) answered(ctx context.Context, label string, values []string, a *ask, every time.Duration) (*reply, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		g := h.groupOf(label, a)
		for _, value := range values {
			g.wanted[value] = time.Now()
		}
		me := values[0]
		if g.gives(me, every, h.soon(g)) {
			g.had[me] = true
			return g.newest, nil
		}
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
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(g.err, context.Canceled): // by others that did not wait any more
			g.at, g.err = time.Time{}, nil
		case g.err != nil:
			return nil, g.err
		case g.isOf(me):
			g.had[me] = true
			return g.newest, nil
		}
	}
}

// groupOf is the group of those who ask for something. The caller holds the lock.
func (h *Hub) groupOf(label string, a *ask) *group {
	key := label + " " + a.key
	g := h.groups[key]
	if g == nil {
		maps.DeleteFunc(h.groups, func(_ string, o *group) bool { // nobody asks for it any more
			return o.busy == nil && o.waiting == 0 && !o.at.IsZero() && time.Since(o.at) > forgotten
		})
		g = &group{label: label, asks: map[*ask]bool{}, wanted: map[string]time.Time{}, looked: map[string]time.Time{}, newest: &reply{}}
		h.groups[key] = g
	}
	if !g.asks[a] {
		g.asks[a], g.metrics = true, ""
	}
	return g
}

// all are the metrics of all asks.
func (g *group) all() string {
	if g.metrics == "" {
		var names []string
		for a := range g.asks {
			names = append(names, a.metrics...)
		}
		slices.Sort(names)
		g.metrics = strings.Join(slices.Compact(names), "|")
	}
	return g.metrics
}

// gives tells whether the newest answer is one that a host did not have yet, or so new that the
// engine cannot have much more.
func (g *group) gives(host string, every, soon time.Duration) bool {
	age := time.Since(g.at)
	return g.busy == nil && g.err == nil && g.isOf(host) && (age < every && !g.had[host] || age < soon)
}

// isOf tells whether the newest answer is of a host, too.
func (g *group) isOf(host string) bool { return g.everyone || slices.Contains(g.asked, host) }

// soon is how long an engine cannot have much more after an answer. The caller holds the lock.
func (h *Hub) soon(g *group) time.Duration {
	if g.spacing.least > 0 {
		return g.spacing.least / 2
	}
	return h.often()
}

// often is how often it is of use to ask for new samples. The caller holds the lock.
func (h *Hub) often() time.Duration { return min(h.spacing/2, soonAtMost) }

// soonAtMost is how long a group waits of which the engine gave nothing yet.
const soonAtMost = 10 * time.Second

// forgotten is after how long without asking a host is no member of a group any more.
const forgotten = 2 * time.Minute

// begin sends the query of a group. The caller holds the lock.
func (h *Hub) begin(g *group) {
	ctx, cancel := context.WithCancel(context.Background())
	busy := make(chan struct{})
	g.busy, g.cancel = busy, cancel
	many := h.hosts > 1
	h.run(func() {
		defer cancel()
		if many {
			h.gather(g)
		}
		h.setClock(ctx)
		h.mu.Lock()
		maps.DeleteFunc(g.wanted, func(_ string, asked time.Time) bool { return time.Since(asked) > forgotten })
		q := asked{label: g.label, metrics: g.all(), names: slices.Collect(maps.Keys(g.wanted)), back: h.window(g), known: g.newest}
		q.everyone = len(q.names) > mostNamed || g.asks[askAlive] && h.hosts > mostNamed
		h.mu.Unlock()
		got, err := h.whole(ctx, g, &q)
		h.mu.Lock()
		g.take(&q, got, err)
		if got.spacing.most > 0 {
			h.spacing = got.spacing.least
		}
		g.busy = nil
		h.mu.Unlock()
		close(busy)
	})
}

// gather waits for other hosts that want the same.
func (h *Hub) gather(g *group) {
	came := 0
	for began := time.Now(); time.Since(began) < gatherMost; {
		time.Sleep(gather)
		h.mu.Lock()
		waiting := g.waiting
		h.mu.Unlock()
		if waiting <= came+mostNamed/10 {
			return
		}
		came = waiting
	}
}

// take takes an answer over. The caller holds the lock.
func (g *group) take(q *asked, got *reply, err error) {
	g.at, g.err, g.newest, g.everyone, g.asked, g.had = time.Now(), err, got, q.everyone, q.names, map[string]bool{}
	if err != nil {
		return
	}
	g.said = got.warnings
	if got.spacing.most > 0 {
		g.spacing = got.spacing
	}
}

// deadFor is how long a host without a sample in the usual window is not looked for in the time
// that engines look back.
const deadFor = 30 * time.Second

// whole asks for all hosts of a group, those without a sample in the usual window farther back:
// those that get them more rarely than others, and now and then those that may be gone.
func (h *Hub) whole(ctx context.Context, g *group, q *asked) (*reply, error) {
	got, err := h.ask(ctx, q)
	if err != nil || q.back >= lookBack {
		return got, err
	}
	var late []string
	for _, name := range q.names {
		switch samples, _ := got.samplesOf(name); {
		case len(samples) > 0:
			delete(g.looked, name)
		case time.Since(g.looked[name]) > deadFor:
			g.looked[name] = time.Now()
			late = append(late, name)
		default: // it is known to be old
			got.set(name, q.known)
		}
	}
	if len(late) == 0 {
		return got, nil
	}
	slow := *q
	slow.names, slow.back, slow.everyone = late, lookBack, len(late) > mostNamed
	more, err := h.ask(ctx, &slow)
	for _, name := range late {
		got.set(name, more)
		_, gap := more.samplesOf(name)
		got.spacing.add(gap)
	}
	got.took += more.took
	got.warnings = append(got.warnings, more.warnings...)
	return got, err
}

// add takes the gap of a host in; 0: it is not known.
func (s *spacing) add(gap time.Duration) {
	s.most = max(s.most, gap)
	if s.least == 0 || gap > 0 && gap < s.least {
		s.least = gap
	}
}

// window is how far back a query looks for the newest samples: two of them, and what a scrape
// may be late. The caller holds the lock.
func (h *Hub) window(g *group) time.Duration {
	if most := cmp.Or(g.spacing.most, h.spacing); most > 0 {
		return windowOf(most)
	}
	return time.Minute
}

// windowOf is how far back two samples are that are so far apart, and what a scrape may be late.
func windowOf(apart time.Duration) time.Duration {
	return min(max(apart*5/2, 10*time.Second), lookBack)
}

// asked is a query for the newest samples of hosts.
type asked struct {
	label    string // by which they are known
	metrics  string
	names    []string
	everyone bool   // all hosts that there are, instead of those that are named
	rows     string // more matchers, each behind a comma; empty: all instances
	back     time.Duration
	known    *reply // the answer before; nil: there is none
}

// ask asks for the newest samples.
func (h *Hub) ask(ctx context.Context, q *asked) (*reply, error) {
	hosts := q.label + `!=""`
	if !q.everyone {
		hosts = hostsMatcher(q.label, q.names)
	}
	selector := "{" + metricsMatcher(q.metrics) + "," + hosts + q.rows + "}" + window(q.back)
	before := cmp.Or(q.known, &reply{})
	got := newReply(before)
	began := time.Now()
	said, err := h.engine.InstantLike(ctx, selector, time.Time{}, before.series, func(s query.Series) error {
		got.add(s, q.label, before)
		return nil
	})
	got.took, got.now = time.Since(began), nil
	for i := range got.hosts {
		got.spacing.add(got.hosts[i].gap)
	}
	got.warnings = warningsOf(said)
	return got, err
}

// warningsOf is what is to be told of an answer.
func warningsOf(said query.Answer) (out []string) {
	if said.Partial {
		out = append(out, "the engine's answer is a part of what there is")
	}
	out = append(out, said.Warnings...)
	if said.Histograms > 0 {
		out = append(out, fmt.Sprintf("%d series are native histograms, which have no one value", said.Histograms))
	}
	return out
}

// warnings are what the engine warned of, in the newest answers.
func (h *Hub) warnings() (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.groups {
		for _, text := range g.said {
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	slices.Sort(out)
	if h.left > 0 {
		out = append(out, fmt.Sprintf("%d hosts are left out, %d are shown: name others as #NAME behind the address", h.left, mostHosts))
	}
	if ahead := h.clock.ahead; ahead != 0 {
		out = append(out, ClockWords(ahead))
	}
	return out
}

// ClockWords say that an engine's clock differs.
func ClockWords(ahead time.Duration) string {
	return "its clock is " + english.Ahead(ahead) + " this computer's"
}

// clock is how an engine's clock stands to this computer's.
type clock struct {
	ahead time.Duration // 0 where they differ by less than is worth a word
	at    time.Time     // when it was asked for
}

// The clock of an engine is asked for so often. What they differ by less is not told.
const (
	clockEvery  = 5 * time.Minute
	clockAround = 2 * time.Second
)

// setClock asks an engine how late it is.
func (h *Hub) setClock(ctx context.Context) {
	began := time.Now()
	h.mu.Lock()
	fresh := began.Sub(h.clock.at) < clockEvery
	if !fresh {
		h.clock.at = began
	}
	h.mu.Unlock()
	if fresh {
		return
	}
	began = time.Now() // the lock was waited for
	_, err := h.engine.Instant(ctx, "vector(time())", time.Time{}, func(s query.Series) error {
		if len(s.Points) == 0 {
			return nil
		}
		// VictoriaMetrics answers for a while ago (-search.latencyOffset), and stamps that with now.
		late := max(int64(s.Points[0].Value*1000), s.Points[0].At)
		ahead := time.UnixMilli(late).Sub(began.Add(time.Since(began) / 2))
		if ahead.Abs() < clockAround+time.Since(began) {
			ahead = 0
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.clock.ahead = ahead
		return nil
	})
	if err != nil { // it is asked again soon
		h.mu.Lock()
		defer h.mu.Unlock()
		h.clock.at = began.Add(deadFor - clockEvery)
	}
}

// AskAhead is what the engine's clock is ahead of this computer's; 0: less than is worth a word, or
// it is not known.
func (h *Hub) AskAhead(ctx context.Context) time.Duration {
	h.setClock(ctx)
	return h.Ahead()
}

// here is a time of an engine's clock by this computer's.
func (h *Hub) here(ms int64) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.UnixMilli(ms).Add(-h.clock.ahead)
}
