package textfile

import (
	"bytes"
	"testing"
)

func TestLastIndexByte(t *testing.T) {
	b := bytes.Repeat([]byte("x"), 3000)
	for _, at := range []int{-1, 0, 1, 511, 512, 1975, 1976, 2487, 2488, 2999} {
		if at >= 0 {
			b[at] = '\n'
		}
		if got := lastIndexByte(b, '\n'); got != at {
			t.Errorf("%d, want %d", got, at)
		}
	}
	if got := lastIndexByte(nil, '\n'); got != -1 {
		t.Errorf("%d in nothing", got)
	}
}
