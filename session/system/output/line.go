package output

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"perfdeck/session/text/printable"
)

// Line shows on a terminal how something goes that runs on, in one line.
type Line struct {
	out    *os.File
	isTerm bool

	mu    sync.Mutex
	shown bool
	last  time.Time
	line  string
}

// NewLine makes a line of a terminal; of what is none, or is dumb, nothing is drawn.
func NewLine(out *os.File, dumb bool) *Line {
	return &Line{out: out, isTerm: term.IsTerminal(int(out.Fd())) && !dumb}
}

// IsTerminal tells that it is seen.
func (w *Line) IsTerminal() bool { return w.isTerm }

// LineEvery is how often the line is drawn at most.
const LineEvery = 500 * time.Millisecond

// Show draws the line if it is time to.
func (w *Line) Show(text func() string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isTerm || time.Since(w.last) < LineEvery {
		return
	}
	w.last = time.Now()
	w.line = text()
	w.draw()
}

func (w *Line) draw() {
	width, _, err := term.GetSize(int(w.out.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	fmt.Fprintf(w.out, "\r%s\x1b[K", ansi.Truncate(printable.Text(w.line), width-1, "..."))
	w.shown = true
}

func (w *Line) clear() {
	if w.shown {
		fmt.Fprint(w.out, "\r\x1b[K")
		w.shown = false
	}
}

// Around lets something else be printed.
func (w *Line) Around(other func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	again := w.shown
	w.clear()
	other()
	if again {
		w.draw()
	}
}

// End takes the line away.
func (w *Line) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clear()
}

// Progress is how far something is, for who draws it. Any goroutine may use it.
type Progress struct{ at, of atomic.Int64 }

// Set notes how far it is, and of how much.
func (p *Progress) Set(at, of int64) {
	p.at.Store(at)
	p.of.Store(of)
}

// Get is how far it was at last.
func (p *Progress) Get() (at, of int64) { return p.at.Load(), p.of.Load() }
