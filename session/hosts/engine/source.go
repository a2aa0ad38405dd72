package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/engine/query"
	"perfdeck/session/text/printable"
)

// Source is a host of an engine. It implements session.Source.
type Source struct {
	hub  *Hub
	find func(context.Context) (Host, error) // nil: it was found

	mu    sync.Mutex // of what others than the sampler read, too
	host  Host
	list  *list
	has   [][]string // by part of the host: the metrics that it has, sorted; empty: nobody knows
	lacks bool       // it gets samples, but none of what is wanted
	said  []string   // what the engine warned of when it was asked for this host alone
}

// At is where the engine is, for people.
func (h *Hub) At() string { return h.engine.Host() }

// Open is the source of a host. Close takes it away from the hub.
func (h *Hub) Open(host Host) *Source {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hosts++
	return &Source{hub: h, host: host}
}

// OpenNamed is the source of a host that is found when it is asked for the first time.
func (h *Hub) OpenNamed(name string, find func(context.Context) (Host, error)) *Source {
	s := h.Open(Host{Name: name})
	s.find = find
	return s
}

// Close implements session.Source.
func (s *Source) Close() error {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.hosts--
	for _, g := range s.hub.groups {
		for _, value := range s.host.valuesOf(g.label) {
			delete(g.wanted, value)
		}
	}
	return nil
}

// Catalogue implements session.Source: what hosts of its kinds have.
func (s *Source) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	if s.find != nil {
		host, err := s.find(ctx)
		if err != nil {
			return nil, err
		}
		s.find = nil
		s.mu.Lock()
		s.host = host
		s.mu.Unlock()
	}
	l, has, err := s.hub.listOfHost(ctx, &s.host)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.list, s.has = l, has
	s.mu.Unlock()
	return l.catalogue, nil
}

// Describe says which host it is, by the labels that it is known by, and what gave its series.
func (s *Source) Describe() string {
	parts := make([]string, len(s.host.parts))
	for i, p := range s.host.parts {
		parts[i] = fmt.Sprintf("by %s: %s", p.matcher(), p.kinds)
	}
	return s.host.Name + ", " + strings.Join(parts, ", ")
}

// mostCounted is how many series are counted one by one.
const mostCounted = 50_000

var errManySeries = errors.New("more series than are counted")

// Newest asks for the newest sample of the host, when it was by this computer's clock, and how
// many series it has now; -1: more than the engine tells of at once.
func (s *Source) Newest(ctx context.Context) (at time.Time, series int, err error) {
	histograms := 0
	defer func() { at = at.Add(-s.hub.AskAhead(ctx)) }()
	for _, p := range s.host.parts {
		selector := "{" + p.matcher() + "}" + window(lookBack)
		answer, err := s.hub.engine.Instant(ctx, selector, time.Time{}, func(one query.Series) error {
			if n := len(one.Points); n > 0 {
				series++
				at = session.Later(one.Points[n-1].Time(), at)
			}
			if series > mostCounted {
				return errManySeries
			}
			return nil
		})
		if errors.Is(err, errManySeries) || query.IsTooMuch(err) {
			var b session.Batch
			if err = s.alive(ctx, &b); err == nil {
				at = b.Newest.Add(s.hub.Ahead())
			}
			return at, -1, err
		}
		if err != nil {
			return at, series, err
		}
		histograms += answer.Histograms
	}
	switch {
	case series > 0:
	case histograms > 0:
		err = fmt.Errorf("its %d series are native histograms, which have no one value", histograms)
	default:
		err = s.why(ctx)
	}
	return at, series, err
}

// Traffic implements session.Meter: that of the engine, for all of its hosts.
func (s *Source) Traffic() uint64 { return s.hub.engine.Traffic() }

