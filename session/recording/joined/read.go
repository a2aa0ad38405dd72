package joined

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// A look bounds what it reads, and what it keeps: 4 bytes a value.
const (
	leastRows = 300
	mostRows  = 20_000
	mostKept  = 16 << 20
)

var errNoSample = errors.New("not recorded")

// look is a moment that somebody looks at, and what is wanted around it.
type look struct {
	identity string
	asks     []session.Ask
	at       time.Time         // whose rows are wanted
	from, to time.Time         // whose histories are
	live     *session.Snapshot // by which instances are known that are there still; it may be nil
}

// read reads what recordings have: a snapshot that shows a moment, with histories around it, and the
// parts that it was made of.
func (s *Shelf) read(ctx context.Context, l look, open *opened) (*session.Snapshot, []Piece, error) {
	asks := session.MergeAsks(l.asks)
	names := make([]string, len(asks))
	for i := range asks {
		names[i] = asks[i].Set.Name
	}
	open.to = l.to
	pieces := s.pieces(l.identity, folded(names), l.from, l.to, open.host)
	if len(pieces) == 0 {
		return nil, nil, errNoSample
	}
	r := reading{look: l, usual: pieces[0].every(l.at)}
	for i := range pieces {
		if !pieces[i].From.After(l.at) {
			r.usual = pieces[i].every(l.at) // of the one that has the moment
		}
	}
	r.reel.Ask(asks, func(*session.Counterset) []session.Instance { return nil })
	r.reel.Begin(0, mostRows)
	r.wants = r.reel.Wants()
	r.bound(pieces)
	for i := range pieces {
		if err := r.piece(ctx, &pieces[i]); err != nil {
			return nil, nil, err
		}
	}
	if r.shown == nil {
		r.show()
	}
	if r.shown == nil {
		return nil, nil, errNoSample
	}
	r.reel.Extend(r.shown)
	return r.shown, pieces, nil
}

// reading is a look under way.
type reading struct {
	look

	usual  time.Duration // between rows
	wants  []session.Want
	reel   session.Reel
	shown  *session.Snapshot // of the moment; nil: it is yet to come
	newest time.Time         // row; zero: there is none
	rows   [2]session.Batch  // as they are wanted: the one before a part, and the one that comes next
}

// bound keeps to as many rows around the moment as can be kept of so many values.
func (r *reading) bound(pieces []Piece) {
	values := 1
	for i := range r.wants {
		if from := newFrom(&r.wants[i], &pieces[len(pieces)-1], nil); from != nil {
			values += from.values
		}
	}
	third := max(r.usual, session.MinInterval) * time.Duration(min(max(mostKept/values, leastRows), mostRows)) / 3
	r.from, r.to = session.Later(r.from, r.at.Add(-2*third)), session.Earlier(r.to, r.at.Add(third))
}

// piece takes the rows of a part.
func (r *reading) piece(ctx context.Context, p *Piece) error {
	begin, end := session.Later(p.From, r.from), session.Earlier(p.To, r.to)
	if end.Before(begin) {
		return nil
	}
	from := make([]*from, len(r.wants))
	var wants []session.Want
	for i := range r.wants {
		if from[i] = newFrom(&r.wants[i], p, r.live.Set(r.wants[i].Set)); from[i] != nil {
			from[i].at = len(wants)
			wants = append(wants, session.Want{Set: from[i].set, Counters: from[i].counters})
		}
	}
	seam, before := !r.newest.IsZero(), false
	for b, err := range p.of.Past(ctx, wants, begin, end) {
		if err != nil {
			return fmt.Errorf("read %s: %w", p.Name, err)
		}
		into := &r.rows[1]
		isBefore := b.Time.Before(begin)
		if isBefore {
			into = &r.rows[0]
		} else if !r.newest.IsZero() && !b.Time.After(r.newest) {
			continue // as of a clock that was set
		}
		into.Fit(r.wants)
		into.Time = b.Time
		for i := range from {
			from[i].take(&into.Sets[i], b)
		}
		if isBefore { // rates are made with it, if it is of the row before
			before = begin.Sub(b.Time) <= session.GapAfter(max(p.every(begin), r.usual))
			continue
		}
		rate := session.Rate{Gap: seam}
		if !r.newest.IsZero() {
			rate.Interval = b.Time.Sub(r.newest)
			rate.Missed = session.Missed(rate.Interval, p.every(b.Time))
		}
		for i := range into.Sets {
			if before {
				into.Sets[i].Before = &r.rows[0].Sets[i]
			}
		}
		if r.shown == nil && b.Time.After(r.at) {
			r.show()
		}
		r.reel.Add(into, rate)
		r.newest, seam, before = b.Time, false, false
	}
	return nil
}

// show takes what the newest row shows.
func (r *reading) show() {
	if !r.newest.IsZero() {
		r.shown = r.reel.Snapshot("", r.newest, session.HostState{Phase: session.Live, LastAnswer: r.newest})
	}
}

