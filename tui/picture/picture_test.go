package picture_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/picture"
)

// hostile is what a host may be called.
const hostile = `</text></svg><script>alert(1)</script><b onload="x">&#x3c;]]><!--`

func drawn(t testing.TB, w, h int, text string) picture.Picture {
	t.Helper()
	theme, err := themes.Load("dark", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := canvas.New(w, h, canvas.Full)
	for y := range h {
		st := themes.Token(y % int(themes.Background))
		switch y % 4 {
		case 1:
			st = st.Bold().On(themes.Surface)
		case 2:
			st = st.Reverse()
		case 3:
			st = st.Underline()
		}
		c.Root().Text(y%3, y, text, st)
	}
	return picture.Picture{Canvas: c, Theme: theme, Dark: true, Title: text}
}

// ours are the elements and attributes that a picture has.
var (
	elements   = []string{"svg", "title", "rect", "g", "path", "text", "style"}
	attributes = []string{
		"xmlns", "space", "viewBox", "width", "height", "role", "aria-labelledby", "font-family", "font-size", "id", "fill", "transform",
		"class", "d", "x", "textLength", "opacity", "visibility",
	}
)

// read parses a picture, and gives the text in it.
func read(svg []byte) (text string, err error) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	var all strings.Builder
	within := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			within = e.Name.Local
			if !slices.Contains(elements, within) {
				return "", errors.New("an element " + within)
			}
			for _, a := range e.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					return "", errors.New("an attribute " + a.Name.Local)
				}
			}
		case xml.CharData:
			if within == "text" {
				all.Write(e)
			}
		case xml.Comment, xml.ProcInst, xml.Directive:
			return "", errors.New("no element")
		}
	}
}

// Whatever names say is text in a picture.
func TestHostile(t *testing.T) {
	p := drawn(t, 100, 8, hostile)
	text, err := read(p.SVG())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(hostile, " ", "")); n != 8 {
		t.Errorf("%d of 8 rows have the name: %q", n, text)
	}
}

// A browser finds nothing in a picture but what was written there.
func TestChromium(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed: no browser looks at pictures")
	}
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	p := drawn(t, 100, 8, hostile)
	name := filepath.Join(t.TempDir(), "picture.svg")
	if err := os.WriteFile(name, p.SVG(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dom, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+name).Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := read(dom)
	if err != nil || !strings.Contains(strings.ReplaceAll(text, " ", ""), "<script>") {
		t.Errorf("%v: %s", err, dom)
	}
}

// A terminal shows of ANSI what the canvas has, and text is its rows.
func TestTerminal(t *testing.T) {
	const w, h = 90, 12
	p := drawn(t, w, h, "ab \u65e5\u672c \u2590\u2588\u2500\u28ff "+strings.Repeat("x", 40))
	emulator := vt.NewEmulator(w, h+1)
	if _, err := emulator.Write(bytes.ReplaceAll(p.ANSI(), []byte("\n"), []byte("\r\n"))); err != nil {
		t.Fatal(err)
	}
	for y := range h {
		for x := range w {
			want, got := p.Canvas.At(x, y), emulator.CellAt(x, y)
			if want.Rune != 0 && (got == nil || got.Content != string(want.Rune)) {
				t.Fatalf("at %d,%d: %v, not %q", x, y, got, want.Rune)
			}
		}
	}
	for y, row := range strings.Split(strings.TrimSuffix(string(p.Text()), "\n"), "\n") {
		if row != strings.TrimRight(p.Canvas.Rows()[y], " ") {
			t.Errorf("row %d: %q", y, row)
		}
	}
}

// The end of a name says the form; all have the same text.
func TestForms(t *testing.T) {
	p := drawn(t, 40, 3, "plain text")
	for name, begins := range map[string]string{"a.svg": "<svg ", "A.SVG": "<svg ", "a.ansi": "\x1b[", "a.ans": "\x1b[", "a.txt": "plain text\n"} {
		if data, err := p.Write(name); err != nil || !bytes.HasPrefix(data, []byte(begins)) || !picture.Knows(name) {
			t.Errorf("%s: %.40q, %v", name, data, err)
		}
	}
	for _, name := range []string{"a", "a.png", ".svgx", ""} {
		if _, err := p.Write(name); !errors.Is(err, picture.ErrForm) || picture.Knows(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestName(t *testing.T) {
	at := time.Date(2026, 11, 23, 3, 12, 0, 0, time.UTC)
	for scope, want := range map[string]string{
		"web01": "perfdeck-deck-web01-20261123-031200.svg", "": "perfdeck-deck-20261123-031200.svg",
		"../../etc/\x1bpasswd": "perfdeck-deck-etc-passwd-20261123-031200.svg", "\u65e5\u672c": "perfdeck-deck-20261123-031200.svg",
	} {
		if got := picture.Name("Deck", scope, at); got != want {
			t.Errorf("%q: %s", scope, got)
		}
	}
}

// What joins on the screen joins in the picture: lines and dots side by side are one line,
// and blocks reach the edges of their cells.
func TestJoins(t *testing.T) {
	for text, want := range map[string]string{
		"\u2500\u2500\u2500": "h24", "\u28ff\u28ff": "h13", "\u2588\u2588": "h8v17h-8zm8 0h8v17h-8z", "\u2584": "M0 -4.5h8v8.5h-8z",
	} {
		p := drawn(t, 10, 1, text)
		if svg := string(p.SVG()); !strings.Contains(svg, want) {
			t.Errorf("%s: no %s in %s", text, want, svg)
		}
	}
}

// A moving picture has each row once for as long as it stays, and all frames' text.
func TestMoving(t *testing.T) {
	a, b := drawn(t, 30, 3, "first"), drawn(t, 30, 3, "first")
	b.Canvas.Root().Text(0, 1, "other", themes.Text)
	svg := a.Moving([]*canvas.Canvas{a.Canvas, b.Canvas, b.Canvas}, time.Second)
	text, err := read(svg)
	if err != nil || strings.Count(text, "first") < 3 || strings.Count(text, "other") != 1 || bytes.Count(svg, []byte("@keyframes ")) != 2 {
		t.Errorf("%v, %q, %s", err, text, svg)
	}
}

// Whatever is drawn, a picture is well formed and holds nothing else.
func FuzzSVG(f *testing.F) {
	f.Add(hostile)
	f.Add("\u2500\u2503\u2550\u254b\u2571\u28ff\u2581\u2588\u2596\ufffe\uffff\U0001f600\u65e5\x00\x1b")
	f.Fuzz(func(t *testing.T, text string) {
		p := drawn(t, 60, 4, text)
		if _, err := read(p.SVG()); err != nil {
			t.Fatalf("%v: %s", err, p.SVG())
		}
	})
}

func BenchmarkSVG(b *testing.B) {
	p := drawn(b, 200, 60, strings.Repeat("CPU 12.5 % \u28ff\u2588\u2500 ", 15))
	for b.Loop() {
		p.SVG()
	}
}