// Warnings implements session.Warner.
func (s *Source) Warnings() []error {
	var out []error
	all := s.hub.warnings()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.said {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, text := range all {
		out = append(out, fmt.Errorf("the engine at %s: %s", s.hub.engine.Host(), text))
	}
	for _, p := range s.host.beside {
		out = append(out, fmt.Errorf("what has %s is left out: it says the same of a host of this name", p.matcher()))
	}
	if s.lacks {
		out = append(out, errLacks)
	}
	if s.list != nil {
		out = append(out, s.list.warnings...)
	}
	return out
}

// Open implements session.Source. A host of which the engine gets nothing any more is not there.
func (s *Source) Open(ctx context.Context) (session.Query, error) {
	if s.list == nil {
		if _, err := s.Catalogue(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.alive(ctx, new(session.Batch)); err != nil {
		return nil, err
	}
	return &open{source: s}, nil
}

// open is a query of a host.
type open struct {
	source *Source
	wants  []wanted
	given  []session.Want // the same, as they were given
}

// wanted is a want as the engine is asked for it.
type wanted struct {
	session.Want

	index   *index
	metrics []string
	key     string

	at      int64     // of the samples that were given last; 0: none were
	read    time.Time // when they were
	hits    []hit
	best    []uint8 // by column: how near to it what says it is
	rows    rows
	lead    leading
	isApart bool // it is asked for by itself in this collection
}

// hit is a sample that says something of a want.
type hit struct {
	sample *sample
	of     *meaning
	column int
	rank   uint8
}

func (l *list) wanted(w session.Want) wanted {
	return wanted{Want: w, index: &l.index, metrics: l.metricsOf(w.Set, w.Counters), key: fmt.Sprint(w.Set.Name, w.Counters)}
}

// Select implements session.Query.
func (q *open) Select(_ context.Context, wants []session.Want) error {
	out := make([]wanted, len(wants))
	for i, w := range wants {
		out[i] = q.source.list.wanted(w)
		if at := slices.IndexFunc(q.wants, func(old wanted) bool { return old.Set == w.Set }); at >= 0 {
			out[i].lead.few, out[i].lead.of = q.wants[at].lead.few, q.wants[at].lead.of
		}
	}
	q.wants, q.given = out, slices.Clone(wants)
	return nil
}

// What is wrong with a host that an engine gets nothing of.
var (
	errNoSamples  = errors.New("the engine has no sample of it in the last minutes")
	errNotScraped = errors.New("the engine tries to scrape it and fails (up is 0)")
	errLacks      = errors.New("the engine gets samples of the host, but none of the counters that are shown")
)

// errOld says that nothing came for so long that it will not.
func (s *Source) errOld(newest int64) error {
	return fmt.Errorf("the engine gets no samples of it any more: its newest is of %s", s.hub.here(newest).Local().Format(time.TimeOnly))
}

// isOld tells whether newer samples of a host are missed: where the newest is as old as three of
// them are apart, but not less than it may take them to come.
func (s *Source) isOld(newest int64, gap time.Duration) bool {
	const atLeast = 20 * time.Second
	return time.Since(s.hub.here(newest)) > min(max(3*cmp.Or(gap, lookBack), atLeast), lookBack)
}

// ask is what wants that are due ask for, and how often.
func (q *open) ask(b *session.Batch) (a *ask, every time.Duration) {
	var key strings.Builder
	for _, w := range q.together(b) {
		key.WriteString(w.key)
		if each := cmp.Or(w.Every, time.Second); every == 0 || each < every {
			every = each
		}
	}
	if key.Len() == 0 {
		return nil, 0
	}
	return q.source.list.ask(key.String(), func() (metrics []string) {
		for _, w := range q.together(b) {
			metrics = append(metrics, w.metrics...)
		}
		return metrics
	}), every
}

// together are the wants that are due and asked for at once, by their places.
func (q *open) together(b *session.Batch) iter.Seq2[int, *wanted] {
	return func(yield func(int, *wanted) bool) {
		for i := range q.wants {
			if w := &q.wants[i]; b.IsDue(i) && !w.isApart && len(w.metrics) > 0 && !yield(i, w) {
				return
			}
		}
	}
}

// ask is what is asked for by a key. All hosts share it.
func (l *list) ask(key string, metrics func() []string) *ask {
	const most = 1000
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.asks) > most {
		clear(l.asks)
	}
	a := l.asks[key]
	if a == nil {
		a = &ask{key: key, metrics: metrics()}

		l.asks[key] = a
	}
	return a
}

// seldom is how often is asked for what nobody looks at.
const seldom = 30 * time.Second

// rest takes out what need not be read yet.
func (q *open) rest(b *session.Batch) {
	for i := range q.wants {
		w := &q.wants[i]
		switch {
		case !b.IsDue(i) || b.Due == nil:
		case w.Seldom && time.Since(w.read) < seldom:
			b.Due[i] = false
		default:
			w.read = time.Now()
		}
	}
}

// Collect implements session.Query.
func (q *open) Collect(ctx context.Context, b *session.Batch) error {
	b.Time = time.Now()
	b.Fit(q.given)
	q.rest(b)
	newest, heard, err := q.collectLeads(ctx, b)
	if err != nil {
		return err
	}
	s := q.source
	if a, every := q.ask(b); a != nil {
		if heard, err = s.hub.samples(ctx, &s.host, a, every); err != nil {
			return err
		}
		for i := range q.together(b) {
			newest = max(newest, q.fillSet(b, i, &heard))
		}
	} else if newest == 0 {
		return s.alive(ctx, b)
	}
	if newest > 0 && !s.isOld(newest, heard.gap) {
		b.Newest, b.Took = s.hub.here(newest), heard.took
	} else if err := s.alive(ctx, b); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lacks = newest == 0
	return nil
}

// fillSet fills one set, and tells of when its newest sample is; 0: there is none.
func (q *open) fillSet(b *session.Batch, i int, heard *hostAnswer) (at int64) {
	s, w := q.source, &q.wants[i]
	at, before := w.seek(heard.parts)
	switch {
	case at == 0:
		w.fillLacking(&b.Sets[i])
	case s.isOld(at, heard.gap):
		b.Sets[i].Err = s.errOld(at)
	case at == w.at && b.Due != nil:
		b.Due[i] = false // nothing came since
	default:
		if (w.at == 0 || w.isApart) && before > 0 { // of those that lead, some may be new
			b.Sets[i].Before = new(session.SetBatch)
			b.Sets[i].Before.Reset(&w.Want)
			w.fill(b.Sets[i].Before, heard.parts, before, true)
		}
		w.fill(&b.Sets[i], heard.parts, at, false)
	}
	w.at = at
	return at
}

// fillLacking makes a row without values of a host that has no series of a counterset.
func (w *wanted) fillLacking(b *session.SetBatch) {
	switch {
	case !w.Set.Instances.Multiple():
		b.Instances = append(b.Instances, session.Instance{})
	case isTotalled(w.Set):
		b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: totalName}, Flags: session.FlagTotal})
	default:
		return
	}
	for range w.Counters {
		b.Readings = append(b.Readings, cooker.Reading{State: cooker.Unavailable})
	}
}

