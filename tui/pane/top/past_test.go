package top

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/hosts/fake"
)

// At a past moment cells show what was then, all of them in the last minute; one whose past
// is not kept says so, as no other cell does: a blank could be anything.
func TestCellsWithoutAPast(t *testing.T) {
	onTop(t, workers(60, 0, 0), func(r *rig) {
		r.askAgain()
		r.pass(90)
		unkept := func(ago time.Duration) (rows, words int) {
			r.desk.At = r.clock.Now().Wall.Add(-ago)
			r.draw()
			for line := range strings.Lines(r.canvas.String()) {
				if strings.Contains(line, "worker-") {
					rows++
					words += strings.Count(line, "unkept")
				}
				if strings.Contains(line, "none") || strings.Contains(line, "pending") {
					r.Errorf("%v ago: %s", ago, line)
				}
			}
			return rows, words
		}
		if rows, words := unkept(50 * time.Second); rows < 20 || words != 0 {
			t.Errorf("%d rows, %d cells say that they have no past:\n%s", rows, words, r.canvas.String())
		}
		if rows, words := unkept(80 * time.Second); rows < 20 || words < rows {
			t.Errorf("%d rows, %d cells say that they have no past:\n%s", rows, words, r.canvas.String())
		}
	})
}

// At a past moment rows are those that were there then: one that began later is not, one that
// ended since is as it was.
func TestRowsOfThePast(t *testing.T) {
	s := workers(5, 0, 0)
	s.Sets[0].Rows[3].Alive = fake.Window{From: 40 * time.Second}
	s.Sets[0].Rows[4].Alive = fake.Window{To: 59 * time.Second}
	onTop(t, s, func(r *rig) {
		r.askAgain()
		r.pass(50)
		for range 12 {
			if r.draw(); strings.Contains(r.canvas.String(), "ended") {
				break
			}
			r.pass(1)
		}
		if text := r.canvas.String(); !strings.Contains(text, "worker-3") || !strings.Contains(text, "ended") || !strings.Contains(text, "last 60 s") {
			t.Errorf("now:\n%s", text)
		}
		r.desk.At = r.clock.Now().Wall.Add(-30 * time.Second)
		r.draw() // without another sample
		text := r.canvas.String()
		if strings.Contains(text, "worker-3") || strings.Contains(text, "ended") || strings.Contains(text, "pending") || strings.Contains(text, "last 60 s") {
			t.Errorf("30 s ago:\n%s", text)
		}
		if !strings.Contains(text, "worker-4") || !strings.Contains(text, "60 s then") || strings.Contains(text, " now ") {
			t.Errorf("30 s ago:\n%s", text)
		}
		r.pass(25) // views show it no more
		r.desk.At = r.clock.Now().Wall.Add(-50 * time.Second)
		if r.draw(); !strings.Contains(r.canvas.String(), "worker-4") {
			t.Errorf("50 s ago:\n%s", r.canvas.String())
		}
		r.desk.At = time.Time{}
		r.draw()
		if text := r.canvas.String(); !strings.Contains(text, "worker-3") {
			t.Errorf("now again:\n%s", text)
		}
	})
}

// At a past moment a number has the unit that suits it then.
func TestUnitsOfThePast(t *testing.T) {
	s := workers(3, 0, 0)
	s.Sets[0].Counters = append(s.Sets[0].Counters, fake.Counter{
		Name: "IO Data Bytes/sec", Type: cooker.CounterLargeRawCount,
		Is: fake.Burst(fake.Const(30<<10), fake.Const(21<<20), fake.Window{To: 30 * time.Second}),
	})
	onTop(t, s, func(r *rig) {
		r.askAgain()
		r.pass(55)
		shown := func(hides string, want ...string) {
			r.Helper()
			r.draw()
			text := r.canvas.String()
			for _, w := range want {
				if !strings.Contains(text, w) || strings.Contains(text, hides) {
					r.Errorf("want %q, not %q:\n%s", w, hides, text)
				}
			}
		}
		shown("21.0M", " 30.0K")
		r.desk.At = r.clock.Now().Wall.Add(-40 * time.Second)
		shown("30.0K", " 21.0M")
	})
}
