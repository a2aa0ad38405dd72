// Package output writes for who may read slowly: nobody waits for that who has something
// to say.
package output

import (
	"bufio"
	"io"
	"sync/atomic"
)

// Queue is what waits to be written. Any goroutine may put something in, until it is closed;
// one writes.
type Queue[T any] struct {
	out    io.Writer
	write  func(*bufio.Writer, T) error
	queue  chan T
	failed chan struct{}
	err    error // of run, before failed is closed
	lost   atomic.Int64
}

// New makes a queue in which so many may wait. write writes one of them.
func New[T any](out io.Writer, most int, write func(*bufio.Writer, T) error) *Queue[T] {
	return &Queue[T]{out: out, write: write, queue: make(chan T, most), failed: make(chan struct{})}
}

// Put has something written. What finds no room is lost.
func (q *Queue[T]) Put(what T) {
	select {
	case q.queue <- what:
	default:
		q.lost.Add(1)
	}
}

// Close ends Run when all is written.
func (q *Queue[T]) Close() { close(q.queue) }

// Run writes until the queue is closed. After a failure it only empties it.
func (q *Queue[T]) Run() {
	out := bufio.NewWriter(q.out)
	for what := range q.queue {
		if q.err != nil {
			continue
		}
		err := q.write(out, what)
		if err == nil && len(q.queue) == 0 {
			err = out.Flush()
		}
		if err != nil {
			q.err = err
			close(q.failed)
		}
	}
}

// Failed is closed when nothing can be written any more.
func (q *Queue[T]) Failed() <-chan struct{} { return q.failed }

// HasFailed tells whether Failed is closed.
func (q *Queue[T]) HasFailed() bool {
	select {
	case <-q.failed:
		return true
	default:
		return false
	}
}

// Err is why nothing could be written; nil: all was, so far.
func (q *Queue[T]) Err() error {
	if !q.HasFailed() {
		return nil
	}
	return q.err
}

// Lost is how many found no room.
func (q *Queue[T]) Lost() int64 { return q.lost.Load() }
