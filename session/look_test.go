package session

import (
	"testing"

	"perfdeck/cooker"
)

// A number that names something stands as it is.
func TestNumbersThatNameStand(t *testing.T) {
	for name, want := range map[string]string{"ID Process": "19719", "Creating Process ID": "19719", "Handle Count": "19.7"} {
		c := Counter{Name: name, Type: cooker.CounterRawCount}
		look := c.Look()
		if got := string(look.AppendIn(nil, cooker.WholeValue(19719), look.Unit(19719))); got != want {
			t.Errorf("%s is written %q, want %q", name, got, want)
		}
	}
}
