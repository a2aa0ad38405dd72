package collector

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/files/note/notebook"
)

// segmentFiles is the files of a recording, one after the other: those of all hosts, or
// of one of them.
type segmentFiles struct {
	o        *Options
	name     naming.Name
	computer string // in names; empty: none
	ring     *ring
	create   creator

	serial   uint32
	segments int
	lock     *lock
	exists   Existing // of the first file
	resume   bool     // the first file is that of another process

	file  string
	w     logs.Writer // nil: the next file is not begun
	info  os.FileInfo // of the file
	bias  int         // of the zone, minutes
	began time.Duration
	rows  int64 // in the file
	had   int64 // rows of a file that is continued
	// begunAt is when the file got its first row.
	begunAt time.Time
	last    time.Time
	bytes   int64 // of the file
	dirty   bool  // not forced onto the disk
	// tail is how the file ended before it was continued.
	tail logs.Tail
}

// creator is what of package formats makes files. Tests bring faults.
type creator struct {
	create func(name string, f *formats.Format, h *logs.Header, o logs.WriteOptions) (logs.Writer, error)
	extend func(name string, f *formats.Format, h *logs.Header, o logs.WriteOptions) (logs.Writer, logs.Tail, error)
}

// claim settles the name of the next file and locks it.
func (b *segmentFiles) claim(now time.Time) error {
	if b.o.Stream != nil {
		return nil
	}
	m := naming.Values{Time: now.In(b.o.Zone), Serial: max(b.serial, 1), Computer: b.computer}
	first := b.segments == 0
	if first && b.resume {
		return b.acquire(b.file)
	}
	if !first {
		if err := b.nextName(m); err != nil {
			return err
		}
		m.Serial, b.rows, b.begunAt = b.serial, 0, time.Time{}
	} else if b.name.HasSerial() {
		var err error
		if m.Serial, err = b.firstSerial(m); err != nil {
			return err
		}
	}
	b.serial = m.Serial
	base, err := b.name.File(m)
	if err != nil {
		return err
	}
	b.file = filepath.Join(filepath.Dir(b.o.File), base)
	if err := b.acquire(b.file); err != nil {
		return err
	}
	if first && b.exists == NewFile && isNamed(b.file) {
		b.release()
		return stopped(b.file, fs.ErrExist)
	}
	return nil
}

// nextName goes on to a name that is not taken: by the serial number, which it
// gets if it has none and is the same as that of the last file.
func (b *segmentFiles) nextName(m naming.Values) error {
	m.Serial = max(b.serial, 1) + 1
	base, err := b.name.File(m)
	if err != nil {
		return err
	}
	if name := filepath.Join(filepath.Dir(b.o.File), base); !b.name.HasSerial() && (isNamed(name) || isNamed(name+sqlite.Journal)) {
		b.name.Parts |= naming.PartSerialNumber
	}
	if b.name.HasSerial() && b.exists != Overwrite {
		m.Serial = max(m.Serial, b.newestSerial(m)+1)
	}
	b.serial = m.Serial
	return nil
}

// isNamed tells whether something has a name.
func isNamed(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// firstSerial is the serial number of the first file: one behind those that are
// there, unless those are continued or replaced.
func (b *segmentFiles) firstSerial(m naming.Values) (uint32, error) {
	m.Serial = max(b.o.Serial, 1)
	newest := b.newestSerial(m)
	switch {
	case newest == 0 || b.exists == Overwrite:
		return m.Serial, nil
	case b.exists == Append:
		return max(m.Serial, newest), nil
	}
	one := m
	one.Serial = newest
	base, err := b.name.File(one)
	if err != nil {
		return 0, err
	}
	l, err := lockRecording(filepath.Join(filepath.Dir(b.o.File), base))
	l.release()
	return max(m.Serial, newest+1), err
}

// newestSerial is the highest serial number of the files that have the names of
// this moment, 0 if there is none.
func (b *segmentFiles) newestSerial(m naming.Values) (newest uint32) {
	const probe = 4_111_222_333 // nobody counts so far
	m.Serial = probe
	base, err := b.name.File(m)
	if err != nil {
		return 0
	}
	head, tail, _ := strings.Cut(base, strconv.FormatUint(probe, 10))
	entries, err := os.ReadDir(filepath.Dir(b.o.File))
	if err != nil {
		return 0
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), sqlite.Journal) // whose file is gone
		n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(name, head), tail), 10, 32)
		if m.Serial = uint32(n); err != nil || m.Serial <= newest || m.Serial >= probe {
			continue
		}
		if again, err := b.name.File(m); err == nil && again == name {
			newest = m.Serial
		}
	}
	return newest
}

