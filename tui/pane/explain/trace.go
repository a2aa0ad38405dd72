package explain

import (
	"context"
	"errors"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
)

// tracer is what another program says that the value is made of.
type tracer struct {
	session.Trace

	err     error
	asking  bool
	next    time.Time // when it is asked again
	version int
}

// A tracer is asked when the value is explained, and now and then while it is.
const (
	tracerEvery  = 10 * time.Second
	tracerWithin = 30 * time.Second
)

// isTraced tells that the value is made of what another program holds.
func (s *Screen) isTraced() bool {
	return s.target.Host.Tracer != nil && s.target.Set.From != ""
}

// askTracer asks what the value is made of.
func (s *Screen) askTracer(now time.Time) {
	w := &s.told
	if !s.isTraced() || w.asking || now.Before(w.next) || s.desk.Past() {
		return
	}
	w.asking, w.next = true, now.Add(tracerEvery)
	of, from := s.target.UnitKey(), s.target.Host.Tracer
	s.desk.Wait("", func() func(bool) {
		ctx, cancel := context.WithTimeout(context.Background(), tracerWithin)
		defer cancel()
		told, err := from.Trace(ctx, of)
		return func(bool) {
			w.asking = false
			w.version++
			if w.err = err; err == nil || errors.Is(err, context.Canceled) {
				w.Trace = told
			}
		}
	})
}

// addTrace tells what the value is made of, and what the other program makes of it.
func (s *Screen) addTrace(p *page, v cooker.Value) {
	w := &s.told
	p.blank()
	switch {
	case w.err != nil:
		p.fold("made of", w.err.Error(), themes.Stale)
		return
	case w.version == 0:
		p.add("made of", "asking "+s.target.Set.From)
		return
	}
	for _, l := range w.Lines(v) {
		if l.Label == "" && l.Text == "" {
			p.blank()
			continue
		}
		p.add(l.Label, l.Text)
	}
}