// aliveEvery is how often hosts of which nobody wants a counter are looked at.
const aliveEvery = 15 * time.Second

// askAlive asks for what hosts have one series of.
var askAlive = &ask{key: "markers", metrics: append(slices.Sorted(maps.Keys(markers)), upMetric)}

// alive tells why a host gives nothing; nil: the engine gets samples of it, of which it tells
// when the newest was.
func (s *Source) alive(ctx context.Context, b *session.Batch) error {
	heard, err := s.hub.samples(ctx, &s.host, askAlive, aliveEvery)
	if err != nil {
		return err
	}
	newest, failed := int64(0), false
	for _, p := range heard.parts {
		for i := range p.samples {
			one := &p.samples[i]
			if one.value == 0 && slices.Contains(states[:], one.labels.Get(query.NameLabel)) {
				failed = true
				continue
			}
			newest = max(newest, one.at)
		}
	}
	b.Took = heard.took
	if newest > 0 && !s.isOld(newest, heard.gap) {
		b.Newest = s.hub.here(newest)
		return nil
	}
	if err := s.why(ctx); !errors.Is(err, errNoSamples) {
		return err
	}
	if newest == 0 && !failed {
		if newest, err = s.anyNewest(ctx); err != nil {
			return err
		}
	}
	switch {
	case newest > 0 && !s.isOld(newest, heard.gap):
		b.Newest = s.hub.here(newest)
		return nil
	case failed:
		return errNotScraped
	case newest == 0:
		return errNoSamples
	}
	return s.errOld(newest)
}

