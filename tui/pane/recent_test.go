package pane

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/scale"
)

// A peak that leaves the last minute does not let what remains jump: the scale goes down
// a step at a time, when all was low for a while.
func TestSparklineDoesNotJump(t *testing.T) {
	var top scale.Scale
	values := make([]float32, 200)
	for i := range values {
		values[i] = 100
	}
	values[60] = 1000
	c := canvas.New(10, 1, canvas.Full)
	last, changes := "", 0
	for end := uint64(61); end < 200; end++ {
		c.Clear(0)
		f := Frame{Region: c.Root()}
		f.DrawRecent(0, 0, 10, &Recent{
			Series: session.Series{Values: values[:end]}, End: end, Every: time.Second,
			Top: &top, Now: time.Unix(int64(end), 0), Look: session.Look{Format: cooker.DefaultFormat()},
		})
		cell := string([]rune(c.String())[9])
		if end > 70 && cell != last {
			if changes++; last != "" && []rune(cell)[0]-[]rune(last)[0] > 2 {
				t.Errorf("second %d: it jumps from %s to %s", end, last, cell)
			}
		}
		last = cell
	}
	if last != "▄" || changes < 3 { // 100 of 200: not under 60 % of 150
		t.Errorf("it ends with %s after %d changes", last, changes)
	}
}
