package explain

import (
	"context"
	"errors"
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
	s.desk.Wait("", func() func(bool) {
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
	})
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
	}
	for _, l := range w.Lines(v) {
		if l.Label == "" && l.Text == "" {
			p.blank()
			continue
		}
		p.add(l.Label, l.Text)
	}
}
