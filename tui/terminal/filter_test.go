package terminal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// heard are the keys and events that the library makes of what a filter lets through, read
// in packets with a pause between them.
func heard(t testing.TB, pause time.Duration, packets ...string) (out []string, answers int) {
	t.Helper()
	f := filter{answered: func() { answers++ }}
	now := time.Unix(0, 0)
	var decoder uv.EventDecoder
	take := func(b []byte) {
		for len(b) > 0 {
			n, event := decoder.Decode(b)
			if n == 0 {
				t.Fatalf("nothing of %q is understood", b)
			}
			switch event := event.(type) {
			case uv.KeyPressEvent:
				out = append(out, event.String())
			case fmt.Stringer:
				if text := fmt.Sprintf("%T", event); strings.Contains(text, "Unknown") || strings.Contains(text, "ignored") {
					t.Errorf("%q goes on, which nobody knows", b[:n])
				}
				out = append(out, event.String())
			default:
				out = append(out, fmt.Sprintf("%T", event))
			}
			b = b[n:]
		}
	}
	for _, p := range packets {
		take(f.feed([]byte(p), now))
		now = now.Add(pause)
		if f.waits() && pause >= escapeWait {
			take(f.expire())
		}
	}
	if f.waits() {
		take(f.expire())
	}
	return out, answers
}

func TestKeysOfTerminals(t *testing.T) {
	for sent, want := range map[string]string{
		"q": "q", "aB1": "a B 1", "ü広": "ü 広", "\x1b": "esc", "\x1b1": "esc 1", "\x1bq": "esc q", "\x1bü": "esc ü", "\x1b/": "esc /",
		"\x1b\r": "esc enter", "\x1b\x1b": "esc esc", "\x1b\x1b[A": "esc up", "\x1b\x7f": "esc backspace", "\x1b\x03": "esc ctrl+c",
		"\x1b[": "esc [", "\x1b]": "esc ]", "\x1bO": "esc O", "\x1bP": "esc P", "\x1b_": "esc _",
		"\x1b[A": "up", "\x1bOA": "up", "\x1b[1;5A": "ctrl+up", "\x1b[H": "home", "\x1bOH": "home", "\x1b[5~": "pgup", "\x1b[Z": "shift+tab",
		"\x1bOw": "end", "\x1b[4~": "end", "\x1b[8~": "end", "\x1b[F": "end", "\x1b[1~": "home",
		"\x1b[[A": "f1", "\x1b[[B": "f2", "\x1b[[C": "f3", "\x1b[[D": "f4", "\x1b[[E": "f5", "\x1b[[Fj": "j",
		"\x1bOP": "f1", "\x1bOS": "f4", "\x1b[11~": "f1", "\x1b[15~": "f5", "\x1b[24~": "f12", "\x1bO5P": "ctrl+f1", "\x1bOM": "enter",
		"\x1b[7^": "ctrl+home", "\x1b[3@": "ctrl+shift+delete", "\x1bOa": "ctrl+up",
		"\x1b[27;5;105~": "ctrl+i", "\x1b[105;5u": "ctrl+i", "\x1b[27u": "esc", "\x1b[97u": "a", "\x1b[97;1:1u": "a",
		"\x9bA": "up", "\x8fP": "f1",
		"\x1b[I": "uv.FocusEvent", "\x1b[O": "uv.BlurEvent", "\x1b[?2026;2$y": "uv.ModeReportEvent",
		"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\": "#1e1e2e", "\x1b]11;rgb:1e1e/1e1e/2e2e\a": "#1e1e2e",
		"\x1b[<0;5;6M": "left", "\x1b[<0;5;6m": "left", "\x1b[<64;5;6M": "wheelup", "\x1b[<32;5;6M": "left+motion",
		"\x1b[M !!": "left", "\x1b[M#\xff\x9b": "left", "\x1b[M`!!": "wheelup",
		"\x1b[200~a\x1b[201~": "uv.PasteStartEvent a uv.PasteEndEvent",
	} {
		got, _ := heard(t, 0, sent)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q is %q, not %q", sent, text, want)
		}
		// the same where each byte comes alone, but not so late that an ESC is a key
		if got, _ := heard(t, time.Millisecond, strings.Split(sent, "")...); strings.Join(got, " ") != want && !strings.ContainsAny(sent, "ü広") {
			t.Errorf("%q in packets of a byte is %q, not %q", sent, got, want)
		}
	}
}

