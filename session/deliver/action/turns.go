package action

import (
	"context"
	"fmt"
	"sync"

	"perfdeck/session/config"
)

// Turns runs tasks beside something else, of each as many at once as it allows; the
// others wait for their turn. Any goroutine may use it.
type Turns struct {
	o TurnsOptions

	mu      sync.Mutex
	of      map[string]chan struct{} // by the name of the task: as many as may run at once
	running sync.WaitGroup
	waiting int
}

// TurnsOptions are what running tasks needs.
type TurnsOptions struct {
	Task   func(name string) (config.Task, bool) // of the config; false: it has none of the name
	Report func(error)
	Go     func(func())
}

// mostTurns bounds how many wait for their turn.
const mostTurns = 100

// NewTurns are without any.
func NewTurns(o TurnsOptions) *Turns { return &Turns{o: o, of: map[string]chan struct{}{}} }

// Run runs a task, if there is one of the name. It has its time whatever becomes of ctx.
func (t *Turns) Run(ctx context.Context, name string, do func(context.Context, config.Task) error) {
	task, ok := t.o.Task(name)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == mostTurns {
		t.o.Report(fmt.Errorf("task %s: %d wait for their turn already, it is left out", name, mostTurns))
		return
	}
	turn := t.of[name]
	if turn == nil {
		turn = make(chan struct{}, max(1, task.Most))
		t.of[name] = turn
	}
	t.waiting++
	t.running.Add(1)
	t.o.Go(func() {
		defer t.running.Done()
		turn <- struct{}{}
		defer func() { <-turn }()
		t.mu.Lock()
		t.waiting--
		t.mu.Unlock()
		if err := do(context.WithoutCancel(ctx), task); err != nil {
			t.o.Report(fmt.Errorf("task %s: %w", name, err))
		}
	})
}

// Wait waits until all have ended: each has its time.
func (t *Turns) Wait() { t.running.Wait() }
