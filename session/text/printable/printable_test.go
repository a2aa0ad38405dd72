package printable

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "svchost", "svchost"},
		{"empty", "", ""},
		{"wide", "日本語 プロセス", "日本語 プロセス"},
		{"combining", "e\u0301", "e\u0301"},
		{"right to left letters", "שלום", "שלום"},
		{"escape", "\x1b[2J", "?[2J"},
		{"title", "\x1b]0;x\x07", "?]0;x?"},
		{"C0", "a\x00b\nc\rd\te", "a?b?c?d?e"},
		{"DEL", "a\x7f", "a?"},
		{"C1", "a\u0080\u009b2J\u009f", "a??2J?"},
		{"no-break space", "a\u00a0b", "a\u00a0b"},
		{"separators", "a\u2028b\u2029c", "a?b?c"},
		{"bidi embedding", "\u202aa\u202bb\u202cc\u202dd\u202e", "?a?b?c?d?"},
		{"bidi isolate", "\u2066a\u2067b\u2068c\u2069", "?a?b?c?"},
		{"bidi marks", "\u200ea\u200fb\u061cc", "?a?b?c"},
		{"zero width", "a\u200bb\ufeffc", "a?b?c"},
		{"tags", "a\U000E0041", "a?"},
		{"private use", "a\ue000\U000F0000", "a??"},
		{"replacement", "a\ufffdb", "a\ufffdb"},
		{"broken bytes", "a\xffb\xc3", "a?b?"},
		{"raw C1 byte", "\x9b2J", "?2J"},
		{"surrogate", "\xed\xa0\x80", "???"},
		{"overlong", "\xc0\x9b", "??"},
		{"beyond Unicode", "\xf4\x90\x80\x80", "????"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPrintableLeavesCleanTextAlone(t *testing.T) {
	text := strings.Repeat("clean 広い текст ", 50)
	if n := testing.AllocsPerRun(20, func() { text = Text(text) }); n != 0 {
		t.Errorf("%v allocations for clean text", n)
	}
}

func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "svchost", "\x1b[2J", "\u202e\u009b", "\xff\xed\xa0\x80", "日本語\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := Text(s)
		if !utf8.ValidString(out) {
			t.Fatalf("%q became broken %q", s, out)
		}
		for _, r := range out {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
				t.Fatalf("%U survived in %q", r, out)
			}
		}
		if Text(out) != out {
			t.Fatalf("%q is not clean: %q", out, Text(out))
		}
		if len(out) > len(s) {
			t.Fatalf("%q grew to %q", s, out)
		}
	})
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"abcd", 1, "…"}, {"\xff\xff\xff", 2, "\xff…"}} {
		if got := Shorten(c.text, c.most); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

// JSON of ours keeps the limits of rules readable, and steers no terminal.
func TestJSONLine(t *testing.T) {
	plain, err := JSON(map[string]string{"when": `\A\B>3 & <4`})
	if want := `{"when":"\\A\\B>3 & <4"}`; err != nil || string(plain) != want {
		t.Errorf("%s, %v", plain, err)
	}
	line, err := JSONLine("a\u202eb")
	if want := `"a` + `\u202e` + `b"` + "\n"; err != nil || string(line) != want {
		t.Errorf("%q, %v", line, err)
	}
	if _, err := JSONLine(func() {}); err == nil {
		t.Error("what is no JSON is written")
	}
}
