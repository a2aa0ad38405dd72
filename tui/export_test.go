package tui

// Inputs is how often the user did something that the screens have answered; -1
// when they have ended.
func (s *Session) Inputs(ended <-chan struct{}) int {
	n := make(chan int, 1)
	go s.program.Load().Send(finished{done: func(bool) { n <- s.root.inputs }})
	select {
	case n := <-n:
		return n
	case <-ended:
		return -1
	}
}
