package top

import (
	"strings"
	"testing"
	"time"
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
