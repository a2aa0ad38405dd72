package replay

import (
	"context"
	"errors"
	"time"

	"perfdeck/session"
)

// Walk goes over the recording from its first sample at a moment or after it to the last, with
// files of its own, whatever is played meanwhile: alert rules are judged by it. asks says what is
// wanted of each host; each gets its snapshots in order of time, with the histories that were asked
// for. A snapshot is released when each returns.
func (p *Player) Walk(ctx context.Context, from time.Time, asks func(h *Host) []session.Ask, each func(h *Host, s *session.Snapshot) error) error {
	w := walk{Player: p, from: from, each: each}
	defer w.close()
	for _, t := range p.tapes {
		if err := w.open(t, asks); err != nil {
			return err
		}
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		done, err := w.step()
		if done || err != nil {
			return err
		}
	}
}

type walk struct {
	*Player

	from  time.Time
	each  func(h *Host, s *session.Snapshot) error
	tapes []*tape
	of    []*tape // the player's
}

func (w *walk) open(of *tape, asks func(h *Host) []session.Ask) error {
	r, err := of.source.reader()
	if err != nil {
		return err
	}
	t := &tape{source: of.source, reader: r}
	w.tapes, w.of = append(w.tapes, t), append(w.of, of)
	for _, h := range w.hosts {
		if h.tape != of {
			continue
		}
		track := &track{columns: h.track.columns}
		track.ask(asks(h))
		t.tracks = append(t.tracks, track)
	}
	t.collect()
	return t.load(session.Later(w.from, of.source.first).Add(-1), 1, nil)
}

func (w *walk) close() {
	for _, t := range w.tapes {
		_ = t.reader.Close()
	}
}

// step takes the next sample of the tape that has the earliest.
func (w *walk) step() (done bool, err error) {
	var first, of *tape
	var earliest time.Time
	for i, t := range w.tapes {
		at, ok, err := t.peek()
		if err != nil {
			return false, err
		}
		if ok && (first == nil || at.Before(earliest)) {
			first, of, earliest = t, w.of[i], at
		}
	}
	if first == nil {
		return true, nil
	}
	first.hasAhead = false
	first.record(&first.ahead)
	n := 0
	for _, h := range w.hosts {
		if h.tape != of {
			continue
		}
		state := session.HostState{Phase: session.Live, Since: of.source.first, LastAnswer: earliest}
		s := first.tracks[n].reel.Snapshot(h.Name(), first.newest, state)
		n++
		err = errors.Join(err, w.each(h, s))
		s.Release()
	}
	return false, err
}
