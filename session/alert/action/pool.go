package action

import (
	"sync"

	"perfdeck/session/alert"
)

// job is an action that is to be done for a notice.
type job struct {
	action alert.Action
	notice alert.Notice
	lost   int // notices that were dropped before this one
}

// pool is a queue with workers that come when there is work and go when it is
// done.
type pool struct {
	start func(func())
	do    func(job)
	most  int

	mu      sync.Mutex
	queue   []job
	running int
	lost    int
	idle    chan struct{} // closed when nobody works; nil: nobody waits for that
}

// mostQueued bounds what waits for one target.
const mostQueued = 100

func (r *Runner) pool(most int, do func(job)) *pool {
	return &pool{start: r.o.Go, do: do, most: most}
}

// put adds a job. When too many wait it drops the oldest and returns it.
func (p *pool) put(j job) (dropped *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) >= mostQueued {
		dropped = &job{action: p.queue[0].action}
		p.queue = append(p.queue[:0], p.queue[1:]...)
		p.lost++
	}
	p.queue = append(p.queue, j)
	if p.running < p.most {
		p.running++
		p.start(p.work)
	}
	return dropped
}

func (p *pool) work() {
	for {
		j, ok := p.take()
		if !ok {
			return
		}
		p.do(j)
	}
}

// take gives the next job; without one the worker is gone.
func (p *pool) take() (j job, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		if p.running--; p.running == 0 && p.idle != nil {
			close(p.idle)
			p.idle = nil
		}
		return job{}, false
	}
	j = p.queue[0]
	p.queue = append(p.queue[:0], p.queue[1:]...)
	j.lost, p.lost = p.lost, 0
	return j, true
}

// whenIdle is closed when nobody works.
func (p *pool) whenIdle() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := make(chan struct{})
	if p.running == 0 {
		close(c)
		return c
	}
	if p.idle == nil {
		p.idle = c
	}
	return p.idle
}

// clear drops all that waits, and tells what it was for.
func (p *pool) clear() (first alert.Action, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n = len(p.queue); n > 0 {
		first = p.queue[0].action
	}
	p.queue = nil
	return first, n
}
