package canvas

import (
	"bytes"
	"fmt"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"perfdeck/themes"
)

// vtShows compares an independent emulator with the canvas, text and style.
func vtShows(term *vt.SafeEmulator, c *Canvas, sheet *themes.Sheet) error {
	reference := map[themes.Style]uv.Style{}
	for y := range c.h {
		for x := range c.w {
			want := c.At(x, y)
			if want.Rune == continuation {
				continue
			}
			char, look := " ", uv.Style{}
			if got := term.CellAt(x, y); got != nil && got.Content != "" {
				char, look = got.Content, got.Style
			}
			if char != string(want.Rune) {
				return fmt.Errorf("at %d,%d: emulator shows %q, canvas has %q", x, y, char, want.Rune)
			}
			expect, ok := reference[want.Style]
			if !ok {
				probe := vt.NewEmulator(2, 1)
				_, _ = probe.Write(append(sheet.AppendChange(nil, themes.Pen{}, sheet.Pen(want.Style)), 'x'))
				expect = probe.CellAt(0, 0).Style
				reference[want.Style] = expect
			}
			if vtVisible(look, want.Rune) != vtVisible(expect, want.Rune) {
				return fmt.Errorf("at %d,%d: emulator shows %q as %v, canvas wants %v", x, y, char, vtVisible(look, want.Rune), vtVisible(expect, want.Rune))
			}
		}
	}
	return nil
}

// vtLook is what shows of a style; colours are packed, 0 being none.
type vtLook struct {
	fg, bg       uint64
	attrs        uint8
	isUnderlined bool
}

func vtVisible(st uv.Style, char rune) vtLook {
	look := vtLook{colourOf(st.Fg), colourOf(st.Bg), st.Attrs, st.Underline != 0}
	if char == ' ' {
		look.attrs &^= uv.AttrBold
		if look.attrs == 0 && !look.isUnderlined {
			look.fg = 0
		}
	}
	return look
}

func colourOf(c color.Color) uint64 {
	if c == nil {
		return 0
	}
	r, g, b, _ := c.RGBA()
	return 1<<48 | uint64(r)<<32 | uint64(g)<<16 | uint64(b)
}

func TestEmulatorShowsTheCanvas(t *testing.T) {
	for n := range 64 {
		caps := capsFrom(n)
		if caps.Sync != caps.ShiftChars {
			continue
		}
		sheet := testSheet(t, themes.Profile(n/16))
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		w, h := 1+rng.IntN(80), 1+rng.IntN(10)
		term := vt.NewSafeEmulator(w, h)
		painter := NewPainter(term, sheet, caps)
		c := New(w, h, Full)
		for frame := range 12 {
			for range rng.IntN(4) {
				scribble(c, rng)
			}
			if err := painter.Paint(c); err != nil {
				t.Fatal(err)
			}
			if err := vtShows(term, c, sheet); err != nil {
				t.Fatalf("%+v %dx%d frame %d: %v", caps, w, h, frame, err)
			}
		}
	}
}

type stockModel struct{ content string }

func (m stockModel) Init() tea.Cmd { return nil }

func (m stockModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.WindowSizeMsg); ok {
		return m, tea.Quit
	}
	return m, nil
}

func (m stockModel) View() tea.View {
	v := tea.NewView(m.content)
	v.AltScreen = true
	return v
}

// leaveAlt is where the stock renderer gives the screen back.
const leaveAlt = "\x1b[?1049l"

func TestStockRendererShowsTheSame(t *testing.T) {
	sheet := testSheet(t, themes.TrueColour)
	d := newDeck(100)
	c := New(100, 24, Full)
	d.draw(c)
	c.Root().Text(3, 20, "日本語 after wide", themes.Critical.Bold().On(themes.Selection))

	var out bytes.Buffer
	program := tea.NewProgram(stockModel{c.Styled(sheet)}, tea.WithInput(nil), tea.WithOutput(&out),
		tea.WithWindowSize(100, 24), tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignalHandler(),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	done := time.AfterFunc(20*time.Second, program.Kill)
	defer done.Stop()
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	stream, _, _ := strings.Cut(out.String(), leaveAlt)
	stock := vt.NewSafeEmulator(100, 24)
	_, _ = stock.Write([]byte(strings.ReplaceAll(stream, "\n", "\r\n")))
	if err := vtShows(stock, c, sheet); err != nil {
		t.Errorf("stock renderer: %v", err)
	}
}
