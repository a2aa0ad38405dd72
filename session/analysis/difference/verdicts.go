package difference

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/hosts/replay"
)

// What alert rules say of both times: verdicts that are new, and those that are over.

// Verdict is a rule on a value, in both times.
type Verdict struct {
	alert.Alert

	Path   string    // as the side has it where it fired
	Since  time.Time // when it fired first, in the later time if it did there
	Peak   string    // with the limit; empty: there is no value
	lasted [2]time.Duration
	fired  [2]bool
	worst  float64
}

// Kind is what became of it.
func (v *Verdict) Kind() compare.Kind {
	if v.fired[1] {
		return compare.New
	}
	return compare.Gone
}

// Lasted is for how long it fired.
func (v *Verdict) Lasted() time.Duration { return v.lasted[0] + v.lasted[1] }

// judge judges the rules over both times.
func (a *comparison) judge(ctx context.Context) error {
	rules, err := a.o.Rules()
	if err != nil || len(rules) == 0 {
		return err
	}
	all := map[string]*Verdict{}
	judged := [2]map[string]bool{{}, {}}
	o := alert.BacktestOptions{Rules: rules, Every: a.o.Every, Looks: a.o.Looks}
	for i, s := range a.sides {
		spans := []*compare.Span{a.before, a.during}
		if len(a.sides) == 2 {
			spans = spans[i : i+1]
		}
		result, err := a.judgeSide(ctx, s, spans, o)
		if err != nil {
			return fmt.Errorf("judge %s: %w", s.Name, err)
		}
		for j, span := range spans {
			at := i + j // of what is compared with, and of what is looked at
			for _, one := range result.Backtest.Outcomes() {
				judged[at][one.Rule.Name] = judged[at][one.Rule.Name] || one.Samples > 0 && !result.Backtest.IsLeft(one.Rule.Name)
			}
			for _, ep := range result.Episodes() {
				a.countAlert(all, &ep, at, span)
			}
		}
	}
	for _, v := range all {
		if v.fired[0] != v.fired[1] && judged[0][v.ID.Rule] && judged[1][v.ID.Rule] {
			a.verdicts = append(a.verdicts, *v)
		}
	}
	slices.SortFunc(a.verdicts, func(x, y Verdict) int {
		return cmp.Or(cmp.Compare(x.Kind(), y.Kind()), -cmp.Compare(x.Rule.Severity, y.Rule.Severity),
			-cmp.Compare(x.Lasted(), y.Lasted()), cmp.Compare(x.ID.Rule, y.ID.Rule), cmp.Compare(x.Path, y.Path))
	})
	return nil
}

// judgeSide judges one, from its first span to the end of its last one.
func (a *comparison) judgeSide(ctx context.Context, s *Side, spans []*compare.Span, o alert.BacktestOptions) (result backtest.Result, err error) {
	player, err := replay.Open(s.files, replay.Options{Guard: a.o.Guard, Open: s.again})
	if err != nil {
		return result, err
	}
	defer func() { _ = player.Close() }()
	if err := player.Know(ctx); err != nil {
		return result, err
	}
	from, to := spans[0].Begin(), spans[0].Begin()
	for _, span := range spans {
		from, to = session.Earlier(from, span.Begin()), session.Later(to, span.End())
	}
	now := from
	show, end := a.o.Progress(func() (float64, string, bool) {
		return float64(now.Sub(from)) / float64(max(to.Sub(from), 1)), "alert rules", true
	})
	defer end()
	try := backtest.Try{
		Begin: from, End: to.Add(-1), Jump: true, Meant: func(h *replay.Host) bool { return s.Host == "" || a.o.IsOf(h.Name(), s.Host) },
		Tick: func(at time.Time) { now = at; show() },
	}
	return try.Timeline(ctx, player, o)
}

// countAlert takes an alert into account as far as it lies in a span.
func (a *comparison) countAlert(all map[string]*Verdict, ep *alert.Episode, at int, span *compare.Span) {
	begin, end := span.Begin(), span.End()
	since, until := session.Later(ep.Since, begin), ep.Until
	if until.IsZero() || until.After(end) {
		until = end
	}
	if !since.Before(until) {
		return
	}
	id := ep.ID
	if a.bare {
		id.Host = ""
	}
	id.Number = 0
	if ep.Set != nil {
		id.Set = ep.Set.InEnglish()
		if c := ep.Counter; ep.Rule.Value == nil && c >= 0 && c < len(ep.Set.Counters) {
			id.Counter = ep.Set.Counters[c].InEnglish()
		}
	}
	key := fmt.Sprintf("%q", []string{id.Rule, paths.Fold(id.Host), paths.Fold(id.Path())})
	v := all[key]
	if v == nil {
		v = &Verdict{Alert: ep.Alert}
		all[key] = v
	}
	if !v.fired[at] {
		v.Alert, v.Since, v.Path = ep.Alert, since, cmp.Or(ep.Path, ep.ID.Host)
	}
	v.fired[at] = true
	v.lasted[at] += until.Sub(since)
	if f, ok := ep.Peak.Float(); ok && (v.Peak == "" || ep.Rule.When.Holds(f) && (f-v.worst)*(f-ep.Rule.When.Limit) > 0) {
		v.worst, v.Peak = f, a.shownPeak(ep)
	}
}

// shownPeak is the worst value of an alert, and the limit that it went beyond.
func (a *comparison) shownPeak(ep *alert.Episode) string {
	format := cooker.DefaultFormat()
	path, err := paths.Parse(ep.Path)
	if c := ep.Counter; ep.Set != nil && c >= 0 && c < len(ep.Set.Counters) {
		path.Object, path.Counter = ep.Set.InEnglish(), ep.Set.Counters[c].InEnglish()
	}
	for _, s := range a.series {
		if paths.EqualFold(s.Path, ep.Path) || err == nil && s.named && paths.EqualFold(s.name.String(), path.String()) {
			format = s.Format
		}
	}
	text := string(cooker.AppendValue(nil, ep.Peak, format))
	if ep.Rule.Kind.HasLimit() {
		op, limit := ep.Rule.Limit()
		text += fmt.Sprintf(" %v %s", op, cooker.AppendValue(nil, cooker.FloatValue(limit), format))
	}
	return text
}
