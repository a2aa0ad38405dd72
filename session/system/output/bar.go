package output

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Bar is a line on a terminal that says how far a run came. One goroutine uses it.
type Bar struct {
	out   *os.File // nil: no terminal
	came  func() (share float64, note string, ok bool)
	began time.Time
	shown time.Time
	drawn bool    // the line is there
	timed bool    // began is when the share was start
	start float64 // the share when the line was drawn first
}

// A bar is shown after a while, and not more often than this.
const (
	barAfter = 500 * time.Millisecond
	barEvery = 200 * time.Millisecond
	barCells = 30
)

// NewBar is the progress of a run on a terminal; of what is none, nothing is drawn. came tells the
// share that is done, 0 to 1, and what to say beside it, if it is known.
func NewBar(out *os.File, came func() (share float64, note string, ok bool)) *Bar {
	g := &Bar{came: came, began: time.Now()}
	if term.IsTerminal(int(out.Fd())) {
		g.out = out
	}
	return g
}

// IsTerminal tells that it is seen.
func (g *Bar) IsTerminal() bool { return g.out != nil }

// Show draws the line if it is time to.
func (g *Bar) Show() {
	if g.out == nil {
		return
	}
	now := time.Now()
	if !g.timed && now.Sub(g.began) < barAfter || now.Sub(g.shown) < barEvery {
		return
	}
	g.shown = now
	share, note, ok := g.came()
	if !ok {
		return
	}
	share = min(max(share, 0), 1)
	if !g.timed {
		g.timed, g.start, g.began = true, share, now
	}
	cells := int(share * barCells)
	line := fmt.Sprintf("[%s%s] %3.0f %%", strings.Repeat("#", cells), strings.Repeat(".", barCells-cells), share*100)
	if done, took := share-g.start, now.Sub(g.began); done > 0 {
		line += fmt.Sprintf(", %s left", english.Age(time.Duration((1-share)/done*float64(took))))
	}
	if note != "" {
		line += ", " + printable.Text(note)
	}
	if width, _, err := term.GetSize(int(g.out.Fd())); err == nil && width > 1 {
		line = ansi.Truncate(line, width-1, "") // a line that wraps is not taken away
	}
	g.drawn = true
	fmt.Fprintf(g.out, "\r%s\x1b[K", line)
}

// Clear takes the line away.
func (g *Bar) Clear() {
	if g.drawn {
		g.drawn = false
		fmt.Fprint(g.out, "\r\x1b[K")
	}
}
