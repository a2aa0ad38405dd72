// Package output writes rows of values in the formats of perfdeck sample.
package output

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"perfdeck/cooker"
	"perfdeck/session/collector"
)

// Format is a way to write samples. A new format is a row in formats.
type Format struct {
	Name  string
	Fixed bool // the columns are those of the first sample

	extension string
	Replaces  bool // each sample replaces the file
	open      func(o outlet, l Look) rowWriter
}

var formats = []Format{
	{"table", false, ".txt", false, newTable},
	{"csv", true, ".csv", false, newPDHCSV},
	{"tsv", true, ".tsv", false, newPDHTSV},
	{"json", false, ".json", false, newJSONLines},
	{"prom", false, ".prom", true, newProm},
	{"lines", false, ".lines", false, newLines},
}

// rowWriter writes samples in one format.
type rowWriter interface {
	write(r *collector.Row) error
}

// Look is how numbers are written.
type Look struct {
	Digits    int // decimals; UnsetDigits
	CSVSafe   bool
	SpecScale bool
}

// UnsetDigits leaves the number of decimals to the format.
const UnsetDigits = -1

// Text is a value as tables show it.
func (l Look) Text(c collector.Cell, digits int) string {
	f := cooker.DefaultFormat()
	f.Attributes, f.Digits = c.Counter.Attributes, digits
	if l.Digits != UnsetDigits {
		f.Digits = l.Digits
	}
	if l.SpecScale {
		f.Scale = c.Counter.DefaultScale
	}
	return string(cooker.AppendValue(nil, c.Value, f))
}

// Names are the names of all formats.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// FormatOf is the format of a name; without one that of the file's extension,
// csv for other files, table for the screen.
func FormatOf(name, file string) (f *Format, ok bool) {
	extension := ""
	if name == "" && file == "" {
		name = "table"
	} else if name == "" {
		name, extension = "csv", strings.ToLower(filepath.Ext(file))
	}
	for i := range formats {
		if formats[i].extension == extension {
			return &formats[i], true
		}
		if strings.EqualFold(formats[i].Name, name) {
			f = &formats[i]
		}
	}
	return f, f != nil
}

// outlet is where samples go: a stream, or a file by its name for formats that
// replace it with each sample.
type outlet struct {
	w    *bufio.Writer
	file string // empty: the screen
	// isTerm is set where a terminal reads it.
	isTerm bool
}

// Output is an open outlet with its writer.
type Output struct {
	outlet

	rows rowWriter
	done io.Closer // nil: nothing to close
}

// Stream writes to a stream.
func (f *Format) Stream(w io.Writer, l Look) *Output {
	file, isFile := w.(*os.File)
	o := &Output{outlet: outlet{w: bufio.NewWriter(w), isTerm: isFile && term.IsTerminal(int(file.Fd()))}}
	o.rows = f.open(o.outlet, l)
	return o
}

// Create writes to a file. One that is there is an error, os.ErrExist, unless it
// may be overwritten.
func (f *Format) Create(name string, overwrite bool, l Look) (*Output, error) {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if overwrite {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(name, how, 0o644) //nolint:gosec // samples are no secret: other programs read them
	if err != nil {
		return nil, err
	}
	o := &Output{outlet: outlet{bufio.NewWriter(file), name, term.IsTerminal(int(file.Fd()))}, done: file}
	if f.Replaces {
		o.done = nil
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
	o.rows = f.open(o.outlet, l)
	return o, nil
}

// Write writes one row, so that readers have it at once.
func (o *Output) Write(r *collector.Row) error {
	if err := o.rows.write(r); err != nil {
		return err
	}
	return o.w.Flush()
}

// Close writes what is left and closes the file.
func (o *Output) Close() error {
	err := o.w.Flush()
	if o.done != nil {
		err = cmp.Or(err, o.done.Close())
	}
	return err
}
