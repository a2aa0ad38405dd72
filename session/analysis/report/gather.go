package report

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/output"
)

var noTime time.Time

// Options say what is told of which recordings.
type Options struct {
	Title                  string                 // of the recordings, to be read
	Name, Command, Version string                 // as commands take them; no name: they came by a pipe
	Begin, End             time.Time              // zero: the recordings' own
	Of                     time.Time              // what ended before is left out, and who used what since is told; zero: all is told
	Meant                  func(host string) bool // nil: all hosts are
	Looks                  session.Looks          // how numbers are written
	Notes                  []note.Note            // in order of time
	Events                 []session.HostEvent    // that are in no recording
	Packs                  []alert.Pack           // that may fit, and tell what hosts are
}

// Judgement is what rules found in the recordings.
type Judgement struct {
	Timeline *alert.Timeline
	Outcomes []alert.Outcome
	Stopped  string // why they were not judged to the end; empty: they were
	Judged   Judged
}

// own are the outcomes of the rules themselves, without those that GoesOn made.
func (j *Judgement) own() []alert.Outcome {
	return slices.DeleteFunc(slices.Clone(j.Outcomes), func(o alert.Outcome) bool { return o.Rule.IsGoesOn() })
}

// limits are the rules that judged a counter as it is by a limit, as they are on a host.
func (j *Judgement) limits(h *host) (rules []*alert.Rule) {
	for _, o := range j.own() {
		if o.Rule.Kind == alert.Threshold && !o.Rule.IsDerived() && o.Problem == "" {
			rules = append(rules, o.Rule.On(h.of.Catalogue(), h.size()))
		}
	}
	return rules
}

// Gatherer reads recordings. Sum is called first, then Report.
type Gatherer struct {
	Options

	clock

	growers    []alert.Rule // on what leaks
	happened   *events
	player     *replay.Player
	begin, end time.Time
	tapes      []*tape
	hosts      []*host
	faults     logs.Faults
	values     int64
	interval   time.Duration // the longest
	hours      time.Time     // where the first of the columns by hour begins, and how long they are
	hour       time.Duration
	measures   []subject
	came       output.Progress // bytes
}

// tape is a recording with what is summed up of it.
type tape struct {
	replay.Recording

	series   []series // by column
	hosts    []*host
	columns  []int // that are
	hour     int   // that is read
	rows     int64
	before   *compare.Span
	during   *compare.Span
	values   []float64 // of the row
	measures []*measured
}

// series is what is summed up of a column.
type series struct {
	*replay.Column

	at     int   // among the columns
	host   *host // nil: it is not meant
	sum    logs.Summary
	format cooker.Format
	course []mean
	total  cooker.Accumulator // what came before the hour that is read, which sum sums up until the end
	hours  []float64          // averages; NaN: there is none
	denied int64              // so often there was no value for want of rights
	idle   int64              // and for the base did not move
	whole  bool               // all values were whole numbers
}

// mean is that of the values in a part of the time.
type mean struct {
	sum float64
	n   uint32
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

// valueOf is NaN where there is none.
func valueOf(m mean) float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.sum / float64(m.n)
}

// host is a host of a tape.
type host struct {
	Host

	of     *replay.Host
	series []*series
	tape   *tape
	index  int   // in the report
	cols   []int // of the tape
	gaps   []Gap
	newest time.Time // of the last row with a value of it
	blank  int64     // rows since without one
	any    bool      // in this row
}

// The sizes of what is summed up.
const (
	courseParts  = 96
	fewParts     = 24 // where there are very many counters
	manySeries   = 8000
	measureParts = 160
	mostHours    = 12
)

// New makes a gatherer. The player has the recordings; it is not closed.
func New(player *replay.Player, o Options) *Gatherer {
	zone := player.About().Zone
	g := &Gatherer{Options: o, player: player}
	first, last := player.Bounds()
	for _, r := range player.Recordings() { // of all of them
		if !r.First.IsZero() && r.First.Before(first) {
			first = r.First
		}
		last = session.Later(last, r.Last)
	}
	if !o.End.IsZero() {
		last = session.Earlier(last, o.End)
	}
	for _, h := range player.Hosts() {
		o.Events = append(slices.Clip(o.Events), h.Events().All()...)
	}
	g.happened = newEvents(o.Events, first)
	g.begin, g.end = session.Later(first, o.Begin).In(zone), last.In(zone)
	g.clock = newClock(g.begin, g.end, zone)
	return g
}

// Came is how far the reading is, 0 to 1.
func (g *Gatherer) Came() float64 {
	at, of := g.came.Get()
	return float64(at) / float64(max(of, 1))
}

// length is how long it is that is told of.
func (g *Gatherer) length() time.Duration { return max(g.end.Sub(g.begin), 1) }

// place is in which of n parts a moment is.
func (g *Gatherer) place(at time.Time, n int) int { return cellOf(at, g.begin, g.end, n) }

