package moved

import (
	"context"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// sourceOf is the recording that is played, else what the screens keep of live hosts, for
// who looks at a span from a moment on.
func sourceOf(desk *pane.Desk, of *Of) pane.Archive {
	if desk.Archive != nil {
		return newDrawn(desk.Archive, of.With)
	}
	return newDrawn(kept(desk, of.From), of.With)
}

// drawn gives numbers as screens draw them: what is used in place of what is left, where there
// is what that is of. The value that was selected stays what it was selected as.
type drawn struct {
	pane.Archive

	list []pane.Recorded
	used []used
}

// used is a series of which what is used is drawn.
type used struct {
	kind.Drawn

	at, by int // places of the series, and of what limits it; -1: a number does
	limit  float64
}

func newDrawn(src pane.Archive, selected pane.Target) *drawn {
	d := &drawn{Archive: src, list: slices.Clone(src.Recorded())}
	for i := range d.list {
		t := d.list[i].Target
		if t.Used = true; t.Is(selected) && !selected.Used {
			continue
		}
		u := used{Drawn: t.Drawn(), at: i, by: -1, limit: math.NaN()}
		if u.Limit.Set != nil {
			u.by = slices.IndexFunc(d.list, func(o pane.Recorded) bool {
				return o.Host == t.Host && o.Set == u.Limit.Set && o.Counter == u.Limit.Counter && u.Limit.IsOf(o.Key, t.Key)
			})
		}
		if u.Used != "" && (u.by >= 0 || u.Limit.Set == nil) {
			d.list[i].Used, d.used = true, append(d.used, u)
		}
	}
	return d
}

// Recorded are the counters as they are drawn.
func (d *drawn) Recorded() []pane.Recorded { return d.list }

// Read is pane.Archive.Read of what is drawn.
func (d *drawn) Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error {
	return d.Archive.Read(ctx, from, to, func(at time.Time, values []float64) {
		for i := range d.used {
			u := &d.used[i]
			limit := u.Limit.Number
			if u.by >= 0 {
				limit = u.Read(cooker.FloatValue(0), cooker.FloatValue(values[u.by])).Limit
			}
			if limit == limit { // it may come less often
				u.limit = limit
			}
			values[u.at] = u.limit - values[u.at]
		}
		each(at, values)
	}, came)
}

// keptHosts are the histories of live hosts: of what screens, alert rules and charts ask
// for. What is kept does not change, so it can be read beside the screens.
type keptHosts struct {
	hosts       []keptHost
	list        []pane.Recorded
	every       time.Duration // the shortest interval
	first, last time.Time
}

type keptHost struct {
	timeline session.Timeline
	from     int // place of its first series
	series   []session.Series
}

// kept takes along what the hosts of a desk have.
func kept(desk *pane.Desk, from time.Time) *keptHosts {
	k := &keptHosts{}
	k.first, k.last = desk.Sampled()
	for _, h := range desk.Hosts {
		if h.Snap == nil || len(h.Snap.Timeline.Nanos) == 0 {
			continue
		}
		of := keptHost{timeline: h.Snap.Timeline, from: len(k.list)}
		every := time.Duration(pane.UsualInterval(of.timeline.Nanos, true))
		if every > 0 && (k.every == 0 || every < k.every) {
			k.every = every
		}
		for _, view := range h.Snap.Sets {
			asked := sinceWhen(view)
			for row := range view.Rows {
				for col, counter := range view.Counters {
					series := view.Series(row, col)
					if len(series.Values) == 0 || view.Set.Counters[counter].Type.IsText() {
						continue
					}
					if begin := of.timeline.At(max(series.First, of.timeline.First)); !begin.Before(from) && !came(&view.Rows[row], asked, begin, 2*every) {
						continue // what it was before is not known
					}
					of.series = append(of.series, series)
					k.list = append(k.list, pane.Recorded{
						Target:   pane.Target{Host: h, Set: view.Set, Counter: counter, Key: view.Rows[row].Key},
						Instance: view.Rows[row].Instance, Every: every,
					})
				}
			}
		}
		k.hosts = append(k.hosts, of)
	}
	return k
}

// sinceWhen is since when a counterset has been asked for, as far as its instances tell.
func sinceWhen(view *session.SetView) (first time.Time) {
	for i := range view.Rows {
		if since := view.Rows[i].Since; i == 0 || since.Before(first) {
			first = since
		}
	}
	return first
}

// came tells whether an instance was not there before its history begins: others of the
// counterset, which had been asked for then, were.
func came(row *session.Row, asked, begin time.Time, near time.Duration) bool {
	return row.Since.After(asked.Add(near)) && !row.Since.Before(begin.Add(-near))
}

// Bounds are the times of the first and of the last sample.
func (k *keptHosts) Bounds() (first, last time.Time) { return k.first, k.last }

// Recorded are the counters of all hosts.
func (k *keptHosts) Recorded() []pane.Recorded { return k.list }

// Read gives the samples of all hosts in order of time. Samples of different hosts that
// are less than half an interval apart are one row.
func (k *keptHosts) Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error {
	const checked = 64 // rows between two looks at what else there is
	begin, end := from.UnixNano(), to.UnixNano()
	at := make([]int, len(k.hosts))
	values := make([]float64, len(k.list))
	for i := range k.hosts {
		at[i] = pane.Behind(k.hosts[i].timeline.Nanos, begin-1)
	}
	for rows := 0; ; rows++ {
		if rows%checked == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		next := int64(math.MaxInt64)
		for i := range k.hosts {
			if nanos := k.hosts[i].timeline.Nanos; at[i] < len(nanos) {
				next = min(next, nanos[at[i]])
			}
		}
		if next >= end {
			return nil
		}
		for i := range values {
			values[i] = math.NaN()
		}
		for i := range k.hosts {
			h := &k.hosts[i]
			if at[i] >= len(h.timeline.Nanos) || h.timeline.Nanos[at[i]]-next > int64(k.every/2) {
				continue
			}
			n := h.timeline.First + uint64(at[i])
			for s := range h.series {
				values[h.from+s] = h.series[s].At(n)
			}
			at[i]++
		}
		if each(time.Unix(0, next), values); rows%checked == 0 {
			came(float64(next-begin) / float64(end-begin))
		}
	}
}
