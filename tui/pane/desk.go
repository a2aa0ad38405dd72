package pane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/history"
	"perfdeck/session/text/words"
)

// Desk is what all screens share: the hosts and the moment that is shown. The
// root owns and changes it, but for the span of a chart or a replay; screens read it whenever they draw.
type Desk struct {
	Outbox // what is wanted of the root
	Company

	Hosts   []*Host
	Now     func() time.Time
	Numbers *Numbers   // how numbers are written; nil: the default
	Journal *Journal   // what happened
	Words   words.Book // what the user calls counters
	User    string     // who acts on the screens
	Archive Archive    // of a recording that is played; nil: this is live

	// Kept is what the screens changed and find again at the next start; who
	// changes it sends Keep. Nil: nothing is kept.
	Kept *session.Saved

	// At is the moment that is shown: the chart's cursor. The zero time is now,
	// the newest sample.
	At   time.Time
	Span time.Duration // how much time charts show
	// Selected is the span that the user selected.
	Selected Span
	// DeckSpan is how much time graphs of decks show at least; 0: as much as has room.
	DeckSpan time.Duration
	// Wipe draws sparklines that overwrite themselves from left to right instead
	// of scrolling: fewer cells change (low bandwidth).
	Wipe bool
	// Held tells that a dialog is open above the screen: it may be about what is
	// selected, which stays meanwhile.
	Held bool
}

// Company is what works beside the screens, each with a screen that shows it; nil:
// there is none.
type Company struct {
	Alerts   Alerts
	Packs    func() []alert.Pack // of rules that may be added, and decks for what hosts are
	Why      Why
	Notes    Notes
	Recorder Recorder
	Records  Records
	HostSets HostSets // the hosts whose sets are among the records
}

// Why begins to find what was wrong on hosts of the desk from a moment to another, with what is known
// from first on: the verdicts of report. What it returns finds it, beside the screens.
type Why func(hosts []*Host, first, from, to time.Time) func(ctx context.Context) (Findings, error)

// Findings are what was wrong, the gravest first, and what else perfdeck why says: who used most,
// what was not judged.
type Findings struct{ Wrong, Rest []Finding }

// Finding is a sentence, behind it what belongs to it, each with its label.
type Finding struct {
	Level Level    // how grave it is
	Paths []string // of the counters that it is about
	Lines [][2]string
}

// Histories are hosts with what the screens keep of them.
func Histories(hosts []*Host) (out []history.Host) {
	for _, h := range hosts {
		out = append(out, history.Host{Name: h.Name, Snap: h.Snap})
	}
	return out
}

// Reach is how much time before the moment that is shown the screens want to know.
func (d *Desk) Reach() time.Duration { return max(d.Span, d.DeckSpan) }

// Past tells whether another moment than now is shown.
func (d *Desk) Past() bool { return !d.At.IsZero() }

// EndCursor asks for the newest values where a moment of the past is shown, as esc does on
// screens with a cursor. It reports whether one was.
func (d *Desk) EndCursor() bool {
	if !d.Past() {
		return false
	}
	d.MoveTo(time.Time{})
	return true
}

// Work has something done that waits, beside the screens, and tells what came of it: done, or
// why it failed.
func (d *Desk) Work(what, done string, do func() error) {
	d.Wait(what, func() func(bool) {
		err := do()
		return func(bool) {
			level, text := Info, done
			if err != nil {
				level, text = Warning, err.Error()
			}
			d.Journal.Add(Entry{Time: d.Now(), Level: level, Text: text})
			d.Say(text)
		}
	})
}

// AskHosts asks for the names of hosts that are to be watched.
func (d *Desk) AskHosts() {
	names := ""
	d.Send(AskText{
		Title: "Add hosts", Help: "one or several: srv1 ssh://srv2 tcp://srv3:14500; @FILE: those of a file; group:NAME: those of a group",
		Done: func(text string) error {
			if names = strings.TrimSpace(text); names == "" {
				return errors.New("the name of a host is missing")
			}
			return nil
		},
		Then: func() { d.Send(AddHosts{Names: names}) },
	})
}

