package logs

import (
	"bytes"
	"cmp"
	"io"
	"os"

	"golang.org/x/term"
)

// Printer writes beats in the words of one format, as sample does.
type Printer struct {
	beats beatWriter
	beat  bytes.Buffer // what is to be written of one
	out   outFile

	failed bool
}

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
