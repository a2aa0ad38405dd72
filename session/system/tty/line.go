package tty

import (
	"io"
	"slices"
	"time"
)

// Line writes to a terminal and judges how quickly that takes it: by writes that block, and by
// when it answers what it is asked behind a picture. One goroutine uses it.
//
// A terminal that is busy, or stopped for once, is not slow: what blocks has to do so again and
// again, at a rate that no terminal has but one behind a slow line. One that was slow is tried
// again after a while, and the longer after each time that it still is.
type Line struct {
	out io.Writer
	in  Answers
	now func() time.Time

	slow    bool
	since   time.Time // when that began, or a write blocked last; of a quick one when it was tried again
	pause   time.Duration
	blocked []block
	full    bool // much that was written waits on its way

	asked  time.Time // behind a picture, and not answered; zero: it is not asked
	number int       // of the answer that is awaited
	last   time.Time // when it was asked last
	prompt int       // answers that came soon since it is on trial
	idle   bool      // what is awaited was asked of one that is quick: late once, it may have been stopped

	rate float64       // bytes a second that went while writes blocked; 0: they did not
	took time.Duration // of the last picture of a slow one
}

// Answers are those of a terminal.
type Answers interface {
	// Ask notes a question more, which is written then, and gives its number, from 1.
	Ask() int
	// Answered is how many were answered, and when the last one was.
	Answered() (n int, at time.Time)
}

// NewLine is one to a terminal of which nothing is known.
func NewLine(out io.Writer, in Answers, now func() time.Time) *Line {
	return &Line{out: out, in: in, now: now}
}

type block struct {
	at   time.Time
	n    int
	took time.Duration
}

// What a slow line is. Terminals on busy computers take 20,000 bytes a second and more; a
// line of 9,600 baud has 960.
const (
	slowRate    = 4000                   // bytes a second
	blocks      = 100 * time.Millisecond // a write that takes as long waits for room
	blockedSpan = 15 * time.Second
	mostBlocked = 2 * time.Second // of writes in that
	fewBlocks   = 3
	lateAnswer  = 5 * time.Second
	promptly    = 2 * time.Second
	enough      = 2 // answers in that time
	askAgain    = 30 * time.Second
	mostRest    = 10 * time.Second
	firstPause  = time.Minute
	mostPause   = 16 * time.Minute
)

// question is DA1, which every terminal answers.
const question = "\x1b[c"

// Write writes a picture, and asks behind it until the terminal has answered soon enough, then seldom.
func (l *Line) Write(b []byte) (int, error) {
	began := l.now()
	n, err := l.out.Write(b)
	now := l.now()
	l.wrote(n, now.Sub(began), now)
	l.hear(now)
	if l.slow && l.rate > 0 {
		l.took = time.Duration(float64(n) / l.rate * float64(time.Second))
	}
	if quick := !l.slow && l.prompt >= enough; err == nil && l.asked.IsZero() && (!quick || now.Sub(l.last) >= askAgain) {
		l.asked, l.number, l.last, l.idle = now, l.in.Ask(), now, quick
		_, err = io.WriteString(l.out, question)
	}
	return n, err //nolint:wrapcheck // it stands for the terminal
}

// Rest tells how it stands by now: how far apart pictures for a slow terminal are to be at least,
// so that half of the line is left for what the user does; 0: it is quick.
func (l *Line) Rest() time.Duration {
	now := l.now()
	if l.slow && now.Sub(l.since) >= l.pause {
		l.slow, l.since, l.prompt, l.rate, l.took = false, now, 0, 0, 0
	}
	if l.hear(now); !l.slow {
		return 0
	}
	return max(2*l.took, time.Second)
}

// IsFull tells, once, that the terminal turned out slow when no more could be written: much that
// was written before is still on its way.
func (l *Line) IsFull() bool {
	full := l.full
	l.full = false
	return full
}

// hear looks whether the terminal answered.
func (l *Line) hear(now time.Time) {
	n, at := l.in.Answered()
	if l.asked.IsZero() || n == 0 { // it may be one that never does
		return
	}
	came := n >= l.number
	if !came {
		at = now
	}
	took := at.Sub(l.asked)
	switch {
	case l.slow:
		l.took = min(max(l.took, took), mostRest)
		if came {
			l.took, l.asked = took, time.Time{}
		}
	case took > l.patience(lateAnswer, now) && !l.idle:
		l.turn(now)
	case came && took > lateAnswer: // asked again, it tells which
		l.asked, l.prompt = time.Time{}, 0
	case came:
		l.asked = time.Time{}
		if took <= promptly {
			l.prompt++
		}
	}
}

// onTrial tells whether it was slow a while ago.
func (l *Line) onTrial(now time.Time) bool { return l.pause > 0 && now.Sub(l.since) < l.pause }

// patience is a time, half of it where it was slow a while ago.
func (l *Line) patience(d time.Duration, now time.Time) time.Duration {
	if l.onTrial(now) {
		return d / 2
	}
	return d
}

func (l *Line) turn(now time.Time) {
	if l.onTrial(now) {
		l.pause = min(2*l.pause, mostPause)
	} else {
		l.pause = firstPause
	}
	l.slow, l.since, l.blocked = true, now, nil
}

// wrote takes note of a write of n bytes that ended now.
func (l *Line) wrote(n int, took time.Duration, now time.Time) {
	switch {
	case took < blocks:
		return
	case l.slow:
		l.since = now
		return
	}
	l.blocked = slices.DeleteFunc(append(l.blocked, block{now, n, took}), func(b block) bool { return now.Sub(b.at) > blockedSpan })
	sum, bytes := time.Duration(0), 0
	for _, b := range l.blocked {
		sum, bytes = sum+b.took, bytes+b.n
	}
	few := len(l.blocked) < fewBlocks && !l.onTrial(now)
	if few && sum >= mostBlocked {
		l.prompt = 0 // it is asked
	}
	if few || sum < l.patience(mostBlocked, now) || float64(bytes) >= slowRate*sum.Seconds() {
		return
	}
	l.turn(now)
	l.full, l.rate = true, float64(bytes)/sum.Seconds()
}
