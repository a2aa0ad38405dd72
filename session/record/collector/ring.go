package collector

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/record/naming"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/system/osfile"
)

// ring keeps the files of a recording below a size: the oldest goes first. It
// removes what it wrote itself and nothing else: a file that somebody changed
// since is left alone. What it wrote is kept in a file, so that the next run of
// the same recording goes on with it.
type ring struct {
	limit int64
	store string // where it is kept; empty: nowhere
	files []ringFile
}

// ringFile is a file as it was when it was closed.
type ringFile struct {
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Open     bool      `json:"open,omitempty"` // it is written to; size and time are not known
}

const (
	ringsFolder   = "rings"
	mostRingBytes = 16 << 20 // of the file in which it is kept
)

// openRing makes the ring of a recording, which is known by the file it was given
// and the form of its names.
func openRing(limit int64, dir, file string, name naming.Name) *ring {
	r := &ring{limit: limit}
	if limit <= 0 || dir == "" {
		return r
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", file, name.Parts, name.Pattern))
	r.store = filepath.Join(dir, ringsFolder, hex.EncodeToString(sum[:12])+".json")
	if text, err := osfile.ReadPlain(r.store, mostRingBytes); err == nil && json.Unmarshal(text, &r.files) != nil {
		r.files = nil // it was damaged: those files are left alone
	}
	for _, f := range slices.Clone(r.files) {
		if f.Open { // its recorder was killed
			r.note(f.Name, false)
		}
	}
	return r
}

// begin takes a file that is written to from now on.
func (r *ring) begin(name string) error {
	if r.limit <= 0 {
		return nil
	}
	r.note(name, true)
	return r.save()
}

// end takes a file that was closed.
func (r *ring) end(name string) error {
	if r.limit <= 0 {
		return nil
	}
	r.note(name, false)
	return r.save()
}

// note puts a file behind the others, as it is now. One that is gone is forgotten.
func (r *ring) note(name string, open bool) {
	r.files = slices.DeleteFunc(r.files, func(f ringFile) bool { return f.Name == name })
	if open {
		r.files = append(r.files, ringFile{Name: name, Open: true})
	} else if info, err := os.Stat(name); err == nil {
		r.files = append(r.files, ringFile{Name: name, Bytes: bytesOf(name), Modified: info.ModTime()})
	}
}

// journal is what SQLite adds to the name of a file for what is not in it yet: of one
// whose recorder was killed.
const journal = "-wal"

// bytesOf is what a recording takes on the disk, 0 where there is none.
func bytesOf(name string) (n int64) {
	for _, part := range []string{name, name + journal} {
		if info, err := os.Lstat(part); err == nil {
			n += info.Size()
		}
	}
	return n
}

func (r *ring) save() error {
	if r.store == "" {
		return nil
	}
	text, err := json.Marshal(r.files)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.store), 0o700)
	}
	if err == nil {
		err = osfile.Write(r.store, session.EscapeJSON(text), 0o600, true)
	}
	if err != nil {
		return fmt.Errorf("keep what the ring wrote: %w", err)
	}
	return nil
}

// errForeign says that a file is not the ring's any more.
var errForeign = errors.New("it was changed since it was recorded: it is left alone and counts no more")

// trim removes the oldest files until they and the bytes of the open ones fit.
func (r *ring) trim(open int64, report func(error)) {
	for r.limit > 0 && r.bytes()+open > r.limit {
		if !r.removeOldest(report) {
			return
		}
	}
}

func (r *ring) bytes() (n int64) {
	for i := range r.files {
		n += r.files[i].Bytes
	}
	return n
}

// removeOldest removes a file. It reports false when there is none.
func (r *ring) removeOldest(report func(error)) bool {
	i := slices.IndexFunc(r.files, func(f ringFile) bool { return !f.Open })
	if i < 0 {
		return false
	}
	f := r.files[i]
	r.files = slices.Delete(r.files, i, i+1)
	info, err := os.Lstat(f.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err != nil:
	case !info.Mode().IsRegular() || bytesOf(f.Name) != f.Bytes || !info.ModTime().Equal(f.Modified):
		err = errForeign
	default:
		if err = os.Remove(f.Name); err == nil {
			_ = os.Remove(f.Name + journal)
			err = notebook.RemoveBeside(f.Name)
		}
	}
	if err != nil {
		report(fmt.Errorf("remove %s: %w", f.Name, err))
	}
	if err := r.save(); err != nil {
		report(err)
	}
	return true
}
