// Package formats knows all formats of recordings, and of what is printed sample by sample. A
// folder holds each; the table in this file lists them.
package formats

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats/blg"
	"perfdeck/session/files/formats/csv"
	"perfdeck/session/files/formats/jsonlines"
	"perfdeck/session/files/formats/printed"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
)

// Format is a kind of file. A new format is a folder of its own and a row in formats.
type Format struct {
	Name       string   // as -f takes it
	Aliases    []string // other names that -f takes
	Title      string   // in words
	Extensions []string // in lower case; the first is that of new files
	KeepsRaw   bool     // rows keep raw samples
	RawOnly    bool     // and a value without one cannot be written
	caveat     error    // what who writes it should know; nil: nothing
	Grows      bool     // columns may come on the way: a Writer of it is a Grower
	Replaces   bool     // each beat replaces the file
	usual      Use      // what it is for without a word on it
	sets       bool     // a file has sets, by name
	locks      bool     // who writes a file has locks in it: see osfile.HoldsLocks
	wall       bool     // its times are those of wall clocks
	Windows    Windows

	// magic tells from the first bytes of a file, decoded, whether it is of the
	// format.
	magic func(head []byte) bool
	open  func(ctx context.Context, name string, o logs.OpenOptions) (logs.FileRows, error)
	// create writes to a file that is new and empty. stream is that for formats that need no file.
	create func(file *os.File, h *logs.Header, o logs.WriteOptions) (logs.Writer, error)
	stream func(w io.Writer, h *logs.Header, o logs.WriteOptions) (logs.Writer, error)
	// resume continues a file that is not empty, and cuts off what was not written to its end.
	// Where others have locks in it, which opening it would end, there is but its name.
	resume func(file *os.File, name string, h *logs.Header, o logs.WriteOptions) (logs.Writer, logs.Tail, error)
	step   time.Duration                                                           // that its times are cut to
	events func(ctx context.Context, name, set string) (eventlist.Gathered, error) // nil: it keeps none

	// print writes beats as they come, with what is there on each; nil: it takes rows
	// alone. A format of beats alone has nothing of the above.
	print func(o logs.Outlet) logs.BeatWriter
}

// Windows is what tools of Windows call a format.
type Windows struct {
	Name string // as -f of typeperf and relog takes it; empty: they lack it
	Told string // as relog tells of files
}

// Use is what formats are for where nobody names one.
type Use uint8

// The uses, of which each has one format.
const (
	ToRecord  Use = 1 << iota // recordings
	ToConvert                 // what is made of recordings, and samples in files
	ToRead                    // samples on the screen
	ToHear                    // what a screen reader reads out
)

var formats = []Format{
	{Name: "table", Title: "a table to read", Extensions: []string{".txt"}, Grows: true, usual: ToRead, print: printed.Table},
	{
		Name: "csv", Title: "PDH-CSV 4.0", Extensions: []string{".csv"}, usual: ToConvert, Windows: Windows{"CSV", "CSV"},
		magic: csv.IsCSV, open: csv.Open, stream: csv.Separator(',').Stream, resume: csv.Separator(',').Resume, wall: true, step: time.Millisecond, print: csv.Separator(',').Print,
	},
	{
		Name: "tsv", Title: "PDH-TSV 4.0", Extensions: []string{".tsv"}, Windows: Windows{"TSV", "TSV"},
		magic: csv.IsTSV, open: csv.Open, stream: csv.Separator('\t').Stream, resume: csv.Separator('\t').Resume, wall: true, step: time.Millisecond, print: csv.Separator('\t').Print,
	},
	{
		Name: "sqlite", Title: "SQLite with the tables of MS-PLA", Extensions: []string{".db", ".sqlite", ".sqlite3"}, KeepsRaw: true, Grows: true,
		usual: ToRecord, sets: true, locks: true, Windows: Windows{"SQL", "SQL"},
		magic: sqlite.Is, open: sqlite.Open, create: sqlite.Create, resume: sqlite.Resume, events: sqlite.Events,
	},
	{
		Name: "blg", Aliases: []string{"bin"}, Title: "a binary log of Windows", Extensions: []string{".blg"}, KeepsRaw: true, RawOnly: true,
		caveat: blg.ErrExperimental, Windows: Windows{"BIN", "Binary"},
		magic: blg.Is, open: blg.Open, create: blg.Create, resume: blg.Resume, step: time.Millisecond,
	},
	{
		Name: "json", Aliases: []string{"jsonl", "ndjson"}, Title: "JSON lines", Extensions: []string{".json", ".jsonl", ".ndjson"}, Grows: true,
		magic: jsonlines.Is, open: jsonlines.Open, stream: jsonlines.Stream, resume: jsonlines.Resume, events: jsonlines.Events, print: jsonlines.Print,
	},
	{Name: "prom", Title: "Prometheus text", Extensions: []string{".prom"}, Grows: true, print: printed.Prom, Replaces: true},
	{Name: "lines", Title: "sentences to hear", Extensions: []string{".lines"}, Grows: true, usual: ToHear, print: printed.Sentences},
}

// Caution is what who writes a file of the format is to be told first; nil: nothing.
func (f *Format) Caution(file string) error {
	if f.caveat == nil {
		return nil
	}
	return &logs.FileError{File: file, Err: f.caveat, Advice: "csv and tsv are what perfmon is known to open"}
}

// Names are the names of the formats of recordings.
func Names() []string { return namesOf(records) }

func records(f *Format) bool { return f.open != nil }

// Usual is the format of a use.
func Usual(u Use) *Format {
	return &formats[slices.IndexFunc(formats, func(f Format) bool { return f.usual&u != 0 })]
}

// OfWindows finds a format by the name that tools of Windows have for it.
func OfWindows(name string) (*Format, bool) {
	return findFormat(func(f *Format) bool { return name != "" && f.Windows.Name == name })
}

// WindowsNames are those names.
func WindowsNames() (names []string) {
	for i := range formats {
		if name := formats[i].Windows.Name; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// HasSets tells that a file of the format has sets by name.
func (f *Format) HasSets() bool { return f.sets }

func namesOf(can func(*Format) bool) (names []string) {
	for i := range formats {
		if can(&formats[i]) {
			names = append(names, formats[i].Name)
		}
	}
	return names
}

// Named finds a format of recordings by its name or an alias.
func Named(name string) (*Format, bool) { return formatNamed(name, records) }

// ByExtension finds such a format by the extension of a file name.
func ByExtension(file string) (*Format, bool) { return formatByExtension(file, records) }

func formatNamed(name string, can func(*Format) bool) (*Format, bool) {
	is := func(one string) bool { return strings.EqualFold(one, name) }
	return findFormat(func(f *Format) bool { return can(f) && (is(f.Name) || slices.ContainsFunc(f.Aliases, is)) })
}

func formatByExtension(file string, can func(*Format) bool) (*Format, bool) {
	extension := strings.ToLower(filepath.Ext(file))
	return findFormat(func(f *Format) bool { return can(f) && slices.Contains(f.Extensions, extension) })
}

func findFormat(is func(*Format) bool) (*Format, bool) {
	for i := range formats {
		if is(&formats[i]) {
			return &formats[i], true
		}
	}
	return nil, false
}
