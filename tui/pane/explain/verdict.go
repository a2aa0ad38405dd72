package explain

import (
	"context"
	"time"

	"perfdeck/paths"
	"perfdeck/tui/pane"
)

// verdict is what is wrong with the value at the moment that is shown, as report has it.
type verdict struct {
	found   []pane.Finding
	at      time.Time
	asking  bool
	asked   time.Time     // when it was asked for last
	took    time.Duration // how long that took
	version int
}

// How often it is asked for at most, of what is now no sooner than after so many times of what that
// took, and how much of the time before tells it.
const (
	whyEvery = 5 * time.Second
	whyRests = 300
	whyOver  = time.Hour
)

// askWhy asks what is wrong with the value.
func (s *Screen) askWhy(now time.Time) {
	w, at, rest := &s.why, s.desk.Moment(), whyEvery
	if !s.desk.Past() {
		rest = max(rest, whyRests*w.took)
	}
	if s.desk.Why == nil || w.asking || now.Sub(w.asked) < rest || at.Equal(w.at) {
		return
	}
	w.asking, w.asked, w.at = true, now, at
	began := time.Now()
	find := s.desk.Why([]*pane.Host{s.target.Host}, at.Add(-whyOver), at, at)
	s.desk.Wait("", func() func(bool) {
		found, err := find(context.Background())
		took := time.Since(began)
		return func(bool) {
			w.asking, w.found, w.took = false, nil, took
			w.version++
			for _, one := range found.Wrong {
				if err == nil && paths.ContainsFold(one.Paths, s.target.Path().String()) {
					w.found = append(w.found, one)
				}
			}
		}
	})
}

// addWhy tells what is wrong with the value.
func (s *Screen) addWhy(p *page) {
	for _, one := range s.why.found {
		for _, line := range one.Lines {
			if line[0] == "" {
				p.fold("verdict", line[1], styleOf(pane.Overdue+pane.Condition(one.Level-pane.Careful)))
				continue
			}
			p.add(line[0], line[1])
		}
		p.blank()
	}
}
