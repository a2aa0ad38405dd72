package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/term"

	"perfdeck/session/alert"
	"perfdeck/session/deliver/action"
	"perfdeck/session/files/note"
	"perfdeck/session/system/output"
	"perfdeck/session/system/service"
	"perfdeck/session/system/tty"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// printer writes notices to the output: whoever reads slowly does not hold up the alerts.
type printer struct {
	*output.Queue[printed]

	out     *output.Patient
	waited  bool // until something could be printed, as was told; of who runs the queue
	json    bool
	isTerm  bool
	desktop action.Desktop
	zone    *time.Location // of the lines
	journal service.Lead   // of the lines; nothing elsewhere: they have their time
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
	w := &printer{json: json, zone: time.Local, desktop: action.DesktopOf(p.environ), isTerm: !json && term.IsTerminal(int(p.out.Fd()))}
	if lead := service.LeadOf(p.out, p.getenv); lead.IsJournal() {
		w.journal = lead
	}
	w.out = output.NewPatient(p.out, func(err error) (waits bool) {
		if waits = !tty.IsGone(err) && !w.isTerm; waits {
			w.waited = true
			p.report(fmt.Errorf("print events: %w: alerts go on, and are printed as soon as they can be", err))
		}
		return waits
	})
	w.Queue = output.New(w.out, mostUnprinted, w.write)
	return w
}

// Close ends it when what can be printed is.
func (w *printer) Close() {
	w.out.End()
	w.Queue.Close()
}

func (w *printer) print(n alert.Notice) { w.Put(printed{notice: &n}) }

// Note prints what somebody wrote down.
func (w *printer) Note(n *note.Note) { w.Put(printed{note: n}) }

// terminal takes what is asked of the terminal; nil if there is none.
func (w *printer) terminal() func(action.Request) {
	if !w.isTerm {
		return nil
	}
	return func(r action.Request) { w.Put(printed{request: r}) }
}

// ended tells what was not printed. The error is why nothing could be, but that nobody read.
func (w *printer) ended(report func(error) int) error {
	if n := w.Lost(); n > 0 {
		report(fmt.Errorf("%s could not be printed in time", english.Count(n, "event", "events")))
	}
	switch err := w.Err(); {
	case err == nil || tty.IsGone(err):
		return nil
	case w.waited:
		return errUnprinted
	default:
		return fmt.Errorf("print events: %w", err)
	}
}

var errUnprinted = errors.New("print events: the last were not printed")

func (w *printer) write(out *bufio.Writer, what printed) error {
	switch n := what.notice; {
	case what.note != nil:
		return w.writeNote(out, what.note)
	case n == nil:
		_, err := out.Write(what.request.Sequences(w.desktop))
		return err
	case w.json:
		return printable.WriteJSON(out, action.MessageOf(n, 0))
	default:
		_, err := fmt.Fprintf(out, "%s%s %s\n", w.journal.Of(action.PriorityOf(n)), n.Time.In(w.zone).Format(time.RFC3339), printable.Text(n.Line()))
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
		return printable.WriteJSON(out, jsonNote{at.Format(time.RFC3339Nano), "note", n.Text, n.By})
	}
	by := ""
	if n.By != "" {
		by = " (" + n.By + ")"
	}
	_, err := fmt.Fprintf(out, "%s note: %s\n", at.Format(time.RFC3339), printable.Text(n.Text+by))
	return err
}
