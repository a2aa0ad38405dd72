// Package backtest judges alert rules over recordings: in one pass through their files, and
// for screens that show how things stood at any moment of one.
package backtest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/source/replay"
)

// ErrEnough ends a pass: there are so many events that more would not be seen.
var ErrEnough = errors.New("enough")

// Judge judges rules over the hosts of a recording that are meant, with files of its own,
// in one pass. take is called for every sample of each, in order of time; judge then judges
// it. Its error ends the pass.
func Judge(ctx context.Context, player *replay.Player, b *alert.Backtest, meant func(*replay.Host) bool, take func(at time.Time, judge func()) error) error {
	return JudgeFrom(ctx, player, time.Time{}, b, meant, take)
}

// JudgeFrom is Judge from a moment on.
func JudgeFrom(ctx context.Context, player *replay.Player, from time.Time, b *alert.Backtest, meant func(*replay.Host) bool, take func(at time.Time, judge func()) error) error {
	asks := func(h *replay.Host) []session.Ask {
		if !meant(h) {
			return nil
		}
		interval, last := h.Extent()
		return b.Ask(alert.Recorded{Name: h.Name(), Catalogue: h.Catalogue(), Interval: interval, Last: last})
	}
	var host *replay.Host
	var snap *session.Snapshot
	judge := func() { b.Observe(host.Name(), snap) }
	return player.WalkFrom(ctx, from, 0, asks, func(h *replay.Host, s *session.Snapshot) error {
		if !meant(h) {
			return nil
		}
		host, snap = h, s
		return take(s.Time, judge)
	})
}

// Moment is how far a pass came, for those who look on from another goroutine.
type Moment struct{ nanos atomic.Int64 }

// Set notes the moment of a sample.
func (m *Moment) Set(at time.Time) { m.nanos.Store(at.UnixNano()) }

// Get is the moment that was noted last; ok is false before the first.
func (m *Moment) Get() (at time.Time, ok bool) {
	nanos := m.nanos.Load()
	return time.Unix(0, nanos), nanos != 0
}
