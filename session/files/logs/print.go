package logs

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"

	"golang.org/x/term"

	"perfdeck/cooker"
)

// Printer writes beats in the words of one format, as sample does.
type Printer struct {
	beats beatWriter
	beat  bytes.Buffer // what is to be written of one
	out   outFile

	failed bool
}

// beatWriter is a format's part of a Printer.
type beatWriter interface {
	write(b *Beat) error
	close() error // writes what is held back
}

// outlet is where beats go: a stream, or a file by its name for formats that replace
// it with each.
type outlet struct {
	WriteOptions

	w    io.Writer
	file string // empty: the screen
}

// close is that of formats that hold nothing back.
func (outlet) close() error { return nil }

// PrintFormats are the names of the formats that beats are written in.
func PrintFormats() []string { return namesOf(prints) }

func prints(f *Format) bool { return f.print != nil }

// PrintFormat finds the format that beats are written in: by its name or an alias,
// without one by the extension of a file, else the usual one of files or of the screen.
func PrintFormat(name, file string) (*Format, bool) {
	switch {
	case name != "":
		return formatNamed(name, prints)
	case file == "":
		return Usual(ToRead), true
	}
	if f, ok := formatByExtension(file, prints); ok {
		return f, true
	}
	return Usual(ToConvert), true
}

// Print writes beats to a stream.
func (f *Format) Print(w io.Writer, o WriteOptions) *Printer {
	p := &Printer{out: outFile{w: w}}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		o.Screen = true
		o.Cells = func() int {
			width, _, _ := term.GetSize(int(file.Fd()))
			return width
		}
	}
	p.beats = f.print(outlet{o, &p.beat, ""})
	return p
}

// PrintFile writes beats to a file. One that is there is an error, os.ErrExist, unless
// it may be overwritten.
func (f *Format) PrintFile(name string, o WriteOptions) (*Printer, error) {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	switch {
	case o.Overwrite && f.Replaces:
		how = os.O_WRONLY | os.O_CREATE // what is there stays until it is replaced
	case o.Overwrite:
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(name, how, 0o644) //nolint:gosec // samples are no secret: other programs read them
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && f.Replaces && info.Mode().IsRegular() {
		_ = file.Chmod(0o644) // whatever the umask: the program that reads it is another user's
	}
	p := &Printer{out: outFile{w: file, file: file}}
	o.Screen = term.IsTerminal(int(file.Fd()))
	p.beats = f.print(outlet{o, &p.beat, name})
	return p, nil
}

// Write writes one beat, so that readers have it at once. Of a beat that the disk has no
// room for nothing stays in a file.
func (p *Printer) Write(b *Beat) error {
	err := p.pass(p.beats.write(b))
	p.failed = err != nil
	return err
}

// pass writes what formats wrote, unless they failed.
func (p *Printer) pass(err error) error {
	if err == nil {
		err = p.out.write(p.beat.Bytes())
	}
	p.beat.Reset()
	return err
}

// Close writes what is left and closes the file. One that no beat found room in is removed.
func (p *Printer) Close() error {
	err := p.pass(p.beats.close())
	file := p.out.file
	if file == nil {
		return err
	}
	size, _ := fileSize(file)
	vain := p.failed && size == 0 && stillThere(file) == nil
	err = cmp.Or(err, p.out.close())
	if vain {
		_ = os.Remove(file.Name())
	}
	return err
}

// Text is a value as tables show it: in the form of its counter, but in the
// counter's own unit and without groups of digits, as typeperf writes numbers. It has
// so many decimals where nobody says how many.
func (o WriteOptions) Text(c Cell, digits int) string {
	return string(cooker.AppendValue(nil, c.Value, o.format(c, digits)))
}

func (o WriteOptions) format(c Cell, digits int) cooker.Format {
	f := o.Looks.Of(c.Set, c.Counter).Format
	f.Style, f.Grouping = cooker.UnitPlain, ""
	switch {
	case o.Fixed:
		f.Digits = o.Decimals
	case f.Digits == cooker.DefaultDigits:
		f.Digits = digits
	}
	return f
}

// screenDecimals are the decimals of numbers on the screen, as typeperf has them.
const screenDecimals = 6

// ErrNoColumns says that a format with fixed columns found nothing to make them of.
var ErrNoColumns = errors.New("no instance of what was asked for is there")

// streamed are beats as rows of a format whose columns are those of the first.
type streamed struct {
	outlet

	format pdhText
	out    Writer
	row    Row
}

func (p pdhText) print(o outlet) beatWriter { return &streamed{outlet: o, format: p} }

func (s *streamed) write(b *Beat) error {
	if s.out == nil {
		if err := s.begin(b); err != nil {
			return err
		}
	}
	s.row.Time, s.row.Values = b.Time, b.Values
	return s.out.WriteRow(&s.row)
}

// begin fixes the columns and writes the header. Times stay in the zone that it
// names, through changes to daylight saving time too.
func (s *streamed) begin(b *Beat) (err error) {
	if len(b.Columns) == 0 {
		return ErrNoColumns
	}
	h := &Header{Zone: LocalZone(b.Time)}
	for _, c := range b.Columns {
		h.Columns = append(h.Columns, Column{Path: c.Full()})
	}
	o := s.WriteOptions
	if s.file == "" && !o.Fixed {
		o.Fixed, o.Decimals = true, screenDecimals
	}
	s.out, err = s.format.stream(s.w, h, o)
	return err
}

// printedJSON is JSON lines with the values as tables show them beside them.
type printedJSON struct {
	outlet

	path, line []byte
}

func printJSONLines(o outlet) beatWriter { return &printedJSON{outlet: o} }

func (j *printedJSON) write(b *Beat) error {
	for _, s := range b.Samples {
		j.line = beginJSON(j.line[:0], s.Time, s.Host)
		for i, c := range s.Cells {
			j.path = appendJSONString(j.path[:0], c.Text)
			j.line = appendJSONCell(j.line, j.path, c.Value, j.format(c, cooker.DefaultDigits), i+1 == len(s.Cells))
		}
		j.line = endJSON(j.line)
		if _, err := j.w.Write(j.line); err != nil {
			return err
		}
	}
	return nil
}
