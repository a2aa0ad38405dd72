package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// made tells how the number of a verdict was made: by its raw samples, where the recording
// keeps them, and by what the rule saw.
func (d *draft) made(s Scale) Fold {
	switch d.lead().Kind {
	case alert.HostLost:
		return Fold{Text: []Text{words("No number stands behind this verdict. The recording has no value of the host from " + d.second(d.Begin) + " on; it counts as lost after " + d.lead().ForText() + ", from the first sample that lacks.")}}
	case alert.NoValue:
		return Fold{Text: []Text{words("No number stands behind this verdict: ", code(d.lead().When.Path.String()), " had no value from "+d.second(d.Begin)+" on, for "+d.lead().ForText()+" and more.")}}
	case alert.EventCount:
		return Fold{Text: []Text{words("The rule counts events that the recording has of the host, the last of them: " + d.first().Counted + ".")}}
	case alert.Threshold:
	}
	var f Fold
	if d.Peak != nil {
		f = d.peakMade(s)
	}
	f.Judged = d.judged(s)
	return f
}

// peakMade tells how the worst value was made.
func (d *draft) peakMade(s Scale) (f Fold) {
	at := d.second(d.PeakAt)
	word := d.side("Highest", "Lowest")
	f.Shown = s.With(*d.Peak)
	asShown := cooker.Machine(*d.Peak) + ", shown as " + f.Shown
	switch {
	case d.column < 0:
		f.Text = append(f.Text, words(fmt.Sprintf("%s value, %s: the rule makes it of several counters of the recording, each %s.", word, at, english.Span(d.first().Every))))
		f.Worked = []string{asShown}
		return f
	case !d.peak.raw.Known:
		f.Text = append(f.Text, words(fmt.Sprintf("%s value, %s. The recording keeps values as they were cooked, without raw samples: from what they were made cannot be told.", word, at)))
		f.Worked = []string{asShown}
		return f
	}
	x := cooker.Explain(d.peakEvidence())
	f.Text = append(f.Text, explained(word, at, &x))
	f.Raw = d.rawSamples(&x, at, d.peak.then)
	result, ok := x.Result.Float()
	if !ok {
		f.Worked = []string{asShown}
		f.Notes = append(f.Notes, "The recording holds this value; from these two samples it cannot be worked out: "+x.Status.String()+".")
		return f
	}
	if x.Substituted != "" {
		f.Worked = append(f.Worked, x.Substituted)
		if x.Differences != x.Substituted {
			f.Worked = append(f.Worked, "= "+x.Differences)
		}
	}
	f.Worked = append(f.Worked, "= "+cooker.Machine(result)+", shown as "+s.With(result))
	if math.Abs(result-*d.Peak) > 1e-6*math.Max(math.Abs(result), math.Abs(*d.Peak)) {
		f.Notes = append(f.Notes, fmt.Sprintf("The recording holds %s, which was cooked with another sample before it.", cooker.Machine(*d.Peak)))
		f.Shown = s.With(result)
	}
	return f
}

// peakEvidence is what the value at the peak was made from, which has to be known.
func (d *draft) peakEvidence() cooker.Evidence {
	c := d.own().Column
	counter := counterOf(c)
	e := cooker.Evidence{
		Type: counter.Type, Cur: &d.peak.raw.Reading, CurClocks: &d.peak.raw.Clocks,
		Attributes: counter.Attributes, Scale: counter.DefaultScale,
	}
	if d.peak.older.Known {
		e.Prev, e.PrevClocks = &d.peak.older.Reading, &d.peak.older.Clocks
	}
	return e
}

// explained says which value is explained, and by which formula.
func explained(word, at string, x *cooker.Explanation) Text {
	text := words(fmt.Sprintf("%s value, %s. Type %s %s", word, at, x.Info.Name, x.Code))
	if x.Info.Base != cooker.BaseNone {
		text = append(text, words(fmt.Sprintf(", base %v 0x%08X", x.Info.BaseType, uint32(x.Info.BaseType)))...)
	}
	return append(text, words(". Formula ", code(x.Info.Formula), ".")...)
}

// rawSamples is the table of the two samples; nil where the formula has no operands.
func (c clock) rawSamples(x *cooker.Explanation, at string, before time.Time) *Table {
	table := &Table{Title: "Raw samples of " + at, Head: []string{"", "before", at, "difference"}}
	if !before.IsZero() {
		table.Head[1] = c.second(before)
	}
	for _, o := range x.Operands {
		row := []string{o.Symbol + " " + o.Meaning, cellText(o.Older), cellText(o.Newer), ""}
		switch {
		case o.Symbol == "F":
			row[3] = constant
		case o.Changes:
			row[3] = grouped(o.Difference)
		}
		table.Rows = append(table.Rows, row)
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return table
}

// constant stands where a difference would.
const constant = "constant"

func cellText(c cooker.Cell) string {
	if !c.Set {
		return "none"
	}
	if c.N > math.MaxInt64 {
		return strconv.FormatUint(c.N, 10)
	}
	return grouped(int64(c.N))
}

// judged is what the rule saw when it fired; nil: nothing tells.
func (d *draft) judged(s Scale) *Table {
	ep := d.first()
	rule := ep.Rule
	of := max(rule.Of, 1)
	const most = 12
	var rows [][]string
	every := d.pace(ep.Began)
	if d.samples.Stride > 1 || ep.Every > every*3/2 && every > 0 {
		return nil // the rule judged values over longer times than those of the recording
	}
	for _, p := range d.points {
		if p.At.Before(ep.Began) || p.At.After(ep.Since) || p.Value != p.Value || len(rows) == min(of, most) {
			continue
		}
		word := "well"
		if rule.When.Holds(p.Value) {
			word = "beyond"
		}
		rows = append(rows, []string{d.second(p.At), s.With(p.Value), word})
	}
	if len(rows) == 0 {
		return nil
	}
	return &Table{
		Title: "The samples that fired " + strings.TrimSpace(printable.Text(rule.Name)) + ", " + rule.ForText(),
		Head:  []string{"at", "value", fmt.Sprintf("%v %s", rule.When.Op, s.limit(rule.When.Limit))}, Rows: rows,
	}
}
