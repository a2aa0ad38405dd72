package collector

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/store"
)

// State is how things stand with a recording.
type State uint8

// The states.
const (
	Running     State = iota // a process records
	Interrupted              // its process died: it can be resumed
	Ended
)

// String is the word that lists show.
func (s State) String() string {
	return [...]string{Running: "running", Interrupted: "interrupted", Ended: "ended"}[s]
}

// Entry is a recording that is described in a folder.
type Entry struct {
	*Descriptor

	State State
}

// File is what the recording is called: its newest file, or what it was given.
func (e *Entry) File() string {
	if len(e.Files) > 0 {
		return e.Files[0].Name
	}
	return e.Options.File
}

// How long recordings that do not run are remembered.
const (
	endedFor       = 7 * 24 * time.Hour
	interruptedFor = 30 * 24 * time.Hour
)

// List reads the recordings that are described in a folder, in the order in which
// they were started, but for what is old. What cannot be read is in damaged. Nothing is written.
func List(dir string, now time.Time) (list []Entry, damaged []error) {
	list, damaged = described(dir)
	if err := madeIn(dir).Read(func(iter.Seq[[]byte]) {}); errors.Is(err, store.ErrForm) {
		damaged = append(damaged, fmt.Errorf("recordings that ended are not listed: %w", err))
	}
	return slices.DeleteFunc(list, func(e Entry) bool { return e.isOld(now) }), damaged
}

// isOld tells what is remembered no longer.
func (e *Entry) isOld(now time.Time) bool {
	return e.State == Ended && now.Sub(e.Stopped) > endedFor || e.State == Interrupted && now.Sub(e.Noted) > interruptedFor
}

// described are all, old ones too.
func described(dir string) (list []Entry, damaged []error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"+descriptorSuffix))
	if err != nil {
		return nil, []error{err}
	}
	for _, name := range names {
		d, err := loadDescriptor(name)
		if err != nil {
			if !isGone(err) {
				damaged = append(damaged, err)
			}
			continue
		}
		e := Entry{d, stateOf(dir, d)}
		if e.State == Interrupted && d.Reason == "" {
			d.Reason = exitReason(LogFile(dir, d.ID), true)
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int { return a.Started.Compare(b.Started) })
	return list, damaged
}

func stateOf(dir string, d *Descriptor) State {
	if !d.Stopped.IsZero() {
		return Ended
	}
	if isHeld(idLock(dir, d.ID)) {
		return Running
	}
	// It may have ended between the two looks.
	if again, err := loadDescriptor(filepath.Join(dir, d.ID+descriptorSuffix)); err == nil {
		*d = *again
	}
	if !d.Stopped.IsZero() {
		return Ended
	}
	return Interrupted
}

// idLock is held by the process that records.
func idLock(dir, id string) string { return lockName(filepath.Join(dir, id)) }

var (
	errNoRecording = errors.New("no such recording")
	errMany        = errors.New("several recordings begin like that")
)

// unknown says that an ID means no recording.
func unknown(id string, why error) error {
	return failure.WithHint(fmt.Errorf("recording %s: %w", id, why), "perfdeck record --list shows recordings")
}

// Find finds a recording by its ID, the beginning of that, or its file.
func Find(dir, what string, now time.Time) (Entry, error) {
	list, _ := List(dir, now)
	whole, _ := filepath.Abs(what)
	var found []Entry
	for _, e := range list {
		switch {
		case e.ID == what:
			return e, nil
		case what != "" && strings.HasPrefix(e.ID, what), e.Options.File == whole,
			slices.ContainsFunc(e.Files, func(f DescribedFile) bool { return f.Name == whole }):
			found = append(found, e)
		}
	}
	if len(found) > 1 { // of several by one file the one that runs is meant
		running := slices.DeleteFunc(slices.Clone(found), func(e Entry) bool { return e.State != Running })
		if len(running) == 1 {
			found = running
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, unknown(what, errNoRecording)
	case 1:
		return found[0], nil
	}
	return Entry{}, unknown(what, errMany)
}

// RequestStop asks the process that records to end the recording. It does within
// a second or two.
func RequestStop(dir, id string) error {
	if !isID(id) {
		return unknown(id, errNoRecording)
	}
	return os.WriteFile(filepath.Join(dir, id+stopSuffix), nil, 0o600)
}

// AwaitEnd waits until no process records.
func AwaitEnd(ctx context.Context, dir, id string) error {
	for {
		l, err := lockNamed(idLock(dir, id))
		if _, busy := errors.AsType[*BusyError](err); !busy {
			l.release()
			return err
		}
		if !session.Sleep(ctx, 50*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
}

// Forget removes the description of a recording that does not run.
func Forget(dir, id string) error {
	if !isID(id) {
		return unknown(id, errNoRecording)
	}
	var err error
	for _, suffix := range []string{stopSuffix, logSuffix, descriptorSuffix} {
		if err = os.Remove(filepath.Join(dir, id+suffix)); isGone(err) {
			err = nil
		}
	}
	return err
}

// logSuffix is of the file that a recorder without a terminal writes messages to.
const logSuffix = ".log"

// LogFile is where a recorder without a terminal writes its messages.
func LogFile(dir, id string) string { return filepath.Join(dir, id+logSuffix) }

// endPatience is how long the end of a recording of another process is awaited.
const endPatience = 30 * time.Second

var errNotStopped = errors.New("its process does not answer")

// End ends a recording, whichever process writes it, and waits for that.
func End(ctx context.Context, dir string, e *Entry) error {
	if err := RequestStop(dir, e.ID); err != nil {
		return fmt.Errorf("stop recording %s: %w", e.ID, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, endPatience, errNotStopped)
	defer cancel()
	if err := AwaitEnd(ctx, dir, e.ID); err != nil {
		return failure.WithHint(fmt.Errorf("stop recording %s: %w", e.ID, err), fmt.Sprintf("end process %d", e.PID))
	}
	return nil
}
