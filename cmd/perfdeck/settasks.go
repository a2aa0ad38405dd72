package main

import (
	"context"
	"fmt"
	"sync"

	"perfdeck/session"
	"perfdeck/session/alert/action"
)

// setTasks runs the programs of a set: those in [tasks] of the config that have the very
// names that the set says, and no others.
type setTasks struct {
	program *program
	report  func(error)

	mu      sync.Mutex
	turns   map[string]chan struct{} // by the name of the task: as many as may run at once
	running sync.WaitGroup
	waiting int
}

// mostWaiting bounds how many wait for their turn.
const mostWaiting = 100

// run runs a task beside the set. A name that the config has not was told of by check.
func (s *setTasks) run(name string, do func(context.Context, action.Task) error) {
	task, ok := s.program.taskOf(name)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == mostWaiting {
		s.report(fmt.Errorf("task %s: %d wait for their turn already, it is left out", session.Printable(name), mostWaiting))
		return
	}
	if s.turns == nil {
		s.turns = map[string]chan struct{}{}
	}
	turn := s.turns[name]
	if turn == nil {
		turn = make(chan struct{}, max(1, task.Most))
		s.turns[name] = turn
	}
	s.waiting++
	s.running.Add(1)
	s.program.guard.Go(func() {
		defer s.running.Done()
		turn <- struct{}{}
		defer func() { <-turn }()
		s.mu.Lock()
		s.waiting--
		s.mu.Unlock()
		if err := do(context.WithoutCancel(s.program.context()), task); err != nil { // it has its time, at the end too
			s.report(fmt.Errorf("task %s: %w", session.Printable(name), err))
		}
	})
}

// wait waits until all have ended: each has its time.
func (s *setTasks) wait() { s.running.Wait() }
