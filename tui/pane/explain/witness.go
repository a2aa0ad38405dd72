package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// witness is what another program says that the value is made of.
type witness struct {
	session.Testimony

	err     error
	asking  bool
	next    time.Time // when it is asked again
	version int
}

// A witness is asked when the value is explained, and now and then while it is.
const (
	witnessEvery  = 10 * time.Second
	witnessWithin = 30 * time.Second
)

// isWitnessed tells that the value is made of what another program holds.
func (s *Screen) isWitnessed() bool {
	return s.target.Host.Witness != nil && s.target.Set.From != ""
}

// askWitness asks what the value is made of.
func (s *Screen) askWitness(now time.Time) {
	w := &s.told
	if !s.isWitnessed() || w.asking || now.Before(w.next) || s.desk.Past() {
		return
	}
	w.asking, w.next = true, now.Add(witnessEvery)
	of := session.Valued{Set: s.target.Set, Counter: s.target.Counter, Key: s.target.Key}
	from := s.target.Host.Witness
	s.desk.Send(pane.Wait{Work: func() func(bool) {
		ctx, cancel := context.WithTimeout(context.Background(), witnessWithin)
		defer cancel()
		told, err := from.Testimony(ctx, of)
		return func(bool) {
			w.asking = false
			w.version++
			if w.err = err; err == nil || errors.Is(err, context.Canceled) {
				w.Testimony = told
			}
		}
	}})
}

// addTestimony tells what the value is made of, and what the other program makes of it.
func (s *Screen) addTestimony(p *page, v cooker.Value) {
	w := &s.told
	p.blank()
	switch {
	case w.err != nil:
		p.addStyled("made of", w.err.Error(), pane.Overdue)
		return
	case w.version == 0:
		p.add("made of", "asking "+session.Printable(s.target.Set.From))
		return
	case len(w.Series) == 0:
		p.add("made of", "no samples of the last minutes")
		return
	}
	label := "made of"
	for i := range w.Series {
		one := &w.Series[i]
		p.add(label, one.Name)
		for j := range one.At {
			text := one.At[j].Local().Format(clockFormat) + "   " + exactly(one.Values[j])
			if j > 0 {
				text += fmt.Sprintf("   %s in %v", signed(one.Values[j]-one.Values[j-1]), one.At[j].Sub(one.At[j-1]))
			}
			p.add("", text)
		}
		label = ""
	}
	if w.More > 0 {
		p.add("", fmt.Sprintf("and %d series more", w.More))
	}
	s.addArithmetic(p, v)
}

// addArithmetic compares what is made of the samples there and here.
func (s *Screen) addArithmetic(p *page, v cooker.Value) {
	w := &s.told
	if w.Exact == "" {
		p.add("promql", "one expression cannot say it")
		return
	}
	p.blank()
	p.add("promql", w.Exact)
	if w.Has {
		text := exactly(w.Result) + " there, at " + w.At.Local().Format(clockFormat)
		if f, ok := v.Float(); ok {
			text += "; " + exactly(f) + " here: " + compared(w.Result, f)
		}
		p.add("", text)
	}
	if w.Recipe != w.Exact {
		p.add("for charts", w.Recipe)
	}
	if strings.Contains(w.Recipe, "rate(") || strings.Contains(w.Recipe, "increase(") {
		p.add("differs", "rate() and increase() even out all samples of the window and stretch what they grew by to its ends; here, as with irate(), the newest two and the time between them count")
	}
}

// compared says how near two numbers are.
func compared(there, here float64) string {
	const same = 1e-6 // of the larger: engines know milliseconds
	most := max(math.Abs(there), math.Abs(here))
	if apart := math.Abs(there - here); apart > same*most {
		return exactly(apart) + " apart, as of other samples or of the host's own clock"
	}
	return "the same"
}

// exactly is a number with all its digits.
func exactly(f float64) string {
	return string(cooker.AppendMachine(nil, cooker.FloatValue(f)))
}

func signed(f float64) string {
	if f >= 0 {
		return "+" + exactly(f)
	}
	return exactly(f)
}
