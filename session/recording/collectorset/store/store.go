// Package store keeps the data collector sets of a user: each is one XML file of a
// folder, and beside it what came of its runs. Several processes may use the folder:
// what one changes is never lost by another.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/store"
)

// What names of files end in.
const (
	setSuffix   = ".xml"
	stateSuffix = ".json"
	runSuffix   = ".lock" // held by who runs the set
	stopSuffix  = ".stop" // somebody wants it to end
	logSuffix   = ".log"  // what a run without a terminal says
	lockName    = ".changing"

	mostBytes   = 32 << 20 // of a file
	mostFolders = 10_000
)

// Store is a folder of sets.
type Store struct{ dir string }

// Entry is a set with what came of its runs.
type Entry struct {
	Set      *collectorset.Set
	Encoding collectorset.Encoding
	Findings []collectorset.Finding // of its file
	State    State
	OfHost   bool // a Windows host keeps and runs it: its folders and times are those there
}

// State is what is known of a set besides its file.
type State struct {
	Root    string    `json:"root,omitempty"` // where its folders are; empty: the usual place
	Folders []Folder  `json:"folders,omitempty"`
	Began   time.Time `json:"began,omitzero"` // of the last run
	Ended   time.Time `json:"ended,omitzero"` // zero: it runs, or died
	Why     string    `json:"why,omitempty"`  // it ended by itself, with a mistake
	Process int       `json:"process,omitempty"`
}

// Folder is what a segment of a run was written to. Of what is there only that is the set's
// which its runs made: nothing else is ever removed.
type Folder struct {
	Name  string    `json:"name"` // below the root; "." is the root itself
	Files []string  `json:"files,omitempty"`
	Began time.Time `json:"began"`
	Made  bool      `json:"made,omitempty"`  // it was not there before
	Found []string  `json:"found,omitempty"` // of Files: they were there, of somebody else, and were added to
	// Known are files as they were begun, or closed. The run of those of Files that are not among
	// them was killed.
	Known []collector.Written `json:"known,omitempty"`
}

// Forget forgets files.
func (f *Folder) Forget(names ...string) {
	named := make(map[string]bool, len(names))
	for _, name := range names {
		named[name] = true
	}
	gone := func(name string) bool { return named[name] }
	f.Files, f.Found = slices.DeleteFunc(f.Files, gone), slices.DeleteFunc(f.Found, gone)
	f.Known = slices.DeleteFunc(f.Known, func(w collector.Written) bool { return gone(w.Name) })
}

// Written are the files of a folder that its set's runs wrote, each once. Those that it is
// not known how they were left are open ones.
func (st *State) Written(folder string) (out []collector.Written) {
	at := map[string]int{} // in out, by name
	put := func(w collector.Written) {
		i, is := at[w.Name]
		if !is {
			i = len(out)
			at[w.Name], out = i, append(out, w)
		}
		out[i] = w
	}
	for _, f := range st.Folders {
		if f.Name != folder {
			continue
		}
		for _, name := range f.Files {
			if _, known := at[name]; !known && !slices.Contains(f.Found, name) {
				put(collector.Written{Name: name, Open: true, Modified: f.Began.Add(-clockSlack)})
			}
		}
		for _, w := range f.Known {
			put(w)
		}
	}
	return out
}

// clockSlack is how far the clock of a disk may be behind.
const clockSlack = time.Minute

// The reasons that Windows has numbers for.
var (
	ErrNotFound = errors.New("there is no such set")
	ErrExists   = errors.New("there is one of this name")
	ErrRunning  = errors.New("it is running")
)

func notFound(op, name string) *collectorset.OpError {
	return &collectorset.OpError{Op: op, Name: name, Code: 0x80300002, Err: ErrNotFound, Advice: "perfdeck collect list shows those that are there"}
}

func running(op, name string) *collectorset.OpError {
	return &collectorset.OpError{Op: op, Name: name, Code: 0x803000AA, Err: ErrRunning, Advice: "perfdeck collect stop ends it"}
}

// failed is nil where err is.
func failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &collectorset.OpError{Op: op, Name: name, Err: failure.Bare(err)}
}

// Open makes ready to use a folder, which is made with its first set.
func Open(dir string) *Store { return &Store{dir} }

func (s *Store) file(name, suffix string) string { return filepath.Join(s.dir, name+suffix) }

func (s *Store) document(name, suffix string) *store.Document {
	d := &store.Document{Name: s.file(name, suffix), Most: mostBytes}
	if suffix == stateSuffix { // a set is as Windows writes it
		d.Form = store.FormJSON
	}
	return d
}

// changing is what is locked while any of the sets is changed.
func (s *Store) changing() string { return filepath.Join(s.dir, lockName) }

// Root is where the folders of a set are.
func (s *Store) Root(e *Entry) string {
	if e.State.Root != "" {
		return e.State.Root
	}
	return filepath.Join(filepath.Dir(s.dir), "collected", e.Set.Name)
}

// LogFile is where a run without a terminal says what it has to.
func (s *Store) LogFile(name string) string { return s.file(name, logSuffix) }

