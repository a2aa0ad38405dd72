// Package logs is what recordings of counters are, whatever their format, and what is done
// with any: reading, joining, summing up. [perfdeck/session/files/formats] opens and writes them.
//
// A recording is a [Header] and rows in the order in which they were recorded.
// Times are moments; a format that writes wall clocks goes by the zone of its
// header. Readers keep to a fixed amount of memory whatever the size of the file.
package logs

import (
	"context"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/text/language"
)

// Header is what a recording says about itself.
type Header struct {
	Zone    Zone     // of its wall clocks
	Caption string   // the last cell of a PDH-CSV's header, if it is no column
	Columns []Column // in the order of the file; names may repeat
	Guess   string   // the code page in which its names are read, where nothing but their letters tells that
	// Taken is what names that are not English are taken for, of each computer that has some.
	Taken []*language.Taken
}

// Column is one counter of one instance on one computer.
type Column struct {
	// Path is the counter path with its computer, as the recording has it:
	// `\\SRV\Object(parent/instance#1)\Counter`. It is foreign text.
	Path string

	// English are the names of its object and counter in English, where it has others and these
	// are known.
	English language.Names

	// What only some formats keep. TypeKnown tells whether they are set.
	TypeKnown    bool
	Type         cooker.CounterType
	BaseType     cooker.CounterType // of the companion; 0: none, or not known
	DefaultScale int                // power of ten for charts

	// Attributes say how values are shown. SQLite keeps them, and JSON lines
	// that numbers are hexadecimal.
	Attributes cooker.Attributes
	// HexWidth is how many digits hexadecimal numbers have where the type is not known.
	HexWidth int
}

// Format is how the numbers of the column are shown, as far as its type is known.
func (c *Column) Format() cooker.Format {
	if !c.TypeKnown {
		f := cooker.DefaultFormat()
		f.Attributes, f.HexWidth = c.Attributes.Effective(), c.HexWidth
		return f
	}
	return cooker.FormatOf(c.Type, cooker.Quantity{}, c.Attributes)
}

// Bounds of the columns of a recording that is read, and of all their names in bytes.
const (
	MostColumns   = 1 << 20
	MostNameBytes = 256 << 20
)

// Row is one sample of all columns. Readers fill it again and again, each one of its own,
// whose values nobody else changes: what is kept has to be copied.
type Row struct {
	Time   time.Time
	Shift  time.Duration  // by which Time is later than what was recorded: see Line
	Values []cooker.Value // one for each column; absence is a status
	Given  []int          // of JSON lines: the columns that it speaks of, of perhaps many; nil: any
	// Raw is what the values were cooked from, one for each column. It is empty
	// where nothing of the kind is known.
	Raw []Raw
}

// Project makes a row of some of the columns.
func (r *Row) Project(columns []int, out *Row) {
	out.Time, out.Shift = r.Time, r.Shift
	out.Values, out.Raw = out.Values[:0], out.Raw[:0]
	for _, c := range columns {
		out.Values = append(out.Values, r.Values[c])
		if len(r.Raw) > 0 {
			out.Raw = append(out.Raw, r.Raw[c])
		}
	}
}

// Recorded is the time as it was recorded, which writers write.
func (r *Row) Recorded() time.Time { return r.Time.Add(-r.Shift) }

// Raw is one raw sample of one counter, enough to cook it again.
type Raw struct {
	Known   bool // false: nothing was read
	Reading cooker.Reading
	Clocks  cooker.Clocks
	IsMean  bool // not Known, as the value is made of more than two samples
}

// Reader reads a recording from front to back, and from any moment of it. It is
// used by one goroutine at a time; open another for a second one.
//
// The file may still grow: after [io.EOF] Next gives rows that came since.
type Reader interface {
	Rows
	// SeekTime lets Next give the first row at or after t, as far as it is known where
	// the times of the files fall: see Know. A moment after the last row leads to io.EOF.
	SeekTime(t time.Time) error
	// Back goes back n rows: after it Next gives again what it gave n calls
	// ago. It stops at the first row and returns how many it went.
	Back(n int) (int, error)
	// Lines are the time lines of its files.
	Lines() []*Line
}

