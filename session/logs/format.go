package logs

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Format is a kind of file. A new format is a file of its own and a row in
// formats.
type Format struct {
	Name       string   // as -f takes it
	Aliases    []string // other names that -f takes
	Title      string   // in words
	Extensions []string // in lower case; the first is that of new files
	KeepsRaw   bool     // rows keep raw samples
	Grows      bool     // a Writer of it is a Grower

	// magic tells from the first bytes of a file, decoded, whether it is of the
	// format.
	magic func(head []byte) bool
	open  func(ctx context.Context, name string, o OpenOptions) (Reader, error)
	// create writes to a file that is new and empty.
	create func(file *os.File, h *Header, o WriteOptions) (Writer, error)
	resume func(name string, h *Header, o WriteOptions) (Writer, Tail, error)
	// stream is create for what is no file; nil: the format needs a file.
	stream func(w io.Writer, h *Header, o WriteOptions) (Writer, error)
}

var formats = []Format{
	{
		Name: "csv", Title: "PDH-CSV 4.0", Extensions: []string{".csv"},
		magic: isPDHCSV, open: openPDHText, create: createPDHCSV, resume: resumePDHCSV, stream: streamPDHCSV,
	},
	{
		Name: "tsv", Title: "PDH-TSV 4.0", Extensions: []string{".tsv"},
		magic: isPDHTSV, open: openPDHText, create: createPDHTSV, resume: resumePDHTSV, stream: streamPDHTSV,
	},
	{
		Name: "sqlite", Title: "SQLite with the tables of MS-PLA", Extensions: []string{".db", ".sqlite", ".sqlite3"}, KeepsRaw: true, Grows: true,
		magic: isSQLite, open: openSQLite, create: createSQLite, resume: resumeSQLite,
	},
	{
		Name: "json", Aliases: []string{"jsonl", "ndjson"}, Title: "JSON lines", Extensions: []string{".json", ".jsonl", ".ndjson"}, Grows: true,
		magic: isJSONLines, open: openJSONLines, create: createJSONLines, resume: resumeJSONLines, stream: streamJSONLines,
	},
}

// OpenOptions say how a recording is read. The zero OpenOptions will do.
type OpenOptions struct {
	Format   string // of the file; empty: told by its content, then by its name
	Encoding string // of a text file: see Encodings; empty: guessed
	Set      string // of the sets of an SQLite file, DisplayToID.DisplayString; empty: the one with the newest start
}

// WriteOptions say how a recording is written. The zero WriteOptions are right
// for a recorder.
type WriteOptions struct {
	Overwrite bool // an existing file is replaced; else it is an error
	// Buffered collects rows instead of writing each at once: for conversions.
	Buffered bool
	// Fixed writes numbers with so many Decimals in text formats, as Windows does on
	// the screen; else all of their 17 digits are written.
	Fixed    bool
	Decimals int
	// Set is the name of the set in an SQLite file; empty: that of the file. Append
	// adds a set that is not there.
	Set string
	// Spreadsheet keeps text that begins as a formula from being one.
	Spreadsheet bool
	// Screen is set where a terminal gets the text: names are made printable. Files
	// have them as they are.
	Screen bool
}

// FormatNames are the names of all formats.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].Name
	}
	return names
}

// FormatNamed finds a format by its name or an alias.
func FormatNamed(name string) (*Format, bool) {
	is := func(one string) bool { return strings.EqualFold(one, name) }
	for i := range formats {
		if is(formats[i].Name) || slices.ContainsFunc(formats[i].Aliases, is) {
			return &formats[i], true
		}
	}
	return nil, false
}

// FormatByExtension finds a format by the extension of a file name.
func FormatByExtension(file string) (*Format, bool) {
	extension := strings.ToLower(filepath.Ext(file))
	for i := range formats {
		if slices.Contains(formats[i].Extensions, extension) {
			return &formats[i], true
		}
	}
	return nil, false
}
