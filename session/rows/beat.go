package rows

import (
	"context"
	"slices"
	"time"
)

// Rows hands out count rows, or all until the context ends (0). A row has what
// the hosts answered on one beat; it is closed when all did, or in time for the
// next. What comes too late for its row is left out of the next. With Fixed there
// is none before every host has answered or failed, or its time is up.
func (w *Watcher) Rows(ctx context.Context, count int, write func(Row) error) error {
	b := newBeat(w)
	var due, end <-chan time.Time
	for n := 0; count == 0 || n < count; {
		complete, empty := false, b.began.IsZero()
		select {
		case a := <-w.answers:
			complete = b.put(a)
			w.hear(a)
			if w.settling() && end == nil && !a.failed {
				end = time.After(w.patience())
			}
		case j := <-w.joins:
			w.join(ctx, j)
		case <-due:
			complete = true
		case <-end:
			w.leaveOut(b)
		case <-ctx.Done():
			return nil
		}
		if w.settling() && !slices.Contains(w.heard, false) {
			w.settle(b)
		}
		if complete {
			r := b.take()
			if !w.settling() {
				if n == 0 {
					w.fix(&r)
				}
				if err := write(r); err != nil {
					return err
				}
				n++
			}
		}
		if complete || empty && !b.began.IsZero() { // due was that of another row
			due = nil
		}
		if wait, ok := b.wait(); ok && due == nil {
			due = time.After(wait)
		}
	}
	return nil
}

// Late are answers of a host that came too late for their rows.
type Late struct {
	Host    string
	Answers int
}

// Late tells which hosts answered too late for their rows, which were left out.
func (w *Watcher) Late() (out []Late) {
	for i, n := range w.late {
		if n > 0 {
			out = append(out, Late{w.pickers[i].host, n})
		}
	}
	return out
}

// beat is a row that is being put together. Times are of the monotonic clock.
type beat struct {
	every   time.Duration
	samples []*Sample // by host; nil: none yet
	failed  []*Sample // by host; nil: it answers
	began   time.Time // when the first of the samples was asked for; zero: there is none
	over    time.Time // what was asked for before is of rows that are written
	next    *answer   // of the row after this one; nil: none yet
	late    []int     // by host: answers of rows that are written
}

func newBeat(w *Watcher) *beat {
	b := &beat{every: w.Every, samples: make([]*Sample, len(w.pickers)), failed: make([]*Sample, len(w.pickers)), late: w.late}
	copy(b.failed, w.waiting)
	return b
}

// put takes an answer for the row that it is of. It reports whether this row is
// complete.
func (b *beat) put(a answer) bool {
	switch {
	case a.failed:
		return b.add(a)
	case a.began.Before(b.over):
		b.late[a.host]++
		return false
	case !b.began.IsZero() && !a.began.Before(b.began.Add(b.every/2)):
		b.next = &a
		return true
	}
	return b.add(a)
}

// add takes an answer for this row. It reports whether the row is complete.
func (b *beat) add(a answer) bool {
	if a.failed {
		b.failed[a.host] = &a.sample
	} else {
		b.samples[a.host], b.failed[a.host] = &a.sample, nil
		if b.began.IsZero() || a.began.Before(b.began) {
			b.began = a.began
		}
	}
	for i := range b.samples {
		if b.samples[i] == nil && b.failed[i] == nil {
			return false
		}
	}
	return !b.began.IsZero()
}

// mostGrace is how long a row waits for hosts that are late, and never longer
// than half the interval.
const mostGrace = 2 * time.Second

// wait is after how long the row is closed, if that is known. When no host
// answers, rows go on at the interval.
func (b *beat) wait() (d time.Duration, ok bool) {
	if !b.began.IsZero() {
		return max(0, time.Until(b.began.Add(min(b.every/2, mostGrace)))), true
	}
	for _, f := range b.failed {
		if f == nil {
			return 0, false
		}
	}
	return b.every, true
}

// take makes the row and begins the next.
func (b *beat) take() Row {
	var r Row
	for i, s := range b.samples {
		if s == nil && b.failed[i] != nil {
			s = b.failed[i]
			s.Time = time.Now()
		}
		b.samples[i] = nil
		if s == nil {
			continue
		}
		if r.Time.IsZero() || s.Time.Before(r.Time) {
			r.Time = s.Time
		}
		r.Samples = append(r.Samples, *s)
	}
	if !b.began.IsZero() {
		b.over = b.began.Add(b.every / 2)
	}
	b.began = time.Time{}
	if b.next != nil {
		b.add(*b.next)
		b.next = nil
	}
	return r
}
