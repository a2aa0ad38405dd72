package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
)

// Judging is which rules are judged, and how.
type Judging struct {
	Rules []alert.Rule
	Every time.Duration // for rules without an interval of their own; 0: as rules have it
	Guard *guard.Guard
}

// lookEvery is how often it is looked how far rules were judged.
const lookEvery = 200 * time.Millisecond

// Make reads recordings and judges rules over them, beside one another. It calls tick with
// how much of that is done.
func Make(ctx context.Context, player *replay.Player, o Options, rules Judging, tick func(share float64)) (*Report, error) {
	damaged := player.ReadEvents(ctx)
	g := New(player, o)
	g.growers = slices.DeleteFunc(slices.Clone(rules.Rules), func(r alert.Rule) bool { return r.Grows == 0 })
	first, last := player.Bounds()
	var at backtest.Progress
	came := func() {
		share := g.Came()
		if at, ok := at.Get(); ok && share >= 1 {
			share = float64(at.Sub(first)) / float64(max(last.Sub(first), 1))
		}
		tick(share)
	}
	judged := make(chan struct{})
	var judgement Judgement
	var judgeErr error
	inner, stop := context.WithCancel(ctx)
	defer stop()
	rules.Guard.Go(func() {
		defer close(judged)
		judgement, judgeErr = rules.judge(inner, player, &o, &at)
	})
	if err := g.Sum(ctx, came); err != nil {
		stop()
		<-judged
		return nil, fmt.Errorf("report: %w", err)
	}
	for waiting := true; waiting; {
		select {
		case <-judged:
			waiting = false
		case <-time.After(lookEvery):
			came()
		}
	}
	if judgeErr != nil {
		return nil, fmt.Errorf("report: judge rules: %w", judgeErr)
	}
	r, err := g.Report(ctx, judgement, came)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	for _, err := range damaged {
		r.Missing = append(r.Missing, err.Error())
	}
	return r, nil
}

// judge judges the rules over the recordings.
func (j *Judging) judge(ctx context.Context, player *replay.Player, o *Options, came *backtest.Progress) (Judgement, error) {
	kept := NewJudged(player)
	every := time.Duration(0)
	for _, r := range player.Recordings() {
		every = max(every, r.Every(r.Last))
	}
	rules := slices.DeleteFunc(slices.Clone(j.Rules), func(r alert.Rule) bool { return r.Grows > 0 }) // over all that is known
	for _, r := range j.Rules {
		if r, ok := r.GoesOn(every); ok {
			rules = append(rules, r)
		}
	}
	try := backtest.Try{Begin: o.Begin, End: o.End, Meant: func(h *replay.Host) bool { return o.Meant(h.Name()) }, Tick: came.Set}
	c, err := try.Timeline(ctx, player, alert.BacktestOptions{Rules: rules, Every: j.Every, Looks: o.Looks, Judged: kept.Add})
	out := Judgement{Judged: *kept}
	if err != nil {
		return out, err
	}
	out.Stopped = strings.Trim(c.Stopped+"; "+c.Left, "; ")
	out.Timeline, out.Outcomes = c.Timeline, c.Backtest.Outcomes()
	return out, nil
}
