package session

import (
	"fmt"
	"math"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/text/english"
)

// Trace is what a value comes from. Texts are printable.
type Trace struct {
	From   string         // who holds it
	Series []TracedSeries // that the value is made of
	More   int            // series that are not listed
	Recipe string         // what makes the value of them there; empty: nothing does
	Exact  string         // the same of the newest two samples, as values are made here
	Result float64        // of Exact, there
	Has    bool           // there is a Result
	At     time.Time      // that it is of
}

// TracedSeries is a series of a Trace with its newest samples.
type TracedSeries struct {
	Name   string // with its labels
	At     []time.Time
	Values []float64
}

const tracedAt = "15:04:05.000"

// Lines are the trace as text, beside the value that was made here. Those without a label go
// on with the one before; one without anything parts what is there from what is made of it.
func (t *Trace) Lines(here cooker.Value) (lines []cooker.Line) {
	add := func(label, format string, args ...any) {
		lines = append(lines, cooker.Line{Label: label, Text: fmt.Sprintf(format, args...)})
	}
	if len(t.Series) == 0 {
		add("made of", "no samples of the last minutes")
		return lines
	}
	label := "made of"
	for i := range t.Series {
		one := &t.Series[i]
		add(label, "%s", one.Name)
		for j := range one.At {
			since := ""
			if j > 0 {
				since = fmt.Sprintf("   %s in %s", signed(one.Values[j]-one.Values[j-1]), english.Exact(one.At[j].Sub(one.At[j-1])))
			}
			add("", "%s   %s%s", one.At[j].Local().Format(tracedAt), cooker.Machine(one.Values[j]), since)
		}
		label = ""
	}
	if t.More > 0 {
		add("", "and %d series more", t.More)
	}
	if t.Exact == "" {
		add("promql", "one expression cannot say it")
		return lines
	}
	lines = append(lines, cooker.Line{})
	add("promql", "%s", t.Exact)
	if t.Has {
		text := cooker.Machine(t.Result) + " there, at " + t.At.Local().Format(tracedAt)
		if f, ok := here.Float(); ok {
			text += "; " + cooker.Machine(f) + " here: " + compared(t.Result, f)
		}
		add("", "%s", text)
	}
	if t.Recipe != t.Exact {
		add("for charts", "%s", t.Recipe)
	}
	if strings.Contains(t.Recipe, "rate(") || strings.Contains(t.Recipe, "increase(") {
		add("differs", "rate() and increase() even out all samples of the window and stretch what they grew by to its ends; here, as with irate(), the newest two and the time between them count")
	}
	return lines
}

// compared says how near two numbers are.
func compared(there, here float64) string {
	const same = 1e-6 // of the larger: engines know milliseconds
	most := max(math.Abs(there), math.Abs(here))
	if apart := math.Abs(there - here); apart > same*most {
		return cooker.Machine(apart) + " apart, as of other samples or of the host's own clock"
	}
	return "the same"
}

func signed(f float64) string {
	if f >= 0 {
		return "+" + cooker.Machine(f)
	}
	return cooker.Machine(f)
}
