package recorders

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Wanted are counters of a host that are to be recorded.
type Wanted struct {
	Host  string
	Paths []string
}

// ScreensOptions are what the recording of screens needs besides All.
type ScreensOptions struct {
	Every func() time.Duration // between samples, as it is now
	Flags []string             // that open the hosts on a command line
	// GoesOn: at the end of the screens recordings go on without them, unless the user
	// says otherwise; else they are closed.
	GoesOn bool
	// HandOver lets another process go on with a recording; Forget removes what is kept of
	// one that ended, since it was told.
	HandOver func(ctx context.Context, r *collector.Recording) error
	Forget   func(id string)
	// Say and Fail tell the user at the end, when the terminal was given back.
	Say  func(text string)
	Fail func(error)
}

// Screens records what decks show, beside the recordings that alerts begin. At the end of
// the screens each is handed to a process of its own, or closed.
type Screens struct {
	all *All
	o   ScreensOptions

	goesOn atomic.Bool
	left   atomic.Bool // the user ended them, and saw what there was to see
}

// ofScreens is the only recording of the screens.
const ofScreens = "\x00screens"

// NewScreens records in All.
func NewScreens(d *All, o ScreensOptions) *Screens {
	s := &Screens{all: d, o: o}
	s.goesOn.Store(o.GoesOn)
	return s
}

// Status is that of the user's recording or, if that does not go on, of an alert's; false:
// there was none.
func (s *Screens) Status() (collector.Status, bool) {
	e := s.all.Newest(ofScreens)
	if other := s.all.firstOther(); other != nil && !e.goesOn() {
		e = other
	}
	if e == nil {
		return collector.Status{}, false
	}
	return e.Status(), true
}

var (
	errNothingToRecord = errors.New("the deck has no counters")
	errNoName          = errors.New("the file needs a name, as night.db")
)

// Start begins a recording of what is wanted, but for hosts that are not known. It waits
// for the disk.
func (s *Screens) Start(file string, what []Wanted) error {
	if file == "" {
		return errNoName
	}
	err := s.all.Begin(ofScreens, Joins{Came: s.came, Left: s.went}, func(known map[string]collector.Host) (collector.Options, error) {
		o := collector.Options{
			Subject:   collector.Subject{Every: s.o.Every(), Events: keepsEvents(file)},
			Files:     collector.Files{File: file, Caption: "perfdeck"},
			Listeners: collector.Listeners{Report: s.all.o.Report},
			Announced: collector.Announced{Flags: s.o.Flags},
		}
		for _, w := range what {
			if h, ok := known[w.Host]; ok && len(w.Paths) > 0 {
				h.Paths = w.Paths
				o.Hosts = append(o.Hosts, h)
			}
		}
		if len(o.Hosts) == 0 {
			return o, errNothingToRecord
		}
		return o, nil
	})
	if going := s.all.Running(ofScreens); errors.Is(err, ErrGoes) && going != nil {
		return fmt.Errorf("%s is recorded already", going.Status().File)
	}
	return InDialog(err)
}

// keepsEvents tells whether a file keeps events of hosts, which screens show of each that tells of some.
func keepsEvents(file string) bool {
	f, err := formats.Choose("", file)
	if f == nil {
		f = formats.Usual(formats.ToRecord)
	}
	return err == nil && f.KeepsEvents()
}

