package store

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"perfdeck/session/recording/collectorset"
	"perfdeck/session/system/osfile"
)

// Hold is a process's right to run a set. It ends with the process.
type Hold struct {
	lock *os.File
	stop string
}

// looked is how long somebody who looks whether a set runs may hold its lock.
const looked = 100 * time.Millisecond

// Hold takes the right to run a set, if nobody has it.
func (s *Store) Hold(op, name string) (*Hold, error) {
	f, err := osfile.Take(s.file(name, runSuffix), looked)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound(op, name) // there is no set
	case errors.Is(err, osfile.ErrLocked):
		return nil, running(op, name)
	case err != nil:
		return nil, failed(op, name, err)
	}
	_ = os.Remove(s.file(name, stopSuffix)) // of a run that died
	return &Hold{f, s.file(name, stopSuffix)}, nil
}

// Release gives the right back.
func (h *Hold) Release() {
	_ = os.Remove(h.stop)
	osfile.Discard(h.lock)
}

// IsWanted tells whether somebody wants the run to end.
func (h *Hold) IsWanted() bool {
	_, err := os.Lstat(h.stop)
	return err == nil
}

// Running tells whether a process runs a set.
func (s *Store) Running(name string) bool {
	locked, _ := osfile.IsLocked(s.file(name, runSuffix))
	return locked
}

var errNotRunning = errors.New("it does not run")

// WantEnd asks the process that runs a set to end it.
func (s *Store) WantEnd(name string) error {
	const op = "stop"
	name, err := s.find(op, name)
	if err != nil {
		return err
	}
	if !s.Running(name) {
		return &collectorset.OpError{Op: op, Name: name, Code: 0x80300104, Err: errNotRunning, Advice: "perfdeck collect list shows what runs"} // PLA_E_DCS_NOT_RUNNING
	}
	return failed(op, name, os.WriteFile(s.file(name, stopSuffix), nil, 0o600))
}
