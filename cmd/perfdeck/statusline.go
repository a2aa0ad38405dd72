package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"perfdeck/session"
)

// statusLine shows on a terminal how something goes that runs on, in one line.
type statusLine struct {
	program *program
	isTerm  bool

	mu    sync.Mutex
	shown bool
	last  time.Time
	line  string
}

func (p *program) newStatusLine() *statusLine {
	return &statusLine{program: p, isTerm: term.IsTerminal(int(p.err.Fd())) && p.getenv("TERM") != "dumb"}
}

// lineEvery is how often the line is drawn at most.
const lineEvery = 500 * time.Millisecond

// show draws the line if it is time to.
func (w *statusLine) show(text func() string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isTerm || time.Since(w.last) < lineEvery {
		return
	}
	w.last = time.Now()
	w.line = text()
	w.draw()
}

func (w *statusLine) draw() {
	width, _, err := term.GetSize(int(w.program.err.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	fmt.Fprintf(w.program.err, "\r%s\x1b[K", ansi.Truncate(session.Printable(w.line), width-1, "..."))
	w.shown = true
}

func (w *statusLine) clear() {
	if w.shown {
		fmt.Fprint(w.program.err, "\r\x1b[K")
		w.shown = false
	}
}

// around lets something else be printed.
func (w *statusLine) around(other func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	again := w.shown
	w.clear()
	other()
	if again {
		w.draw()
	}
}

// end takes the line away.
func (w *statusLine) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clear()
}