// InDialog is an error as a dialog shows it: with what can be done there.
func InDialog(err error) error {
	hint := failure.Hint(err)
	if errors.Is(err, collector.ErrExists) {
		hint = "write another name"
	}
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// came tells of a host that comes while something is recorded: it is recorded if it was
// so before.
func (s *Screens) came(e *Entry, h collector.Host) {
	file := filepath.Base(e.Status().File)
	switch texts, gone := e.Paths(h.Name); {
	case gone: // why it cannot be recorded was told
	case texts != nil:
		s.all.o.Report(fmt.Errorf("%s is recorded again, to %s", h.Name, file))
	default:
		s.all.o.Report(fmt.Errorf("%s is not recorded: r takes it into %s when the deck shows it", h.Name, file))
	}
}

// went tells of a host that is gone: its columns go on blank.
func (s *Screens) went(e *Entry, name string) {
	if texts, _ := e.Paths(name); texts != nil {
		s.all.o.Report(fmt.Errorf("%s is recorded no more: its columns in %s stay blank", name, filepath.Base(e.Status().File)))
	}
}

// Lacking are the counters that the recording that goes on does not have, of hosts that
// are known.
func (s *Screens) Lacking(what []Wanted) (out []Wanted) {
	e := s.all.Running(ofScreens)
	if e == nil {
		return nil
	}
	known := s.all.Hosts()
	for _, w := range what {
		if _, ok := known[w.Host]; !ok {
			continue
		}
		if more := e.Lacking(w.Host, w.Paths); len(more) > 0 {
			out = append(out, Wanted{w.Host, more})
		}
	}
	return out
}

var errNotRecording = errors.New("the recording ended before it had more")

// Extend lets the recording have more. It waits for the disk.
func (s *Screens) Extend(what []Wanted) error {
	e := s.all.Running(ofScreens)
	if e == nil {
		return errNotRecording
	}
	known := s.all.Hosts()
	ctx, cancel := context.WithTimeout(context.Background(), Closing)
	defer cancel()
	for _, w := range what {
		if h, ok := known[w.Host]; ok && len(e.Lacking(w.Host, w.Paths)) > 0 {
			if err := e.Have(ctx, h, w.Paths); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopPatience is how long the end of a recording is awaited on the screens.
const stopPatience = 10 * time.Second

// Stop closes the recording of which Status tells. It waits for the disk.
func (s *Screens) Stop() error {
	e := s.all.Running(ofScreens)
	if e == nil {
		if e = s.all.firstOther(); e == nil {
			return nil
		}
		return s.all.Stop(e.key)
	}
	e.told.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	err := e.Stop(ctx, "")
	if now := e.Status(); now.Ended {
		return now.Err
	}
	e.told.Store(false) // it ends later: that is told then
	return fmt.Errorf("%s is not closed yet, its disk does not answer: %w", filepath.Base(e.Status().File), err)
}

// Leave says what becomes of recordings when the user ends the screens.
func (s *Screens) Leave(goesOn bool) {
	s.goesOn.Store(goesOn)
	s.left.Store(true)
}

// End hands all recordings over, or closes them. The terminal was given back. None begins
// any more.
func (s *Screens) End() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	own, goesOn := s.all.Remove(ofScreens)
	switch {
	case goesOn:
		s.conclude(ctx, own)
	case own != nil:
		s.tellEnd(own.Status())
	}
	for e := s.all.firstOther(); e != nil; e = s.all.firstOther() {
		if e, goesOn := s.all.Remove(e.key); goesOn {
			s.conclude(ctx, e)
		}
	}
	s.all.Close()
}

// conclude hands a recording over, or closes it, as the user wants it, and says so.
func (s *Screens) conclude(ctx context.Context, e *Entry) {
	status := e.Status()
	file := printable.Text(status.File)
	if !s.goesOn.Load() || !e.HasHosts() {
		if err := e.Stop(ctx, ""); err != nil {
			s.o.Fail(fmt.Errorf("close the recording %s: %w", file, err))
			return
		}
		s.o.Say("recorded to " + file)
		return
	}
	s.o.Say("another process goes on with the recording ...")
	if err := s.o.HandOver(ctx, e.Recording); err != nil {
		s.o.Fail(fmt.Errorf("go on with the recording %s without screens: %w", file, err))
		return
	}
	s.o.Say(fmt.Sprintf("the recording goes on without screens: %s (perfdeck record --stop %s ends it)", file, status.ID))
}

// tellEnd tells of a recording that ended by itself. When nobody reads it, the next start
// does so.
func (s *Screens) tellEnd(status collector.Status) {
	if status.Err == nil || !s.left.Load() {
		return
	}
	s.o.Fail(status.Err)
	s.o.Forget(status.ID)
}
