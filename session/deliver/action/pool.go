package action

import (
	"slices"
	"sync"

	"perfdeck/session/alert"
)

// job is an action that is to be done for a notice.
type job struct {
	action alert.Action
	notice alert.Notice
	lost   int // notices that were dropped before this one
	// again is that what fires is told again to an Alertmanager: the notice is empty, and
	// nobody misses it.
	again bool
}

// alerts are those that the job is about.
func (j *job) alerts() []alert.ID {
	all := []alert.ID{j.notice.ID}
	for i := range j.notice.More {
		all = append(all, j.notice.More[i].ID)
	}
	return all
}

// pool is a queue with workers that come when there is work and go when it is
// done. Of one alert one job comes after the other.
type pool struct {
	start func(func())
	do    func(job)

	mu      sync.Mutex
	most    int // workers
	queue   []job
	running int
	busy    map[alert.ID]int // alerts that workers are at
	lost    int
	idle    chan struct{} // closed when nobody works; nil: nobody waits for that
}

// mostQueued bounds what waits for one target.
const mostQueued = 100

func (r *Runner) pool(most int, do func(job)) *pool {
	return &pool{start: r.o.Go, do: do, most: most, busy: map[alert.ID]int{}}
}

// put adds a job. When too many wait it drops the oldest and returns it.
func (p *pool) put(j job) (dropped *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.again && slices.ContainsFunc(p.queue, func(o job) bool { return o.again }) {
		return nil
	}
	if len(p.queue) >= mostQueued {
		dropped = new(p.queue[0])
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
		j, ok := p.dequeue()
		if !ok {
			return
		}
		p.do(j)
		p.finish(&j)
	}
}

func (p *pool) finish(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range j.alerts() {
		if p.busy[id]--; p.busy[id] <= 0 {
			delete(p.busy, id)
		}
	}
}

// next is the first job of which no alert has another worker, or a job before it; -1:
// there is none.
func (p *pool) next() int {
	before := map[alert.ID]bool{}
	for i := range p.queue {
		all := p.queue[i].alerts()
		if !slices.ContainsFunc(all, func(id alert.ID) bool { return p.busy[id] > 0 || before[id] }) {
			return i
		}
		for _, id := range all {
			before[id] = true
		}
	}
	return -1
}

// dequeue gives the next job; without one the worker is gone. What waits for another worker
// that one takes.
func (p *pool) dequeue() (j job, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.next()
	if at < 0 {
		if p.running--; p.running == 0 && p.idle != nil {
			close(p.idle)
			p.idle = nil
		}
		return job{}, false
	}
	j = p.queue[at]
	p.queue = slices.Delete(p.queue, at, at+1)
	for _, id := range j.alerts() {
		p.busy[id]++
	}
	j.lost, p.lost = p.lost, 0
	return j, true
}

// setMost says how many workers there may be.
func (p *pool) setMost(most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = most
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
	p.queue = slices.DeleteFunc(p.queue, func(j job) bool { return j.again })
	if n = len(p.queue); n > 0 {
		first = p.queue[0].action
	}
	p.queue = nil
	return first, n
}
