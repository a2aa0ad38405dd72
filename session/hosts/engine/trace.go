package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/query"
	"perfdeck/session/text/printable"
)

// Bounds of a trace.
const (
	mostTraced  = 8 // series
	mostSamples = 3 // samples of each
	leastTraced = time.Minute
)

// Trace implements session.Tracer: the series that a value is made of, with the samples
// that the engine has of them, and what its own arithmetic makes of them.
func (s *Source) Trace(ctx context.Context, of session.Valued) (session.Trace, error) {
	s.mu.Lock()
	host, l := s.host, s.list
	s.mu.Unlock()
	out := session.Trace{From: s.hub.At()}
	if l == nil {
		return out, errUnknown
	}
	apart, err := s.hub.apart(ctx, &host)
	if err != nil {
		return out, err
	}
	back := min(max(4*apart, leastTraced), lookBack)
	metrics := l.index.metrics(of.Set, []int{of.Counter})
	type witness struct {
		of     *part
		rank   uint8
		label  string // the instance, as its label has it
		newest int64
		session.TracedSeries
	}
	var all []witness
	var kept [256]int // by rank
	for i := range host.parts {
		p := &host.parts[i]
		selector := "{" + metricsMatcher(strings.Join(metrics, "|")) + "," + p.matcher() + "}" + window(back)
		_, err = s.hub.engine.Instant(ctx, selector, time.Time{}, func(one query.Series) error {
			if label, rank, is := l.testifies(p, of, one.Labels); is && len(one.Points) > 0 {
				w := witness{of: p, rank: rank, label: label, newest: one.Points[len(one.Points)-1].At}
				if kept[rank]++; kept[rank] <= mostTraced {
					w.TracedSeries = traced(one)
				}
				all = append(all, w)
			}
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	if len(all) == 0 {
		return out, nil
	}
	best := slices.MinFunc(all, func(a, b witness) int { return cmp.Compare(a.rank, b.rank) })
	for _, w := range all { // of those that say the value, the ones that say it best
		switch {
		case w.rank > best.rank:
			continue
		case len(out.Series) < mostTraced:
			out.Series = append(out.Series, w.TracedSeries)
		default:
			out.More++
		}
		best.label, best.newest = cmp.Or(best.label, w.label), max(best.newest, w.newest)
	}
	slices.SortFunc(out.Series, func(a, b session.TracedSeries) int { return cmp.Compare(a.Name, b.Name) })
	out.Recipe, out.Exact = l.recipes(best.of, of, best.label, back)
	if out.Exact == "" {
		return out, nil
	}
	out.At = time.UnixMilli(best.newest)
	_, err = s.hub.engine.Instant(ctx, out.Exact, out.At, func(one query.Series) error {
		if n := len(one.Points); n > 0 && l.isOf(of, one.Labels) {
			out.Result, out.Has = one.Points[n-1].Value, true
		}
		return nil
	})
	return out, err
}

// testifies tells whether a value is made of a series of a part, its instance as the label has
// it, and how near what it says is.
func (l *list) testifies(p *part, of session.Valued, labels query.Labels) (label string, rank uint8, is bool) {
	for _, m := range l.index.byMetric[labels.Get(query.NameLabel)] {
		if m.set != of.Set.Name || m.counter != of.Counter || !m.isOf(p.kinds) || !m.matches(labels) {
			continue
		}
		id := labels.Get("process_id")
		if !of.Set.Instances.Multiple() || p.isMade(of) || m.instanceOf(labels) == of.Key.Name && (of.Key.ID == 0 || id == strconv.FormatUint(of.Key.ID, 10)) {
			return labels.Get(m.instance), m.rank(p.kinds), true
		}
	}
	return "", 0, false
}

// traced is a series by its selector, with its newest samples.
func traced(one query.Series) session.TracedSeries {
	var labels []string
	for _, l := range one.Labels {
		if l.Name != query.NameLabel {
			labels = append(labels, l.Name+"="+strconv.Quote(l.Value))
		}
	}
	slices.Sort(labels)
	out := session.TracedSeries{Name: printable.Text(one.Labels.Get(query.NameLabel) + "{" + strings.Join(labels, ", ") + "}")}
	for _, p := range one.Points[max(0, len(one.Points)-mostSamples):] {
		out.At, out.Values = append(out.At, p.Time()), append(out.Values, p.Value)
	}
	return out
}

// recipes are what makes a value of its series in PromQL: over a window, and of the newest two
// samples in it. The instance is called as its label has it.
func (l *list) recipes(p *part, of session.Valued, raw string, back time.Duration) (over, exact string) {
	if raw != "" && !p.isMade(of) {
		of.Key.Name = raw
	}
	all := l.expressions([]part{*p}, of, func(p *part, s *series) string {
		plain := *s.meaning
		plain.named = nil
		return oneInstance(of)(p, &series{s.metric, &plain})
	}, back)
	if len(all) == 0 {
		return "", ""
	}
	e := all[0]
	over = e.whole()
	if e.whence != "" {
		over = e.whence + " (" + over + ")"
	}
	return over, strings.ReplaceAll(over, "rate(", "irate(")
}

var _ session.Tracer = (*Source)(nil)