// states are metrics that are 0 where a host gives nothing.
var states = [...]string{upMetric, "perfdeck_host_up"}

// anyNewest is when the newest sample is of a host that has none of the metrics that hosts have;
// 0: there is none.
func (s *Source) anyNewest(ctx context.Context) (newest int64, err error) {
	for _, p := range s.host.parts {
		_, err := s.hub.engine.Instant(ctx, "max(timestamp({"+p.matcher()+"}))", time.Time{}, func(one query.Series) error {
			if len(one.Points) > 0 {
				newest = max(newest, int64(one.Points[0].Value*1000))
			}
			return nil
		})
		if err != nil {
			return newest, err
		}
	}
	return newest, nil
}

// why is why a host has no samples, in the word that perfdeck pushed of it, if it did.
func (s *Source) why(ctx context.Context) error {
	err := errNoSamples
	i := slices.IndexFunc(s.host.parts, func(p part) bool { return p.kinds&ofPerfdeck != 0 })
	if i < 0 {
		return err
	}
	_, down := prom.HostMetrics()
	selector := down.Name + "{" + s.host.parts[i].matcher() + "} == 1"
	_, failed := s.hub.engine.Instant(ctx, selector, time.Time{}, func(one query.Series) error {
		reason := printable.Text(one.Labels.Get(prom.ReasonLabel))
		err = fmt.Errorf("perfdeck, which pushes it, says of it: %s", reason)
		if reason == prom.Denied {
			err = fmt.Errorf("%w: %w", err, session.ErrDenied)
		}
		return nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// Close implements session.Query.
func (*open) Close() error { return nil }

// seek finds what samples say of the want, and tells of when the newest of them is, and the one
// before; 0: there is none. Where several exporters say the same, one of them is taken.
func (w *wanted) seek(parts []heard) (newest, before int64) {
	w.hits, w.best = w.hits[:0], w.best[:0]
	for range w.Counters {
		w.best = append(w.best, math.MaxUint8)
	}
	for _, p := range parts {
		for i := range p.samples {
			s := &p.samples[i]
			for _, m := range w.index.byMetric[s.labels.Get(query.NameLabel)] {
				column := slices.Index(w.Counters, m.counter)
				if column < 0 || m.set != w.Set.Name || !m.isOf(p.kinds) || !m.matches(s.labels) {
					continue
				}
				rank := m.rank(p.kinds)
				w.best[column] = min(w.best[column], rank)
				w.hits = append(w.hits, hit{s, m, column, rank})
			}
		}
	}
	w.hits = slices.DeleteFunc(w.hits, func(h hit) bool { return h.rank > w.best[h.column] })
	for i := range w.hits {
		newest = max(newest, w.hits[i].sample.at)
		before = max(before, w.hits[i].sample.before.At)
	}
	return newest, before
}

// fill makes a batch of the samples that were found, or of those before.
func (w *wanted) fill(b *session.SetBatch, parts []heard, at int64, before bool) {
	ticks := uint64(at*10_000 + cooker.Unix100ns)
	b.Clocks = cooker.Ticking(ticks, ticks)
	for _, p := range parts {
		if p.kinds&ofPerfdeck != 0 {
			ownClocks(&b.Clocks, w.Set, p.samples, before)
		}
	}
	w.rows.reset(len(w.Counters))
	for _, h := range w.hits {
		value, ok := h.sample.valueOf(before)
		if !ok {
			continue
		}
		row := w.rows.of(w.Set, h.of, h.sample.labels)
		h.of.put(w.rows.cell(row, h.column), value, &b.Clocks)
	}
	if !w.isApart { // else not all of its instances are here
		w.rows.total(w.Set, w.Counters)
	}
	for _, i := range w.rows.order() {
		b.Instances = append(b.Instances, w.rows.instances[i])
		for column := range w.Counters {
			b.Readings = append(b.Readings, w.rows.cell(i, column).reading(&w.Set.Counters[w.Counters[column]], &b.Clocks, w.index.ownBase))
		}
	}
}

// valueOf is the value, or the one before.
func (s *sample) valueOf(before bool) (v float64, ok bool) {
	if before {
		return s.before.Value, s.before.At != 0
	}
	return s.value, true
}

// system100ns is the frequency of all clocks here.
const system100ns = 10_000_000

// The clocks that perfdeck pushes beside raw values.
var clockTicks, clockHertz = func() (string, string) {
	ticks, hertz := prom.ClockMetrics()
	return ticks.Name, hertz.Name
}()

// ownClocks takes the clocks of the host itself, where perfdeck pushed them: they are exact
// where the engine's time is one of milliseconds.
func ownClocks(c *cooker.Clocks, set *session.Counterset, found []sample, before bool) {
	known := map[string]uint64{} // frequencies
	each := func(name string, do func(clock string, ticks int64)) {
		for i := range found {
			s := &found[i]
			v, ok := s.valueOf(before)
			if ok && s.labels.Get(query.NameLabel) == name && paths.EqualFold(s.labels.Get(prom.SetLabel), set.Name) && isWhole(math.Abs(v)) {
				do(s.labels.Get("clock"), int64(v))
			}
		}
	}
	each(clockHertz, func(clock string, hz int64) { known[clock] = uint64(max(hz, 0)) })
	each(clockTicks, func(clock string, ticks int64) {
		hz := known[clock]
		switch {
		case clock == "system":
			c.Time100ns = uint64(ticks + prom.ClockOffset)
		case hz == 0:
		case clock == "performance":
			c.PerfTime, c.PerfFreqHz = uint64(ticks), hz
		case clock == "object" && hz == system100ns:
			c.ObjTime = uint64(ticks + prom.ClockOffset)
		case clock == "object":
			c.ObjTime, c.ObjFreqHz = uint64(ticks), hz
		}
	})
}

// rows are the instances of a batch that is made.
type rows struct {
	columns   int
	instances []session.Instance
	cells     []cell
	at        map[rowKey]int // empty while they are few
	sorted    []int
}

// rowKey tells instances of a counterset apart.
type rowKey struct {
	session.InstanceKey

	index uint32
}

func (r *rows) reset(columns int) {
	r.columns, r.instances, r.cells = columns, r.instances[:0], r.cells[:0]
	clear(r.at)
}

func (r *rows) cell(row, column int) *cell { return &r.cells[row*r.columns+column] }

// of is the row of a series.
func (r *rows) of(set *session.Counterset, m *meaning, l query.Labels) int {
	if !set.Instances.Multiple() {
		if len(r.instances) == 0 {
			r.add(session.Instance{})
		}
		return 0
	}
	in := session.Instance{Key: session.InstanceKey{Name: m.instanceOf(l), Parent: l.Get("parent")}, Number: wholeNumber(l.Get("process_id"), 64)}
	in.Key.ID, in.Index = in.Number, uint32(wholeNumber(l.Get("index"), 32))
	if row, ok := r.find(&in); ok {
		return row
	}
	in.Flags = set.FlagsOf(in.Key.Name)
	return r.add(in)
}

// fewRows are gone through one by one, which most hosts have no more of.
const fewRows = 16

func (r *rows) find(in *session.Instance) (row int, ok bool) {
	if len(r.instances) > fewRows {
		row, ok = r.at[keyOf(in)]
		return row, ok
	}
	for i := range r.instances {
		if keyOf(&r.instances[i]) == keyOf(in) {
			return i, true
		}
	}
	return 0, false
}

func keyOf(in *session.Instance) rowKey { return rowKey{in.Key, in.Index} }

// wholeNumber is the number that a label has; 0: it has none.
func wholeNumber(text string, bits int) uint64 {
	if text == "" {
		return 0
	}
	n, _ := strconv.ParseUint(text, 10, bits)
	return n
}

func (r *rows) add(in session.Instance) int {
	r.instances = append(r.instances, in)
	r.cells = append(r.cells, make([]cell, r.columns)...)
	switch n := len(r.instances); {
	case n <= fewRows:
	case len(r.at) == 0:
		r.at = make(map[rowKey]int, 2*n)
		for i := range r.instances {
			r.at[keyOf(&r.instances[i])] = i
		}
	default:
		r.at[keyOf(&in)] = n - 1
	}
	return len(r.instances) - 1
}

// order is the rows in an order that is the same each time, which engines' answers have not:
// by name, numbers in it as numbers, so that processor 2 comes before 10 as on the host.
func (r *rows) order() []int {
	out := r.sorted[:0]
	for i := range r.instances {
		out = append(out, i)
	}
	slices.SortFunc(out, func(a, b int) int {
		x, y := &r.instances[a], &r.instances[b]
		return cmp.Or(cmp.Compare(x.Flags&session.FlagTotal, y.Flags&session.FlagTotal), compareNames(x.Key.Name, y.Key.Name),
			cmp.Compare(x.Key.Parent, y.Key.Parent), cmp.Compare(x.Index, y.Index), cmp.Compare(x.Number, y.Number))
	})
	r.sorted = out
	return out
}

func compareNames(a, b string) int {
	differ := 0
	for differ < min(len(a), len(b)) && a[differ] == b[differ] {
		differ++
	}
	begin := differ // of the numbers in which they differ, if they do
	for begin > 0 && isDigit(a[begin-1]) {
		begin--
	}
	x, isNumber := leadingNumber(a[begin:])
	y, areNumbers := leadingNumber(b[begin:])
	if !isNumber || !areNumbers {
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(a, b))
}

// leadingNumber is the digits that a text begins with, if it does, without zeros before others.
func leadingNumber(s string) (digits string, is bool) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return strings.TrimLeft(s[:n], "0"), n > 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

const totalName = "_Total"

// total adds the instance _Total where the series have none, of what Windows has it: shares
// are averaged, those of processes and amounts added.
func (r *rows) total(set *session.Counterset, counters []int) {
	if !isTotalled(set) || len(r.instances) == 0 || slices.ContainsFunc(r.instances, func(in session.Instance) bool { return in.Flags&session.FlagTotal != 0 }) {
		return
	}
	members := make([]int, len(r.instances))
	for i := range members {
		members[i] = i
	}
	row := r.add(session.Instance{Key: session.InstanceKey{Name: totalName}, Flags: session.FlagTotal})
	for column := range counters {
		sum := r.cell(row, column)
		outer := set.Outermost(members, func(i int) (*session.Instance, cooker.Value) {
			if c := r.cell(i, column); c.hasRaw || c.hasCooked {
				return &r.instances[i], cooker.WholeValue(0)
			}
			return &r.instances[i], cooker.Absent(cooker.Unavailable)
		})
		for _, i := range outer {
			sum.join(r.cell(i, column))
		}
		if sum.parts > 0 && isAveraged(set, counters[column]) {
			sum.divide(float64(sum.parts))
		}
	}
}

// isAveraged tells a counter of which _Total is the average of instances: shares of what each
// of them has for itself, as disks and processors have. Processes share what there is, and
// their shares add up, that of Idle among them, as on Windows.
func isAveraged(set *session.Counterset, counter int) bool {
	return set.Counters[counter].Quantity.Kind == cooker.Percent && set.Name != "Process" && set.Name != "Process V2"
}

// isTotalled tells a counterset that has the instance _Total.
func isTotalled(set *session.Counterset) bool {
	switch set.Name {
	case "Processor Information", "Processor", "PhysicalDisk", "LogicalDisk", "Paging File", "Process", "Process V2":
		return true
	}
	return false
}

// cell is what the samples of an instance say of a counter.
type cell struct {
	raw, base, cooked          float64
	rawFrom, baseFrom          uint64 // what raw and base are on top of: a clock's ticks are too many for a float64
	hasRaw, hasBase, hasCooked bool
	ruled                      bool // raw goes by perfdeck's own names
	parts                      int  // cells that it was joined of
}

func (c *cell) join(o *cell) {
	if !o.hasRaw && !o.hasCooked {
		return
	}
	c.parts++
	c.raw, c.base, c.cooked = c.raw+o.raw, c.base+o.base, c.cooked+o.cooked
	c.rawFrom, c.baseFrom = c.rawFrom+o.rawFrom, c.baseFrom+o.baseFrom
	c.hasRaw, c.hasBase, c.hasCooked = c.hasRaw || o.hasRaw, c.hasBase || o.hasBase, c.hasCooked || o.hasCooked
	c.ruled = c.ruled || o.ruled
}

// divide makes an average of a sum. A share with a base is one by itself.
func (c *cell) divide(n float64) {
	c.cooked /= n
	if !c.hasBase {
		c.raw /= n
		c.rawFrom = uint64(float64(c.rawFrom) / n)
	}
}

// reading is the cell as a reading: raw where there is a raw value. Where only perfdeck gives a
// base that is a time stamp, ownBase says whether the host has it: else the clock is the base.
func (c *cell) reading(of *session.Counter, clocks *cooker.Clocks, ownBase bool) cooker.Reading {
	switch {
	case c.hasRaw && isWhole(c.raw):
		r := cooker.Reading{Raw: c.rawFrom + uint64(math.Round(c.raw)), Size: 8, BaseSize: 8}
		shape, _ := of.Type.Raw()
		switch {
		case shape.Base == cooker.BaseNone:
		case c.hasBase && isWhole(c.base):
			r.Base = c.baseFrom + uint64(math.Round(c.base))
		case isByClock(shape) && (!ownBase || !c.ruled):
			r.Base = clocks.Time100ns
		default:
			r.State = cooker.NoBase
		}
		return r
	case c.hasCooked:
		return cooker.CookedReading(c.cooked)
	}
	return cooker.Reading{State: cooker.Unavailable}
}

// isByClock tells a share whose base is a time stamp of the clock of 100 ns.
func isByClock(of cooker.RawShape) bool {
	return of.Base == cooker.BaseClock && of.Time == cooker.Clock100ns
}

// isWhole tells what a raw value can be.
func isWhole(f float64) bool { return f >= 0 && f < math.MaxUint64 }

// put adds what a sample says to a cell.
func (m *meaning) put(c *cell, v float64, clocks *cooker.Clocks) {
	if m.timer != cooker.ClockNone {
		_, hertz := prom.Clock(clocks, m.timer)
		v *= hertz
	}
	var sum cell // that it adds to
	if m.adds {
		sum = *c
	}
	switch v /= m.scale; m.form {
	case cookedForm:
		c.cooked, c.hasCooked = v, true
	case rawForm:
		c.raw, c.hasRaw, c.ruled = sum.raw+v, true, m.names != nil
	case momentForm:
		c.raw, c.hasRaw = v, true
		if clocks.ObjFreqHz == system100ns {
			c.rawFrom = m.offset
		}
	case baseForm:
		c.base, c.hasBase, c.baseFrom = sum.base+v, true, m.offset
	}
}

var _ session.Source = (*Source)(nil)
