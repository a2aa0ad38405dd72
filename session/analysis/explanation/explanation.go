// Package explanation says where a value comes from: its type, the formula with symbols and with
// numbers, the raw samples, what it was read by, and how an engine would make it.
package explanation

import (
	"fmt"
	"io"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/files/logs"
	"perfdeck/session/text"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// Options say how values are explained.
type Options struct {
	Looks   session.Looks
	PromQL  bool     // say how Prometheus makes the value of raw series
	Tracers *Tracers // nil: nobody is asked
}

// Write writes for reading where the value of a cell of a sample comes from, as far as the cell
// has its evidence.
func Write(w *text.Printer, s logs.Sample, c logs.Cell, o Options) error {
	fmt.Fprintf(w, "%s\n", w.Mark(themes.Strong, c.Full()))
	if d := c.Counter.Description; d != "" {
		fmt.Fprintf(w, "  %s\n", printable.Text(d))
	}
	if why := c.Counter.Absent; why != "" {
		fmt.Fprintf(w, "  absent: %s\n", printable.Text(why))
	}
	if made, ok := session.CombineNamed(c.Key.Name); ok && c.From == nil && c.Value.Valid() {
		return writeCombined(w, &made, c)
	}
	if c.From == nil {
		_, err := fmt.Fprintf(w, "  no sample: %s\n", logs.StatusWord(c.Value.Status()))
		return err
	}
	lines := cooker.Explain(c.From.Evidence).Lines()
	if _, ok := c.Value.Float(); ok {
		shown := cooker.AppendValue(nil, c.Value, o.Looks.Of(c.Set, c.Counter).Format)
		lines = append(lines, cooker.Line{Label: "shown", Text: string(shown)})
	}
	if by := c.Set.ReadBy(); by != "" {
		lines = append(lines, cooker.Line{Label: "read by", Text: by})
	}
	lines = append(lines, cooker.Line{Label: "sampled", Text: sampledText(s.Time, c.From.Interval)})
	if o.PromQL {
		lines = append(lines, recipeLines(c)...)
	}
	lines = append(lines, o.Tracers.of(c).lines(c.Value)...)
	t := text.Table{Indent: 2, Trim: true, Columns: make([]text.Column, 2), Tone: func(row, column int) themes.Token {
		switch {
		case column == 0:
			return themes.Muted
		case lines[row].Label == "shown" || lines[row].Label == "result":
			return themes.Accent
		}
		return themes.Text
	}}
	for _, l := range lines {
		t.Row(l.Label, l.Text)
	}
	return t.Print(w)
}

// recipeWindow is the window of recipes.
const recipeWindow = "5m"

// recipeOf is how an engine makes the value of a cell of raw series.
func recipeOf(c logs.Cell) (exact, over string, ok bool) {
	if c.Set == nil || c.From == nil {
		return "", "", false
	}
	i, found := c.Set.Counter(c.Counter.Name)
	if !found {
		return "", "", false
	}
	in := &session.Instance{Key: c.Key, Index: c.Index, Number: c.Number}
	return prom.NamesOf(c.Set)[i].Recipe(c.Host, c.Set, i, in, c.From.Cur, c.From.CurClocks, recipeWindow)
}

// recipeLines are the recipe for reading.
func recipeLines(c logs.Cell) []cooker.Line {
	exact, over, ok := recipeOf(c)
	if !ok {
		return []cooker.Line{{Label: "promql", Text: "a type without a number, or without a formula that is known"}}
	}
	lines := []cooker.Line{{Label: "promql", Text: exact}}
	if over != exact {
		lines = append(lines, cooker.Line{Label: "over " + recipeWindow, Text: over})
	}
	return lines
}

// writeCombined writes what a value of several instances is made of.
func writeCombined(w io.Writer, made *session.Combine, c logs.Cell) error {
	of := "all instances"
	if members := session.MembersOf(made.Name); members != nil {
		of = strings.Join(members, ", ")
	}
	_, err := fmt.Fprintf(w, "  made of  the cooked values of %s\n  by       %s (MS-PCQ 2.2.4.2, AggregateFunc)\n  result   %s\n",
		printable.Text(of), made.Aggregator(c.Counter).Func, cooker.AppendMachine(nil, c.Value))
	return err
}

func sampledText(at time.Time, interval time.Duration) string {
	text := at.Format("2006-01-02 15:04:05.000")
	if interval > 0 {
		text += ", " + english.Exact(interval.Round(time.Microsecond)) + " after the sample before"
	}
	return text
}

type jsonExplanation struct {
	Path        string        `json:"path"`
	Host        string        `json:"host"`
	Time        string        `json:"time"`
	Type        string        `json:"type"`
	Code        string        `json:"code"`
	Known       bool          `json:"known"`
	Bits        []string      `json:"bits"`
	Meaning     string        `json:"meaning"`
	Formula     string        `json:"formula"`
	Numbers     string        `json:"numbers"`
	Differences string        `json:"differences"`
	Operands    []jsonOperand `json:"operands"`
	Base        string        `json:"base"` // type of the companion, empty if none
	Attributes  []string      `json:"attributes"`
	Conflicts   []string      `json:"conflicts"`
	Unknown     string        `json:"unknownAttributes"` // bits in hexadecimal, empty if none
	Scale       int           `json:"defaultScale"`
	Source      string        `json:"source"`
	Dispute     string        `json:"dispute,omitempty"`  // how sources of the formula differ
	Protocol    string        `json:"protocol,omitempty"` // that the host is read by, where there are several
	Value       cooker.Value  `json:"value"`
	Text        string        `json:"text"`
	Status      string        `json:"status"`
	PromQL      string        `json:"promql,omitempty"`     // exactly, of raw series
	PromQLOver  string        `json:"promqlOver,omitempty"` // over a window
	MadeOf      *jsonTrace    `json:"madeOf,omitempty"`     // in the engine that the host is read out of
}

type jsonOperand struct {
	Symbol     string  `json:"symbol"`
	Meaning    string  `json:"meaning"`
	Older      *uint64 `json:"older"`
	Newer      *uint64 `json:"newer"`
	Difference *int64  `json:"difference"`
}

// WriteJSON writes the same as an object on one line. What would steer a terminal is escaped.
func WriteJSON(w io.Writer, s logs.Sample, c logs.Cell, o Options) error {
	e := cooker.Evidence{Type: c.Counter.Type, Attributes: c.Counter.Attributes, Scale: c.Counter.DefaultScale}
	if c.From != nil {
		e = c.From.Evidence
	}
	x := cooker.Explain(e)
	out := jsonExplanation{
		Path: c.Text, Host: c.Host, Time: s.Time.Format(logs.NanoTime),
		Type: c.Counter.Type.String(), Code: x.Code, Known: x.Known, Bits: append([]string{}, x.Bits...),
		Meaning: x.Info.Meaning, Formula: x.Info.Formula, Numbers: x.Substituted, Differences: x.Differences,
		Operands: []jsonOperand{}, Attributes: append([]string{}, x.Attributes...), Conflicts: append([]string{}, x.Conflicts...), Scale: x.Scale, Source: x.Info.Source, Dispute: x.Info.Type.Dispute(),
		MadeOf: o.Tracers.of(c).json(), Value: c.Value, Text: logs.WriteOptions{Looks: o.Looks}.Text(c, cooker.DefaultDigits), Status: logs.StatusWord(c.Value.Status()),
	}
	if c.Set != nil {
		out.Protocol = c.Set.Protocol
	}
	if o.PromQL {
		out.PromQL, out.PromQLOver, _ = recipeOf(c)
	}
	if x.Info.Base != cooker.BaseNone {
		out.Base = x.Info.BaseType.String()
	}
	if x.Unknown != 0 {
		out.Unknown = fmt.Sprintf("0x%X", uint64(x.Unknown))
	}
	for _, of := range x.Operands {
		operand := jsonOperand{Symbol: of.Symbol, Meaning: of.Meaning, Older: number(of.Older), Newer: number(of.Newer)}
		if of.Changes {
			operand.Difference = &of.Difference
		}
		out.Operands = append(out.Operands, operand)
	}
	return printable.WriteJSON(w, out)
}

func number(c cooker.Cell) *uint64 {
	if !c.Set {
		return nil
	}
	return &c.N
}
