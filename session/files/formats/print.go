package formats

import (
	"bytes"
	"cmp"
	"io"
	"os"

	"golang.org/x/term"

	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
)

// Printer writes beats in the words of one format, as sample does.
type Printer struct {
	beats logs.BeatWriter
	beat  bytes.Buffer // what is to be written of one
	out   textfile.Out

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
func (f *Format) Print(w io.Writer, o logs.WriteOptions) *Printer {
	p := &Printer{out: textfile.Out{W: w}}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		o.Screen = true
		o.Cells = func() int {
			width, _, _ := term.GetSize(int(file.Fd()))
			return width
		}
	}
	p.beats = f.print(logs.Outlet{WriteOptions: o, W: &p.beat})
	return p
}

// PrintFile writes beats to a file. One that is there is an error, os.ErrExist, unless
// it may be overwritten.
func (f *Format) PrintFile(name string, o logs.WriteOptions) (*Printer, error) {
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
	p := &Printer{out: textfile.Out{W: file, File: file}}
	o.Screen = term.IsTerminal(int(file.Fd()))
	p.beats = f.print(logs.Outlet{WriteOptions: o, W: &p.beat, File: name})
	return p, nil
}

// Write writes one beat, so that readers have it at once. Of a beat that the disk has no
// room for nothing stays in a file.
func (p *Printer) Write(b *logs.Beat) error {
	err := p.pass(p.beats.Write(b))
	p.failed = err != nil
	return err
}

// pass writes what formats wrote, unless they failed.
func (p *Printer) pass(err error) error {
	if err == nil {
		err = p.out.Write(p.beat.Bytes())
	}
	p.beat.Reset()
	return err
}

// Close writes what is left and closes the file. One that no beat found room in is removed.
func (p *Printer) Close() error {
	err := p.pass(p.beats.Close())
	file := p.out.File
	if file == nil {
		return err
	}
	size, _ := logs.FileSize(file)
	vain := p.failed && size == 0 && logs.StillThere(file) == nil
	err = cmp.Or(err, p.out.Close())
	if vain {
		_ = os.Remove(file.Name())
	}
	return err
}
