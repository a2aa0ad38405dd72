package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/ruleset"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/analysis/compare"
	"perfdeck/session/inventory"
	"perfdeck/session/source/replay"
)

// What alert rules say of both times: verdicts that are new, and those that are over.

// verdict is a rule on a value, in both times.
type verdict struct {
	alert.Alert

	path   string // as the side has it where it fired
	lasted [2]time.Duration
	fired  [2]bool
	since  time.Time // when it fired first, in the later time if it did there
	worst  float64
	peak   string // with the limit; empty: there is no value
}

// kind is what became of it.
func (v *verdict) kind() compare.Kind {
	if v.fired[1] {
		return compare.New
	}
	return compare.Gone
}

// rulesOfCompare are the rules of both times: those of the config and of the screens, or of
// a bundle, and starter packs: all, unless some were named.
func (a *comparison) rulesOfCompare() ([]alert.Rule, error) {
	return a.rulesOver(ruleset.Packs(a.flags.packs), a.flags.rules, func(err error) { a.program.report(err) })
}

// judge judges the rules over both times.
func (a *comparison) judge(c *cobra.Command) error {
	rules, err := a.rulesOfCompare()
	if err != nil || len(rules) == 0 {
		return err
	}
	every, err := alertInterval(c, a.settings)
	if err != nil {
		return err
	}
	all := map[string]*verdict{}
	judged := [2]map[string]bool{{}, {}}
	o := alert.BacktestOptions{Rules: rules, Every: every, Looks: looksOf(a.settings, a.config.Counters), Course: true}
	for i, s := range a.sides {
		spans := []*compare.Span{a.before, a.during}
		if len(a.sides) == 2 {
			spans = spans[i : i+1]
		}
		b, course, err := a.course(c.Context(), s, spans, o)
		if err != nil {
			return fmt.Errorf("judge %s: %w", s.name, err)
		}
		for j, span := range spans {
			at := i + j // of what is compared with, and of what is looked at
			for _, one := range b.Outcomes() {
				judged[at][one.Rule.Name] = judged[at][one.Rule.Name] || one.Samples > 0
			}
			for _, ep := range course.Episodes() {
				a.count(all, &ep, at, span)
			}
		}
	}
	for _, v := range all {
		if v.fired[0] != v.fired[1] && judged[0][v.ID.Rule] && judged[1][v.ID.Rule] {
			a.verdicts = append(a.verdicts, *v)
		}
	}
	slices.SortFunc(a.verdicts, func(x, y verdict) int {
		return cmp.Or(cmp.Compare(x.kind(), y.kind()), -cmp.Compare(x.Rule.Severity, y.Rule.Severity),
			-cmp.Compare(x.lasted[0]+x.lasted[1], y.lasted[0]+y.lasted[1]), cmp.Compare(x.ID.Rule, y.ID.Rule), cmp.Compare(x.path, y.path))
	})
	return nil
}

// course judges a side, from its first span to the end of its last one.
func (a *comparison) course(ctx context.Context, s *compareSide, spans []*compare.Span, o alert.BacktestOptions) (*alert.Backtest, *alert.Course, error) {
	player, err := replay.Open(s.files, replay.Options{Guard: a.guard, Open: opener(ctx, a.flags.encoding)})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = player.Close() }()
	from, to := spans[0].Begin(), spans[0].Begin()
	for _, span := range spans {
		if span.Begin().Before(from) {
			from = span.Begin()
		}
		if end := span.Begin().Add(span.Length()); end.After(to) {
			to = end
		}
	}
	o.Zone = player.About().Zone
	b := alert.NewBacktest(o)
	var events []alert.Event
	now := from
	bar := a.newProgress(func() (float64, string, bool) {
		return float64(now.Sub(from)) / float64(max(to.Sub(from), 1)), "alert rules", true
	})
	defer bar.clear()
	try := backtest.Try{
		Begin: from, End: to.Add(-1), Jump: true, Meant: func(host string) bool { return s.host == "" || inventory.Is(s.host, host) },
		Tick: func(at time.Time) { now = at; bar.show() },
		Take: func(told []alert.Event) error {
			if events = append(events, told...); len(events) >= alert.MostEvents {
				return backtest.ErrEnough
			}
			return nil
		},
	}
	if err := try.Run(ctx, player, b); err != nil {
		return nil, nil, err
	}
	return b, b.Course(events), nil
}

// count takes an alert into account as far as it lies in a span.
func (a *comparison) count(all map[string]*verdict, ep *alert.Episode, at int, span *compare.Span) {
	begin, end := span.Begin(), span.Begin().Add(span.Length())
	since, until := ep.Since, ep.Until
	if until.IsZero() || until.After(end) {
		until = end
	}
	if since.Before(begin) {
		since = begin
	}
	if !since.Before(until) {
		return
	}
	id := ep.ID
	if a.bare {
		id.Host = ""
	}
	id.Number = 0
	key := fmt.Sprintf("%q", []string{id.Rule, paths.Fold(id.Host), paths.Fold(id.Path())})
	v := all[key]
	if v == nil {
		v = &verdict{Alert: ep.Alert}
		all[key] = v
	}
	if !v.fired[at] {
		v.Alert, v.since, v.path = ep.Alert, since, cmp.Or(ep.Path, ep.ID.Host)
	}
	v.fired[at] = true
	v.lasted[at] += until.Sub(since)
	if f, ok := ep.Peak.Float(); ok && (v.peak == "" || ep.Rule.When.Holds(f) && (f-v.worst)*(f-ep.Rule.When.Limit) > 0) {
		v.worst, v.peak = f, a.shownPeak(ep)
	}
}

// shownPeak is the worst value of an alert, and the limit that it went beyond.
func (a *comparison) shownPeak(ep *alert.Episode) string {
	format := cooker.DefaultFormat()
	for i := range a.series {
		if paths.EqualFold(a.series[i].path, ep.Path) {
			format = a.series[i].format
		}
	}
	text := string(cooker.AppendValue(nil, ep.Peak, format))
	if ep.Rule.Kind == alert.Threshold {
		text += fmt.Sprintf(" %v %s", ep.Rule.When.Op, cooker.AppendValue(nil, cooker.FloatValue(ep.Rule.When.Limit), format))
	}
	return text
}

// writeVerdicts tells which verdicts are new, and which are over.
func (a *comparison) writeVerdicts(out *bufio.Writer) error {
	if len(a.verdicts) == 0 {
		return nil
	}
	shown := a.verdicts
	if a.flags.most > 0 && len(shown) > a.flags.most {
		shown = shown[:a.flags.most]
	}
	fmt.Fprintln(out, "\nWhat alert rules say of it, and did not before:")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	over, form := false, time.TimeOnly
	if a.before.Length()+a.during.Length() > day {
		form = time.DateTime
	}
	for i := range shown {
		v := &shown[i]
		if v.kind() == compare.Gone && !over {
			over = true
			if err := t.Flush(); err != nil {
				return err
			}
			fmt.Fprintln(out, "What they said before, and not of it:")
		}
		fmt.Fprintf(t, "  %s\t%s\t%s for %s\t%s\t%s\n", v.Rule.Severity, session.Printable(v.ID.Rule), v.since.Format(form), session.SpellSpan(v.lasted[0]+v.lasted[1]), v.peak, session.Printable(v.path))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if left := len(a.verdicts) - len(shown); left > 0 {
		fmt.Fprintf(out, "  and %d more, listed with --most 0\n", left)
	}
	return nil
}
