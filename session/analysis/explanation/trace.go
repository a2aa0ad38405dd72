package explanation

import (
	"context"
	"fmt"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/english"
)

// Bounds of what explain asks engines about what values are made of.
const (
	mostTraced   = 50               // values
	tracedWithin = 30 * time.Second // for all of them
)

var (
	errManyTraced = fmt.Errorf("not asked: that is done of the first %d values", mostTraced)
	errLateTrace  = fmt.Errorf("no answer within %s", english.Span(tracedWithin))
)

// Tracers are hosts whose values are made of what engines hold. Who has none of them asks none.
type Tracers struct {
	ctx   context.Context //nolint:containedctx // of the one command that asks
	hosts map[string]session.Tracer
	asked int       // values
	until time.Time // engines are asked; zero: none was
}

// NewTracers are hosts by their names, which are asked until the context ends.
func NewTracers(ctx context.Context, hosts map[string]session.Tracer) *Tracers {
	return &Tracers{ctx: ctx, hosts: hosts}
}

// traced is what an engine tells of a value, or why it does not.
type traced struct {
	session.Trace

	err error
}

// of asks what a value is made of; nil: it is its host's own.
func (w *Tracers) of(c logs.Cell) *traced {
	if w == nil {
		return nil
	}
	from := w.hosts[c.Host]
	if from == nil || c.Set == nil || c.Set.From == "" || c.From == nil {
		return nil
	}
	counter, found := c.Set.Counter(c.Counter.Name)
	if !found {
		return nil
	}
	if w.until.IsZero() {
		w.until = time.Now().Add(tracedWithin)
	}
	if w.asked++; w.asked > mostTraced {
		return &traced{err: errManyTraced}
	}
	ctx, cancel := context.WithDeadlineCause(w.ctx, w.until, errLateTrace)
	defer cancel()
	told, err := from.Trace(ctx, session.Valued{Set: c.Set, Counter: counter, Key: c.Key})
	return &traced{told, err}
}

// lines are it for reading.
func (t *traced) lines(here cooker.Value) []cooker.Line {
	switch {
	case t == nil:
		return nil
	case t.err != nil:
		return []cooker.Line{{}, {Label: "made of", Text: t.err.Error()}}
	}
	return append([]cooker.Line{{}}, t.Lines(here)...)
}

type jsonTrace struct {
	From   string        `json:"from,omitempty"`
	Series []jsonSeries  `json:"series"`
	More   int           `json:"more,omitempty"` // series that are not listed
	Exact  string        `json:"exact,omitempty"`
	Over   string        `json:"over,omitempty"`
	Result *cooker.Value `json:"result,omitempty"` // of exact, there
	Time   string        `json:"time,omitempty"`   // that it is of
	Error  string        `json:"error,omitempty"`
}

type jsonSeries struct {
	Name    string       `json:"name"`
	Samples []jsonSample `json:"samples"`
}

type jsonSample struct {
	Time  string       `json:"time"`
	Value cooker.Value `json:"value"` // null: NaN or infinite
}

// json is it as JSON.
func (t *traced) json() *jsonTrace {
	switch {
	case t == nil:
		return nil
	case t.err != nil:
		return &jsonTrace{From: t.From, Error: t.err.Error()}
	}
	out := &jsonTrace{From: t.From, Series: []jsonSeries{}, More: t.More, Exact: t.Exact, Over: t.Recipe}
	for _, one := range t.Series {
		s := jsonSeries{Name: one.Name, Samples: []jsonSample{}}
		for i := range one.At {
			s.Samples = append(s.Samples, jsonSample{one.At[i].Format(logs.NanoTime), cooker.FloatValue(one.Values[i])})
		}
		out.Series = append(out.Series, s)
	}
	if t.Has {
		out.Result, out.Time = new(cooker.FloatValue(t.Result)), t.At.Format(logs.NanoTime)
	}
	return out
}