// Changed is when a set was made, changed or deleted the last time.
func (s *Store) Changed() time.Time { return changed(s.dir) }

// Written is when a set was made or changed the last time, or its number by a run.
func (s *Store) Written(name string) time.Time { return changed(s.file(name, setSuffix)) }

func changed(name string) (at time.Time) {
	if info, err := os.Stat(name); err == nil {
		at = info.ModTime()
	}
	return at
}

// Names are those of all sets, in order.
func (s *Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list data collector sets: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), setSuffix); ok && e.Type().IsRegular() {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(paths.Fold(a), paths.Fold(b)) })
	return names, nil
}

// find is the name of a set as it is kept: upper and lower case are the same.
func (s *Store) find(op, name string) (string, error) {
	names, err := s.Names()
	if err != nil {
		return "", err
	}
	for _, n := range names {
		if paths.EqualFold(n, name) {
			return n, nil
		}
	}
	return "", notFound(op, name)
}

// Load reads a set as it is between two changes.
func (s *Store) Load(name string) (e *Entry, err error) {
	defer store.LockToRead(s.changing())()
	return s.load("read", name)
}

func (s *Store) load(op, name string) (*Entry, error) {
	name, err := s.find(op, name)
	if err != nil {
		return nil, err
	}
	data, err := s.document(name, setSuffix).Read()
	if err != nil {
		return nil, failed(op, name, err)
	}
	e := &Entry{Encoding: collectorset.EncodingOf(data)}
	if e.Set, e.Findings, err = collectorset.Decode(data); err != nil {
		return nil, &collectorset.OpError{Op: op, Name: name, Err: err, Advice: "the file is " + s.file(name, setSuffix)}
	}
	e.Set.Name = name
	e.State, err = s.state(name)
	if err != nil {
		return nil, &collectorset.OpError{Op: op, Name: name, Err: err, Advice: "the file is " + s.file(name, stateSuffix)}
	}
	return e, nil
}

// state reads what came of the runs of a set.
func (s *Store) state(name string) (st State, err error) {
	data, err := s.document(name, stateSuffix).Read()
	if data != nil {
		err = json.Unmarshal(data, &st)
	}
	return st, err
}

// Create keeps a new set.
func (s *Store) Create(e *Entry) error {
	const op = "create"
	if err := checkName(e.Set.Name); err != nil {
		return &collectorset.OpError{Op: op, Name: e.Set.Name, Err: err, Advice: "name it with --name"}
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return failed(op, e.Set.Name, err)
	}
	return s.locked(op, e.Set.Name, func() error {
		if _, err := s.find(op, e.Set.Name); err == nil {
			return &collectorset.OpError{Op: op, Name: e.Set.Name, Code: 0x803000B7, Err: ErrExists, Advice: "name it otherwise with --name, or delete the other one"}
		}
		return s.save(op, e)
	})
}

var errNoName = errors.New("it has no name")

// checkName refuses names that cannot be those of files.
func checkName(name string) error {
	if name == "" || strings.TrimSpace(name) != name || strings.HasPrefix(name, ".") {
		return errNoName
	}
	_, err := naming.Name{Base: name, Extension: stateSuffix}.File(naming.Values{})
	return err
}

// Change changes a set, all of it or nothing, while no other process does.
func (s *Store) Change(op, name string, change func(*Entry) error) error {
	return s.locked(op, name, func() error {
		e, err := s.load(op, name)
		if err != nil {
			return err
		}
		if err := change(e); err != nil {
			return err
		}
		return s.save(op, e)
	})
}

// save writes a set; first what came of its runs, without which nothing of them could
// be removed.
func (s *Store) save(op string, e *Entry) error {
	e.State.Folders = e.State.Folders[max(0, len(e.State.Folders)-mostFolders):]
	state, err := json.Marshal(e.State)
	if err == nil {
		err = s.document(e.Set.Name, stateSuffix).Write(state)
	}
	if err == nil {
		err = s.document(e.Set.Name, setSuffix).Write(e.Set.Encode(e.Encoding))
	}
	return failed(op, e.Set.Name, err)
}

// Delete forgets a set. Its files stay where they are.
func (s *Store) Delete(name string) error {
	const op = "delete"
	return s.locked(op, name, func() error {
		name, err := s.find(op, name)
		if err != nil {
			return err
		}
		held, err := s.Hold(op, name)
		if err != nil {
			return err
		}
		defer held.Release()
		if err := os.Remove(s.file(name, setSuffix)); err != nil {
			return failed(op, name, err)
		}
		for _, suffix := range []string{stateSuffix, stopSuffix, logSuffix} {
			_ = os.Remove(s.file(name, suffix))
		}
		return nil
	})
}

// locked runs f while no other process changes the folder.
func (s *Store) locked(op, name string, f func() error) error {
	unlock, err := store.Lock(s.changing(), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(op, name) // there is no set
	}
	if err != nil {
		return failed(op, name, err)
	}
	defer unlock()
	return f()
}
