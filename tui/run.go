// Package tui is the screens: one bubbletea program whose panes draw on a
// canvas, and the painter that brings the canvas to the terminal.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/tty"
	"perfdeck/session/text/words"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/browser"
	"perfdeck/tui/pane/replay"
	"perfdeck/tui/terminal"
)

// Settings are what may change while the screens are shown.
type Settings struct {
	Interval        time.Duration
	Numbers         *pane.Numbers // how numbers are written; nil: the default
	Theme           *themes.Theme
	Dark            bool
	FixedBackground bool // do not ask the terminal
	Glyphs          canvas.GlyphSet
	LowBandwidth    bool           // draw values seldom, sparklines in place
	Keys            *keys.Map      // as the user has them; nil: as they are
	Decks           []session.Deck // of the config
	Words           words.Book     // what the user calls counters
}

// Options say what is shown and how.
type Options struct {
	Settings
	Subject
	Replayed
	Memory
	Actions
	pane.Company // AlertsChanged and NotesChanged of the Session tell of news
	Display
	Runtime
}

// Subject is what the screens are of, and begin with.
type Subject struct {
	Hosts []*pane.Host
	// Manifests are browsed beside the hosts, which need not have them. The screens
	// begin with them, unless Paths or Deck say otherwise.
	Manifests []browser.Manifest
	Paths     []string // of the first deck; empty: the default deck
	Deck      string   // the name of the deck that is shown first; empty: the default
}

// Replayed is a recording that is shown; zero: the screens are live.
type Replayed struct {
	Replay  replay.Controller // its position is the time of all screens
	Archive pane.Archive      // all that the recording has, for who looks at all of it
}

// Memory is what earlier runs left, and what this one leaves.
type Memory struct {
	Kept *session.Saved // nil: nothing is kept
	Keep func(*session.Saved) error
	// Noted is what the Log has to say from the beginning.
	Noted []pane.Entry
	// Logged is what it has besides of a recording, oldest first: nobody is told of it.
	Logged []pane.Entry
	// KeepLog is called with what the Log gets; nil: nobody keeps it.
	KeepLog func(pane.Entry)
}

// Note has the Log say something from the beginning.
func (o *Memory) Note(at time.Time, level pane.Level, text string) {
	o.Noted = append(o.Noted, pane.Entry{Time: at, Level: level, Text: text})
}

// Actions are what the user can do beyond the screens.
type Actions struct {
	User string // who acts
	// Connect opens hosts by what the user typed, and starts to watch them; it may
	// be called several times at once. A *session.NoAccountError tells for which of them
	// the user has to name an account. Nil: none can be added.
	Connect func(pane.AddHosts) ([]*pane.Host, error)
	// Signal sends a signal, one of Signals, to a process of this computer.
	Signal  func(process session.InstanceKey, name string) error
	Signals []string
}

// Display is the terminal, and what is known of it.
type Display struct {
	In, Out *os.File
	Environ []string
	Profile themes.Profile
	Caps    canvas.Caps
	Mouse   bool
	Stock   bool                 // bubbletea's renderer instead of our painter
	Themes  func() []themes.Info // the themes there are
}

// Runtime is what the screens work with.
type Runtime struct {
	Guard *guard.Guard
	Now   func() time.Time
	// Aligned is called as bubbletea's ticker begins, which ticks each second: what else
	// does may do so with it. Nil: nobody asks.
	Aligned func()
	// Attended is called about each second, along with what the screens do then, so that
	// what else looks around wakes nothing by itself. It must not block. Nil: nobody asks.
	Attended func()
	// Changed gives settings that changed since the last call, or what is wrong
	// with them; both nil: nothing changed. Nil: they never do.
	Changed func() (*Settings, error)
}

// Session is a run of the screens on a terminal. Those that work beside it have it from before
// it is open, and tell it things from any goroutine. What they tell it too early is not shown.
type Session struct {
	options Options
	root    *root
	input   *terminal.Input
	term    *terminal.Terminal          // nil with bubbletea's renderer
	program atomic.Pointer[tea.Program] // nil before Run
}

// Open prepares the screens. It changes nothing on the terminal yet.
func (s *Session) Open(o Options) error {
	s.options, s.root = o, newRoot(o)
	if o.Stock {
		s.input = terminal.NewInput(o.In)
		s.root.output = &rendered{sheet: s.root.sheet(), mouse: o.Mouse, input: s.input, watch: s.watch}
		return nil
	}
	t, err := terminal.Open(o.In, o.Out, terminal.Options{
		Title: s.root.windowTitle(), Mouse: o.Mouse, Focus: true, Paste: true, Query: true,
	})
	if err != nil {
		return err
	}
	s.term, s.input = t, t.Input()
	line := tty.NewLine(t, t.Input(), time.Now) // not of replays or tests: what passes by while it is written
	s.root.output = &painted{
		term: t, line: line, painter: canvas.NewPainter(line, s.root.sheet(), o.Caps),
		fail: func(err error) { s.Stop(fmt.Errorf("write to the terminal: %w", err)) },
	}
	return nil
}

