package deck

import "testing"

// A share is rounded as the value beside it is.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{68.84: "68.8", 99.96: "100.0", 999.94: "999.9", 1146.6: "1147", 1146.4: "1146"} {
		if got := string(percent(nil, share)); got != want {
			t.Errorf("%v is %s, want %s", share, got, want)
		}
	}
}
