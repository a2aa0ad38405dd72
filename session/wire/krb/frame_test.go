package krb

import (
	"bytes"
	"testing"
)

// Frames of every length of a length are taken apart again.
func TestFrame(t *testing.T) {
	for _, size := range []int{0, 1, 0x7f - 13, 0x80 - 13, 0xff - 13, 0x100 - 13, 5000, 70_000} {
		msg := bytes.Repeat([]byte{7}, size)
		framed, err := frame(tokenAPReq, msg)
		if err != nil || framed[0] != 0x60 {
			t.Fatal(size, err)
		}
		kind, got, err := unframe(framed)
		if err != nil || kind != tokenAPReq || !bytes.Equal(got, msg) {
			t.Errorf("%d bytes became %d of kind %x, %v", size, len(got), kind, err)
		}
		if _, _, err := unframe(append(framed, 0)); err == nil {
			t.Errorf("%d bytes: what follows is taken", size)
		}
		if _, _, err := unframe(framed[:len(framed)-1]); err == nil {
			t.Errorf("%d bytes: a cut frame is taken", size)
		}
	}
}