func (b *segmentFiles) acquire(file string) (err error) {
	b.lock, err = lockRecording(file)
	return stopped(file, err)
}

func (b *segmentFiles) release() {
	b.lock.release()
	b.lock = nil
}

// begin begins the file that was claimed, with the columns of a layout. One that is
// continued is there already.
func (b *segmentFiles) begin(r *row, columns []logs.Column) error {
	zone := logs.LocalZone(r.at.In(b.o.Zone))
	h := &logs.Header{Zone: zone, Caption: b.o.Caption, Columns: columns}
	var err error
	if b.segments == 0 && (b.resume || b.exists == Append) && isNamed(b.file) {
		b.w, b.tail, err = b.create.extend(b.file, b.o.Format, h, b.o.Write)
		if b.last.IsZero() {
			b.last = b.tail.Last
		}
	} else {
		o := b.o.Write
		o.Overwrite = b.exists == Overwrite
		b.w, err = b.create.create(b.file, b.o.Format, h, o)
		if err == nil && o.Overwrite {
			err = notebook.RemoveBeside(b.file) // those of what was there
		}
	}
	if err == nil {
		b.info, err = os.Stat(b.file)
	}
	if err == nil {
		err = b.lock.own(b.file) // it is new
	}
	if err != nil {
		if b.w != nil {
			_ = b.w.Close()
			b.w = nil
		}
		b.release()
		return stopped(b.file, err)
	}
	os.SameFile(b.info, b.info) // Windows finds out what it is now, not later
	b.bias, b.began, b.rows, b.dirty = zone.Bias, r.mono, 0, true
	if b.isContinued() && !b.begunAt.IsZero() {
		b.rows, b.began = b.had, r.mono-max(0, r.at.Sub(b.begunAt))
	} else {
		b.begunAt = r.at
	}
	b.segments++
	b.bytes, _ = b.w.Size()
	return nil
}

// isContinued tells that the next row goes on with the file of another process.
func (b *segmentFiles) isContinued() bool { return b.resume && b.segments == 0 }

// isOver tells whether a row belongs into the next file.
func (b *segmentFiles) isOver(r *row) bool {
	limit := b.o.Segment.Time
	return limit > 0 && r.mono-b.began >= limit-b.o.Every/2 ||
		logs.LocalZone(r.at.In(b.o.Zone)).Bias != b.bias
}

// isFull tells whether the file has what it may have.
func (b *segmentFiles) isFull() bool {
	l := b.o.Segment
	return l.Samples > 0 && b.rows >= l.Samples || l.Bytes > 0 && b.bytes >= l.Bytes
}

// write writes a row.
func (b *segmentFiles) write(r *logs.Row) error {
	if err := b.w.WriteRow(r); err != nil {
		if errors.Is(err, logs.ErrEarlier) || errors.Is(err, logs.ErrColumnsDiffer) {
			return err
		}
		return stopped(b.file, err)
	}
	b.rows++
	b.last, b.dirty = r.Time, true
	if every, ok := b.o.syncEvery(); ok && every == 0 {
		if err := b.sync(); err != nil {
			return err
		}
	}
	b.bytes, _ = b.w.Size()
	return nil
}

// sync forces the file onto the disk.
func (b *segmentFiles) sync() error {
	if b.w == nil || !b.dirty {
		return nil
	}
	b.dirty = false
	return stopped(b.file, b.w.Sync())
}

// isThere tells whether the file still has its name: a file without one can be
// written and never be read.
func (b *segmentFiles) isThere() bool {
	if b.w == nil {
		return true
	}
	now, err := os.Stat(b.file)
	return err == nil && os.SameFile(now, b.info)
}

// finish closes the file.
func (b *segmentFiles) finish() error {
	if b.w == nil {
		b.release()
		return nil
	}
	var err error
	if _, ok := b.o.syncEvery(); ok {
		err = b.w.Sync()
	}
	err = errors.Join(err, b.w.Close())
	b.w = nil
	if info, statErr := os.Stat(b.file); statErr == nil {
		if b.bytes = info.Size(); b.bytes == 0 && err != nil && b.rows == 0 && os.SameFile(info, b.info) {
			_ = os.Remove(b.file) // nothing found room in it
		}
	}
	b.release()
	return errors.Join(stopped(b.file, err), b.ring.take(b.file, false))
}
