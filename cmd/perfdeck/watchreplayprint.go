package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
)

// tell prints the table of the rules.
func (w *pastWatch) tell(outcomes []alert.Outcome) error {
	zone := w.player.About().Zone
	from, to := w.player.Bounds()
	if from.Before(w.begin) {
		from = w.begin.In(zone)
	}
	if w.samples > 0 {
		to = w.backtest.Now().Wall
	}
	fired := 0
	for i := range outcomes {
		fired += outcomes[i].Fired
	}
	fmt.Fprintf(w.out, "\nfired %s from %s to %s (%s)\n", timesWord(fired), from.Format(time.DateTime), to.Format(time.DateTime), spellSpan(to.Sub(from)))
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tSEVERITY\tFIRED\tVALUES\tIN ALL\tLONGEST\tPEAK\tFIRST\tLAST")
	var lacking []*alert.Outcome
	for i := range outcomes {
		o := &outcomes[i]
		if o.Problem != "" {
			lacking = append(lacking, o)
			continue
		}
		first, last, all, longest := "-", "-", "-", "-"
		if o.Fired > 0 {
			first, last = o.First.In(zone).Format(time.DateTime), o.Last.In(zone).Format(time.DateTime)
			all, longest = spellSpan(o.Total), spellSpan(o.Longest)
		}
		if o.Firing > 0 {
			last += ", " + strconv.Itoa(o.Firing) + " at the end"
		}
		times := strconv.Itoa(o.Fired)
		if o.Held > 0 {
			times += ", " + strconv.Itoa(o.Held) + " in quiet hours"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", session.Printable(o.Rule.Name), o.Rule.Severity, times, o.Values, all, longest,
			cmp.Or(o.Peak, "-"), first, last)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, o := range lacking {
		fmt.Fprintf(w.out, "not judged: %s: %s\n", session.Printable(o.Rule.Name), session.Printable(o.Problem))
	}
	return nil
}

func timesWord(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// spellSpan writes a time with its two largest units, as "2h5m".
func spellSpan(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	case d < 24*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	hours := int(d.Round(time.Hour) / time.Hour)
	return fmt.Sprintf("%dd%dh", hours/24, hours%24)
}

// pastOutcome is a rule of --json, after the events.
type pastOutcome struct {
	Rule     string     `json:"rule"`
	When     string     `json:"when"`
	Severity string     `json:"severity"`
	Fired    int        `json:"fired"`
	Values   int        `json:"values"`
	Quiet    int        `json:"quiet"`
	Firing   int        `json:"firing"`
	Seconds  float64    `json:"seconds"`
	Longest  float64    `json:"longest"`
	Peak     *float64   `json:"peak"`
	First    *time.Time `json:"first"`
	Last     *time.Time `json:"last"`
	Judged   int        `json:"judged"`
	Problem  string     `json:"problem,omitempty"`
}

func (w *pastWatch) writeOutcomes(outcomes []alert.Outcome) error {
	for i := range outcomes {
		o := &outcomes[i]
		line := pastOutcome{
			Rule: o.Rule.Name, When: o.Rule.Expression(), Severity: o.Rule.Severity.String(), Fired: o.Fired, Values: o.Values, Quiet: o.Held,
			Firing: o.Firing, Seconds: o.Total.Seconds(), Longest: o.Longest.Seconds(), Judged: o.Samples, Problem: o.Problem,
		}
		if o.Fired > 0 {
			line.First, line.Last = &o.First, &o.Last
		}
		if o.Peak != "" {
			line.Peak = &o.PeakValue
		}
		if err := writeJSON(w.out, map[string]pastOutcome{"summary": line}); err != nil {
			return err
		}
	}
	return nil
}