// Find returns the host of a name, nil if there is none.
func (d *Desk) Find(name string) *Host {
	for _, h := range d.Hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// HostOfPath is the host that a path names, and the path without it. A path without a
// computer means no host (nil). One that is not watched is an error: the values of another
// host must not stand for it.
func (d *Desk) HostOfPath(text string) (*Host, string, error) {
	p, err := paths.Parse(text)
	if err != nil || p.Computer == "" {
		return nil, text, nil //nolint:nilerr // what is wrong with it is told by the look-up
	}
	computer := p.Computer
	p.Computer = ""
	isOwn := paths.ContainsFold([]string{".", "local", "localhost"}, computer)
	for _, h := range d.Hosts {
		if isOwn && h.Local || paths.EqualFold(h.Name, computer) {
			return h, p.String(), nil
		}
	}
	return nil, "", fmt.Errorf("%s is not watched: 7 adds it", computer)
}

// End is the absolute number of the sample behind the one that is shown of a
// host: of the newest one, or of the last one that was not after At.
func (d *Desk) End(s *session.Snapshot) uint64 {
	if s == nil {
		return 0
	}
	if !d.Past() {
		return s.Timeline.Next()
	}
	return EndAt(s.Timeline, d.At)
}

// IsSilent tells whether a host had not answered for longer than usual at the
// moment that is shown: the sample before it is not of that moment.
func (d *Desk) IsSilent(s *session.Snapshot) bool {
	if s == nil || !d.Past() {
		return false
	}
	t := s.Timeline
	end := EndAt(t, d.At)
	return end > t.First && session.IsLate(t.Nanos, int(end-t.First)-1, d.At.UnixNano())
}

// IsNewest tells whether the values of a snapshot, and what they were made of, are of the moment
// that is shown: recordings have them of any.
func (d *Desk) IsNewest(snap *session.Snapshot) bool {
	return !d.Past() || snap != nil && snap.Timeline.At(d.End(snap)-1).Equal(snap.Time)
}

// Shown is the value of a series at the moment that is shown, its newest one
// where that is now.
func (d *Desk) Shown(snap *session.Snapshot, s session.Series, newest cooker.Value) cooker.Value {
	switch {
	case !d.Past():
		return newest
	case d.IsSilent(snap):
		return cooker.Absent(cooker.Gap)
	case d.IsNewest(snap):
		return newest
	}
	return PastValue(s, d.End(snap), newest)
}

// EndAt is the absolute number of the first sample after a moment.
func EndAt(t session.Timeline, at time.Time) uint64 {
	return t.First + uint64(session.Behind(t.Nanos, at.UnixNano()))
}

// ValueAt is the value of a series before sample number end: what it showed at
// that moment. Without one it is absent: pending before its first value, a gap
// behind it, and not kept where nothing is kept of it at all.
func ValueAt(s session.Series, end uint64) cooker.Value {
	if len(s.Values) == 0 {
		return cooker.Absent(cooker.NotKept)
	}
	if v, ok := s.Text(end); ok {
		return v
	}
	if v := s.Value(end - 1); v.Valid() {
		return v
	}
	if slices.ContainsFunc(s.Cut(end, len(s.Values)).Values, func(v float32) bool { return v == v }) {
		return cooker.Absent(cooker.Gap)
	}
	return cooker.Absent(cooker.Pending)
}

// PastValue is ValueAt of a counter whose newest value is known: what the host lacks
// stays unavailable.
func PastValue(s session.Series, end uint64, newest cooker.Value) cooker.Value {
	v := ValueAt(s, end)
	if !v.Valid() && newest.Status() == cooker.Unavailable {
		return cooker.Absent(cooker.Unavailable)
	}
	return v
}

// Host is a host as the screens know it.
type Host struct {
	Name    string
	Open    string   // as the user names it to open it; empty: its name
	Groups  []string // as the config file sorts hosts; the first one is its site
	Sampler Sampler
	Feed    Feed              // of the screens
	Snap    *session.Snapshot // the newest one taken; nil before the first
	Numbers *Numbers          // how its numbers are written; nil: the default
	LogOns  LogOns            // nil: the host takes no account
	History time.Duration     // how much of it the feed keeps; 0: not known
	// Past names a recording of what the host had in a time before the first sample, as
	// Records plays it, and tells what its clock is ahead of this one. Nil: nobody has that.
	Past func(from, to time.Time) (name string, ahead time.Duration)
	Kept RecordedFeed // the same, where there may be recordings of it; nil: there are none
	// Historian knows what its counters were before they were asked for; nil: nobody does.
	Historian session.Historian
	Events    Events // nil: nobody reads them
	// Tracer tells what its values are made of; nil: they are its own.
	Tracer session.Tracer
	// Namer names instances of which there are too many to read; nil: they are read.
	Namer  session.Namer
	Beside string // who knows that of a host that is read itself, as "Prometheus at db:9090"
	// Local tells that the host is this computer, live: its processes can be
	// signalled.
	Local bool
	// IsWhole shows of the host all that there is, and not what may be used of it.
	IsWhole bool

	full, whole *session.Catalogue // see Offered
	then        then
}

// Timeline is when the samples were taken that are kept of the host: none before the first.
func (h *Host) Timeline() (t session.Timeline) {
	if h.Snap != nil {
		t = h.Snap.Timeline
	}
	return t
}

// Offered is what the screens show by themselves of a host, nil before it is known: its catalogue,
// without limits where all of the host is shown.
func (h *Host) Offered() *session.Catalogue {
	if h == nil {
		return nil
	}
	cat := h.Sampler.Catalogue()
	if !h.IsWhole || cat == nil {
		return cat
	}
	if h.full != cat {
		h.full, h.whole = cat, cat.Unlimited()
	}
	return h.whole
}

// Renewed is a counterset in the catalogue of the host, where that is another one than it is of, as after
// the host started anew; nil: it is not, or has none of its name.
func (h *Host) Renewed(set *session.Counterset) *session.Counterset {
	if h.Sampler == nil {
		return nil
	}
	cat := h.Sampler.Catalogue()
	if cat == nil || slices.Contains(cat.Sets, set) {
		return nil
	}
	return cat.Set(set.Name)
}

// RecordedFeed is a feed that has recordings of its host, too: see joined.Feed.
type RecordedFeed interface {
	Kept(shown *session.Snapshot) (first, last time.Time)
	See(at time.Time, around time.Duration, shown *session.Snapshot) (isOther bool)
	Looks() bool
	Source(at time.Time) string
}

// then is what was made of a snapshot for a moment of the past.
type then struct {
	of, snap *session.Snapshot
	at       time.Time
	memory   session.Copies
}

// Then is the newest snapshot for who looks at a moment, the zero time is now: of one of the
// past it has the rows, too, that ended since. No host has none.
func (h *Host) Then(at time.Time) *session.Snapshot {
	if h == nil {
		return nil
	}
	if h.then.of != h.Snap || !h.then.at.Equal(at) {
		h.then.of, h.then.snap, h.then.at = h.Snap, h.Snap.Then(at, &h.then.memory), at
	}
	return h.then.snap
}

// LogOns is how a host is logged on to.
type LogOns interface {
	// LogOn takes another account, from the next attempt on. The password is the
	// caller's; empty: the one that is known.
	LogOn(account string, password []byte) error
	// Paused is whose log-ons are not tried for how long, after wrong passwords; 0:
	// they are. LogOnNow ends that.
	Paused() (account string, left time.Duration)
	LogOnNow()
}

// Sampler is what screens need to know of the reader of a host.
type Sampler interface {
	session.Catalogued
	State() session.HostState
	Retry() // try again now
}

// Feed is the screens' own view of a host.
type Feed interface {
	Ask(asks []session.Ask)
	SetInterval(every time.Duration)
	Ready() <-chan struct{}
	Take() *session.Snapshot
	Close()
}