// fitting is in how many parts the time is cut, n at most, so that each of them has a
// sample where none is missing.
func (g *Gatherer) fitting(n int) int {
	if g.interval <= 0 {
		return n
	}
	const each = 0.8
	return min(n, max(int(each*float64(g.length())/float64(g.interval)), 2))
}

var errNothingMeant = errors.New("it has none of the hosts")

// Sum reads the recordings and sums up all counters. tick is called now and then.
func (g *Gatherer) Sum(ctx context.Context, tick func()) error {
	recordings := g.player.Recordings()
	total := 0
	for i := range recordings {
		total += len(recordings[i].Columns)
		g.interval = max(g.interval, recordings[i].Longest)
	}
	g.hour = max(stepFor(g.length(), mostHours), time.Minute)
	if g.hours = firstTick(g.begin, g.hour); g.hours.After(g.begin) {
		g.hours = g.hours.Add(-g.hour)
	}
	parts := g.fitting(courseParts)
	if total > manySeries {
		parts = g.fitting(fewParts)
	}
	for i := range recordings {
		t := &tape{Recording: recordings[i]}
		g.prepare(t, parts)
		if len(t.columns) > 0 {
			g.tapes = append(g.tapes, t)
		}
	}
	if len(g.tapes) == 0 {
		return errNothingMeant
	}
	g.planMeasures()
	for _, t := range g.tapes {
		if err := g.sum(ctx, t, tick); err != nil {
			return err
		}
	}
	for _, h := range g.hosts {
		h.endGaps(g)
	}
	return nil
}

// prepare makes ready what is summed up of a recording.
func (g *Gatherer) prepare(t *tape, parts int) {
	hours := int(g.end.Sub(g.hours)/g.hour) + 1
	t.series = make([]series, len(t.Columns))
	header := make([]logs.Column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Host == nil || g.Meant != nil && !g.Meant(c.Host.Name()) {
			continue
		}
		n := slices.IndexFunc(t.hosts, func(h *host) bool { return h.of == c.Host })
		if n < 0 {
			n = len(t.hosts)
			h := &host{of: c.Host, tape: t, index: len(g.hosts), Host: Host{Name: c.Host.Name(), Interval: t.Interval}}
			t.hosts, g.hosts = append(t.hosts, h), append(g.hosts, h)
		}
		h := t.hosts[n]
		t.columns, h.cols, h.series = append(t.columns, i), append(h.cols, i), append(h.series, &t.series[i])
		t.series[i].host = h
		counter := counterOf(c)
		header[i] = logs.Column{Path: c.Path, English: englishOf(c), Type: counter.Type, TypeKnown: counter.Description == ""}
	}
	sums := logs.Summarize(&logs.Header{Columns: header})
	courses, byHour := make([]mean, parts*len(t.columns)), slices.Repeat([]float64{math.NaN()}, hours*len(t.columns))
	for n, i := range t.columns {
		s := &t.series[i]
		s.Column, s.at = &t.Columns[i], i
		s.sum, s.total = sums[i], sums[i].Accumulator
		s.format = g.formatOf(s.Set, s.Counter)
		s.course, s.hours = courses[n*parts:(n+1)*parts], byHour[n*hours:(n+1)*hours]
		s.whole = true
	}
	t.values = make([]float64, len(t.columns))
	half := g.length() / 2
	t.before = compare.NewSpan(g.begin, half, compare.Blocks, len(t.columns))
	quarter := g.length() / 4
	t.during = compare.NewSpan(g.end.Add(-quarter), quarter+1, compare.BlocksFor(quarter, half), len(t.columns))
}

// formatOf is how a counter is written.
func (g *Gatherer) formatOf(set *session.Counterset, counter int) cooker.Format {
	f := g.Looks.Of(set, &set.Counters[counter]).Format
	f.Scale = 0
	return f
}

// sum reads a recording.
func (g *Gatherer) sum(ctx context.Context, t *tape, tick func()) error {
	whole := logs.Visit{From: g.begin, To: g.end, Columns: t.columns, Add: func(row *logs.Row) { g.addRow(t, row) }}
	faults, err := t.visit(ctx, logs.Scan{Tick: tick, Came: g.came.Set}, []logs.Visit{whole})
	if err != nil {
		return err
	}
	t.endHour()
	for _, i := range t.columns {
		t.series[i].sum.Accumulator = t.series[i].total
	}
	g.faults.Join(faults)
	return nil
}

