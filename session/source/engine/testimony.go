package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/query"
)

// Bounds of a testimony.
const (
	mostTestified  = 8 // series
	mostTestimony  = 3 // samples of each
	leastTestified = time.Minute
)

// Testimony implements session.Witness: the series that a value is made of, with the samples
// that the engine has of them, and what its own arithmetic makes of them.
func (s *Source) Testimony(ctx context.Context, of session.Valued) (session.Testimony, error) {
	s.mu.Lock()
	host, l := s.host, s.list
	s.mu.Unlock()
	out := session.Testimony{From: s.hub.At()}
	if l == nil {
		return out, errUnknown
	}
	apart, err := s.hub.apart(ctx, &host)
	if err != nil {
		return out, err
	}
	back := min(max(4*apart, leastTestified), lookBack)
	metrics := l.index.metrics(of.Set, []int{of.Counter})
	selector := "{" + metricsMatcher(strings.Join(metrics, "|")) + "," + host.matcher() + "}" + window(back)
	raw := "" // the instance, as its label has it
	newest := int64(0)
	_, err = s.hub.engine.Instant(ctx, selector, time.Time{}, func(one query.Series) error {
		label, is := l.testifies(&host, of, one.Labels)
		if !is || len(one.Points) == 0 {
			return nil
		}
		raw = cmp.Or(raw, label)
		newest = max(newest, one.Points[len(one.Points)-1].At)
		if len(out.Series) == mostTestified {
			out.More++
			return nil
		}
		out.Series = append(out.Series, testified(one))
		return nil
	})
	if err != nil || len(out.Series) == 0 {
		return out, err
	}
	slices.SortFunc(out.Series, func(a, b session.Testified) int { return cmp.Compare(a.Name, b.Name) })
	out.Recipe, out.Exact = l.recipes(&host, of, raw, back)
	if out.Exact == "" {
		return out, nil
	}
	out.At = time.UnixMilli(newest)
	_, err = s.hub.engine.Instant(ctx, out.Exact, out.At, func(one query.Series) error {
		if n := len(one.Points); n > 0 && l.isOf(of, one.Labels) {
			out.Result, out.Has = one.Points[n-1].Value, true
		}
		return nil
	})
	return out, err
}

// testifies tells whether a value is made of a series, and its instance as the label has it.
func (l *list) testifies(host *Host, of session.Valued, labels query.Labels) (label string, is bool) {
	for _, m := range l.index.byMetric[labels.Get(query.NameLabel)] {
		if m.set != of.Set.Name || m.counter != of.Counter || !m.matches(labels) {
			continue
		}
		id := labels.Get("process_id")
		if !of.Set.Instances.Multiple() || l.isMade(host, of) || m.instanceOf(labels) == of.Key.Name && (of.Key.ID == 0 || id == strconv.FormatUint(of.Key.ID, 10)) {
			return labels.Get(m.instance), true
		}
	}
	return "", false
}

// testified is a series by its selector, with its newest samples.
func testified(one query.Series) session.Testified {
	var labels []string
	for _, l := range one.Labels {
		if l.Name != query.NameLabel {
			labels = append(labels, l.Name+"="+strconv.Quote(l.Value))
		}
	}
	slices.Sort(labels)
	out := session.Testified{Name: session.Printable(one.Labels.Get(query.NameLabel) + "{" + strings.Join(labels, ", ") + "}")}
	for _, p := range one.Points[max(0, len(one.Points)-mostTestimony):] {
		out.At, out.Values = append(out.At, p.Time()), append(out.Values, p.Value)
	}
	return out
}

// recipes are what makes a value of its series in PromQL: over a window, and of the newest two
// samples in it. The instance is called as its label has it.
func (l *list) recipes(host *Host, of session.Valued, raw string, back time.Duration) (over, exact string) {
	named := list{index: index{byMetric: map[string][]*meaning{}, byCounter: l.index.byCounter}}
	if raw != "" && !l.isMade(host, of) {
		of.Key.Name = raw
	}
	for metric := range maps.Keys(l.index.byMetric) {
		for _, m := range l.index.byMetric[metric] {
			if m.set == of.Set.Name && m.counter == of.Counter {
				plain := *m
				plain.named = nil
				named.index.byMetric[metric] = append(named.index.byMetric[metric], &plain)
			}
		}
	}
	e, ok := named.expression(host, of, back)
	if !ok {
		return "", ""
	}
	over = e.whole()
	if e.whence != "" {
		over = e.whence + " (" + over + ")"
	}
	return over, strings.ReplaceAll(over, "rate(", "irate(")
}

var _ session.Witness = (*Source)(nil)
