package prom

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"perfdeck/cooker"
	"perfdeck/session/text/printable"
)

// Exposition is an exposition of Prometheus' text format 0.0.4 while it is made: lines of
// a metric stand together, and those of a series. The zero value is empty.
type Exposition struct {
	order    []*family // as they came
	families map[string]*family
}

// family is what is to be written of a metric.
type family struct {
	name   string
	head   []byte // its comments, until they are written
	order  []*series
	series map[string]*series
}

// series are lines of the same name and labels: their ends.
type series struct {
	labels string
	points []byte // value, timestamp, line end, with its name in front; written in one piece
}

// Add adds a value. labels are those of AppendLabels, without the closing brace; value is
// written as it is; at is when it was, in milliseconds since 1970, 0 for no timestamp. A
// series that comes twice without timestamps keeps its first value.
func (e *Exposition) Add(m *Metric, labels, value []byte, at int64) {
	f := e.families[m.Name]
	if f == nil {
		f = e.newFamily(m.Name, m.head())
	}
	one := f.series[string(labels)]
	if one == nil {
		one = &series{labels: string(labels)}
		f.series[one.labels] = one
		f.order = append(f.order, one)
	} else if at == 0 {
		return
	}
	if one.points == nil {
		one.points = make([]byte, 0, len(m.Name)+len(labels)+len(value)+lineRoom)
	}
	one.points = append(append(one.points, m.Name...), labels...)
	one.points = append(append(one.points, "} "...), value...)
	if at != 0 {
		one.points = strconv.AppendInt(append(one.points, ' '), at, 10)
	}
	one.points = append(one.points, '\n')
}

// lineRoom is what a line takes besides name, labels and value: brace, blanks, timestamp.
const lineRoom = 18

// AddCooked adds a cooked value, a text as one more label. What is not valid is left out.
func (e *Exposition) AddCooked(n *Names, labels []byte, v cooker.Value, at int64) {
	if !v.Valid() {
		return
	}
	var buf [32]byte
	number := append(buf[:0], '1')
	text, isText := v.Text()
	switch {
	case isText:
		labels = appendLabel(append(labels, ','), TextLabel, LabelValue(text))
	case n.Cooked.Scale == 1:
		number = cooker.AppendMachine(buf[:0], v)
	default:
		f, _ := v.Float()
		number = AppendFloat(buf[:0], f*n.Cooked.Scale)
	}
	e.Add(&n.Cooked, labels, number, at)
	for i, state := range n.States {
		number = append(buf[:0], '0')
		if f, _ := v.Float(); f == float64(i) {
			number[0] = '1'
		}
		e.Add(&windowsState, appendLabel(append(labels, ','), "state", state), number, at)
	}
}

// windowsState is what windows_exporter calls the state of a service: a series for each.
var windowsState = Metric{Name: "windows_service_state", Help: "1 for the state that the service is in.", Scale: 1}

// windowsStates are those by the numbers that Windows has for them.
var windowsStates = []string{"unknown", "stopped", "start pending", "stop pending", "running", "continue pending", "pause pending", "paused"}

// head announces the metric.
func (m *Metric) head() (out []byte) {
	if m.Help != "" {
		out = fmt.Appendf(out, "# HELP %s %s\n", m.Name, escapeHelp.Replace(printable.Text(m.Help)))
	}
	kind := "gauge"
	if m.Grows {
		kind = "counter"
	}
	return fmt.Appendf(out, "# TYPE %s %s\n", m.Name, kind)
}

func (e *Exposition) newFamily(name string, head []byte) *family {
	f := &family{name: name, head: head, series: map[string]*series{}}
	if e.families == nil {
		e.families = map[string]*family{}
	}
	e.families[name] = f
	e.order = append(e.order, f)
	return f
}

// Append writes what was added since the last time: by metric, then by series. A metric is
// announced once.
func (e *Exposition) Append(out []byte) []byte {
	size := 0
	for _, f := range e.order {
		size += len(f.head)
		for _, one := range f.order {
			size += len(one.points)
		}
	}
	out = slices.Grow(out, size)
	for _, f := range e.order {
		out, f.head = append(out, f.head...), nil
		for _, one := range f.order {
			out = append(out, one.points...)
		}
		f.order = nil
		clear(f.series)
	}
	return out
}

// Len is how many series there are.
func (e *Exposition) Len() (n int) {
	for _, f := range e.order {
		n += len(f.order)
	}
	return n
}

// Join takes over what was added to another, behind what is there: lines of a metric stand
// together whoever they are of.
func (e *Exposition) Join(o *Exposition) {
	for _, from := range o.order {
		f := e.families[from.name]
		if f == nil {
			f = e.newFamily(from.name, from.head)
		}
		for _, one := range from.order {
			if f.series[one.labels] == nil {
				f.series[one.labels] = one
				f.order = append(f.order, one)
			}
		}
	}
}

// Reset forgets which metrics were announced.
func (e *Exposition) Reset() {
	clear(e.families)
	e.order = e.order[:0]
}

// AppendFloat writes a number. It is that of Go and of the format: 1e+06, NaN, +Inf.
func AppendFloat(b []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}