// addRow takes a row in.
func (g *Gatherer) addRow(t *tape, row *logs.Row) {
	t.rows++
	for _, h := range t.hosts {
		h.any = false
	}
	part := -1
	if hour := int(row.Time.Sub(g.hours) / g.hour); hour != t.hour {
		t.endHour()
		t.hour = hour
	}
	for n, i := range t.columns {
		s := &t.series[i]
		h := s.host
		v := row.Values[i]
		f, ok := v.Float()
		s.sum.Add(row, i)
		if !ok {
			t.values[n] = math.NaN()
			if status := v.Status(); status == cooker.Denied {
				s.denied++
			} else if status == cooker.ZeroBase {
				s.idle++
				h.any = true
			} else if _, isText := v.Text(); isText {
				h.any = true
			}
			continue
		}
		t.values[n] = f
		h.any = true
		if part < 0 {
			part = g.place(row.Time, len(s.course))
		}
		s.course[part].add(f)
		s.whole = s.whole && f == math.Trunc(f)
		g.values++
		h.Values++
	}
	t.before.Add(row.Time, t.values)
	t.during.Add(row.Time, t.values)
	g.measure(t, row)
	for _, h := range t.hosts {
		h.took(row.Time, t)
	}
}

// endHour takes the averages of the hour that was read.
func (t *tape) endHour() {
	for _, i := range t.columns {
		s := &t.series[i]
		if f, ok := s.sum.Average().Float(); ok && t.hour >= 0 && t.hour < len(s.hours) {
			s.hours[t.hour] = f
		}
		s.total.Join(&s.sum.Accumulator)
		s.sum.Next()
	}
}

// took notes that a row of a host came, and gaps before it.
func (h *host) took(at time.Time, t *tape) {
	if !h.any {
		h.blank++
		return
	}
	h.Samples++
	if h.First.IsZero() {
		h.First = at
	}
	if every := t.Every(h.newest); !h.newest.IsZero() && every > 0 {
		since := at.Sub(h.newest)
		if h.Longest = max(h.Longest, every); 2*h.Interval > 3*every {
			h.Interval = every
		}
		h.Expected += max(beats(since, every), 1)
		if since > session.GapAfter(every) {
			h.gaps = append(h.gaps, h.gap(h.newest.Add(every), at))
		}
	}
	h.newest, h.Last, h.blank = at, at, 0
}

// beats are how many of an interval a time has.
func beats(d, every time.Duration) int64 { return int64(math.Round(float64(d) / float64(every))) }

func (h *host) gap(from, to time.Time) Gap {
	gap := Gap{Host: h.Name, From: from, To: to, Cause: "not recorded", hosts: []int{h.index}}
	if h.blank > 0 {
		gap.Cause, gap.Known = "no values", plural(h.blank, "sample of it is", "samples of it are")+" empty: the host did not answer, or nothing of it could be read"
	}
	return gap
}

// endGaps finds what lacks at both ends, and how complete the host is.
func (h *host) endGaps(g *Gatherer) {
	every, late := h.tape.Every(h.First), h.tape.Every(h.newest)
	if every <= 0 {
		h.Expected = h.Samples
		return
	}
	if h.First.IsZero() {
		h.gaps = append(h.gaps, Gap{Host: h.Name, From: g.begin, To: g.end, Cause: "no values", Known: "nothing is known of it", IsOpen: true, hosts: []int{h.index}})
		h.Expected = int64(g.length()/every) + 1
		return
	}
	if h.First.Sub(g.begin) > session.GapAfter(every) {
		h.gaps = append([]Gap{{Host: h.Name, From: g.begin, To: h.First, Cause: "not yet recorded", hosts: []int{h.index}}}, h.gaps...)
	}
	if g.end.Sub(h.newest) > session.GapAfter(late) {
		gap := h.gap(h.newest.Add(late), g.end)
		gap.IsOpen = true
		h.gaps = append(h.gaps, gap)
	}
	h.Expected += beats(h.First.Sub(g.begin), every) + 1 + beats(g.end.Sub(h.newest), late)
	if h.Expected-h.Samples == 1 { // rates of the first row, and rounding
		h.Expected--
	}
}

// allGaps are the gaps of all hosts in order of time; those that all hosts share are one.
func (g *Gatherer) allGaps() []Gap {
	var all []Gap
	for _, h := range g.hosts {
		for _, gap := range h.gaps {
			same := slices.IndexFunc(all, func(o Gap) bool {
				return o.Cause == gap.Cause && o.IsOpen == gap.IsOpen && o.From.Equal(gap.From) && o.To.Equal(gap.To) && !slices.Contains(o.hosts, h.index)
			})
			if same < 0 {
				all = append(all, gap)
				continue
			}
			all[same].hosts = append(all[same].hosts, h.index)
		}
	}
	for i := range all {
		if n := len(all[i].hosts); n == len(g.hosts) && n > 1 {
			all[i].Host = ""
		} else if n > 1 {
			all[i].Host = strings.Join(each(all[i].hosts, func(k int) string { return g.hosts[k].Name }), ", ")
		}
	}
	slices.SortStableFunc(all, func(a, b Gap) int { return a.From.Compare(b.From) })
	return all
}