// nothings are sequences that mean nothing here.
var nothings = []string{
	"\x1bOq", "\x1bOx", "\x1bOj", "\x1bO9q", "\x1b[8$", "\x1b[23$", "\x1b[N", "\x1b[2A", "\x1b[99~", "\x1b[?x", "\x1b[1;2R", "\x1b[1;1R", "\x1b[0n", "\x1b[3;1:1A\x18"[:8],
	"\x1b[?62;22c", "\x1b[>0;276;0c", "\x1b[=1c", "\x1b[8;24;80t", "\x1b[48;9999999;9999999;1;1t", "\x1b[4;600;800t", "\x1b[?997;1n", "\x1b[>4;2m",
	"\x1b]10;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;red\x1b\\", "\x1b]11;rgb:q/1/1\a", "\x1b]52;c;cQ==\a", "\x1b]l title\x1b\\", "\x1b]4;1;rgb:1/2/3\x1b\\",
	"\x1bP>|XTerm(370)\x1b\\", "\x1bP1+r5463=\x1b\\", "\x1bP!|00000000\x1b\\", "\x1b_Gi=31;OK\x1b\\", "\x1b^private\x1b\\", "\x1bXstring\x1b\\",
	"\x9b?62;22c", "\x9d11;q\x9c", "\x90>|x\x9c", "\x1b[32;5;6M", "\x1b[<0;5M", "\x1b[<0;5;0M", "\x1b[<0;55555;5M", "\x1b[<0;5;6;7M",
	"\x1b[65;30;65;1;0;1_", "\x1b[97;1;3u", "\x1b[27;1;3~", "\x1b[133;1u", "\x1b[1;9999999A", "\x1b[97;99999999999999999999u",
	"\x1b[201~", "\xff", "\xc2\x85", "\x80", "\xe4",
}

// long are sequences of every kind that no parser has room for.
func long() (out []string) {
	for _, n := range []int{33, 100, 5000} {
		for _, form := range []string{"\x1b[%sm", "\x1b[?%sc", "\x1b[<%sM", "\x1b[%su", "\x1b[%s~", "\x1b[%s_", "\x9b%sA", "\x1bO%sP", "\x1bP%sq\x1b\\", "\x1b]11;%s\x1b\\", "\x1b]%s\a", "\x1b_%s\x1b\\", "\x1b^%s\x1b\\", "\x1bX%s\x1b\\", "\x9d%s\x9c"} {
			for _, part := range []string{"1;", ";", ":", "1:", "0", "1"} {
				out = append(out, fmt.Sprintf(form, strings.Repeat(part, n)))
			}
		}
		out = append(out, "\x1b[1"+strings.Repeat(" ", n)+"q", "\x1b["+strings.Repeat("?", n)+"c")
	}
	return out
}

