package notebook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/store"
	"perfdeck/session/text/english"
)

// followed is a file to which other programs append.
type followed struct {
	file *os.File // open, so that its end is read when another takes its name
	size int64    // as it was looked at last
	told string   // what was wrong with it last
	came bool     // it was not there at first: all of it is new
}

const (
	firstBytes  = 64 << 10 // of a file that nobody read before: its last notes
	mostBehind  = 1 << 20  // bytes that are read at once
	mostAtOnce  = 1000     // notes
	sumOf       = 256      // bytes at the beginning of a file
	longestLine = 32 << 10 // without an end by then it is passed over
)

var errFlood = fmt.Errorf("it grows by more than %d notes or %s at once: the last ones were taken", mostAtOnce, english.Size(mostBehind))

// followAll takes what other programs appended to the files into the book: whichever
// process of the user looks first. A file that is not there may come; one that was cut is
// read from its beginning, as one that took its place is. What is wrong with a file is
// told once, until it is something else.
func (b *Notebook) followAll() error {
	var all []error
	for _, name := range b.files {
		f := b.followed[name]
		if f == nil {
			f = &followed{size: -1}
			b.followed[name] = f
		}
		err := b.follow(name, f)
		if err == nil {
			f.told = ""
			continue
		}
		if err = store.Fail("follow", name, err); err.Error() != f.told {
			f.told = err.Error()
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// Close lets files go.
func (b *Notebook) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.followed {
		f.close()
	}
}

func (f *followed) close() {
	if f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
}

// follow looks whether a file grew, and takes what is new.
func (b *Notebook) follow(name string, f *followed) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		f.came = true
		return nil
	}
	if err != nil {
		return err
	}
	replaced := false
	if f.file != nil {
		open, err := f.file.Stat()
		if replaced = err != nil || !os.SameFile(open, info); !replaced && info.Size() == f.size {
			return nil
		}
	}
	if replaced {
		err = b.addFrom(name, f, true) // what was written last, before the other one came
		f.close()
	}
	if f.file == nil {
		var openErr error
		if f.file, openErr = osfile.OpenPlain(name); openErr != nil {
			return errors.Join(err, openErr)
		}
	}
	f.size = info.Size()
	return errors.Join(err, b.addFrom(name, f, false))
}

// addFrom adds what a file has more than is known. Of one that was replaced only its
// end matters.
func (b *Notebook) addFrom(name string, from *followed, replaced bool) error {
	var flood bool
	err := b.file.AppendAfter(b.readLine, func() ([]byte, error) {
		f := from.file
		known, before := b.positions[name]
		if !before && from.came {
			known.Head, before = headOf(f, 0), true
		}
		if replaced && (!before || known.Head != headOf(f, known.At)) {
			return nil, nil // another process went on with the other file already
		}
		lines, next, many, err := linesOf(f, known, before)
		if err != nil {
			return nil, err
		}
		next.File = name
		notes := b.parse(name, f, lines, before)
		if flood = many || len(notes) > mostAtOnce; len(notes) > mostAtOnce {
			notes = notes[len(notes)-mostAtOnce:]
		}
		if next == known {
			return nil, nil
		}
		return append(note.Lines(notes), next.line()...), nil
	}, true)
	if err == nil && flood {
		err = errFlood
	}
	return err
}

// linesOf reads the lines of a file that are new.
func linesOf(f *os.File, known position, before bool) (lines []byte, next position, flood bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, known, false, err
	}
	size, at, within := info.Size(), known.At, false
	switch {
	case !before:
		at = max(0, size-firstBytes)
		within = at > 0
	case size < at || known.Head != headOf(f, at): // it was cut, or another took its place
		at = 0
	}
	if size-at > mostBehind {
		at, within, flood = size-firstBytes, true, true
	}
	lines, err = io.ReadAll(io.NewSectionReader(f, at, size-at))
	if err != nil {
		return nil, known, false, err
	}
	if within { // a part of a line
		cut := bytes.IndexByte(lines, '\n') + 1
		lines, at = lines[cut:], at+int64(cut)
	}
	whole := bytes.LastIndexByte(lines, '\n') + 1
	if len(lines)-whole > longestLine {
		whole = len(lines)
	}
	at += int64(whole)
	return lines[:whole], position{At: at, Head: headOf(f, at)}, flood, nil
}

// headOf is the sum of how a file begins, up to where it was read.
func headOf(f *os.File, at int64) string {
	head := make([]byte, min(at, sumOf))
	if n, err := f.ReadAt(head, 0); n < len(head) && err != nil {
		return ""
	}
	sum := sha256.Sum256(head)
	return hex.EncodeToString(sum[:8])
}

// parse makes notes of lines. Those without a time are of when the file was written; where
// it was not followed then, nobody knows their time.
func (b *Notebook) parse(name string, f *os.File, lines []byte, before bool) (notes []note.Note) {
	written := time.Now()
	if info, err := f.Stat(); err == nil {
		written = info.ModTime()
	}
	for line := range bytes.Lines(lines) {
		n, dated, ok := note.ParseLine(string(line), written, time.Local, filepath.Base(name)) //nolint:gosmopolitan // of this computer's programs
		if ok && (dated || before) {
			notes = append(notes, n)
		}
	}
	return notes
}
