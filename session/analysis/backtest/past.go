package backtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
)

// Past is the alerts of a recording as the screens see them: how things stood at the
// moment that is shown. Nothing can be changed of them. Any goroutine may call its methods.
type Past struct {
	player   *replay.Player
	before   *alert.Board                   // until it is judged
	acts     []alert.Event                  // of users, that were recorded; oldest first
	timeline atomic.Pointer[alert.Timeline] // nil: it is not judged so far
	shown    shown
}

// shown is the board that was asked for last.
type shown struct {
	mu           sync.Mutex
	judged, told *alert.Board // as it was judged, and with what users did
}

// NewPast is that of rules that were not judged so far. acts is what users did, the oldest
// first.
func NewPast(player *replay.Player, rules []alert.Rule, acts []alert.Event) *Past {
	return &Past{player: player, acts: acts, before: alert.NewEngine(rules, 0, player.About().Zone, nil).Board()}
}

// Judge judges the rules over the whole recording, marks on its time bar what they would
// have fired, and calls changed. Nobody is told and nothing is kept.
func (a *Past) Judge(ctx context.Context, o alert.BacktestOptions, changed func()) {
	try := Try{Meant: func(h *replay.Host) bool { return !h.IsOverlay() }}
	c, err := try.Timeline(ctx, a.player, o)
	if ctx.Err() != nil {
		return
	}
	marks := marksOf(c.Events)
	mark := func(at time.Time, text string) {
		marks = append(marks, replay.Mark{At: at, Kind: replay.Careful, Text: text})
	}
	if c.Stopped != "" {
		mark(c.Backtest.Now().Wall, fmt.Sprintf("%d events: alert rules were not judged from here on", alert.MostEvents))
	}
	first, _ := a.player.Bounds()
	if err != nil {
		mark(first, fmt.Sprintf("alert rules could not be judged: %v", err))
	}
	if c.Left != "" {
		mark(first, c.Left)
	}
	a.timeline.Store(c.Timeline)
	a.player.SetAlerts(marks)
	changed()
}

// Begin plays the recording, and judges the rules beside it, until the context ends. changed is
// called when they are judged; wait waits for the end of both.
func (a *Past) Begin(ctx context.Context, guard *guard.Guard, o alert.BacktestOptions, changed func()) (wait func()) {
	played, judged := make(chan struct{}), make(chan struct{})
	guard.Go(func() { defer close(played); a.player.Run(ctx) })
	guard.Go(func() { defer close(judged); a.Judge(ctx, o, changed) })
	return func() { <-played; <-judged }
}

// marksOf are the moments at which rules fire.
func marksOf(events []alert.Event) []replay.Mark {
	var marks []replay.Mark
	for _, e := range events {
		if e.Kind == alert.Fired {
			marks = append(marks, replay.Mark{At: e.Time, Kind: MarkOf(e.Severity), Text: e.Text()})
		}
	}
	return slices.Clip(marks)
}

// MarkOf is how what is so grave is marked on a time bar.
func MarkOf(s alert.Severity) replay.MarkKind {
	switch s {
	case alert.Careful:
		return replay.Careful
	case alert.Warning:
		return replay.Warning
	}
	return replay.Critical
}

// Board is how things stood at the moment that is shown.
func (a *Past) Board() *alert.Board {
	if c := a.timeline.Load(); c != nil {
		return a.withActs(c.At(a.player.Position()))
	}
	return a.before
}

// firstAct is the Seq of what users did: behind those of what was judged.
const firstAct = 1 << 40

// withActs is a board with what users did in its history; the same pointer for the same
// board.
func (a *Past) withActs(board *alert.Board) *alert.Board {
	if len(a.acts) == 0 {
		return board
	}
	a.shown.mu.Lock()
	defer a.shown.mu.Unlock()
	if a.shown.judged == board {
		return a.shown.told
	}
	with := *board
	with.History = slices.Clone(board.History)
	for i, act := range a.acts {
		act.Seq, act.Group = firstAct+uint64(i), 0
		with.History = append(with.History, act)
	}
	slices.SortStableFunc(with.History, func(x, y alert.Event) int { return x.Time.Compare(y.Time) })
	a.shown.judged, a.shown.told = board, &with
	return &with
}

// Around are the values that were judged around an event.
func (a *Past) Around(event uint64) (alert.Past, bool) {
	if c := a.timeline.Load(); c != nil {
		return c.Around(event)
	}
	return alert.Past{}, false
}

// EventOf is the event that began an alert, by its Seq; 0: not known.
func (a *Past) EventOf(one *alert.Alert) uint64 {
	if c := a.timeline.Load(); c != nil {
		return c.EventOf(one)
	}
	return 0
}

var errPast = errors.New("this is a recording: what is past cannot be changed")

// WhyFixed says why nothing can be changed.
func (a *Past) WhyFixed() string { return errPast.Error() }

// IsJudged tells whether the rules were judged to the end.
func (a *Past) IsJudged() bool { return a.timeline.Load() != nil }

// Seek goes to a moment of the recording.
func (a *Past) Seek(at time.Time) { a.player.Seek(at) }

// Acknowledge does nothing.
func (a *Past) Acknowledge(string, ...alert.ID) int { return 0 }

// Mute does nothing.
func (a *Past) Mute(string, alert.Scope, time.Time) {}

// Enable refuses.
func (a *Past) Enable(string, string, bool) error { return errPast }

// Put refuses.
func (a *Past) Put(string, alert.Rule) error { return errPast }

// Remove refuses.
func (a *Past) Remove(string, string) error { return errPast }
