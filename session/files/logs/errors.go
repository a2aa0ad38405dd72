package logs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// FileError tells what is wrong with a recording, and where.
type FileError struct {
	File   string
	Line   int64 // of a text file, from 1; 0: not known
	Offset int64 // of the line, in bytes, where Line is not known
	Record int64 // of an SQLite file: RecordIndex; 0: not known
	Cell   int   // of the line, or column of the recording, from 1; 0: the whole
	Err    error
	Advice string // what the user can do; may be empty
}

func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	switch {
	case e.Line > 0:
		fmt.Fprintf(&b, ":%d", e.Line)
	case e.Offset > 0:
		fmt.Fprintf(&b, ": at byte %d", e.Offset)
	case e.Record > 0:
		fmt.Fprintf(&b, ": sample %d", e.Record)
	}
	if e.Cell > 0 {
		fmt.Fprintf(&b, ": column %d", e.Cell)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

func (e *FileError) Unwrap() error { return e.Err }

// Hint says what can be done.
func (e *FileError) Hint() string { return e.Advice }

// What may be wrong with a recording, or with what is asked of it.
var (
	// ErrUnknownFormat: neither content nor name tell what the file is.
	ErrUnknownFormat = errors.New("not a recording that is known here")
	// ErrEmpty: there is nothing in the file.
	ErrEmpty = errors.New("the file is empty")
	// ErrColumnsDiffer is PDH_UNMATCHED_APPEND_COUNTER, 0xC0000BFC.
	ErrColumnsDiffer = errors.New("its counters are not those that are recorded now (0xC0000BFC)")
	// ErrEarlier is PDH_INCORRECT_APPEND_TIME, 0xC0000BFB.
	ErrEarlier = errors.New("its last sample is not before what is recorded now (0xC0000BFB)")
	// ErrNotAFile: the format cannot be written to a stream.
	ErrNotAFile = errors.New("the format needs a file of its own")

	ErrNotANumber = errors.New("not a number")
	ErrTorn       = errors.New("the row was not written to its end")
	ErrRowWidth   = errors.New("a row has not as many values as the header has columns")
	ErrGone       = errors.New("the file was moved or removed while it was written")
	ErrTimeRange  = errors.New("the time of a row is not between the years 1678 and 2261")
	ErrClosed     = errors.New("the recording is closed")
)

// TimeAdvice says what helps where times were spoilt.
const TimeAdvice = "read the file that Windows wrote, or save it again with times as yyyy-mm-dd hh:mm:ss"

// MostFaults is how many faults are kept word for word, unless OpenOptions say more.
const MostFaults = 8

// Faults are what a Reader left out so far.
type Faults struct {
	Rows  int64        // lines that are no rows though they should be
	Cells int64        // cells that could not be read: they have no value
	Torn  bool         // the last row was not written to its end: it was left out
	Cut   bool         // a part of the file is not there, perhaps without a row
	First []*FileError // the first few, Torn included

	Most int // of First; 0: MostFaults
}

// Join takes in those of another file.
func (f *Faults) Join(o Faults) {
	f.Rows, f.Cells, f.Torn, f.Cut = f.Rows+o.Rows, f.Cells+o.Cells, f.Torn || o.Torn, f.Cut || o.Cut
	f.First = append(f.First, o.First...)
}

// Any tells whether there are faults other than a torn end.
func (f *Faults) Any() bool { return f.Rows > 0 || f.Cells > 0 || f.Cut }

// Full tells that no more faults are kept word for word.
func (f *Faults) Full() bool { return len(f.First) >= cmp.Or(f.Most, MostFaults) }

// Note keeps a fault word for word; nil is none.
func (f *Faults) Note(e *FileError) {
	if e != nil && !f.Full() {
		f.First = append(f.First, e)
	}
}

// NoteRow notes a line, or a sample, that is left out.
func (f *Faults) NoteRow(e *FileError) {
	f.Rows++
	f.Note(e)
}

// NoteCell notes a cell that could not be read.
func (f *Faults) NoteCell(e *FileError) {
	f.Cells++
	f.Note(e)
}

// NoteTorn notes, once, that the last row is not whole.
func (f *Faults) NoteTorn(e *FileError) {
	if !f.Torn {
		f.Torn = true
		f.Note(e)
	}
}