// Run shows the screens until the user quits, Stop is called or ctx ends.
func (s *Session) Run(ctx context.Context) error {
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(s.input), tea.WithOutput(s.options.Out),
		tea.WithEnvironment(s.options.Environ), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
	}
	if s.term != nil {
		// Its ticker has nothing to do: let it tick as seldom as it can.
		options = append(options, tea.WithoutRenderer(), tea.WithFPS(1))
	}
	program := tea.NewProgram(s.root, options...)
	s.program.Store(program)
	if s.term != nil {
		if err := s.enter(ctx); err != nil {
			return err
		}
	}
	defer s.input.Unwatch()
	defer func() {
		if ctx.Err() != nil { // a signal's patience is short
			s.input.Hurry()
		}
		s.Restore()
	}()
	if s.options.Aligned != nil {
		s.options.Aligned()
	}
	_, err := program.Run()
	for _, w := range s.root.watched { // what still waits for them ends
		close(w.gone)
	}
	s.options.Guard.Wait()
	if s.root.ends != nil {
		return s.root.ends
	}
	switch {
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, terminal.ErrHungUp):
		return terminal.ErrHungUp
	}
	return err
}

// watch has the terminal given back whatever happens.
func (s *Session) watch() {
	s.options.Guard.Go(func() { s.input.Watch(s.options.Out, terminal.EndOfAll()) })
}

// enter takes the terminal over and watches its size.
func (s *Session) enter(ctx context.Context) error {
	if err := s.term.Enter(); err != nil {
		return err
	}
	w, h, err := s.term.Size()
	if err != nil {
		return errors.Join(err, s.term.Leave())
	}
	s.root.resize(w, h)
	s.root.awaitFirst(ctx)
	s.root.askAgain()
	s.root.draw()
	s.root.present(true)
	s.watch() // it delays nobody's first picture
	s.options.Guard.Go(func() { s.term.Watch(ctx, s.notice) })
	return nil
}

// notice passes on what happened to the terminal.
func (s *Session) notice(e terminal.Event) {
	if e == terminal.Continued {
		if err := s.term.Reenter(); err != nil {
			s.Stop(err)
			return
		}
		s.program.Load().Send(then(func(r *root) { r.output.repaint() }))
	}
	if w, h, err := s.term.Size(); err == nil {
		s.program.Load().Send(resized{w, h})
	}
}

// send tells the screens something, if they are there. It may be called from anywhere, and does
// not block.
func (s *Session) send(msg tea.Msg) {
	if p := s.program.Load(); p != nil {
		s.options.Guard.Go(func() { p.Send(msg) })
	}
}

// AlertsChanged lets the screens look at the alerts anew. It is like send.
func (s *Session) AlertsChanged() { s.send(then((*root).noteAlerts)) }

// NotesChanged lets the screens look at the notes anew. It is like send.
func (s *Session) NotesChanged() { s.send(then((*root).noteNotes)) }

// Answered tells of a recording what was wrong in it, at its worst moment: unless the user did
// something before, the screens go there. Zero: nothing was. It is like send.
func (s *Session) Answered(at time.Time, text string) {
	s.send(then(func(r *root) { r.answer(at, text) }))
}

// Interval is the interval of the screens. It may be called from the screens
// only.
func (s *Session) Interval() time.Duration { return s.root.interval }

// Note writes into the Log what went wrong outside the screens. It is like send.
func (s *Session) Note(err error) {
	if s.program.Load() != nil {
		s.root.news.told.add(err)
		s.send(then((*root).noteTold))
	}
}

// Add shows more hosts. It is like send.
func (s *Session) Add(hosts []*pane.Host) {
	if len(hosts) > 0 {
		s.send(then(func(r *root) { r.addHosts(hosts, nil, false) }))
	}
}

// Tell writes what an alert asks of the terminal: a bell, a title, a
// notification. The sequences must be fit for a terminal.
func (s *Session) Tell(sequences []byte) {
	if s.program.Load() != nil && s.term != nil && len(sequences) > 0 {
		_, _ = s.term.Write(sequences)
	}
}

// Stop ends the program from anywhere; err is what Run returns.
func (s *Session) Stop(err error) { s.send(stop{err}) }

// Restore gives the terminal back. It may be called from anywhere, at any time.
func (s *Session) Restore() {
	if s.term != nil {
		_ = s.term.Leave()
	} else if p := s.program.Load(); p != nil {
		p.Kill()
		s.input.SettleAfter()
		s.input.Inside(false)
	}
}
