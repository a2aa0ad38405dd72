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

	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/naming"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
)

// ring keeps the files of a recording below a size: the oldest goes first. It
// removes what it wrote itself and nothing else: a file that was there before, or that
// somebody changed since, is left alone. What it wrote is kept in a file, so that the next
// run of the same recording goes on with it.
type ring struct {
	limit int64
	store *store.Document // where it is kept; nil: nowhere
	files []Written
	found []string // files that were there before, and are added to
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
	r.store = &store.Document{Name: filepath.Join(dir, ringsFolder, hex.EncodeToString(sum[:12])+".json"), Most: mostRingBytes, Form: store.FormJSON}
	if text, err := r.store.Read(); err == nil && json.Unmarshal(text, &r.files) != nil {
		r.files = nil // it was damaged: those files are left alone
	}
	for _, f := range slices.Clone(r.files) {
		if f.Open { // its recorder was killed
			r.note(f.Name, false)
		}
	}
	return r
}

// claim takes the name of a file that is about to be made, or replaced. One that is there,
// and that the recording only adds to, is none of the ring's.
func (r *ring) claim(name string, adds bool) error {
	_, err := os.Lstat(name)
	switch known := slices.ContainsFunc(r.files, func(f Written) bool { return f.Name == name }); {
	case err != nil || known:
		return r.take(name, true)
	case adds:
		r.found = append(r.found, name)
	}
	return nil
}

// take takes a file that is written to from now on, or was closed.
func (r *ring) take(name string, open bool) error {
	if r.limit <= 0 || slices.Contains(r.found, name) {
		return nil
	}
	r.note(name, open)
	return r.save()
}

// note puts a file behind the others, as it is now. One that is gone, or another one by now,
// is forgotten, unless it is to be made.
func (r *ring) note(name string, open bool) {
	var now Written
	before := slices.IndexFunc(r.files, func(f Written) bool { return f.Name == name })
	err := in(name, func(root *os.Root, base string) (err error) {
		if before >= 0 && r.files[before].Open && !open {
			now, err = r.files[before].As(root, base)
		} else {
			now, err = Look(root, base, open)
		}
		return err
	})
	if before >= 0 {
		r.files = slices.Delete(r.files, before, before+1)
	}
	if now.Name, now.Open = name, open; err == nil || open && errors.Is(err, fs.ErrNotExist) {
		r.files = append(r.files, now)
	}
}

// SizeOf is what a recording takes on the disk, 0 where there is none: with the journal of
// one whose recorder was killed.
func SizeOf(name string) (n int64) {
	for _, part := range []string{name, name + sqlite.Journal} {
		if info, err := os.Lstat(part); err == nil {
			n += info.Size()
		}
	}
	return n
}

func (r *ring) save() error {
	if r.store == nil {
		return nil
	}
	text, err := json.Marshal(r.files)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.store.Name), 0o700)
	}
	if err == nil {
		err = r.store.Write(printable.EscapeJSON(text))
	}
	if err != nil {
		return fmt.Errorf("keep what the ring wrote: %w", err)
	}
	return nil
}

// trim removes the oldest files until they and the bytes of the open ones fit.
func (r *ring) trim(open int64, report func(error)) {
	for r.limit > 0 && r.bytes()+open > r.limit {
		if !r.removeOldest(report) {
			return
		}
	}
}

// expire removes the files that ended before a moment.
func (r *ring) expire(before time.Time, report func(error)) {
	for {
		i := slices.IndexFunc(r.files, func(f Written) bool { return !f.Open })
		if i < 0 || !r.files[i].Modified.Before(before) || !r.removeOldest(report) {
			return
		}
	}
}

func (r *ring) bytes() (n int64) {
	for i := range r.files {
		if !r.files[i].Open {
			n += r.files[i].Bytes
		}
	}
	return n
}

// removeOldest removes a file. It reports false when there is none.
func (r *ring) removeOldest(report func(error)) bool {
	i := slices.IndexFunc(r.files, func(f Written) bool { return !f.Open })
	if i < 0 {
		return false
	}
	f := r.files[i]
	r.files = slices.Delete(r.files, i, i+1)
	err := in(f.Name, f.Remove)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		report(fmt.Errorf("remove %s: %w", f.Name, err))
	}
	if err := r.save(); err != nil {
		report(err)
	}
	return true
}
