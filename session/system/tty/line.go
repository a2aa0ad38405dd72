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
// again, at a rate that no terminal has but one behind a slow line. A slow one is quick again
// when it answers soon; one that never answers is tried after a while, and the longer after each
// time that it still is slow.
//
// To a slow one no more is to be on its way than it takes in about a second, so that what the
// user does is not behind what nobody waits for.
type Line struct {
	out io.Writer
	in  Answers
	now func() time.Time

	slow    bool
	since   time.Time // when that began, a write blocked or it answered last; of a quick one when it became that again
	pause   time.Duration
	blocked []block
	full    bool // much that was written waits on its way

	asked  []question    // that are not answered
	last   time.Time     // when it was asked last
	prompt int           // answers that came soon, one after the other where it is slow
	away   time.Duration // the least that an answer takes of a slow one; 0: unknown

	written, through int // bytes, and those that are known to have come through
	window           int // how many are to be on their way to a slow one

	rate  float64   // bytes a second that went while writes blocked, for one that never answers
	rated time.Time // until when those came through
}

type question struct {
	number  int
	at      time.Time
	written int  // bytes before it
	onWay   int  // of them, then
	alone   bool // they are of one write
	idle    bool // it was asked of one that is quick: late once, it may have been stopped
}

// Answers are those of a terminal.
type Answers interface {
	// Ask notes a question more, which is written then, and gives its number, from 1.
	Ask() int
	// Answered is how many were answered, and when the last one was.
	Answered() (n int, at time.Time)
	// Forget takes all for answered: some may never be.
	Forget()
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
	behind      = time.Second // without an answer
	lateAnswer  = 5 * time.Second
	lostAnswer  = 20 * time.Second
	promptly    = 2 * time.Second
	enough      = 2 // answers in that time
	askAgain    = 30 * time.Second
	firstPause  = time.Minute
	mostPause   = 16 * time.Minute
)

// What may be on its way to a slow one, in bytes: more where that is answered soon, less where it is late.
const (
	firstWindow = 900
	leastWindow = 512
	mostWindow  = slowRate
	pieces      = 3 // so that others go while one is answered
	soon        = 1100 * time.Millisecond
	late        = 2 * soon
)

// askDevice is DA1, which every terminal answers.
const askDevice = "\x1b[c"

// Write writes a picture or a part of one, and asks behind it: each time of a slow one that answers,
// of others until they have answered soon enough, then seldom.
func (l *Line) Write(b []byte) (int, error) {
	began := l.now()
	n, err := l.out.Write(b)
	now := l.now()
	l.written += n
	l.wrote(n, now.Sub(began), now)
	l.hear(now)
	quick := !l.slow && l.prompt >= enough
	ask := len(l.asked) == 0 && (!quick || now.Sub(l.last) >= askAgain) || l.slow && l.answers()
	if err == nil && ask {
		err = l.ask(n, quick, now)
	}
	return n, err //nolint:wrapcheck // it stands for the terminal
}

// ask asks behind n bytes.
func (l *Line) ask(n int, idle bool, now time.Time) error {
	onWay := l.written - l.through
	l.last = now
	l.asked = append(l.asked, question{l.in.Ask(), now, l.written, onWay, onWay == n, idle})
	_, err := io.WriteString(l.out, askDevice)
	return err //nolint:wrapcheck // it stands for the terminal
}

// answers tells whether it ever did: it may be one that never does.
func (l *Line) answers() bool {
	n, _ := l.in.Answered()
	return n > 0
}

// Room tells how it stands by now: how many bytes are to be written at once to a slow terminal.
func (l *Line) Room() (n int, slow bool) {
	now := l.now()
	if l.hear(now); l.slow && now.Sub(l.since) >= l.pause {
		l.quicken(now)
	}
	if l.slow && l.answers() && len(l.asked) == 0 && (l.written > l.through || l.away == 0 || now.Sub(l.last) >= askAgain) {
		_ = l.ask(0, false, now) // the next write fails, too
	}
	return max(0, min(l.window-(l.written-l.through), l.window/pieces)), l.slow
}

// IsBehind tells that a terminal may turn out slow, as it has not answered for a while or it is not
// known to be quick: what nobody waits for is better written later.
func (l *Line) IsBehind() bool {
	now := l.now()
	if l.hear(now); l.slow || len(l.asked) == 0 {
		return false
	}
	least, most := time.Duration(0), lateAnswer
	if l.asked[0].idle {
		least = behind
	}
	if !l.answers() {
		most = behind
	}
	waits := now.Sub(l.asked[0].at)
	return waits >= least && waits < most
}

// IsFull tells, once, that the terminal turned out slow when no more could be written: much that
// was written before is still on its way, and better dropped.
func (l *Line) IsFull() bool {
	full := l.full
	if l.full = false; full {
		l.giveUp()
	}
	return full
}

// giveUp takes what was written for gone, and what was asked for never answered.
func (l *Line) giveUp() {
	l.through, l.asked = l.written, nil
	if l.answers() {
		l.in.Forget()
	}
}

// hear looks whether the terminal answered.
func (l *Line) hear(now time.Time) {
	told, at := l.in.Answered()
	if told == 0 {
		if passed := int(l.rate * now.Sub(l.rated).Seconds()); passed > 0 {
			l.through, l.rated = min(l.through+passed, l.written), now
		}
		return
	}
	for len(l.asked) > 0 && told >= l.asked[0].number {
		q := l.asked[0]
		l.asked = l.asked[1:]
		l.answered(q, at.Sub(q.at), now)
	}
	if len(l.asked) == 0 {
		return
	}
	q := l.asked[0]
	switch waits := now.Sub(q.at); {
	case l.slow && waits > lostAnswer:
		l.giveUp()
	case !l.slow && !q.idle && waits > l.patience(lateAnswer, now):
		l.turn(now)
	}
}

// answered takes note of an answer that took so long.
func (l *Line) answered(q question, took time.Duration, now time.Time) {
	l.through = max(l.through, q.written)
	switch {
	case l.slow:
		l.since = now
		l.measure(q, took, now)
	case took > l.patience(lateAnswer, now) && !q.idle:
		l.turn(now)
	case took > lateAnswer: // asked again, it tells which
		l.prompt = 0
	case took <= promptly:
		l.prompt++
	}
}

// measure goes by the answer of a slow one.
func (l *Line) measure(q question, took time.Duration, now time.Time) {
	switch {
	case took <= soon && q.onWay >= l.window/2:
		l.window = min(l.window*5/4, mostWindow)
	case took > late && q.onWay <= l.window:
		l.window = max(l.window*3/4, leastWindow)
	}
	switch {
	case q.onWay == 0 && (l.away == 0 || took < l.away):
		l.away = took
	case l.away == 0 || !q.alone || q.onWay < leastWindow/pieces: // tells little
	case float64(q.onWay) < slowRate*(took-l.away).Seconds():
		l.prompt = 0
	default:
		if l.prompt++; l.prompt > enough {
			l.quicken(now)
		}
	}
}

// quicken takes it for quick.
func (l *Line) quicken(now time.Time) { l.slow, l.since, l.prompt = false, now, 0 }

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
	l.slow, l.since, l.blocked, l.rated = true, now, nil, now
	l.window, l.away, l.prompt = firstWindow, 0, 0
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
