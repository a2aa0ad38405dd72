package collector

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/system/osfile"
)

// Written is a file as its recorder left it. Whoever removes it sees by that whether it still
// is what was written: one that somebody changed or replaced since is not.
type Written struct {
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`       // of an open one: not before that
	Open     bool      `json:"open,omitempty"` // it is written to, or its recorder was killed: how large it is is not known
	ID       string    `json:"id,omitempty"`   // osfile.Identity; empty: not known
}

// ErrForeign says that a file is not what was recorded.
var ErrForeign = errors.New("it is not as it was recorded: it is left alone and counts no more")

// Look is a file below a folder as it is now, which its recorder has open or closed.
func Look(root *os.Root, name string, open bool) (Written, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return Written{}, err
	}
	if !info.Mode().IsRegular() {
		return Written{}, ErrForeign
	}
	w := Written{Name: name, Open: open, Bytes: info.Size(), Modified: info.ModTime()}
	if more, err := root.Lstat(name + sqlite.Journal); err == nil && hasJournals(name) {
		w.Bytes += more.Size()
	}
	if f, err := root.Open(name); err == nil {
		w.ID = osfile.Identity(f)
		_ = osfile.Close(f)
	}
	return w, nil
}

// As is the file as it is now, by its name below a folder, if it still is what was written: else the
// error is ErrForeign, or fs.ErrNotExist.
func (w *Written) As(root *os.Root, name string) (Written, error) {
	now, err := Look(root, name, w.Open)
	switch {
	case err != nil:
	case w.ID != "" && now.ID != w.ID,
		now.Modified.Before(w.Modified),
		!w.Open && (now.Bytes != w.Bytes || !now.Modified.Equal(w.Modified)),
		w.Open && w.ID == "" && now.Bytes > 0 && !isRecording(pathOf(root, name)): // by what it is, then
		err = ErrForeign
	}
	return now, err
}

// hasJournals tells a file that SQLite may have written, by its name. What stands beside
// others and is called so is somebody else's.
func hasJournals(name string) bool {
	f, known := formats.ByExtension(name)
	return !known || f.HasSets()
}

func isRecording(file string) bool {
	r, err := formats.Open(context.Background(), file, logs.OpenOptions{})
	if err != nil {
		return false
	}
	defer r.Close()
	return len(r.Header().Columns) > 0
}

// pathOf is a name below a folder, as systems write it.
func pathOf(root *os.Root, name string) string {
	return filepath.Join(root.Name(), filepath.FromSlash(name))
}

// Remove removes the file, by its name below a folder, and what stands beside it, if it still is what was
// written. The error is *BusyError while a recorder has it.
func (w *Written) Remove(root *os.Root, name string) error {
	file := pathOf(root, name)
	_, err := w.As(root, name)
	if _, locked := os.Lstat(lockName(file)); err != nil && (locked != nil || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	release, busy := hold(file, false) // also that of a recorder that was killed before there was a file
	if busy != nil {
		return busy
	}
	defer release()
	if _, err = w.As(root, name); err == nil { // nobody writes to it from now on
		err = root.Remove(name)
	}
	if err != nil {
		return err
	}
	if hasJournals(name) {
		for _, suffix := range sqlite.Journals() {
			_ = root.Remove(name + suffix)
		}
	}
	return notebook.RemoveBeside(file)
}

// in does something with a file in its folder.
func in(name string, do func(root *os.Root, base string) error) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return do(root, filepath.Base(name))
}
