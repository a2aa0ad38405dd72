package explain

import (
	"context"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/tui/pane"
)

// verdict is what is wrong with the value at the moment that is shown, as report has it.
type verdict struct {
	found   []pane.Finding
	at      time.Time
	asking  bool
	next    time.Time // when it is asked for again
	version int
}

// How often it is asked for, and how much of the time before tells it.
const (
	whyEvery = 5 * time.Second
	whyOver  = time.Hour
)

// askWhy asks what is wrong with the value.
func (s *Screen) askWhy(now time.Time) {
	w, at := &s.why, s.desk.Moment()
	if s.desk.Why == nil || w.asking || now.Before(w.next) || at.Equal(w.at) {
		return
	}
	w.asking, w.next, w.at = true, now.Add(whyEvery), at
	find := s.desk.Why([]*pane.Host{s.target.Host}, at.Add(-whyOver), at, at)
	s.desk.Send(pane.Wait{Work: func() func(bool) {
		found, err := find(context.Background())
		return func(bool) {
			w.asking, w.found = false, nil
			w.version++
			for _, one := range found.Wrong {
				if err == nil && slices.ContainsFunc(one.Paths, func(path string) bool { return paths.EqualFold(path, s.target.Path().String()) }) {
					w.found = append(w.found, one)
				}
			}
		}
	}})
}

// addWhy tells what is wrong with the value.
func (s *Screen) addWhy(p *page) {
	for _, one := range s.why.found {
		for _, line := range one.Lines {
			if line[0] == "" {
				p.addStyled("verdict", line[1], pane.Overdue+pane.Condition(one.Level-pane.Careful))
				continue
			}
			p.add(line[0], line[1])
		}
		p.blank()
	}
}
