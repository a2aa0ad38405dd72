package screens

import (
	"context"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/history"
	"perfdeck/session/analysis/report"
	"perfdeck/session/app/reporting"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
	"perfdeck/tui/pane"
)

// Why finds for the screens what was wrong, as the command of that name does: in a recording, or,
// where the player is nil, in what the screens keep.
func Why(g *guard.Guard, player *replay.Player, rules func() ([]alert.Rule, error), looks session.Looks) pane.Why {
	return func(hosts []*pane.Host, first, from, to time.Time) func(context.Context) (pane.Findings, error) {
		read, wrong := rules()
		all := pane.Histories(hosts)
		isMeant := func(host string) bool {
			return slices.ContainsFunc(all, func(h history.Host) bool { return h.Name == host })
		}
		o := report.Options{Name: "-", Begin: first, End: to, Of: from, Looks: looks, Meant: isMeant}
		var live *reporting.Live
		if player == nil {
			for _, h := range hosts {
				o.Events = append(o.Events, h.EventState().Events...)
			}
			live = reporting.NewLive(all)
		}
		return func(ctx context.Context) (out pane.Findings, err error) {
			if wrong != nil {
				return out, wrong
			}
			j := report.Judging{Rules: read, Guard: g}
			var made *report.Report
			if live != nil {
				made, err = live.Report(ctx, o, j)
			} else {
				made, err = report.Make(ctx, player, o, j, func(float64) {})
			}
			if err != nil {
				return out, err
			}
			for _, v := range made.Verdicts {
				out.Wrong = append(out.Wrong, pane.Finding{Level: pane.LevelOf(v.Severity), Paths: bare(v.Paths), Lines: slices.DeleteFunc(made.WhyLines(v, ""), isCommand)})
			}
			for _, row := range made.WhyRest(report.WhyOptions{}) {
				out.Rest = append(out.Rest, pane.Finding{Lines: [][2]string{row}})
			}
			return out, nil
		}
	}
}

// isCommand tells lines that say which command to run: on the screens keys lead there.
func isCommand(line [2]string) bool { return line[0] == "next" }

// bare are paths without their computers.
func bare(all []string) (out []string) {
	for _, text := range all {
		if p, err := paths.Parse(text); err == nil {
			p.Computer = ""
			text = p.String()
		}
		out = append(out, text)
	}
	return out
}
