package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"perfdeck/cooker"
	"perfdeck/session/logs"
)

// format is a way to write samples. A new format is a row in formats.
type format struct {
	name      string
	extension string
	replaces  bool // each sample replaces the file
	fixed     bool // the columns are those of the first sample
	open      func(o outlet, l look) rowWriter
}

var formats = []format{
	{"table", ".txt", false, false, newTable},
	{"csv", ".csv", false, true, newPDHCSV},
	{"tsv", ".tsv", false, true, newPDHTSV},
	{"json", ".json", false, false, newJSONLines},
	{"prom", ".prom", true, false, newProm},
	{"lines", ".lines", false, false, newLines},
}

// rowWriter writes samples in one format.
type rowWriter interface {
	write(r row) error
}

// look is how numbers are written.
type look struct {
	digits    int // decimals; unsetDigits
	csvSafe   bool
	specScale bool
}

const unsetDigits = -1

// text is a value as tables show it.
func (l look) text(c cell, digits int) string {
	f := cooker.DefaultFormat()
	f.Attributes, f.Digits = c.counter.Attributes, digits
	if l.digits != unsetDigits {
		f.Digits = l.digits
	}
	if l.specScale {
		f.Scale = c.counter.DefaultScale
	}
	return string(cooker.AppendValue(nil, c.value, f))
}

// outlet is where samples go: a stream, or a file by its name for formats that
// replace it with each sample.
type outlet struct {
	w    *bufio.Writer
	file string // empty: the screen
}

// output is an open outlet with its writer.
type output struct {
	outlet
	rows rowWriter
	done io.Closer // nil: nothing to close
}

func formatNames() string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return strings.Join(names, "|")
}

// formatOf is the format of a name; without one that of the file's extension,
// csv for other files, table for the screen.
func formatOf(name, file string) (*format, error) {
	extension := ""
	if name == "" && file == "" {
		name = "table"
	} else if name == "" {
		name, extension = "csv", strings.ToLower(filepath.Ext(file))
	}
	var found *format
	for i := range formats {
		if formats[i].extension == extension {
			return &formats[i], nil
		}
		if formats[i].name == name {
			found = &formats[i]
		}
	}
	if found == nil {
		return nil, unknownValue("format", name, strings.ReplaceAll(formatNames(), "|", ", "))
	}
	return found, nil
}

// openOutput opens the file, or the screen, for samples.
func (p *program) openOutput(kind *format, f sampleFlags) (*output, error) {
	if f.output == "" {
		o := &output{outlet: outlet{w: bufio.NewWriter(p.out)}}
		o.rows = kind.open(o.outlet, f.look)
		return o, nil
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if f.overwrite {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(f.output, how, 0o644) //nolint:gosec // samples are no secret: other programs read them
	if errors.Is(err, os.ErrExist) {
		return nil, &hinted{fmt.Errorf("write samples: %s is there already", f.output), "--yes overwrites it"}
	}
	if err != nil {
		return nil, fmt.Errorf("write samples: %w", err)
	}
	o := &output{outlet: outlet{bufio.NewWriter(file), f.output}, done: file}
	if kind.replaces {
		o.done = nil
		if err := file.Close(); err != nil {
			return nil, fmt.Errorf("write samples: %w", err)
		}
	}
	o.rows = kind.open(o.outlet, f.look)
	return o, nil
}

// write writes one row, so that readers have it at once.
func (o *output) write(r row) error {
	if err := o.rows.write(r); err != nil {
		return err
	}
	return o.w.Flush()
}

func (o *output) close() error {
	err := o.w.Flush()
	if o.done != nil {
		err = cmp.Or(err, o.done.Close())
	}
	return err
}

// unlessPipe drops the error of a reader that went away, as head does.
func unlessPipe(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// statusWord is a status as scripts read it: "ok", or why there is no good
// value, in lower-case words.
func statusWord(s cooker.Status) string { return logs.StatusWord(s) }

// unlessEnded drops the error of a command that was ended by a signal.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}
