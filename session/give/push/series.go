package push

import (
	"fmt"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
)

// Host is a host that is pushed.
type Host struct {
	Name      string
	Sampler   *session.Sampler
	Questions []session.Question
	Aside     bool // what names no host does not mean it
}

// followed is a host that is followed: its answers become samples.
type followed struct {
	p        *Pusher
	name     string
	follower *session.Follower

	readings []reading // the sampler's own: of the answer under way

	mu     sync.Mutex // of what follows
	ended  bool
	names  prom.Naming
	known  map[string]*series // by their labels
	items  []item             // by number
	live   []*series          // that had a sample in the newest answer
	before []*series          // and in the one before that
	beat   uint64
	last   int64         // milliseconds of the newest sample
	heard  time.Duration // monotonic, of the newest answer
	reason string        // why the host gives nothing, as the engine was told; empty: it does
	told   time.Duration // monotonic, when that was
	out    []byte
	count  int // samples in out
}

// series is one that the engine knows, or will.
type series struct {
	labels []byte // as appendLabels writes them
	beat   uint64 // in which it had a sample last
	gone   bool   // it is not among the known ones
}

// item is what an item of the follower becomes.
type item struct {
	*session.Item

	names             *prom.Names
	in                *session.Instance
	cooked, raw, base *series
	clock             [2]*series // ticks, frequency
}

// reading is what a cell was read as.
type reading struct {
	ok     bool
	value  cooker.Reading
	clocks cooker.Clocks
}

// follow begins to follow a host.
func (p *Pusher) follow(h Host) *followed {
	f := &followed{p: p, name: h.Name, known: map[string]*series{}, heard: p.o.Clock.Now().Mono}
	o := session.FollowOptions{Every: p.o.Every, Clock: p.o.Clock, Go: p.o.Go, Each: f.receive, Report: func(err error) {
		p.o.Report(fmt.Errorf("push %s: %w", h.Name, err))
	}}
	if p.o.Raw {
		o.Cell = func(view *session.SetView, row, column int) {
			r, clocks, ok := view.Reading(row, column)
			if !ok {
				f.readings = append(f.readings, reading{})
				return
			}
			f.readings = append(f.readings, reading{true, *r, *clocks})
		}
	}
	f.follower = session.Follow(h.Name, h.Sampler, h.Questions, o)
	return f
}

// receive makes samples of an answer. Series that had one before and have none now end.
func (f *followed) receive(a *session.Answer) (taken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return true
	}
	if a.Idle { // not the sampler's goroutine
		return true
	}
	at := a.Time
	if ended := time.UnixMilli(f.last + 1); f.reason != "" && at.Before(ended) {
		at = ended // an answer that was late: its series were ended meanwhile
	}
	f.heard = f.p.o.Clock.Now().Mono
	f.begin(at)
	if a.Err != nil {
		f.down(prom.ReasonOf(a.Err))
	} else {
		f.reason = ""
		up, _ := prom.HostMetrics()
		f.own(up, 1, "")
		f.receiveCells(a)
	}
	f.readings = f.readings[:0]
	f.finish()
	return true
}

// begin begins the samples of a moment.
func (f *followed) begin(at time.Time) {
	f.beat++
	f.live, f.before = f.before[:0], f.live
	f.out, f.count = f.out[:0], 0
	millis := at.UnixMilli()
	switch {
	case millis < f.last-int64(time.Second/time.Millisecond):
		f.p.stepped(time.Duration(f.last-millis) * time.Millisecond)
	case millis <= f.last: // two samples of a series at one time are one too many
		millis = f.last + 1
	}
	f.last = millis
}

// finish ends the series that had a sample before and have none now.
func (f *followed) finish() {
	for _, s := range f.before {
		if s.beat != f.beat {
			f.out = appendSeries(f.out, s.labels, staleNaN, f.last)
			f.count++
			s.gone = true
			delete(f.known, string(s.labels))
		}
	}
	f.p.add(f.out, f.count, f.last)
}

// down tells why a host gives nothing.
func (f *followed) down(reason string) {
	f.reason, f.told = reason, f.p.o.Clock.Now().Mono
	up, why := prom.HostMetrics()
	f.own(up, 0, "")
	f.own(why, 1, reason)
}

// own adds a sample of a metric of the host.
func (f *followed) own(m *prom.Metric, value float64, reason string) {
	s := f.series(m, func(put func(name, value string)) {
		prom.EachHostLabel(f.name, put)
		if reason != "" {
			put(prom.ReasonLabel, reason)
		}
	})
	f.emit(&s, value)
}

