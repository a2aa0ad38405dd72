package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"perfdeck/session"
)

// progressBar is a line on a terminal that says how far a run came.
type progressBar struct {
	out   *program // nil: no terminal
	came  func() (share float64, note string, ok bool)
	began time.Time
	shown time.Time
	drawn bool    // the line is there
	timed bool    // began is when the share was start
	start float64 // the share when the line was drawn first
}

// Progress is shown after a while, and not more often than this.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 200 * time.Millisecond
	progressCells = 30
)

// newProgress is the progress of a run. came tells the share that is done, 0 to 1,
// and what to say beside it, if it is known.
func (p *program) newProgress(came func() (share float64, note string, ok bool)) *progressBar {
	g := &progressBar{came: came, began: time.Now()}
	if term.IsTerminal(int(p.err.Fd())) {
		g.out = p
	}
	return g
}

// show draws the line if it is time to.
func (g *progressBar) show() {
	if g.out == nil {
		return
	}
	now := time.Now()
	if !g.timed && now.Sub(g.began) < progressAfter || now.Sub(g.shown) < progressEvery {
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
	cells := int(share * progressCells)
	line := fmt.Sprintf("[%s%s] %3.0f %%", strings.Repeat("#", cells), strings.Repeat(".", progressCells-cells), share*100)
	if done, took := share-g.start, now.Sub(g.began); done > 0 {
		line += fmt.Sprintf(", %s left", time.Duration((1-share)/done*float64(took)).Round(time.Second))
	}
	if note != "" {
		line += ", " + session.Printable(note)
	}
	if width, _, err := term.GetSize(int(g.out.err.Fd())); err == nil && width > 1 {
		line = ansi.Truncate(line, width-1, "") // a line that wraps is not taken away
	}
	g.drawn = true
	fmt.Fprintf(g.out.err, "\r%s\x1b[K", line)
}

// clear takes the line away.
func (g *progressBar) clear() {
	if g.drawn {
		g.drawn = false
		fmt.Fprint(g.out.err, "\r\x1b[K")
	}
}