// from is where the counters of a want are in a recording.
type from struct {
	want     *session.Want
	set      *session.Counterset
	counters []int // of set, which are recorded
	column   []int // by counter of the want: its place among them; -1: it is not recorded
	values   int   // of a row, at most
	at       int   // its place among the wants of the recording

	facts map[session.InstanceKey][]string
	live  map[known]session.Instance // that are there still
	came  []place                    // of the row before, by its place
}

// known is by what an instance is found again: a process by its number, others by their #n.
type known struct {
	parent, name string
	number       uint64
	index        uint32
}

type place struct{ recorded, is session.Instance }

// newFrom finds a want in a recording; nil: it has no such counterset. live tells which instances are
// there still.
func newFrom(want *session.Want, p *Piece, live *session.SetView) *from {
	sets := p.of.Catalogue().Sets
	at := slices.IndexFunc(sets, func(s *session.Counterset) bool {
		return paths.EqualFold(s.InEnglish(), want.Set.InEnglish()) && s.Instances.Multiple() == want.Set.Instances.Multiple()
	})
	if at < 0 {
		return nil
	}
	f := &from{want: want, set: sets[at], live: map[known]session.Instance{}, facts: map[session.InstanceKey][]string{}}
	recorded := p.of.Recorded(f.set)
	for _, counter := range want.Counters {
		c := &want.Set.Counters[counter]
		i := slices.IndexFunc(f.set.Counters, func(o session.Counter) bool {
			return paths.EqualFold(o.InEnglish(), c.InEnglish()) && (o.Type == c.Type || o.Description != "")
		})
		if i >= 0 {
			f.values += len(recorded[i])
			f.counters = append(f.counters, i)
			i = len(f.counters) - 1
		}
		f.column = append(f.column, i)
	}
	if live == nil {
		return f
	}
	for i := range live.Rows {
		row := &live.Rows[i]
		if row.Gone || row.Flags&session.FlagCombined != 0 {
			continue
		}
		f.live[knownAs(&row.Instance)] = row.Instance
		if n := len(live.FactKeys); slices.Equal(live.FactKeys, want.Facts.Keys) && (i+1)*n <= len(live.Facts) {
			f.facts[row.Key] = slices.Clone(live.Facts[i*n : (i+1)*n])
		}
	}
	return f
}

func knownAs(in *session.Instance) known {
	k := known{parent: paths.Fold(in.Key.Parent), name: paths.Fold(in.Key.Name), number: in.Number}
	if in.Number == 0 {
		k.index = in.Index
	}
	return k
}

// take makes a batch of a want of what a recording has.
func (f *from) take(to *session.SetBatch, b *session.Batch) {
	if f == nil {
		to.Err = session.ErrNotRecorded
		return
	}
	of := &b.Sets[f.at]
	if of.Err != nil {
		to.Err = of.Err
		return
	}
	to.Clocks, to.Left, to.Moments = of.Clocks, of.Left, append(to.Moments, of.Moments...)
	for i := range of.Instances {
		to.Instances = append(to.Instances, f.instance(i, &of.Instances[i]))
		row := of.Row(i)
		for c, at := range f.column {
			if at < 0 {
				to.Readings = append(to.Readings, to.Cooked(f.want.Set.Counters[f.want.Counters[c]].Type, cooker.Absent(cooker.NotKept)))
				continue
			}
			r, recorded := row[at], f.set.Counters[f.counters[at]].Type
			if t := f.want.Set.Counters[f.want.Counters[c]].Type; recorded != t { // which is not known of the recording
				r = to.Cooked(t, cooker.Cook(recorded, nil, &r, nil, of.ClocksOf(i), nil))
			} else if r.Size == cooker.SizeText && r.Raw < uint64(len(of.Texts)) {
				r = to.TextReading(of.Texts[r.Raw])
			}
			to.Readings = append(to.Readings, r)
		}
		if n := len(to.FactKeys); n > 0 {
			facts := f.facts[to.Instances[i].Key]
			to.Facts = append(append(to.Facts, facts...), make([]string, n-len(facts))...)
		}
	}
}

// recordedID marks the identity of a process of which the number alone is known.
const recordedID = 1 << 63

// instance is who an instance of a recording is, at a place in its rows: the one that is there still
// where it is that, so that its history goes on.
func (f *from) instance(i int, in *session.Instance) session.Instance {
	if i < len(f.came) && f.came[i].recorded == *in {
		return f.came[i].is
	}
	is := *in
	if live, ok := f.live[knownAs(in)]; ok {
		is.Key, is.Flags = live.Key, live.Flags
	} else if in.Number != 0 {
		is.Key.ID = recordedID | in.Number&math.MaxInt64
	}
	for len(f.came) <= i {
		f.came = append(f.came, place{})
	}
	f.came[i] = place{*in, is}
	return is
}
