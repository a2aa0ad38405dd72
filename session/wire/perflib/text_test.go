package perflib

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"perfdeck/cooker"
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
		var texts CounterTexts
		if v.Len() != 1 || !v.Next() || texts.Value(v.Value, cooker.CounterText).String() != want {
			t.Errorf("%s: got % x, want %q", file, v.Value, want)
		}
	}
}

func TestCounterTexts(t *testing.T) {
	const ascii = cooker.CounterText | 0x10000
	var texts CounterTexts
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		kind cooker.CounterType
		wire string
		want string
	}{
		{cooker.CounterText, "", ""},
		{cooker.CounterText, "a\x00b\x00", "ab"},
		{cooker.CounterText, "a\x00b\x00\x00\x00c\x00", "ab"},
		{cooker.CounterText, "a\x00b", "a"}, // half a unit
		{cooker.CounterText, "\x3d\xd8\x00\xde", "\U0001F600"},
		{cooker.CounterText, "\x3d\xd8", "\uFFFD"},
		{ascii, "a\x00b\x00", "a"}, // the same bytes in another form
		{ascii, "ab", "ab"},
		{ascii, "gr\xf6", "gr\uFFFD"},
		{ascii, "gr\xc3\xb6", "grö"},
		{ascii, long, long[:cooker.MaxText-1] + "…"},
		{cooker.CounterText, string(EncodeText(long)), long[:cooker.MaxText-1] + "…"},
	} {
		for range 2 {
			if got := texts.Value(Value(c.wire), c.kind).String(); got != c.want {
				t.Errorf("%v %.20q: %.20q, want %.20q", c.kind, c.wire, got, c.want)
			}
		}
	}
	v := Value("k\x00e\x00p\x00t\x00\x00\x00")
	texts.Value(v, cooker.CounterText)
	if n := testing.AllocsPerRun(100, func() { texts.Value(v, cooker.CounterText) }); n != 0 {
		t.Errorf("%v allocations for a text that stays", n)
	}
	for i := range 3 * mostKept {
		texts.Forget(1)
		texts.Value(Value(EncodeText(strconv.Itoa(i))), cooker.CounterText)
	}
	if len(texts.kept) > mostKept+5 {
		t.Errorf("%d texts kept, of 1", len(texts.kept))
	}
}

// FuzzCounterText converts any bytes by both forms and by a code page: what comes is
// bounded and UTF-8.
func FuzzCounterText(f *testing.F) {
	f.Add([]byte("a\x00"), uint32(0), uint32(0))
	f.Add([]byte("\x3d\xd8gr\xf6"), uint32(1252), uint32(1))
	f.Add([]byte("\x81\x30\x81\x30"), uint32(54936), uint32(3))
	f.Fuzz(func(t *testing.T, wire []byte, page, offset uint32) {
		var texts CounterTexts
		check := func(text cooker.Text) {
			if s := text.String(); !utf8.ValidString(s) || utf8.RuneCountInString(s) > cooker.MaxText {
				t.Errorf("%d characters: %q", utf8.RuneCountInString(s), s)
			}
		}
		for _, kind := range []cooker.CounterType{cooker.CounterText, cooker.CounterText | 0x10000} {
			check(texts.Value(wire, kind))
			text, _ := texts.V1(&V1Object{CodePage: page}, &V1Counter{Type: kind, Size: uint32(len(wire)), Offset: offset}, wire)
			check(text)
		}
	})
}

func TestNoBytesAreNoText(t *testing.T) {
	if got := new(CounterTexts).Value(nil, cooker.CounterText).String(); got != "" {
		t.Errorf("no bytes: %q", got)
	}
}
