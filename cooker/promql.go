package cooker

import (
	"fmt"
	"strconv"
	"strings"
)

// RawShape is how the raw samples of a counter go out as series: what their numbers
// are, for who names and scales them. It is decided by the rule of the type.
type RawShape struct {
	Grows bool // N is a count that grows; else it goes up and down
	// Time is the clock whose ticks N counts, if it goes out in seconds: Clock100ns
	// or ClockPerf. ClockNone: N is no time, or of a clock that nobody knows.
	Time Clock
	// Base tells what B is, BaseNone if there is none. That of BaseClock goes out in
	// ticks.
	Base      BaseKind
	BaseGrows bool
	Clock     Clock // the clock of the reply that the formula divides by or subtracts from
	Freq      bool  // the formula needs the frequency of that clock
}

// Raw is the shape of the raw samples of the type. ok is false for types that have no
// number: texts, bases, unknown ones.
func (t CounterType) Raw() (shape RawShape, ok bool) {
	r := ruleOf(t)
	if r == nil {
		decoded := byBits(t)
		r = &decoded
	}
	shape = RawShape{Base: r.Base, Clock: r.Clock}
	switch r.kind {
	case KindHidden, KindUnsupported, KindString:
		return RawShape{}, false
	case KindRaw, KindRawHex, KindThousandth, KindZero:
	case KindDifference:
		shape.Grows = true
	case KindRate:
		shape.Grows, shape.Freq = true, true
	case KindRatio:
		shape.Grows, shape.Freq = true, r.Clock == ClockPerf
		shape.Time = secondsOf(r.Clock)
	case KindPrecision:
		shape.Grows, shape.BaseGrows = true, true
		if r.Type == Precision100nsTimer {
			shape.Time = Clock100ns
		}
	case KindMulti:
		shape.Grows, shape.Freq = true, r.Clock == ClockPerf
		if r.Clock == Clock100ns {
			shape.Time = Clock100ns
		}
	case KindFraction:
	case KindAverage:
		shape.Grows, shape.BaseGrows = true, true
	case KindSeconds:
		shape.Grows, shape.BaseGrows, shape.Time, shape.Clock = true, true, ClockPerf, ClockNone
	case KindElapsed:
		shape.Freq = true
	}
	return shape, true
}

// secondsOf is a clock whose ticks can go out in seconds: that of an object may have no
// frequency.
func secondsOf(c Clock) Clock {
	if c == ClockObject {
		return ClockNone
	}
	return c
}

// RawSeries are the series of the raw samples of a counter, as selectors of PromQL:
// N in seconds where RawShape.Time says so, B, and of its clock the ticks T and the
// frequency F. Those that the type does not need are empty.
type RawSeries struct {
	N, B, T, F string
	// Amount is what a 1 of the raw value goes out as, where it is no time: 1024 of
	// a counter of KB that goes out in bytes; 0 means 1.
	Amount float64
	// TickSeconds is how long a tick of N is, in seconds, where N goes out in seconds.
	TickSeconds float64
	// Size and BaseSize are the bytes of the data, 4 or 8: what wraps.
	Size, BaseSize uint8
	// Of is what T and F have in common with N: the names of labels.
	Of []string
}

// PromQL gives the value of the type as expressions of PromQL over its raw series:
// exactly as [Cook] has it from the newest two samples in the window, and for charts over
// the whole window, by the engine's clock. Both are in the unit of the cooked value. What
// Cook gives no value for, exact gives no sample for. ok is false for types without a
// number, and for those whose formula is not known.
func (t CounterType) PromQL(s RawSeries, window string) (exact, over string, ok bool) {
	r := ruleOf(t)
	if r == nil {
		decoded := byBits(t)
		r = &decoded
	}
	shape, ok := t.Raw()
	byObject := r.kind == KindPrecision && s.T != ""
	if !ok || r.kind == KindZero || shape.Base != BaseNone && s.B == "" && !byObject {
		return "", "", false
	}
	return recipe{r, s, window, true}.text(), recipe{r, s, window, false}.text(), true
}

// recipe writes one expression.
type recipe struct {
	*rule
	RawSeries

	window string
	exact  bool
}

