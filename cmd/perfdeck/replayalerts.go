package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/source/replay"
	"perfdeck/tui"
)

// judgePast judges rules over the hosts of a recording that are meant, with files
// of its own, in one pass. take is called for every sample of each, in order of
// time; judge then judges it.
func judgePast(ctx context.Context, player *replay.Player, b *alert.Backtest, meant func(*replay.Host) bool, take func(at time.Time, judge func()) error) error {
	return judgeFrom(ctx, player, time.Time{}, b, meant, take)
}

// judgeFrom is judgePast from a moment on.
func judgeFrom(ctx context.Context, player *replay.Player, from time.Time, b *alert.Backtest, meant func(*replay.Host) bool, take func(at time.Time, judge func()) error) error {
	asks := func(h *replay.Host) []session.Ask {
		if !meant(h) {
			return nil
		}
		interval, last := h.Extent()
		return b.Ask(alert.Recorded{Name: h.Name(), Catalogue: h.Catalogue(), Interval: interval, Last: last})
	}
	var host *replay.Host
	var snap *session.Snapshot
	judge := func() { b.Take(host.Name(), snap) }
	return player.WalkFrom(ctx, from, 0, asks, func(h *replay.Host, s *session.Snapshot) error {
		if !meant(h) {
			return nil
		}
		host, snap = h, s
		return take(s.Time, judge)
	})
}

// pastAlerts are the alerts of a recording as the screens see them: how things
// stood at the moment that is shown. Nothing can be changed of them.
type pastAlerts struct {
	player *replay.Player
	before *alert.Board  // until it is judged
	acts   []alert.Event // of users, that were recorded; oldest first
	course atomic.Pointer[alert.Course]
	// screens are told when it is judged; nil before they are there.
	screens atomic.Pointer[tui.Session]

	mu           sync.Mutex
	judged, told *alert.Board // the newest board, and it with what users did
}

func newPastAlerts(player *replay.Player, rules []alert.Rule) *pastAlerts {
	return &pastAlerts{player: player, before: alert.NewEngine(rules, 0, player.About().Zone, nil).Board()}
}

// errEnough: there are so many events that more would not be seen.
var errEnough = errors.New("enough")

// judge judges the rules over the whole recording, in the background, and marks
// on the time bar what they would have fired. Nobody is told and nothing is kept.
// every is the interval of rules without one, 0 for the default. The channel is
// closed when it is done.
func (a *pastAlerts) judge(ctx context.Context, guard *session.Guard, o alert.BacktestOptions) <-chan struct{} {
	done := make(chan struct{})
	guard.Go(func() {
		defer close(done)
		course, marks := courseOf(ctx, a.player, o)
		if ctx.Err() != nil {
			return
		}
		a.course.Store(course)
		a.player.SetAlerts(marks)
		if s := a.screens.Load(); s != nil {
			s.AlertsChanged()
		}
	})
	return done
}

// courseOf judges rules over the whole recording, but for what is laid over it.
func courseOf(ctx context.Context, player *replay.Player, o alert.BacktestOptions) (*alert.Course, []replay.Mark) {
	o.Zone, o.Course = player.About().Zone, true
	b := alert.NewBacktest(o)
	var events []alert.Event
	base := func(h *replay.Host) bool { return !h.IsOverlay() }
	err := judgePast(ctx, player, b, base, func(_ time.Time, judge func()) error {
		judge()
		if events = append(events, b.Events()...); len(events) >= alert.MostEvents {
			return errEnough
		}
		return nil
	})
	marks := marksOf(events)
	switch first, _ := player.Bounds(); {
	case errors.Is(err, errEnough):
		text := fmt.Sprintf("%d events: alert rules were not judged from here on", alert.MostEvents)
		marks = append(marks, replay.Mark{At: b.Now().Wall, Kind: replay.Careful, Text: text})
	case err != nil && ctx.Err() == nil:
		marks = append(marks, replay.Mark{At: first, Kind: replay.Careful, Text: fmt.Sprintf("alert rules could not be judged: %v", err)})
	}
	return b.Course(events), marks
}

// marksOf are the moments at which rules fire.
func marksOf(events []alert.Event) []replay.Mark {
	var marks []replay.Mark
	for i := range events {
		if e := &events[i]; e.Kind == alert.Fired {
			marks = append(marks, replay.Mark{At: e.Time, Kind: markOf(e.Severity), Text: e.Text()})
		}
	}
	return slices.Clip(marks)
}

func markOf(s alert.Severity) replay.MarkKind {
	switch s {
	case alert.Careful:
		return replay.Careful
	case alert.Warning:
		return replay.Warning
	}
	return replay.Critical
}

// Board is how things stood at the moment that is shown.
func (a *pastAlerts) Board() *alert.Board {
	if c := a.course.Load(); c != nil {
		return a.withActs(c.At(a.player.Position()))
	}
	return a.before
}

// firstAct is the Seq of what users did: behind those of what was judged.
const firstAct = 1 << 40

// withActs is a board with what users did in its history; the same pointer for the same
// board.
func (a *pastAlerts) withActs(board *alert.Board) *alert.Board {
	if len(a.acts) == 0 {
		return board
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.judged == board {
		return a.told
	}
	with := *board
	with.History = slices.Clone(board.History)
	for i, act := range a.acts {
		act.Seq, act.Group = firstAct+uint64(i), 0
		with.History = append(with.History, act)
	}
	slices.SortStableFunc(with.History, func(x, y alert.Event) int { return x.Time.Compare(y.Time) })
	a.judged, a.told = board, &with
	return a.told
}

// Around are the values that were judged around an event.
func (a *pastAlerts) Around(event uint64) (alert.Past, bool) {
	if c := a.course.Load(); c != nil {
		return c.Around(event)
	}
	return alert.Past{}, false
}

// EventOf is the event that began an alert, by its Seq; 0: not known.
func (a *pastAlerts) EventOf(one *alert.Alert) uint64 {
	if c := a.course.Load(); c != nil {
		return c.EventOf(one)
	}
	return 0
}

var errPast = errors.New("this is a recording: what is past cannot be changed")

// WhyFixed says why nothing can be changed.
func (a *pastAlerts) WhyFixed() string { return errPast.Error() }

// IsJudged tells whether the rules were judged to the end.
func (a *pastAlerts) IsJudged() bool { return a.course.Load() != nil }

// Seek goes to a moment of the recording.
func (a *pastAlerts) Seek(at time.Time) { a.player.Seek(at) }

// Acknowledge does nothing.
func (a *pastAlerts) Acknowledge(string, ...alert.ID) int { return 0 }

// Mute does nothing.
func (a *pastAlerts) Mute(string, alert.Scope, time.Time) {}

// Enable refuses.
func (a *pastAlerts) Enable(string, string, bool) error { return errPast }

// Put refuses.
func (a *pastAlerts) Put(string, alert.Rule) error { return errPast }

// Remove refuses.
func (a *pastAlerts) Remove(string, string) error { return errPast }
