package main

import (
	"bufio"
	"fmt"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session/analysis/difference"
	"perfdeck/session/files/past"
	"perfdeck/session/text"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// jsonChange is what --json prints of a counter.
type jsonChange struct {
	Path     string         `json:"path"`
	Kind     string         `json:"kind"`   // level, often, new or gone
	Before   cooker.Value   `json:"before"` // the medians
	During   cooker.Value   `json:"during"`
	Spreads  cooker.Value   `json:"spreads"`  // how far it went, in what it moves by itself
	Strength cooker.Value   `json:"strength"` // what orders them
	Days     bool           `json:"days"`     // other days were looked at, too
	Averages [2]jsonAverage `json:"averages"` // before and during
}

// jsonAverage is the average of one of the times, null where there are no values.
type jsonAverage struct {
	Average  cooker.Value `json:"average"`
	Weighted string       `json:"weighted,omitempty"` // "by time", for want of raw samples
}

// jsonCompared is the last object of --json.
type jsonCompared struct {
	Before   jsonTimes `json:"before"`
	During   jsonTimes `json:"during"`
	Changed  int       `json:"changed"`
	Judged   int       `json:"judged"`
	Few      int       `json:"few"` // counters with too few samples to tell
	Days     int       `json:"days"`
	Counters int       `json:"counters"`
	Notes    []string  `json:"notes"`
	Verdicts int       `json:"verdicts"` // that are new or over
	Schema   int       `json:"schema"`   // of these objects: 2 has parts
}

// jsonVerdict is what --json prints of a rule that fires in one of the times alone.
type jsonVerdict struct {
	Rule     string    `json:"rule"`
	Severity string    `json:"severity"`
	Kind     string    `json:"kind"` // new or gone
	Path     string    `json:"path"`
	Since    time.Time `json:"since"`
	Part     int       `json:"part,omitempty"`
	Seconds  float64   `json:"seconds"` // that it fired
	Peak     string    `json:"peak,omitempty"`
}

// jsonTimes is one of what is compared.
type jsonTimes struct {
	File    string    `json:"file"`
	Host    string    `json:"host,omitempty"`
	Begin   time.Time `json:"begin"`
	End     time.Time `json:"end"`
	Part    int       `json:"part,omitempty"` // of a recording whose clock was set back: times are as they were recorded
	EndPart int       `json:"endPart,omitempty"`
	Samples int       `json:"samples"`
}

// comparedPrint prints what changed.
type comparedPrint struct {
	*difference.Difference

	flags compareFlags
	out   *text.Printer
}

func (a *comparedPrint) print(to *text.Printer) error {
	out := bufio.NewWriter(to)
	a.out = to.To(out)
	var err error
	if a.flags.JSON {
		err = a.writeJSON(out)
	} else {
		err = a.write(out)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// listed are the changes that are listed.
func (a *comparedPrint) listed(all []compare.Change) []compare.Change {
	if a.flags.Most > 0 && len(all) > a.flags.Most {
		return all[:a.flags.Most]
	}
	return all
}

func (a *comparedPrint) writeJSON(out *bufio.Writer) error {
	r := &a.Ranking
	for _, c := range a.listed(r.Changes) {
		line := jsonChange{Path: a.Series[c.Series].Path, Kind: c.Kind.String(), Strength: cooker.FloatValue(c.Strength), Days: c.Usual}
		if c.Kind == compare.Level || c.Kind == compare.Often {
			line.Before, line.During, line.Spreads = cooker.FloatValue(c.From), cooker.FloatValue(c.To), cooker.FloatValue(c.Times)
		}
		for i, sum := range a.Series[c.Series].Sums {
			if sum != nil {
				line.Averages[i] = jsonAverage{sum.Average(), sum.Weighted()}
			}
		}
		if err := printable.WriteJSON(out, line); err != nil {
			return err
		}
	}
	for i := range a.Verdicts {
		v := &a.Verdicts[i]
		if a.flags.Most > 0 && i == a.flags.Most {
			break
		}
		side := a.Now
		if v.Kind() == compare.Gone {
			side = a.Was
		}
		since, part := side.Line.Told(v.Since)
		line := jsonVerdict{v.ID.Rule, v.Rule.Severity.String(), v.Kind().String(), v.Path, since, part, v.Lasted().Seconds(), v.Peak}
		if err := printable.WriteJSON(out, map[string]jsonVerdict{"verdict": line}); err != nil {
			return err
		}
	}
	summary := jsonCompared{
		Before: a.times(a.Was, a.Before), During: a.times(a.Now, a.During),
		Changed: len(r.Changes), Judged: r.Judged, Few: r.Few, Days: a.Days, Counters: len(a.Series), Notes: append([]string{}, a.Notes...), Verdicts: len(a.Verdicts), Schema: 2,
	}
	return printable.WriteJSON(out, map[string]jsonCompared{"summary": summary})
}

func (a *comparedPrint) times(side *difference.Side, s *compare.Span) jsonTimes {
	out := jsonTimes{File: side.Name, Host: side.Host, Samples: s.Rows()}
	out.Begin, out.Part = side.Line.Told(s.Begin())
	out.End, out.EndPart = side.Line.Told(s.End())
	return out
}

// write prints the table.
func (a *comparedPrint) write(out *bufio.Writer) error {
	r := &a.Ranking
	was, now := a.Was, a.Now
	fmt.Fprintf(out, "%s\n  compared with %s\n", a.title(now, a.During), a.title(was, a.Before))
	if n := a.Days; n > 0 {
		fmt.Fprintf(out, "  and with the same time of %s\n", english.Count(n, "other day", "other days"))
	}
	for _, note := range a.Notes {
		fmt.Fprintf(out, "  %s\n", note)
	}
	var levels, came []compare.Change
	for _, c := range r.Changes {
		if c.Kind == compare.New || c.Kind == compare.Gone {
			came = append(came, c)
		} else {
			levels = append(levels, c)
		}
	}
	fmt.Fprintln(out)
	switch {
	case r.Judged == 0 && len(r.Changes) == 0:
		fmt.Fprintf(out, "Nothing can be told: %s too few samples.\n", english.Count(r.Few, "counter has", "counters have"))
		return a.writeVerdicts(out)
	case len(r.Changes) == 0:
		fmt.Fprintf(out, "Nothing changed: %s moved as before%s.\n", english.Count(r.Judged, "counter", "counters"), few(r))
		return a.writeVerdicts(out)
	}
	if err := a.writeLevels(a.listed(levels)); err != nil {
		return err
	}
	if err := a.writeInstances(came); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d of %s changed%s", len(r.Changes), english.Count(r.Judged, "counter", "counters"), few(r))
	if left := len(levels) - len(a.listed(levels)); left > 0 {
		fmt.Fprintf(out, "; %d more are listed with --most 0", left)
	}
	fmt.Fprintln(out)
	return a.writeVerdicts(out)
}

func few(r *compare.Ranking) string {
	if r.Few == 0 {
		return ""
	}
	return fmt.Sprintf(", %d with too few samples were not judged", r.Few)
}

// title says in words what is compared.
func (a *comparedPrint) title(side *difference.Side, s *compare.Span) string {
	name := side.Name
	if side.Host != "" {
		name = side.Host + " in " + name
	}
	end := s.End()
	form := time.DateTime
	if end.Sub(s.Begin()) < 24*time.Hour && end.Day() == s.Begin().Day() {
		form = time.TimeOnly
	}
	return printable.Text(fmt.Sprintf("%s: %s to %s, %s", name, s.Begin().Format(time.DateTime), end.Format(form), english.Count(s.Rows(), "sample", "samples")))
}

func (a *comparedPrint) writeLevels(list []compare.Change) error {
	if len(list) == 0 {
		return nil
	}
	from, to := a.heads()
	right := func(head string) text.Column { return text.Column{Head: head, IsRight: true} }
	t := text.Table{
		Indent: 2, Columns: []text.Column{right("CHANGE"), right(from), right(to), right("SPREADS"), right("STRENGTH"), {Head: "COUNTER"}},
		Tone: named,
	}
	for _, c := range list {
		s := &a.Series[c.Series]
		format := s.Format
		if c.Kind == compare.Often {
			format = cooker.Format{Digits: 0, Quantity: cooker.Quantity{Kind: cooker.Percent}, Style: cooker.UnitWindows}
			c.From, c.To = 100*c.From, 100*c.To
		}
		value := func(f float64) string {
			return string(cooker.AppendValue(nil, cooker.FloatValue(f), format))
		}
		t.Row(c.Words(), value(c.From), value(c.To), fmt.Sprintf("%.1f", c.Times), fmt.Sprintf("%.2f", c.Strength), s.Path)
	}
	return t.Print(a.out)
}

// heads name what is compared: two times of a recording, two hosts, or two files.
func (a *comparedPrint) heads() (from, to string) {
	was, now := a.Was, a.Now
	switch {
	case was == now:
		return "BEFORE", "DURING"
	case was.Host != now.Host:
		from, to = was.Host, now.Host
	default:
		from, to = past.Title(was.Name), past.Title(now.Name)
	}
	from, to = headOf(from), headOf(to)
	if from == to {
		return "FIRST", "SECOND"
	}
	return from, to
}

// headOf is a name as the head of a column: of a long one the beginning and the end, as
// both may tell it from another.
func headOf(name string) string {
	const most = 16
	r := []rune(printable.Text(name))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most/2-1]) + "…" + string(r[len(r)-most/2:])
}

// writeInstances tells which instances came and went, one line each.
func (a *comparedPrint) writeInstances(list []compare.Change) error {
	type key struct {
		kind compare.Kind
		name string
	}
	counters := map[key]int{}
	var order []key
	for _, c := range list {
		k := key{c.Kind, a.Series[c.Series].Instance()}
		if counters[k]++; counters[k] == 1 {
			order = append(order, k)
		}
	}
	shown := len(order)
	if a.flags.Most > 0 {
		shown = min(shown, a.flags.Most)
	}
	t := text.Table{Columns: []text.Column{{Least: 10, IsRight: true}, {}}, Tone: named}
	for _, k := range order[:shown] {
		t.Row(k.kind.String(), k.name+", "+english.Count(counters[k], "counter", "counters"))
	}
	if left := len(order) - shown; left > 0 {
		t.Row("", fmt.Sprintf("%d more", left))
	}
	return t.Print(a.out)
}

// writeVerdicts tells which verdicts are new, and which are over.
func (a *comparedPrint) writeVerdicts(out *bufio.Writer) error {
	if len(a.Verdicts) == 0 {
		return nil
	}
	shown := a.Verdicts
	if a.flags.Most > 0 && len(shown) > a.flags.Most {
		shown = shown[:a.flags.Most]
	}
	fmt.Fprintln(out, "\nWhat alert rules say of it, and did not before:")
	from := 0 // the first of the table that is written
	t := text.Table{Indent: 2, Columns: make([]text.Column, 5), Tone: func(row, column int) themes.Token {
		if column == 0 {
			return text.Severity(shown[from+row].Rule.Severity.String())
		}
		return themes.Text
	}}
	over, form := false, time.TimeOnly
	if a.Before.Length()+a.During.Length() > 24*time.Hour {
		form = time.DateTime
	}
	for i := range shown {
		v := &shown[i]
		if v.Kind() == compare.Gone && !over {
			over, from = true, i
			if err := t.Print(a.out); err != nil {
				return err
			}
			fmt.Fprintln(out, "What they said before, and not of it:")
		}
		t.Row(v.Rule.Severity.String(), v.ID.Rule, v.Since.Format(form)+" for "+english.Span(v.Lasted()), v.Peak, v.Path)
	}
	if err := t.Print(a.out); err != nil {
		return err
	}
	if left := len(a.Verdicts) - len(shown); left > 0 {
		fmt.Fprintf(out, "  and %d more, listed with --most 0\n", left)
	}
	return nil
}
