package session

import "testing"

func TestShape(t *testing.T) {
	for text, want := range map[string]string{
		"request 12 took 7 ms, reset by 10.0.3.77":    "request # took # ms, reset by #.#.#.#",
		"at 0x7fffe12 in sda1, eth0: deadbeef01 cafe": "at # in sda#, eth#: # cafe",
		"": "",
	} {
		if got := shapeOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"request 12 took 7 ms", "request 9 took 0x1f ms", true},
		{"request 12 took 7 ms", "request 12 took 7", false},
		{"request 12 took 7 ms", "request 12 was 7 ms", false},
		{"", "", true},
		{"a", "", false},
	} {
		if got := sameShape(c.a, c.b); got != c.want || got != (shapeOf(c.a) == shapeOf(c.b)) {
			t.Errorf("%q, %q: %v", c.a, c.b, got)
		}
	}
}
