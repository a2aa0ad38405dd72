package main

import (
	"bufio"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/action"
	"perfdeck/session/record/note"
)

// printer writes notices to the output, in a goroutine of its own: whoever reads
// slowly does not hold up the alerts.
type printer struct {
	out     io.Writer
	json    bool
	queue   chan printed
	failed  chan struct{} // closed when writing failed
	problem error
	lost    atomic.Int64
	desktop action.Desktop
	isTerm  bool
	zone    *time.Location // of the lines
	program *program
}

// printed is a notice, a note or what is asked of the terminal.
type printed struct {
	notice  *alert.Notice
	note    *note.Note
	request action.Request
}

// mostUnprinted bounds what waits to be printed.
const mostUnprinted = 10_000

func newPrinter(p *program, json bool) *printer {
	return &printer{
		out: p.out, json: json, queue: make(chan printed, mostUnprinted), failed: make(chan struct{}), program: p, zone: time.Local,
		desktop: action.DesktopOf(p.environ), isTerm: !json && term.IsTerminal(int(p.out.Fd())),
	}
}

func (w *printer) print(n alert.Notice) { w.put(printed{notice: &n}) }

func (w *printer) put(what printed) {
	select {
	case w.queue <- what:
	default:
		w.lost.Add(1)
	}
}

// terminal takes what is asked of the terminal; nil if there is none.
func (w *printer) terminal() func(action.Request) {
	if !w.isTerm {
		return nil
	}
	return func(r action.Request) { w.put(printed{request: r}) }
}

func (w *printer) close() { close(w.queue) }

func (w *printer) err() error {
	if n := w.lost.Load(); n > 0 {
		w.program.report(fmt.Errorf("%s could not be printed in time", count(n, "event", "events")))
	}
	return unlessPipe(w.problem)
}

// hasFailed tells whether nobody reads what is printed.
func (w *printer) hasFailed() bool {
	select {
	case <-w.failed:
		return true
	default:
		return false
	}
}

// run prints until the queue is closed. After a failure it only empties it.
func (w *printer) run() {
	out := bufio.NewWriter(w.out)
	for what := range w.queue {
		if w.problem != nil {
			continue
		}
		err := w.write(out, what)
		if err == nil && len(w.queue) == 0 {
			err = out.Flush()
		}
		if err != nil {
			w.problem = fmt.Errorf("print events: %w", err)
			close(w.failed)
		}
	}
}

func (w *printer) write(out *bufio.Writer, what printed) error {
	switch n := what.notice; {
	case what.note != nil:
		return w.writeNote(out, what.note)
	case n == nil:
		_, err := out.Write(what.request.Sequences(w.desktop))
		return err
	case w.json:
		return writeJSON(out, action.MessageOf(n, 0))
	default:
		_, err := fmt.Fprintf(out, "%s %s\n", n.Time.In(w.zone).Format(time.RFC3339), session.Printable(n.Line()))
		return err
	}
}

// jsonNote is what watch --json prints of a note.
type jsonNote struct {
	Time  string `json:"time"`
	Event string `json:"event"` // "note"
	Text  string `json:"text"`
	By    string `json:"by"`
}

func (w *printer) writeNote(out io.Writer, n *note.Note) error {
	at := n.Time.In(w.zone)
	if w.json {
		return writeJSON(out, jsonNote{at.Format(time.RFC3339Nano), "note", n.Text, n.By})
	}
	by := ""
	if n.By != "" {
		by = " (" + n.By + ")"
	}
	_, err := fmt.Fprintf(out, "%s note: %s\n", at.Format(time.RFC3339), session.Printable(n.Text+by))
	return err
}
