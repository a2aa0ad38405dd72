package sqlite

import (
	"errors"
	"io"

	"modernc.org/sqlite"

	"perfdeck/session/files/logs"
)

// isDamage tells what SQLite says of pages that are not there, or hold nothing it
// knows: what is on the others can still be read.
func isDamage(err error) bool {
	const ioError, corrupt = 10, 11 // sqlite3.h
	coded, ok := errors.AsType[*sqlite.Error](err)
	return ok && (coded.Code()&0xFF == ioError || coded.Code()&0xFF == corrupt)
}

// mostLost is how many records in a row may be lost before a file is taken to be at its
// end.
const mostLost = 100_000

// Next reads the row that comes next. Of a damaged file those are left out, and
// counted, that cannot be read.
func (r *reader) Next(row *logs.Row) error {
	for lost := 0; ; lost++ {
		err := r.read(row)
		if errors.Is(err, io.EOF) {
			r.missAtEnd()
		}
		if err == nil || !isDamage(err) {
			return err
		}
		r.leave()
		if !r.alone { // what came with it may be fine
			r.alone = true
			continue
		}
		if r.next > r.end() || lost == mostLost {
			return io.EOF
		}
		r.lose(r.next, errDamaged)
		r.next++
	}
}

// missAtEnd notes the records that a set of ours says it has and that SQLite no longer
// finds: damage of the pages above them need not show.
func (r *reader) missAtEnd() {
	next := max(r.next, 1)
	if !r.db.layout.packed || next > r.set.records || r.set.records >= mostRecords {
		return
	}
	r.lose(next, errNotFound)
	r.faults.Rows += r.set.records - next
	r.next = r.set.records + 1 // they are told once
}

// lose notes that a record is left out.
func (r *reader) lose(index int64, why error) {
	r.faults.NoteRow(&logs.FileError{File: r.name, Record: index, Err: why})
}

// end is the RecordIndex of the last record, as far as it is known.
func (r *reader) end() int64 {
	if r.lastIndex == 0 {
		r.lastIndex = r.set.records + notedEvery
		if _, last, ok, err := r.extent(); err == nil && ok {
			r.lastIndex = last.index
		}
	}
	return r.lastIndex
}
