package moved

import (
	"context"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/analysis/history"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// sourceOf is the recording that is played, else what the screens keep of live hosts, for
// who looks at a span from a moment on.
func sourceOf(desk *pane.Desk, of *Of) pane.Archive {
	if desk.Archive != nil {
		return newDrawn(desk.Archive, of.With)
	}
	return newDrawn(keptOf(desk, of.From), of.With)
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

// live is the histories of live hosts: of what screens, alert rules and charts ask for.
type live struct {
	*history.Histories

	list []pane.Recorded
}

// keptOf takes along what the hosts of a desk have. What was not there before the span is told where
// it came then, and is not judged where it was not asked for.
func keptOf(desk *pane.Desk, from time.Time) *live {
	l := &live{Histories: history.Of(pane.Histories(desk.Hosts), func(s *history.Series) bool { return !s.IsEnded && (s.Begin.Before(from) || s.Came()) })}
	for i := range l.List {
		s := &l.List[i]
		l.list = append(l.list, pane.Recorded{
			Target:   pane.Target{Host: desk.Hosts[s.Host], Set: s.Set, Counter: s.Counter, Key: s.Row.Key},
			Instance: s.Row.Instance, Every: s.Every,
		})
	}
	return l
}

// Bounds are the times of the first and of the last sample.
func (l *live) Bounds() (first, last time.Time) { return l.First, l.Last }

// Recorded are the counters of all hosts.
func (l *live) Recorded() []pane.Recorded { return l.list }
