package perflib

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		text Text
		want string
	}{
		{nil, ""},
		{Text("a\x00b\x00"), "ab"},
		{Text("\x3d\xd8\xbe\xdcd\x00"), "\U0001F4BEd"},
		{Text("a\x00\x00\xd8"), "a\uFFFD"},                     // high at the end
		{Text("\x00\xd8b\x00"), "\uFFFDb"},                     // high alone
		{Text("\xbe\xdcb\x00"), "\uFFFDb"},                     // low alone
		{Text("\x00\xd8\x3d\xd8\xbe\xdc"), "\uFFFD\U0001F4BE"}, // high before a pair
		{Text("a\x00b"), "a"},                                  // half a unit
	} {
		if got := c.text.String(); got != c.want {
			t.Errorf("% x: got %q, want %q", []byte(c.text), got, c.want)
		}
	}
	if got := EncodeText("a\xFFb\x00c"); got.String() != "a\uFFFDb" {
		t.Errorf("bytes that are no UTF-8 and a NUL: %q", got)
	}
}

// The NUL is found wherever it stands, and only where a unit is 0.
func TestTextEndsAtItsNUL(t *testing.T) {
	for length := range 20 {
		for start := 0; start < 8; start += 2 {
			buf := bytes.Repeat([]byte{0, 1, 1, 0}, 16) // units 0x0100 and 0x0001
			end := start + 2*length
			buf[end], buf[end+1] = 0, 0
			if got, ok := textZ(buf, start, len(buf)); !ok || len(got) != 2*length {
				t.Fatalf("start %d, length %d: got %d, %v", start, length, len(got)/2, ok)
			}
			for cut := start; cut < end+2; cut++ {
				if _, ok := textZ(buf, start, cut); ok {
					t.Fatalf("start %d, length %d: a NUL beyond the end at %d", start, length, cut)
				}
			}
		}
	}
}

func TestGUID(t *testing.T) {
	const text = "{b4fc721a-0378-476f-89ba-a5a79f810b36}"
	wire := loadHex(t, "id04_total.hex")[:16]
	for _, s := range []string{text, text[1:37], "{B4FC721A-0378-476F-89BA-A5A79F810B36}"} {
		if g, err := ParseGUID(s); err != nil || !bytes.Equal(g[:], wire) || g.String() != text {
			t.Errorf("%s: %v, %v", s, g, err)
		}
	}
	for _, s := range []string{"", text[:37], text[1:], "b4fc721a-0378-476f-89ba-a5a79f810b3g", "b4fc721a00378-476f-89ba-a5a79f810b36", "{}" + text[1:37]} {
		if g, err := ParseGUID(s); err == nil {
			t.Errorf("%q: read as %v", s, g)
		}
	}
}

// MS-PCQ 3.1.4.1.6 and perflib.h: what is asked for decides the kind of answer.
func TestIdentifierKind(t *testing.T) {
	for _, c := range []struct {
		counter uint32
		name    Text
		want    BlockKind
	}{
		{3, nil, KindCounter},
		{3, EncodeText("_Total"), KindCounter},
		{AllCounters, nil, KindCounters},
		{AllCounters, EncodeText("_Total"), KindCounters},
		{3, EncodeText("*"), KindInstances},
		{3, EncodeText("0,?"), KindInstances},
		{AllCounters, EncodeText("C*"), KindCounterset},
		{3, EncodeText("\u2A00\u3F00"), KindCounter}, // bytes of * and ?, not the characters
	} {
		id := Identifier{CounterID: c.counter, Name: c.name}
		if got := id.Kind(); got != c.want {
			t.Errorf("counter %d, name %q: kind %d, want %d", c.counter, c.name, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("a\x00\x00\xd8\x3d\xd8\xbe\xdc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Text(b).String()
		if !utf8.ValidString(s) || len(s) > 3*(len(b)/2) {
			t.Fatalf("% x: %q", b, s)
		}
		text, ok := textZ(b, 0, len(b))
		if again := EncodeText(text.String()); ok && again.String() != text.String() {
			t.Fatalf("%q became %q", text, again)
		}
	})
}

// A text counter's value ends at its NUL, or without one at its size.
func TestTextValue(t *testing.T) {
	for file, want := range map[string]string{"dt27_text_counter.hex": "läuft", "dt28_text_counter_no_nul.hex": "on!"} {
		r := ReadData(loadHex(t, file))
		if !r.Next() {
			t.Fatal(r.Err())
		}
		v := r.Block().Values()
		if v.Len() != 1 || !v.Next() || v.Value.Text().String() != want {
			t.Errorf("%s: got %q, want %q", file, v.Value.Text(), want)
		}
	}
	if got := Value(nil).Text().String(); got != "" {
		t.Errorf("no bytes: %q", got)
	}
}
