package tty

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// far is a terminal behind a line: of so many bytes a second, with room for some that are on
// their way, and which answers what it is asked when that has come through. Its clock is the
// only one.
type far struct {
	now     time.Time
	rate    float64 // bytes a second
	room    int
	delay   time.Duration // each way
	mute    bool          // it answers nothing
	busy    func() time.Duration
	stalled time.Time // until when it reads nothing
	pending float64   // bytes that were on their way
	at      time.Time // at this time
	asked   int
	due     []time.Time // of answers
	told    int
	toldAt  time.Time
}

// reads lets the terminal read until now.
func (f *far) reads() {
	from := f.at
	if from.Before(f.stalled) {
		from = f.stalled
	}
	if f.now.After(from) {
		f.pending = max(0, f.pending-f.rate*f.now.Sub(from).Seconds())
	}
	f.at = f.now
}

// after is when so many bytes that are on their way were read.
func (f *far) after(bytes float64) time.Time {
	from := f.now
	if from.Before(f.stalled) {
		from = f.stalled
	}
	return from.Add(time.Duration(bytes / f.rate * float64(time.Second)))
}

func (f *far) Write(b []byte) (int, error) {
	f.reads()
	if f.busy != nil {
		if until := f.now.Add(f.busy()); until.After(f.stalled) {
			f.stalled = until
		}
	}
	f.pending += float64(len(b))
	if over := f.pending - float64(f.room); over > 0 {
		f.now = f.after(over)
		f.reads()
	}
	if !f.mute && strings.HasSuffix(string(b), askDevice) {
		f.due = append(f.due, f.after(f.pending).Add(2*f.delay))
	}
	return len(b), nil
}

func (f *far) Ask() int { f.asked++; return f.asked }

func (f *far) Answered() (n int, at time.Time) {
	for len(f.due) > 0 && !f.due[0].After(f.now) {
		f.told, f.toldAt = min(f.told+1, f.asked), f.due[0]
		f.due = f.due[1:]
	}
	return f.told, f.toldAt
}

func (f *far) Forget() { f.told = f.asked }

// begin is a line whose terminal was asked once, as it was taken over.
func begin(f *far) *Line {
	f.now = time.Unix(1_700_000_000, 0)
	l := NewLine(f, f, func() time.Time { return f.now })
	f.Ask()
	_, _ = f.Write([]byte(askDevice))
	return l
}

// draws writes a picture, and others each second of so many, or each third where it is slow. It
// gives for how many seconds it was slow.
func (f *far) draws(l *Line, first, others, seconds int) (slow int) {
	_, _ = l.Write(make([]byte, first))
	next, last := f.now.Add(time.Second), f.now
	for end := f.now.Add(time.Duration(seconds) * time.Second); f.now.Before(end); next = next.Add(time.Second) {
		if next.After(f.now) {
			f.now = next
		}
		rest := time.Duration(0)
		room, isSlow := l.Room()
		if isSlow {
			slow++
			rest = 3 * time.Second
		}
		if f.now.Sub(last) >= rest && !l.IsBehind() && (!isSlow || room > 0) {
			n := others
			if isSlow {
				n = min(n, room)
			}
			_, _ = l.Write(make([]byte, n))
			last = f.now
		}
	}
	return slow
}

// A terminal behind 960 bytes a second is noticed within ten seconds where it answers, and by
// writes that block where it does not; and served so most of the time.
func TestSlowTerminal(t *testing.T) {
	for name, f := range map[string]*far{
		"answers":     {rate: 960, room: 17 << 10, delay: 400 * time.Millisecond},
		"little room": {rate: 960, room: 4 << 10, delay: 400 * time.Millisecond, mute: true},
		"mute":        {rate: 960, room: 17 << 10, mute: true},
	} {
		l := begin(f)
		if slow := f.draws(l, 6000, 1200, 10); slow == 0 && !f.mute {
			t.Errorf("%s: not noticed in 10 s", name)
		}
		slow := f.draws(l, 1200, 1200, 1200)
		least := 1000
		if f.mute { // a trial is long where nothing is known but that writes block
			least = 500
		}
		if full := l.IsFull(); slow < least || full != f.mute || l.IsFull() {
			t.Errorf("%s: slow for %d of 1200 s, full: %v", name, slow, full)
		}
		f.rate = 1e6
		f.draws(l, 1200, 1200, 20*60)
		if _, slow := l.Room(); slow {
			t.Errorf("%s: it is quick again, and not taken for that", name)
		}
		f.rate = 960
		if slow := f.draws(l, 6000, 1200, 120); slow == 0 {
			t.Errorf("%s: slow again, and not noticed", name)
		}
	}
}

// A quick terminal is not taken for a slow one: far away, on a busy computer that has it wait for
// seconds now and then, stopped by the user, or one that says nothing.
func TestQuickTerminal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	stops := 0
	for name, f := range map[string]*far{
		"quick":    {rate: 1e6, room: 17 << 10},
		"mute":     {rate: 1e6, room: 17 << 10, mute: true},
		"far away": {rate: 50e3, room: 17 << 10, delay: 900 * time.Millisecond},
		"no room":  {rate: 20e3, room: 1},
		"busy": {rate: 1e5, room: 17 << 10, busy: func() time.Duration {
			return time.Duration(max(0, random.Int64N(20)-16)) * time.Second
		}},
		"stopped": {rate: 1e6, room: 4 << 10, busy: func() time.Duration {
			if stops++; stops%40 == 20 {
				return 20 * time.Second
			}
			return 0
		}},
	} {
		l := begin(f)
		if slow := f.draws(l, 20000, 1200, 600); slow > 0 || l.IsFull() {
			t.Errorf("%s: slow for %d s", name, slow)
		}
	}
}

// Once it has answered soon it is asked seldom; one that becomes slow later is noticed all the same, before
// what is on its way has no room any more.
func TestSlowLater(t *testing.T) {
	f := &far{rate: 1e6, room: 1 << 20, delay: 20 * time.Millisecond}
	l := begin(f)
	f.draws(l, 6000, 1200, 100)
	if f.asked < 2+enough || f.asked > 5+enough {
		t.Errorf("asked %d times in 100 s", f.asked)
	}
	f.rate = 960
	if slow := f.draws(l, 1200, 1200, 90); slow == 0 {
		t.Error("it is slow by now, and not noticed")
	}
}
