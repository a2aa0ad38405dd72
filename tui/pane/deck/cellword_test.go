package deck

import (
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// A word in the place of a number is whole, and has no unit.
func TestWordsOfCellsAreWhole(t *testing.T) {
	for _, status := range []cooker.Status{cooker.Pending, cooker.Unsupported, cooker.NoBase, cooker.Denied, cooker.Gap} {
		for _, look := range []cellLook{{}, {annotation: &item{}}} {
			c := canvas.New(20, 1, canvas.Full)
			f := pane.Frame{Region: c.Root()}
			f.Fill(0, 0, 12, 1, '·', 0) // the meter
			drawCellWord(f, 12, 6, cooker.Absent(status), &look)
			if got := c.Rows()[0]; !strings.HasSuffix(strings.TrimRight(got, " "), status.Word()) || strings.Contains(got, "·"+status.Word()) && len(status.Word()) > 6 {
				t.Errorf("%q of %v", got, status)
			}
		}
	}
}
