package replay

import (
	"errors"
	"sync"
	"time"

	"perfdeck/session"
)

// Host is a host of a recording. It stands in for a sampler and for its feed.
type Host struct {
	player *Player
	tape   *tape
	track  *track
	known  chan struct{} // closed: the catalogue is there
	never  chan struct{} // a recording has one catalogue
	ready  chan struct{}

	mu    sync.Mutex
	asked []session.Ask
	dirty bool // asked changed
	slot  *session.Snapshot
	told  Events
	// newest is the time of the last sample before the moment that is shown; zero:
	// there is none.
	newest time.Time
	err    error
}

func newHost(p *Player, t *tape, track *track) *Host {
	h := &Host{player: p, tape: t, track: track, known: make(chan struct{}), never: make(chan struct{}), ready: make(chan struct{}, 1)}
	h.told.host = h
	close(h.known)
	return h
}

// Name is the name of the host; that of an overlay says so.
func (h *Host) Name() string { return h.track.columns.name }

// Catalogue is what the recording has of the host.
func (h *Host) Catalogue() *session.Catalogue { return h.track.columns.cat }

// Recorded are, for each counter of a counterset, the instances of which the
// recording has it anywhere: by index in Counters, in the order of the columns.
func (h *Host) Recorded(set *session.Counterset) [][]session.Instance {
	out := make([][]session.Instance, len(set.Counters))
	cols := h.track.columns.sets[set]
	if cols == nil {
		return out
	}
	for i, cells := range cols.cells {
		before := int32(-1) // of several columns of one path
		for _, c := range cells {
			if c.counter != before {
				out[c.counter] = append(out[c.counter], cols.instances[i])
			}
			before = c.counter
		}
	}
	return out
}

// IsOverlay tells whether the host is of a recording that is laid over the first.
func (h *Host) IsOverlay() bool { return h.tape.isOverlay }

// Known is closed from the beginning.
func (h *Host) Known() <-chan struct{} { return h.known }

// Renewed is never closed.
func (h *Host) Renewed() <-chan struct{} { return h.never }

var errGap = errors.New("a gap in the recording")

// State is how things stood with the host at the moment that is shown. While the
// recording has no samples of it, it is stale.
func (h *Host) State() session.HostState {
	at := h.player.Position()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stateAt(at)
}

// stateAt is the state at a moment. h.mu is held.
func (h *Host) stateAt(at time.Time) session.HostState {
	s := session.HostState{Phase: session.Live, LastAnswer: h.newest, Since: h.tape.source.first}
	switch {
	case h.err != nil:
		s.Phase, s.Err, s.Since = session.Retrying, h.err, at
	case h.newest.IsZero():
		s.Phase = session.Connecting
	case h.tape.source.isGap(h.newest, at):
		s.Phase, s.Err, s.Since = session.Stale, errGap, h.newest
	}
	return s
}

// Retry reads the recording again after a failure.
func (h *Host) Retry() { h.player.Seek(h.player.Position()) }

// Ask replaces what is asked for. The next snapshot has it, with its history.
func (h *Host) Ask(asks []session.Ask) {
	h.mu.Lock()
	h.asked, h.dirty = asks, true
	h.mu.Unlock()
	h.player.wake()
}

// SetInterval does nothing: a recording has the interval that it has.
func (h *Host) SetInterval(time.Duration) {}

// Ready gets a value when a new snapshot waits.
func (h *Host) Ready() <-chan struct{} { return h.ready }

// Take returns the newest snapshot, nil when there is none since the last call.
// The caller releases it.
func (h *Host) Take() *session.Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slot
	h.slot = nil
	return s
}

// Close asks for nothing any more.
func (h *Host) Close() { h.Ask(nil) }

// changedAsks returns what is asked for if that changed.
func (h *Host) changedAsks() (asks []session.Ask, changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	changed, h.dirty = h.dirty, false
	return h.asked, changed
}

// publish makes a snapshot of the window and puts it into the mailbox. A failure
// shows what was there before it.
func (h *Host) publish(at time.Time, err error) {
	h.mu.Lock()
	h.newest, h.err = h.tape.newest, err
	if h.tape.taken == 0 {
		h.newest = time.Time{}
	}
	state := h.stateAt(at)
	h.mu.Unlock()
	s := h.track.reel.Snapshot(h.Name(), h.tape.newest, state)
	h.mu.Lock()
	old := h.slot
	h.slot = s
	h.mu.Unlock()
	old.Release()
	session.Wake(h.ready)
}
