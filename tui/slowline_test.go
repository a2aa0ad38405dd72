package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/tty"
	"perfdeck/tui/canvas"
)

// farTerminal is a terminal at the other end of a line of 960 bytes a second and 400 ms each way.
type farTerminal struct {
	clock  *clocktest.Clock
	screen *vt.SafeEmulator
	free   time.Time // when the line has taken what was written
	coming []arrival
	due    []time.Time // of answers
	asked  int
	told   int
	toldAt time.Time
}

type arrival struct {
	at   time.Time
	text []byte
}

const (
	farRate  = 960
	farDelay = 400 * time.Millisecond
)

func (f *farTerminal) now() time.Time { return f.clock.Now().Wall }

func (f *farTerminal) Write(b []byte) (int, error) {
	for piece := range slices.Chunk(slices.Clone(b), 32) {
		if f.free.Before(f.now()) {
			f.free = f.now()
		}
		f.free = f.free.Add(time.Duration(len(piece)) * time.Second / farRate)
		f.coming = append(f.coming, arrival{f.free.Add(farDelay), piece})
	}
	return len(b), nil
}

func (f *farTerminal) Ask() int { f.asked++; return f.asked }

func (f *farTerminal) Forget() { f.told = f.asked }

func (f *farTerminal) Answered() (n int, at time.Time) {
	f.come()
	for len(f.due) > 0 && !f.due[0].After(f.now()) {
		f.told, f.toldAt = f.told+1, f.due[0]
		f.due = f.due[1:]
	}
	return f.told, f.toldAt
}

// come lets come what has by now.
func (f *farTerminal) come() {
	for len(f.coming) > 0 && !f.coming[0].at.After(f.now()) {
		if strings.HasSuffix(string(f.coming[0].text), "\x1b[c") {
			f.due = append(f.due, f.coming[0].at.Add(farDelay))
		}
		_, _ = f.screen.Write(f.coming[0].text)
		f.coming = f.coming[1:]
	}
}

// text is what is seen of some rows.
func (f *farTerminal) text(from, to int) string {
	f.come()
	var b strings.Builder
	for y := from; y < to; y++ {
		for x := range f.screen.Width() {
			if c := f.screen.CellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
	}
	return b.String()
}

// Over such a line a key shows within three seconds from ten seconds after the start, and what the
// terminal shows is what was drawn when nothing is written any more.
func TestKeysOverASlowLine(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		onScreens(t, rigOptions{w: size[0], h: size[1], hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }}, func(r *rig) {
			f := &farTerminal{clock: r.clock, screen: vt.NewSafeEmulator(size[0], size[1])}
			go func() { // what the emulator answers is not asked for
				buf := make([]byte, 64)
				for {
					if _, err := f.screen.Read(buf); err != nil {
						return
					}
				}
			}()
			defer f.screen.Close()
			line := tty.NewLine(f, f, f.now)
			f.Ask()
			_, _ = f.Write([]byte("\x1b[c"))
			r.root.output = &painted{
				line: line, painter: canvas.NewPainter(line, r.root.sheet(), canvas.CapsOf("xterm-256color")),
				fail: func(err error) { t.Error(err) },
			}
			r.root.present(true)
			step := func() {
				const beat = 100 * time.Millisecond
				time.Sleep(beat) // of the bubble
				r.pass(beat)
				if r.root.pacing.lacks { // commands of beats are not run
					r.send(showMore{})
				}
			}
			for range 100 {
				step()
			}
			var took []time.Duration
			for _, key := range []string{"3", "1", "4", "2", "5", "3", "6", "7", "8", "1"} {
				for range 4 { // while the key is on its way
					step()
				}
				r.send(keyPress(key))
				since := farDelay
				for ; !strings.Contains(f.text(0, 1), "["+key) && since < time.Minute; since += 100 * time.Millisecond {
					step()
				}
				took = append(took, since)
				for range 25 {
					step()
				}
			}
			t.Log(size, took)
			slices.Sort(took)
			if median := took[len(took)/2]; median > 3*time.Second {
				t.Errorf("%v: a key shows after %v", size, median)
			}
			r.root.paused = true
			shown := func() (got, want string) {
				return f.text(1, size[1]-1), strings.Join(r.rows()[1:size[1]-1], "")
			}
			for range 300 { // and all is shown in the end; what changes still, such as times of hosts, is on its way for a while
				step()
				if got, want := shown(); got == want {
					break
				}
			}
			if got, want := shown(); got != want {
				t.Errorf("%v: the terminal shows\n%s\nwhere there is\n%s", size, got, want)
			}
		})
	}
}
