package collector

import (
	"math"
	"slices"
	"time"

	"perfdeck/session"
)

// assembler brings the samples of hosts together in rows: one for each beat, with
// what the hosts answered on it. Hosts may have beats of their own within the
// interval. A row is complete when every host that answers has answered; it does
// not wait for longer than it can, and what comes too late for it is left out.
//
// Times are of the recorder's monotonic clock.
type assembler struct {
	every time.Duration
	hosts []assembledHost
	begun bool
	zero  time.Duration // when row 0 was asked for
	next  int64         // the row that is put together
	// goesOn lets rows begin when every host fails, without one that answered.
	goesOn bool
}

// assembledHost is a host as its assembler sees it.
type assembledHost struct {
	phase phase
	began time.Duration // of its last sample
	n     int64         // the row of that
	queue []*sample     // of rows that are not written yet, by row

	missed int64 // samples that it did not give, or not in time
	why    error // it failed, at last
}

// phase is how things stand with a host.
type phase uint8

const (
	silent  phase = iota // it never answered nor failed
	live                 // it answers
	failed               // it fails
	idle                 // nothing is asked of it so far
	dropped              // nobody asks it any more
)

// row is what the hosts answered on one beat.
type row struct {
	at      time.Time
	mono    time.Duration
	samples []*sample // by host of the assembler; nil: none
}

func newAssembler(every time.Duration, hosts int) *assembler {
	return &assembler{every: every, hosts: make([]assembledHost, hosts)}
}

// put takes a sample, or the news that a host fails. It reports whether the
// sample is kept until its row is taken.
func (m *assembler) put(s *sample) (kept bool) {
	h := &m.hosts[s.place]
	switch {
	case h.phase == dropped:
		return false
	case s.Idle:
		h.phase = idle
		return false
	case s.Err != nil:
		h.phase, h.why = failed, s.Err
		if m.goesOn && !m.begun && !slices.ContainsFunc(m.hosts, func(h assembledHost) bool { return h.phase == silent || h.phase == live }) {
			m.begun, m.zero = true, s.Began
		}
		return false
	case !m.begun:
		m.begun, m.zero = true, s.Began
	}
	if !m.number(h, s) {
		return false
	}
	h.queue = append(h.queue, s)
	return true
}

// number finds the row of a sample. It reports false when that is over.
func (m *assembler) number(h *assembledHost, s *sample) bool {
	joins := h.phase != live
	s.row = m.fit(s.Began)
	if !joins {
		// By its own count, so that a beat that wavers skips no row.
		n := h.n + max(1, int64(math.Round(float64(s.Began-h.began)/float64(m.every))))
		if early := m.begin(n) - s.Began; early <= mostEarly(m.every) && -early <= m.every {
			s.row = n
		}
	}
	h.phase, h.began = live, s.Began
	if !joins && s.row <= h.n {
		return false // the second of a row: to count it would put all others one row on
	}
	if s.row >= m.next {
		h.n = s.row
		return true
	}
	h.n = max(h.n, s.row) // it was counted as missed when its row was taken
	if joins {
		h.n = m.next - 1
	}
	return false
}

// mostEarly is how long before the time of its row a sample may come.
func mostEarly(every time.Duration) time.Duration { return every * 3 / 4 }

// begin is when a row was, or will be, asked for.
func (m *assembler) begin(row int64) time.Duration { return m.zero + time.Duration(row)*m.every }

// fit is the row of a moment. Samples of one beat may be asked for a little apart.
func (m *assembler) fit(at time.Duration) int64 {
	return int64(math.Floor(float64(at-m.zero)/float64(m.every) + 0.25))
}

// mostGrace is how long a row waits for hosts that are late, and never longer
// than half the interval.
const mostGrace = 2 * time.Second

// wait is after how long a row may be taken; ok is false while none is expected.
func (m *assembler) wait(now time.Duration) (d time.Duration, ok bool) {
	if !m.begun {
		return 0, false
	}
	due, complete, expected, queued := m.begin(m.next), true, false, false
	for i := range m.hosts {
		h := &m.hosts[i]
		if h.phase == live && len(h.queue) == 0 {
			complete = false
			due = max(due, h.began+time.Duration(m.next-h.n)*m.every)
		}
		if h.phase == silent && m.next == 0 {
			complete = false // the first row waits for those that may answer
		}
		queued = queued || len(h.queue) > 0
		expected = expected || queued || h.phase == live || h.phase == failed
	}
	switch {
	case !expected:
		return 0, false
	case complete && queued:
		return 0, true
	}
	return max(0, due+min(m.every/2, mostGrace)-now), true
}

// nextRow ends the row and begins the next. There is one to write when a host
// answered on its beat, or when all are known to fail: then it tells that.
func (m *assembler) nextRow(now session.Instant) (r row, ok bool) {
	if m.skip(now.Mono) {
		return row{}, false // the row that is next now may still become complete
	}
	r = row{mono: m.begin(m.next), samples: make([]*sample, len(m.hosts))}
	silence := true
	for i := range m.hosts {
		h := &m.hosts[i]
		switch {
		case len(h.queue) > 0 && h.queue[0].row == m.next:
			s := h.queue[0]
			h.queue = h.queue[:copy(h.queue, h.queue[1:])]
			r.samples[i], silence = s, false
			if r.at.IsZero() || s.Time.Before(r.at) {
				r.at, r.mono = s.Time, s.Began
			}
			ok = true
		case h.phase == live:
			h.missed++
			silence = false
		case h.phase == failed:
			h.missed++
		}
	}
	m.next++
	if silence {
		r.at = now.Wall
	}
	return r, ok || silence
}

// skip goes over rows that nobody can give any more: after the process, or the
// computer, stood still. It reports whether there were any.
func (m *assembler) skip(now time.Duration) bool {
	next := int64(math.MaxInt64)
	for i := range m.hosts {
		if q := m.hosts[i].queue; len(q) > 0 {
			next = min(next, q[0].row)
		}
	}
	if next == math.MaxInt64 {
		next = max(m.next, m.fit(now-min(m.every/2, mostGrace)))
	}
	for i := range m.hosts {
		if p := m.hosts[i].phase; next > m.next && (p == live || p == failed) {
			m.hosts[i].missed += next - m.next
		}
	}
	skipped := next > m.next
	m.next = max(m.next, next)
	return skipped
}

// drop lets a host be awaited no more.
func (m *assembler) drop(place int) { m.hosts[place].phase = dropped }

// revive lets a host that was dropped answer again.
func (m *assembler) revive(place int) {
	m.hosts[place] = assembledHost{phase: silent, missed: m.hosts[place].missed, why: m.hosts[place].why}
}

// missed is how many samples are not there of all hosts.
func (m *assembler) missed() (all int64) {
	for i := range m.hosts {
		all += m.hosts[i].missed
	}
	return all
}