func (q recipe) text() string {
	switch q.kind {
	case KindRaw, KindRawHex, KindThousandth:
		return q.unscaled(q.N)
	case KindDifference:
		return q.unscaled(q.growth())
	case KindRate:
		return q.unscaled(q.perSecond())
	case KindFraction:
		return q.times(q.N + " / (" + q.B + " > 0)")
	case KindElapsed:
		on := q.on()
		return "((0 - (" + q.N + strings.Replace(on, "/", "-", 1) + q.T + ")) >= 0)" + on + q.F
	case KindPrecision:
		if q.B == "" { // an object timer goes by the object's clock then
			return q.times(q.moved(q.N, q.Size) + q.on() + q.ticks())
		}
		base := q.positive(q.moved(q.B, q.BaseSize))
		if q.TickSeconds > 0 {
			base = "(" + base + " / " + promNumber(1/q.TickSeconds) + ")"
		}
		return q.times(q.moved(q.N, q.Size) + " / " + base)
	case KindAverage, KindSeconds:
		return q.unscaled(q.times(q.moved(q.N, q.Size) + " / " + q.positive(q.moved(q.B, q.BaseSize))))
	case KindRatio:
		return q.turned("1", q.ratio())
	case KindMulti:
		if q.inverse {
			return q.turned("("+q.B+" > 0)", q.ratio())
		}
		return q.times(q.ratio() + " / (" + q.B + " > 0)")
	}
	return ""
}

// unscaled undoes the scale of a raw value that is no time.
func (q recipe) unscaled(text string) string {
	if q.Amount == 0 || q.Amount == 1 {
		return text
	}
	if text != q.N {
		text = "(" + text + ")"
	}
	return text + " / " + promNumber(q.Amount)
}

// times puts the factor of percentages in front.
func (q recipe) times(text string) string {
	if q.factor == 1 {
		return text
	}
	return promNumber(q.factor) + " * " + text
}

// turned subtracts from the whole where idle time is counted.
func (q recipe) turned(whole, text string) string {
	if !q.inverse {
		return q.times(text)
	}
	return q.times("clamp_min(" + whole + " - " + text + ", 0)")
}

// growth is what a count grew by.
func (q recipe) growth() string {
	if q.exact {
		return q.moved(q.N, q.Size)
	}
	return "increase(" + q.N + "[" + q.window + "])"
}

// moved is how far a series went between the newest two samples: what falls is a wrap of
// its width, or nothing. Over a window it is the speed, of which quotients are made.
func (q recipe) moved(series string, size uint8) string {
	if !q.exact {
		return "rate(" + series + "[" + q.window + "])"
	}
	d := "idelta(" + series + "[" + q.window + "])"
	if size != 4 {
		return "(" + d + " >= 0)"
	}
	whole := float64(1 << 32)
	switch {
	case q.TickSeconds > 0 && series == q.N:
		whole *= q.TickSeconds
	case q.Amount > 0 && series == q.N:
		whole *= q.Amount
	}
	return fmt.Sprintf("((%s + %s) %% %s < %s)", d, promNumber(whole), promNumber(whole), promNumber(whole/2))
}

// positive leaves out what cannot be divided by.
func (q recipe) positive(text string) string {
	if !q.exact {
		return text
	}
	if plain, ok := strings.CutSuffix(text, " >= 0)"); ok {
		return plain + " > 0)"
	}
	return "(" + text + " > 0)"
}

// perSecond is a speed.
func (q recipe) perSecond() string {
	if !q.exact {
		return q.moved(q.N, q.Size)
	}
	return q.moved(q.N, q.Size) + q.on() + "(" + q.ticks() + " / " + q.F + ")"
}

// ratio is the part of the time.
func (q recipe) ratio() string {
	switch {
	case q.Clock == ClockObject: // in ticks, both of them
		return q.moved(q.N, q.Size) + q.on() + q.ticks()
	case !q.exact:
		return q.moved(q.N, q.Size)
	case q.Clock == Clock100ns:
		return q.moved(q.N, q.Size) + q.on() + "(" + q.ticks() + " / 1e7)"
	}
	return q.moved(q.N, q.Size) + q.on() + "(" + q.ticks() + " / " + q.F + ")"
}

// ticks is how far the clock went.
func (q recipe) ticks() string {
	if !q.exact {
		return "rate(" + q.T + "[" + q.window + "])"
	}
	return "(idelta(" + q.T + "[" + q.window + "]) > 0)"
}

// on divides by what is the host's.
func (q recipe) on() string {
	if len(q.Of) == 0 {
		return " / "
	}
	return " / on (" + strings.Join(q.Of, ", ") + ") group_left () "
}

// promNumber is a number as people write it.
func promNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
