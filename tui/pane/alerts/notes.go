package alerts

import (
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// Marks are the alerts that fired in a time on some hosts, oldest first.
func Marks(desk *pane.Desk, hosts []*pane.Host, from, to time.Time) (out []pane.Entry) {
	watched := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		watched[h.Name] = true
	}
	history := desk.Board().History
	for i := range history {
		ev := &history[i]
		if ev.Kind != alert.Fired || ev.Time.Before(from) || ev.Time.After(to) || !watched[ev.ID.Host] {
			continue
		}
		text := ev.ID.Rule
		if ev.Instance != "" {
			text += " " + ev.Instance
		}
		if ev.Shown != "" {
			text += " " + ev.Shown
		}
		out = append(out, pane.Entry{Time: ev.Time, Level: pane.LevelOf(ev.Severity), Text: text})
	}
	return out
}

// Thresholds are the limits of the rules in force for a value.
func Thresholds(desk *pane.Desk, t pane.Target) (out []pane.Threshold) {
	if !t.IsValue() {
		return nil
	}
	c, d := watchedBy(desk, t), t.Drawn()
	for _, l := range desk.Board().Limits(t.Host.Name, t.Set, t.Counter, t.Instance()) {
		op, at := c.side(l.Op), d.Level(l.Value, d.LimitNow(t.Host.Snap, t.Key))
		text := op.String() + " " + limitText(l.Value, c) + " " + l.Severity.String()
		out = append(out, pane.Threshold{Value: at, Level: pane.LevelOf(l.Severity), Below: op == paths.Below, Text: text})
	}
	return out
}

type trouble struct {
	worst  pane.Level
	counts [3]int
}

// Trouble tells of the hosts of a desk the worst level that fires, and how many of their values
// are careful, warning and critical. What is acknowledged or muted does not count. It is found
// anew only when the board changes.
func Trouble(desk *pane.Desk) func(h *pane.Host) (level pane.Level, counts [3]int) {
	var of *alert.Board
	var hosts map[string]trouble
	return func(h *pane.Host) (level pane.Level, counts [3]int) {
		if board := desk.Board(); board != of {
			of, hosts = board, map[string]trouble{}
			now := desk.Now()
			for _, a := range board.Active {
				if a.State != alert.Firing || a.MutedUntil.After(now) || a.Rule.Severity > alert.Critical {
					continue
				}
				one := hosts[a.ID.Host]
				one.worst = max(one.worst, pane.LevelOf(a.Rule.Severity))
				one.counts[a.Rule.Severity]++
				hosts[a.ID.Host] = one
			}
		}
		one := hosts[h.Name]
		return one.worst, one.counts
	}
}

// NextAlert is the value that alerts after another one, worst first, round and
// round. When all are acknowledged it goes through those.
func NextAlert(desk *pane.Desk, from pane.Target) (pane.Target, bool) {
	for _, state := range [...]alert.State{alert.Firing, alert.Acknowledged} {
		var list []pane.Target
		seen := map[pane.Target]bool{}
		for _, a := range desk.Board().Active {
			if a.State != state {
				continue
			}
			for _, t := range targetsOf(desk, a.ID, a.Rule) {
				if t.IsValue() && !seen[t] {
					list, seen[t] = append(list, t), true
				}
			}
		}
		if len(list) > 0 {
			return list[(slices.IndexFunc(list, from.Is)+1)%len(list)], true
		}
	}
	return pane.Target{}, false
}
