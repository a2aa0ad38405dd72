package tui

import "math"

// ask has something read of the screens where it is theirs to change; -1 when they
// have ended.
func (s *Session) ask(ended <-chan struct{}, what func() int) int {
	p := s.program.Load()
	if p == nil {
		return 0 // it begins
	}
	n := make(chan int, 1)
	go p.Send(finished{done: func(bool) { n <- what() }})
	select {
	case n := <-n:
		return n
	case <-ended:
		return -1
	}
}

// Inputs is how often the user did something that the screens have answered.
func (s *Session) Inputs(ended <-chan struct{}) int {
	return s.ask(ended, func() int { return s.root.pacing.inputs })
}

// Sampled is the time of the oldest of the hosts' newest samples in milliseconds, 0 before
// they all have one. Hosts that fail do not count.
func (s *Session) Sampled(ended <-chan struct{}) int {
	return s.ask(ended, func() int {
		oldest := math.MaxInt
		for _, w := range s.root.watched {
			switch {
			case w.Sampler.State().Err != nil:
			case w.Snap == nil:
				return 0
			default:
				oldest = min(oldest, int(w.Snap.Time.UnixMilli()))
			}
		}
		return oldest
	})
}
