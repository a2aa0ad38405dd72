package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/replay"
)

// judgeReplay judges rules over the whole recording, in the background, and marks
// what they would have fired. Nobody is told and nothing is kept. The channel is
// closed when it is done.
func (p *program) judgeReplay(ctx context.Context, player *replay.Player, rules []alert.Rule) <-chan struct{} {
	done := make(chan struct{})
	p.guard.Go(func() {
		defer close(done)
		marks, err := firedIn(ctx, player, rules)
		if err != nil && ctx.Err() == nil {
			first, _ := player.Bounds()
			marks = append(marks, replay.Mark{At: first, Kind: replay.Careful, Text: fmt.Sprintf("alert rules could not be judged: %v", err)})
		}
		player.SetAlerts(marks)
	})
	return done
}

// errEnoughMarks: there are so many that more would not be seen.
var errEnoughMarks = errors.New("enough")

const mostFired = 10_000

// firedIn are the moments at which rules fire, one pass for each interval that
// rules have.
func firedIn(ctx context.Context, player *replay.Player, rules []alert.Rule) ([]replay.Mark, error) {
	first, _ := player.Bounds()
	instant := func(at time.Time) session.Instant {
		return session.Instant{Wall: at, Mono: at.Sub(first)}
	}
	var marks []replay.Mark
	for _, every := range intervalsOf(rules) {
		var mine []alert.Rule
		for _, r := range rules {
			if intervalOf(&r) == every {
				mine = append(mine, r)
			}
		}
		engine := alert.NewEngine(mine, every, player.About().Zone, nil)
		states := func(string) session.HostState { return session.HostState{Phase: session.Live} }
		asks := func(h *replay.Host) []session.Ask {
			return engine.Bind(h.Name(), h.Catalogue(), instant(first))[every]
		}
		err := player.Walk(ctx, every, asks, func(h *replay.Host, s *session.Snapshot) error {
			now := instant(s.Time)
			engine.Observe(h.Name(), every, s, now)
			engine.Tick(now, states)
			for _, e := range engine.Take() {
				if e.Kind == alert.Fired && !h.IsOverlay() {
					marks = append(marks, replay.Mark{At: s.Time, Kind: markOf(e.Severity), Text: e.Text()})
				}
			}
			if len(marks) >= mostFired {
				return errEnoughMarks
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnoughMarks) {
			return marks, err
		}
	}
	return marks, nil
}

// intervalsOf are the intervals of the rules that have a value to judge.
func intervalsOf(rules []alert.Rule) []time.Duration {
	var out []time.Duration
	for i := range rules {
		if r := &rules[i]; !r.Disabled && r.Kind != alert.HostLost && !slices.Contains(out, intervalOf(r)) {
			out = append(out, intervalOf(r))
		}
	}
	return out
}

// intervalOf is the interval of a rule. One that samples once does so at the
// beginning of the recording: at the default interval.
func intervalOf(r *alert.Rule) time.Duration {
	if r.Interval == 0 || r.Interval == alert.Once {
		return alert.DefaultInterval
	}
	return r.Interval
}

func markOf(s alert.Severity) replay.MarkKind {
	switch s {
	case alert.Careful:
		return replay.Careful
	case alert.Warning:
		return replay.Warning
	}
	return replay.Critical
}