// What is not known acts as nothing at all, wherever it is cut, and the key behind it as
// itself; a paste has neither.
func TestNothingsAreNothing(t *testing.T) {
	for _, s := range slices.Concat(nothings, long()) {
		if got, _ := heard(t, 0, s+"j"); !slices.Equal(got, []string{"j"}) {
			t.Errorf("%.60q and a key are %.200q", s, got)
		}
		if got, _ := heard(t, 0, "\x1b[200~a"+s+"b\x1b[201~j"); s != pasteEnd && (got[0] != "uv.PasteStartEvent" || got[len(got)-2] != "uv.PasteEndEvent") {
			t.Errorf("%.60q pasted is %.200q", s, got)
		}
		for at := 1; at < len(s); at += 1 + len(s)/30 {
			if got, _ := heard(t, time.Millisecond, s[:at], s[at:]+"j"); !slices.Equal(got, []string{"j"}) {
				t.Errorf("%.60q cut at %d is %.200q", s, at, got)
			}
			// a pause that is longer than that behind an ESC
			if got, _ := heard(t, 300*time.Millisecond, s[:at], s[at:]+"j"); at > 2 && s[0] == '\x1b' && !slices.Equal(got, []string{"j"}) && s[:3] != "\x1b[M" {
				t.Errorf("%.60q cut at %d for a while is %.200q", s, at, got)
			}
			// the rest never comes
			if got, _ := heard(t, 2*time.Second, s[:at], "j"); at > 2 && s[0] == '\x1b' && !slices.Equal(got, []string{"j"}) {
				t.Errorf("%.60q that ends at %d is %.200q", s, at, got)
			}
		}
	}
}

// What is pasted is kept, however long it is, but for control sequences, which are no text.
func TestPastes(t *testing.T) {
	text := strings.Repeat("a \\Memory\\广告 ü;\t", 3000)
	for pasted, want := range map[string]string{
		text:                 text,
		"\x1b[31mred\x1b[0m": "red",
		"a\x1b]b":            "a]b",
		"a\x1bOb\x1b[200~c":  "aOb" + "c",
		"\x1b[" + strings.Repeat("1;", 1000) + "mx": "x",
	} {
		for _, size := range []int{1, 7, 256} {
			f := filter{}
			var out []byte
			for all := []byte("\x1b[200~" + pasted + "\x1b[201~j"); len(all) > 0; {
				n := min(size, len(all))
				out = append(out, f.feed(all[:n], time.Now())...)
				all = all[n:]
			}
			if got := string(out); got != "\x1b[200~"+want+"\x1b[201~j" {
				t.Errorf("%.40q pasted in packets of %d is %.80q", pasted, size, got)
			}
		}
	}
	f := filter{}
	n := len(f.feed([]byte("\x1b[200~"), time.Now()))
	for range 300 {
		n += len(f.feed(make([]byte, 10_000), time.Now()))
	}
	if n > mostPaste+100 {
		t.Errorf("a paste without an end is %d bytes", n)
	}
	if got := string(f.feed([]byte{ctrlC}, time.Now())); got != pasteEnd+"\x03" {
		t.Errorf("ctrl+c ends it as %q", got)
	}
}

func TestTheAnswerIsSeen(t *testing.T) {
	for _, s := range []string{"\x1b[?62;22c", "\x1b[?6c", "\x1b[?1;2c", "\x9b?62c"} {
		if _, n := heard(t, 0, s); n != 1 {
			t.Errorf("%q is seen %d times", s, n)
		}
	}
	for _, s := range []string{"\x1b[c", "\x1b[>0c", "\x1b[1c"} {
		if _, n := heard(t, 0, s); n != 0 {
			t.Errorf("%q is taken for the answer", s)
		}
	}
}

// Whatever comes, in whatever packets, the library understands all of what goes on, and no
// more of it than came.
func FuzzFilter(f *testing.F) {
	for _, s := range nothings {
		f.Add([]byte(s+"j"), uint8(3))
	}
	for _, s := range []string{"\x1b[<0;5;6M\x1b[A\x1bOw", "\x1b[200~a\x1b[201~", "\x1b]11;rgb:1/2/3\x1b\\", "\x1b[M !!\x1b[[A", "ü\x1bü"} {
		f.Add([]byte(s), uint8(1))
	}
	f.Fuzz(func(t *testing.T, sent []byte, size uint8) {
		var packets []string
		for rest := string(sent); rest != ""; {
			n := min(int(size)+1, len(rest))
			packets = append(packets, rest[:n])
			rest = rest[n:]
		}
		for _, pause := range []time.Duration{0, 60 * time.Millisecond, 2 * time.Second} {
			if out, _ := heard(t, pause, packets...); len(out) > 3*len(sent)+3 {
				t.Errorf("%q is %q", sent, out)
			}
		}
	})
}