// silence is for a host that does not answer in time: its series end. That one is down is
// told again and again: an engine forgets what it did not hear for 5 minutes.
func (f *followed) silence(now session.Instant, patience time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	why := f.reason
	switch {
	case f.ended:
		return
	case why != "" && now.Mono-f.told >= tellDownEach:
	case why == "" && now.Mono-f.heard >= patience:
		why = prom.NoAnswer
	default:
		return
	}
	f.begin(now.Wall)
	f.down(why)
	f.finish()
}

// end ends all series of the host, and follows it no more.
func (f *followed) end(at time.Time) {
	f.follower.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	f.begin(at)
	f.finish()
	f.ended = true
}

func (f *followed) receiveCells(a *session.Answer) {
	if a.Fresh {
		f.items = f.items[:0]
	}
	for _, it := range a.News {
		f.items = append(f.items, f.itemOf(it))
	}
	for i, c := range a.Cells {
		it := &f.items[c.Number]
		if it.names == nil {
			continue
		}
		if f.p.o.Raw && it.names.HasRaw() {
			if i < len(f.readings) && f.readings[i].ok {
				f.addRaw(it, &f.readings[i])
			}
			continue
		}
		f.addCooked(it, c.Value)
	}
}

// itemOf finds the names of an item.
func (f *followed) itemOf(it *session.Item) item {
	out := item{Item: it}
	if it.Set == nil || it.Owner == nil {
		return out
	}
	out.names = &f.names.Of(it.Set)[it.Counter]
	if it.Set.Instances.Multiple() {
		n, _ := it.Path.Index.Number()
		out.in = &session.Instance{Key: it.Owner.Key, Index: uint32(n), Number: it.Owner.Number}
	}
	return out
}

// addCooked adds a cooked value, a text as one more label. What is not valid is left out.
func (f *followed) addCooked(it *item, v cooker.Value) {
	if !v.Valid() {
		return
	}
	if text, isText := v.Text(); isText {
		s := f.series(&it.names.Cooked, func(put func(name, value string)) {
			it.names.EachLabel(f.name, it.in, put)
			put(prom.TextLabel, prom.LabelValue(text))
		})
		f.emit(&s, 1)
		return
	}
	number, ok := v.Float()
	if !ok {
		return
	}
	if it.cooked == nil {
		it.cooked = f.seriesOf(it, &it.names.Cooked)
	}
	f.emit(&it.cooked, number*it.names.Cooked.Scale)
}

// addRaw adds a raw reading, its companion, and the clock that it goes by.
func (f *followed) addRaw(it *item, r *reading) {
	n := it.names
	value, base, ok, hasBase := n.RawOf(&r.value, &r.clocks)
	if !ok {
		return
	}
	if it.raw == nil {
		it.raw = f.seriesOf(it, &n.Raw)
	}
	f.emit(&it.raw, value)
	if hasBase {
		if it.base == nil {
			it.base = f.seriesOf(it, &n.Base)
		}
		f.emit(&it.base, base)
	}
	which := n.Shape.Clock
	if which == cooker.ClockNone || which == cooker.ClockFreq {
		return
	}
	if it.clock[0] == nil {
		ticks, hertz := prom.ClockMetrics()
		labels := func(put func(name, value string)) { prom.EachClockLabel(f.name, it.Set, which, put) }
		it.clock = [2]*series{f.series(ticks, labels), f.series(hertz, labels)}
	}
	ticks, hertz := prom.Clock(&r.clocks, which)
	f.emit(&it.clock[0], ticks)
	if hertz > 0 {
		f.emit(&it.clock[1], hertz)
	}
}

// seriesOf is the series of a metric of an item.
func (f *followed) seriesOf(it *item, m *prom.Metric) *series {
	return f.series(m, func(put func(name, value string)) { it.names.EachLabel(f.name, it.in, put) })
}

// series finds or makes a series.
func (f *followed) series(m *prom.Metric, each func(put func(name, value string))) *series {
	labels := make([]label, 0, 8+len(f.p.o.Labels))
	labels = append(labels, label{Name: "__name__", Value: m.Name})
	each(func(name, value string) { labels = append(labels, label{Name: name, Value: value}) })
	labels = append(labels, f.p.o.Labels...)
	f.p.announce(m)
	return f.named(appendLabels(nil, labels))
}

func (f *followed) named(labels []byte) *series {
	s := f.known[string(labels)]
	if s == nil {
		s = &series{labels: labels}
		f.known[string(labels)] = s
	}
	return s
}

// emit adds a sample. A series that comes twice keeps its first value. One that ended
// meanwhile may be another's by now.
func (f *followed) emit(s **series, value float64) {
	if (*s).gone {
		*s = f.named((*s).labels)
	}
	if (*s).beat == f.beat {
		return
	}
	(*s).beat = f.beat
	f.live = append(f.live, *s)
	f.out = appendSeries(f.out, (*s).labels, value, f.last)
	f.count++
}
