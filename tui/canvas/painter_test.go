package canvas

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"perfdeck/themes"
)

func testSheet(tb testing.TB, profile themes.Profile) *themes.Sheet {
	tb.Helper()
	theme, err := themes.Load(themes.Default, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return theme.Sheet(profile, true)
}

// capsFrom spreads the low bits of n over the abilities.
func capsFrom(n int) Caps {
	return Caps{Sync: n&1 != 0, Rep: n&2 != 0, ShiftChars: n&4 != 0, BCE: n&8 != 0}
}

var alphabets = []string{
	"abc 0123456789.%  ",
	"▁▂▃▄▅▆▇",
	"▁▁▁▁▂",
	"─━│┌┐",
	"日本語한글😀",
	"é̀य\u0301ا\u200b\x1b\x07\u202e🇦",
	"        ",
}

var someStyles = []themes.Style{
	0, themes.Accent, themes.Strong.Bold(), themes.Critical.Bold(),
	themes.Text.On(themes.Header), themes.Muted.On(themes.Selection),
	themes.Spark, themes.Text.Reverse(), themes.Focus.Underline(),
}

// scribble changes a canvas at random, in the ways that screens do.
func scribble(c *Canvas, rng *rand.Rand) {
	root := c.Root()
	st := someStyles[rng.IntN(len(someStyles))]
	x, y := rng.IntN(c.w+4)-2, rng.IntN(c.h+2)-1
	w, h := rng.IntN(c.w+1), rng.IntN(c.h+1)
	switch rng.IntN(9) {
	case 0, 1, 2:
		letters := []rune(alphabets[rng.IntN(len(alphabets))])
		var b strings.Builder
		for range rng.IntN(c.w + 3) {
			b.WriteRune(letters[rng.IntN(len(letters))])
		}
		root.Sub(x, y, w, h).Text(rng.IntN(5)-2, 0, b.String(), st)
	case 3, 4: // a sparkline moves left
		if y >= 0 && y < c.h && !hasWide(c.row(y)) {
			row, by := c.row(y), 1+rng.IntN(3)
			from := max(0, x)
			to := min(len(row), from+w)
			if to-from > by {
				copy(row[from:to], row[from+by:to])
				row[to-1] = pack('▅', st)
			}
		}
	case 5:
		root.Fill(x, y, w, h, []rune(" ─#")[rng.IntN(3)], st)
	case 6:
		root.SetBackground(x, y, w, 1, themes.Selection)
	case 7:
		root.Restyle(x, y, w, h, st)
	case 8:
		if rng.IntN(6) == 0 {
			c.Clear(st)
		}
	}
}

func TestTerminalShowsTheCanvas(t *testing.T) {
	for n := range 64 {
		caps := capsFrom(n)
		profile := themes.Profile(n / 16)
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		sheet := testSheet(t, profile)
		for range 6 {
			w, h := 1+rng.IntN(70), 1+rng.IntN(8)
			term := newStrictTerm(w, h, caps)
			painter := NewPainter(term, sheet, caps)
			c := New(w, h, Full)
			for frame := range 40 {
				for range rng.IntN(4) {
					scribble(c, rng)
				}
				if rng.IntN(15) == 0 {
					painter.Invalidate()
				}
				if err := painter.Paint(c); err != nil {
					t.Fatalf("%+v profile %d %dx%d frame %d: %v", caps, profile, w, h, frame, err)
				}
				if err := term.compare(c, sheet); err != nil {
					t.Fatalf("%+v profile %d %dx%d frame %d: %v", caps, profile, w, h, frame, err)
				}
			}
		}
	}
}

func FuzzPaint(f *testing.F) {
	f.Add(uint64(1), 20, 4, 15)
	f.Add(uint64(2), 1, 1, 0)
	f.Fuzz(func(t *testing.T, seed uint64, w, h, n int) {
		w, h = 1+int(uint(w)%90), 1+int(uint(h)%10)
		rng := rand.New(rand.NewPCG(seed, 1))
		caps := capsFrom(n)
		sheet := testSheet(t, themes.Profile(uint(n>>4)%4))
		term := newStrictTerm(w, h, caps)
		painter := NewPainter(term, sheet, caps)
		c := New(w, h, Full)
		for range 12 {
			for range rng.IntN(5) {
				scribble(c, rng)
			}
			if err := painter.Paint(c); err != nil {
				t.Fatal(err)
			}
			if err := term.compare(c, sheet); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestResizeRepaints(t *testing.T) {
	sheet := testSheet(t, themes.TrueColour)
	c := New(0, 0, Full)
	var out bytes.Buffer
	painter := NewPainter(&out, sheet, Caps{BCE: true})
	for _, size := range [][2]int{{80, 24}, {1, 1}, {0, 0}, {0, 5}, {5, 0}, {2, 1}, {80, 24}, {-3, -1}, {79, 24}} {
		c.Resize(size[0], size[1])
		c.Root().Text(0, 0, "hello, 世界", 0)
		out.Reset()
		if err := painter.Paint(c); err != nil {
			t.Fatal(err)
		}
		w, h := c.Size()
		if w*h == 0 {
			if out.Len() != 0 {
				t.Errorf("%v: wrote %q", size, out.String())
			}
			continue
		}
		term := newStrictTerm(w, h, Caps{BCE: true})
		if _, err := term.Write(out.Bytes()); err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		if err := term.compare(c, sheet); err != nil {
			t.Errorf("%v: %v", size, err)
		}
	}
}

func TestUnchangedFrameWritesNothing(t *testing.T) {
	var out bytes.Buffer
	painter := NewPainter(&out, testSheet(t, themes.TrueColour), Caps{Sync: true})
	c := New(80, 24, Full)
	c.Root().Text(3, 3, "steady", 0)
	for range 2 {
		out.Reset()
		if err := painter.Paint(c); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() != 0 {
		t.Errorf("wrote %q", out.String())
	}
	if s := painter.Stats(); s.Frames != 1 || s.Bytes == 0 {
		t.Errorf("stats %+v", s)
	}
}

type countingWriter struct {
	writes int
	err    error
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	return len(p), w.err
}

func TestOneWriteAFrameAndRepaintAfterAnError(t *testing.T) {
	out := &countingWriter{err: errors.New("gone")}
	painter := NewPainter(out, testSheet(t, themes.Colours16), Caps{})
	c := New(80, 24, Full)
	c.Root().Fill(0, 0, 80, 24, 'x', 0)
	if err := painter.Paint(c); !errors.Is(err, out.err) {
		t.Fatalf("err = %v", err)
	}
	out.err = nil
	before := painter.Stats().Bytes
	if err := painter.Paint(c); err != nil {
		t.Fatal(err)
	}
	if got := painter.Stats().Bytes - before; got < 80*24 {
		t.Errorf("repainted with %d bytes only", got)
	}
	if out.writes != 2 {
		t.Errorf("%d writes for two frames", out.writes)
	}
}

// deckOf draws rows of a value and a sparkline of 60 cells, two columns.
type deckOf struct {
	values [48][]float32
	text   [48]string
	rng    *rand.Rand
}

func newDeck(samples int) *deckOf {
	d := &deckOf{rng: rand.New(rand.NewPCG(5, 5))}
	for range samples {
		d.tick()
	}
	return d
}

func (d *deckOf) tick() {
	for i := range d.values {
		v := float32(50)
		if n := len(d.values[i]); n > 0 {
			v = d.values[i][n-1]
		}
		v = max(0, min(100, v+(d.rng.Float32()-.5)*30+(50-v)*.05))
		d.values[i] = append(d.values[i], v)
		if len(d.values[i]) > 200 {
			d.values[i] = append(d.values[i][:0], d.values[i][100:]...)
		}
		d.text[i] = fmt.Sprintf("%.1f", v)
	}
}

func (d *deckOf) draw(c *Canvas) {
	c.Clear(0)
	root := c.Root()
	signs := c.Glyphs().Glyphs().Spark
	for i := range d.values {
		x, y := i%2*80, i/2
		root.Text(x+1, y, "% Processor", themes.Text)
		root.Right(x+12, y, 7, d.text[i], themes.Strong.Bold())
		values := d.values[i][max(0, len(d.values[i])-59):]
		for k, v := range values {
			root.Put(x+20+59-len(values)+k, y, signs[min(Levels-1, int(v/100*Levels))], themes.Spark)
		}
	}
}

func TestScrollingSparklinesAreCheap(t *testing.T) {
	caps := Caps{Sync: true, ShiftChars: true, BCE: true}
	sheet := testSheet(t, themes.TrueColour)
	c := New(160, 24, Full)
	d := newDeck(100)
	term := newStrictTerm(160, 24, caps)
	painter := NewPainter(term, sheet, caps)
	const frames = 30
	var first uint64
	for frame := range frames + 1 {
		d.draw(c)
		if err := painter.Paint(c); err != nil {
			t.Fatal(err)
		}
		if err := term.compare(c, sheet); err != nil {
			t.Fatal(err)
		}
		if frame == 0 {
			first = painter.Stats().Bytes
		}
		d.tick()
	}
	perFrame := (painter.Stats().Bytes - first) / frames
	t.Logf("first frame %d bytes, then %d a frame", first, perFrame)
	if perFrame > 2150 {
		t.Errorf("%d bytes a frame", perFrame)
	}
}

func TestCapsOfKnownTerminals(t *testing.T) {
	for term, want := range map[string]Caps{
		"":               {},
		"dumb":           {},
		"vt220":          {},
		"xterm-256color": {ShiftChars: true, BCE: true},
		"xterm-kitty":    {Rep: true, ShiftChars: true, BCE: true},
		"tmux-256color":  {ShiftChars: true},
		"linux":          {ShiftChars: true, BCE: true},
	} {
		if got := CapsOf(term); got != want {
			t.Errorf("CapsOf(%q) = %+v", term, got)
		}
	}
}

func TestPaintAllocatesNothing(t *testing.T) {
	painter := NewPainter(io.Discard, testSheet(t, themes.TrueColour), Caps{ShiftChars: true, BCE: true})
	c, d := New(160, 24, Full), newDeck(100)
	d.draw(c)
	if err := painter.Paint(c); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	if n := testing.AllocsPerRun(50, func() {
		d.draw(c)
		c.Root().Repeat(rng.IntN(100), rng.IntN(20), 20, 'x', themes.Accent)
		if err := painter.Paint(c); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func BenchmarkPaintUnchanged(b *testing.B) {
	painter := NewPainter(io.Discard, testSheet(b, themes.TrueColour), Caps{ShiftChars: true, BCE: true})
	c := New(200, 60, Full)
	c.Root().Fill(0, 0, 200, 60, 'x', 0)
	b.ReportAllocs()
	for b.Loop() {
		_ = painter.Paint(c)
	}
}

func BenchmarkPaintScrollingDeck(b *testing.B) {
	painter := NewPainter(io.Discard, testSheet(b, themes.TrueColour), Caps{Sync: true, ShiftChars: true, BCE: true})
	d := newDeck(100)
	frames := make([]*Canvas, 16)
	for i := range frames {
		frames[i] = New(160, 24, Full)
		d.draw(frames[i])
		d.tick()
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = painter.Paint(frames[i%len(frames)])
	}
	s := painter.Stats()
	b.ReportMetric(float64(s.Bytes)/float64(s.Frames), "wireB/frame")
}

func BenchmarkDrawDeck(b *testing.B) {
	c, d := New(160, 24, Full), newDeck(100)
	b.ReportAllocs()
	for b.Loop() {
		d.draw(c)
	}
}

func BenchmarkText(b *testing.B) {
	root := New(80, 24, Full).Root()
	b.ReportAllocs()
	for b.Loop() {
		root.Left(3, 3, 30, "% Privileged Time sqlservr", 0)
	}
}

// A frame that has no room is written in pieces: what stands in the terminal is what the painter
// takes it to be after each, and what is wanted by then in the end.
func TestPaintWithin(t *testing.T) {
	for n := range 64 {
		caps := capsFrom(n)
		rng := rand.New(rand.NewPCG(uint64(n), 9))
		sheet := testSheet(t, themes.Profile(n/16))
		for range 6 {
			w, h := 1+rng.IntN(70), 1+rng.IntN(8)
			term := newStrictTerm(w, h, caps)
			painter := NewPainter(term, sheet, caps)
			c := New(w, h, Full)
			for frame := range 40 {
				for range rng.IntN(4) {
					scribble(c, rng)
				}
				room := []int{1, 20, 100, Unbounded}[rng.IntN(4)]
				for piece := range rng.IntN(3) * 1000 {
					all, err := painter.PaintWithin(c, room)
					if err != nil {
						t.Fatal(err)
					}
					known := c
					if !all {
						known = &Canvas{w: w, h: h, cells: painter.shown}
					}
					if err := term.compare(known, sheet); err != nil {
						t.Fatalf("%+v %dx%d frame %d, piece %d: %v", caps, w, h, frame, piece, err)
					}
					if all {
						break
					}
					if piece == 999 {
						t.Fatalf("%+v %dx%d frame %d: it never ends", caps, w, h, frame)
					}
				}
			}
		}
	}
}
