package top

import (
	"strings"
	"testing"
	"time"
)

// At a past moment a cell whose past is not kept says so: a blank could be
// anything.
func TestCellsWithoutAPast(t *testing.T) {
	onTop(t, workers(60, 0, 0), func(r *rig) {
		r.pass(20)
		r.desk.At = r.clock.Now().Wall.Add(-5 * time.Second)
		r.draw()
		rows, words := 0, 0
		for line := range strings.Lines(r.canvas.String()) {
			if strings.Contains(line, "worker-") {
				rows++
				words += strings.Count(line, "none")
			}
		}
		if rows < 20 || words == 0 {
			t.Errorf("%d rows, %d cells say that they have no past:\n%s", rows, words, r.canvas.String())
		}
	})
}