// Rows are what a Reader reads of a file. Those of a format have times as they were recorded.
type Rows interface {
	// Header does not change, save that a recording of JSON lines that changes
	// its counters on the way, and a binary log whose instances come and go, get more
	// columns at the end. Do not change it.
	Header() *Header
	// Only limits what is read to these columns, in ascending order; the others
	// are Absent(Pending). nil reads all. It saves most of the time.
	Only(columns []int)
	// Next reads the row that comes next, or returns io.EOF. What cannot be
	// read is left out and told by Faults. Times never fall from row to row.
	Next(row *Row) error
	// Span is what can be told about the whole without reading it.
	Span() (Span, error)
	// Faults are what was left out so far.
	Faults() Faults
	Close() error

	// Complete makes sure that the header has all columns. Where they appear on the way, in
	// JSON lines, the recording is read once; the row that comes next is then the first.
	Complete(ctx context.Context) error
	// IsComplete tells whether Complete need not read the recording for that.
	IsComplete() (bool, error)
}

// Chosen are the columns that are read, of Only; nil: all.
type Chosen []bool

// ChooseColumns are columns of so many.
func ChooseColumns(columns []int, of int) (c Chosen) {
	if columns != nil {
		c = make(Chosen, of)
	}
	for _, i := range columns {
		c[i] = true
	}
	return c
}

// Has tells whether a column is read.
func (c Chosen) Has(column int) bool { return c == nil || column >= 0 && column < len(c) && c[column] }

// Span is the extent of a recording.
type Span struct {
	First, Last time.Time // of the first and of the last row; zero: there is none
	Rows        int64     // how many; an estimate unless Exact
	Exact       bool
	Bytes       int64
	At          int64 // of Bytes: how far Next came, for a progress bar
	Inferred    Inferred
}

// Inferred is what a recording does not say, and what is inferred from its bytes, as far as
// they were read.
type Inferred uint8

// What is inferred: of binary logs what nobody has seen, of texts how to read their dates.
const (
	// InferredOrder: by the clocks of their buffers, as in a circular log.
	InferredOrder Inferred = 1 << iota
	// InferredAppend: another list of counters stands behind samples.
	InferredAppend
	// InferredMonthFirst: its dates can be read with the day first too, and nothing tells.
	InferredMonthFirst
	// InferredDayFirst: its dates can be read with the month first too, and nothing tells.
	InferredDayFirst
)

// InferredDates are those that leave its times in doubt.
const InferredDates = InferredMonthFirst | InferredDayFirst

// Words say what is inferred; none: nothing.
func (i Inferred) Words() []string {
	words := []string{}
	if i&InferredOrder != 0 {
		words = append(words, "the order of its samples is inferred from the clocks of its buffers")
	}
	if i&InferredAppend != 0 {
		words = append(words, "that it was appended to is inferred from a second list of counters")
	}
	if i&InferredMonthFirst != 0 {
		words = append(words, "that the month stands first in its dates is inferred, and it may be the day: "+TimeAdvice)
	}
	if i&InferredDayFirst != 0 {
		words = append(words, "that the day stands first in its dates is inferred, and it may be the month: "+TimeAdvice)
	}
	return words
}

// Writer writes a recording. A row is one write to the file, so that what was
// written survives the end of the process; Sync makes it survive a power cut.
type Writer interface {
	// WriteRow writes one row: a value for each column of the header. Formats
	// that keep raw samples write Row.Raw too.
	WriteRow(row *Row) error
	Sync() error
	// Size is how many bytes the file has by now.
	Size() (int64, error)
	Close() error
}

// Tail is how a recording ended that is continued.
type Tail struct {
	Last time.Time // of the last row; zero: there is none
	Rows int64     // in the file; -1: not known
	Cut  int64     // bytes of a torn last row that were cut off
}

// Grower is a Writer whose recording may get more columns on the way.
type Grower interface {
	Writer
	// AddColumns puts columns behind those that are there. Rows before have no
	// value in them.
	AddColumns(columns []Column) error
}
