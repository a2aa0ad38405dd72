package kind

import (
	"math"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/kit/scale"
)

// Drawn is what one counter is drawn as.
type Drawn struct {
	// HasPicture is false for codes and texts: they are never a graph, a meter or
	// part of a sum.
	HasPicture bool
	IsPercent  bool // its axis is 0 to 100, and more only where a value is
	// OfOneCPU: a percentage of one processor, of which several together may pass
	// 100. It has no limit.
	OfOneCPU bool
	Limit    Limit
	Used     string // "used", "busy": limit - value is drawn, and called so; "" the value
	Whole    Whole  // how its instances become one
}

// percentLimit is that of a percentage.
const percentLimit = 100

// Of is what one counter of a host is drawn as.
func Of(cat *session.Catalogue, set *session.Counterset, counter int, look session.Look) Drawn {
	return drawnOf(cat, &Part{Set: set, Counter: counter, Look: look}, "")
}

func drawnOf(cat *session.Catalogue, a *Part, limit string) Drawn {
	if a.Missing {
		return Drawn{}
	}
	c := a.counter()
	if c.IsCode(a.Look) {
		return Drawn{Whole: Busiest}
	}
	d := Drawn{HasPicture: true}
	d.IsPercent, d.OfOneCPU = percentOf(a.Set, a.Counter)
	d.Whole = wholeOf(c, &d)
	switch at := limitsAt(a.Set.InEnglish(), c.InEnglish()); {
	case d.OfOneCPU:
	case at != nil:
		d.Limit = at.find(cat, a.Set, c)
		d.Used = at.used
	case d.IsPercent:
		d.Limit = Limit{Number: percentLimit}
	}
	if !d.Limit.Is() {
		d.Used = ""
	}
	if own, err := LimitNamed(cat, limit, c); !d.Limit.Is() && err == nil {
		d.Limit = own
	}
	return d
}

// ofTasks are the countersets whose instances may use several processors.
var ofTasks = []string{"Process", "Process V2", "Thread", "Job Object", "Job Object Details", "Control Group"}

// busyWords are the words of their counters of processor time: what they wait for, and
// their shares of limits, stay under 100.
var busyWords = []string{"processor", "user", "privileged", "kernel"}

func isOfTasks(set, counter string) bool {
	counter = strings.ToLower(counter)
	return paths.ContainsFold(ofTasks, set) &&
		slices.ContainsFunc(busyWords, func(w string) bool { return strings.Contains(counter, w) })
}

// Name is what a row is called that shows the picture of a counter of a name.
func (d *Drawn) Name(counter string) string {
	if d.Used == "" {
		return counter
	}
	return strings.ToUpper(d.Used[:1]) + d.Used[1:]
}

// Reading is one value as it is drawn.
type Reading struct {
	Value cooker.Value // what is used, where that is drawn
	Limit float64      // in the counter's own unit; NaN: there is none, or it is not known
	Share float64      // of the limit, in percent; NaN without one
}

// Read is what is drawn of a value; given is what Limit.Value is now.
func (d *Drawn) Read(v, given cooker.Value) Reading {
	r := Reading{Value: v, Limit: math.NaN(), Share: math.NaN()}
	f, ok := v.Float()
	if !d.Limit.Is() {
		return r
	}
	r.Limit, r.Share = d.Limit.of(f, ok, given)
	if ok && d.Used != "" {
		if r.Value = cooker.Absent(given.Status()); r.Limit == r.Limit {
			r.Value, r.Share = cooker.FloatValue(r.Limit-f), percentLimit-r.Share
		} else if given.Valid() {
			r.Value = cooker.Absent(cooker.Unavailable)
		}
	}
	return r
}

// Share is how much of its limit a value is, in percent; a value that is none tells why not.
func (d *Drawn) Share(v, given cooker.Value) cooker.Value {
	switch share := d.Read(v, given).Share; {
	case share == share:
		return cooker.FloatValue(share)
	case !v.Valid():
		return v
	case given.Valid():
		return cooker.Absent(cooker.Unavailable) // a limit of 0 is none
	}
	return cooker.Absent(given.Status())
}

// As gives the newest value of an instance and its history as they are drawn: what is used in
// place of what is left, which is put into memory.
func (d *Drawn) As(buf []float32, snap *session.Snapshot, key session.InstanceKey, v cooker.Value, s session.Series) (cooker.Value, session.Series) {
	if d.Used == "" {
		return v, s
	}
	return d.Read(v, d.Limit.Value(snap, key)).Value, d.History(buf[:0], s, d.Limit.Series(snap, key), false)
}

// LimitNow is the limit of an instance in the newest sample, in the counter's own unit; 0 or
// NaN: there is none.
func (d *Drawn) LimitNow(snap *session.Snapshot, key session.InstanceKey) float64 {
	if d.Limit.Set == nil {
		return d.Limit.Number
	}
	return d.Read(cooker.FloatValue(0), d.Limit.Value(snap, key)).Limit
}

// percentOf tells whether numbers are percentages, and whether of one processor.
func percentOf(set *session.Counterset, counter int) (isPercent, ofOneCPU bool) {
	c := &set.Counters[counter]
	isPercent = c.Quantity.Kind == cooker.Percent
	return isPercent, isPercent && (c.Type.Fields().Multi || isOfTasks(set.InEnglish(), c.InEnglish()))
}

// RuleOf is what the numbers of a counter are measured against where nobody looks for
// what limits them.
func RuleOf(set *session.Counterset, counter int) scale.Rule {
	var d Drawn
	d.IsPercent, d.OfOneCPU = percentOf(set, counter)
	return d.Rule(0)
}

// Rule is what the picture is measured against, given the limit that Read tells.
func (d *Drawn) Rule(limit float64) scale.Rule {
	switch {
	case d.OfOneCPU:
	case d.IsPercent:
		return scale.Rule{Least: percentLimit}
	case limit > 0: // and not NaN
		return scale.Rule{Limit: limit}
	}
	return scale.Rule{}
}

// Level is where a number of the counter stands in the picture, as that of an alert:
// NaN where the limit is not known.
func (d *Drawn) Level(number, limit float64) float64 {
	if d.Used != "" {
		return limit - number
	}
	return number
}

// History is a history as it is drawn, put into memory: what is used, where that is drawn, or the
// share of the limit in percent. given is the history of the limit.
func (d *Drawn) History(buf []float32, s, given session.Series, share bool) session.Series {
	for i, v := range s.Values {
		number := float64(v)
		limit, of := d.Limit.of(number, v == v, cooker.FloatValue(given.At(s.First+uint64(i))))
		switch {
		case share && d.Used != "":
			number = percentLimit - of
		case share:
			number = of
		case d.Used != "":
			number = limit - number
		}
		if v != v {
			number = math.NaN()
		}
		buf = append(buf, float32(number))
	}
	return s.With(buf)
}
