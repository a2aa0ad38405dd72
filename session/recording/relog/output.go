package relog

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// Conversion is what a selection becomes.
type Conversion struct {
	Output            string // the file; - is Stdout
	Format            *formats.Format
	Append, Overwrite bool     // what to do with a file that is there
	Set               string   // of an SQLite file; empty: by the name of the file
	From              []string // the recordings, whose notes and events of hosts go along
	Stdout            *os.File
	Half              func(name string) (whole func()) // told of files that are to be removed unless they become whole
	Report            func(error)                      // hears of what is odd, and is written all the same
	Tick              func()                           // called now and then
}

// Write writes what is chosen to a file, a device or standard output. A file is whole or not
// there: when the context ends or something fails, one that was there before is as it was, but
// for what was appended. missing tells that notes could not be read, as was reported.
// *session.UsageError is a format that only files have.
func (s *Selection) Write(ctx context.Context, c Conversion) (missing bool, err error) {
	if err := c.Format.Caution(c.Output); err != nil {
		c.Report(err)
	}
	release, err := collector.HoldOutput(c.Output, c.Append)
	if err != nil {
		return false, fmt.Errorf("relog: %w", err)
	}
	defer release()
	out, err := create(s.Header(), &c)
	if err != nil {
		return false, err
	}
	if err := s.each(ctx, c.Tick, out.WriteRow); err != nil {
		out.discard()
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %s", err, out.left)
		}
		return false, fmt.Errorf("relog: %w", err)
	}
	lacks, err := s.takeEventsAlong(ctx, out, &c)
	if err != nil {
		out.discard()
		return false, fmt.Errorf("relog: %w", err)
	}
	if err := out.finish(); err != nil {
		return false, fmt.Errorf("relog: write %s: %w", c.Output, err)
	}
	missing, err = s.takeNotesAlong(&c)
	return missing || lacks, err
}

// takeEventsAlong writes the events of hosts that are kept, as far as they are of its time.
func (s *Selection) takeEventsAlong(ctx context.Context, out *output, c *Conversion) (missing bool, err error) {
	line, of := logs.LineOf(s.reader), map[string]bool{}
	for _, column := range s.Header().Columns {
		of[paths.Fold(NewFilter(column.Path).Path.Computer)] = true
	}
	events, kept, damaged := formats.Events(ctx, c.From, line.Place, s.begin, s.end)
	for _, err := range damaged {
		c.Report(err)
	}
	events = slices.DeleteFunc(events, func(e session.HostEvent) bool { return !of[""] && !of[paths.Fold(e.Host)] })
	if len(events) > 0 {
		if err := c.Format.NoEvents(c.Output); err != nil {
			c.Report(err)
		}
	}
	if eventlist.Move(events, line.Written); kept {
		err = formats.WriteEvents(out.Writer, events)
	}
	return len(damaged) > 0, err
}

// takeNotesAlong writes the notes of recordings, as far as they are of its time, beside
// the one that was made of them.
func (s *Selection) takeNotesAlong(c *Conversion) (missing bool, err error) {
	if info, err := os.Stat(c.Output); c.Output == "-" || err != nil || !info.Mode().IsRegular() {
		return false, nil //nolint:nilerr // a device, a pipe
	}
	line := logs.LineOf(s.reader)
	notes, damaged := notebook.Of(c.From, line.Place, s.begin, s.end)
	line.Written(note.Times(notes)...)
	for _, err := range damaged {
		c.Report(err)
	}
	if !c.Append {
		err = notebook.RemoveBeside(c.Output) // of what was there
	}
	if err == nil {
		err = notebook.AddBeside(c.Output, notes...)
	}
	if err != nil {
		err = fmt.Errorf("relog: %w", err)
	}
	return len(damaged) > 0, err
}

// output is what is written to.
type output struct {
	logs.Writer

	left    string // what is left when it is given up, in words
	finish  func() error
	discard func()
}

// create opens an output. A new file gets its name when it is complete, so that
// nobody takes a part for the whole, and an old one stays until then.
func create(h *logs.Header, c *Conversion) (*output, error) {
	name, format := c.Output, c.Format
	o := logs.WriteOptions{Buffered: true, Overwrite: true, Set: c.Set}
	old, err := os.Stat(name)
	there := err == nil
	switch {
	case name == "-":
		return stream(format, c.Stdout, h, o, func() error { return nil })
	case there && !old.Mode().IsRegular(): // a device, a pipe
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("relog: %w", err)
		}
		return stream(format, file, h, o, file.Close)
	case there && c.Append:
		w, _, err := formats.Append(name, format, h, o)
		if err != nil {
			return nil, fmt.Errorf("relog: append: %w", err)
		}
		return &output{w, "what was appended stays", w.Close, func() { _ = w.Close() }}, nil
	case there && !c.Overwrite:
		return nil, failure.WithHint(fmt.Errorf("relog: write %s: it is there already", name), "--yes overwrites it, --append appends")
	}
	if err := sqlite.Orphan(name); err != nil && !c.Overwrite {
		return nil, fmt.Errorf("relog: write: %w", err)
	}
	if o.Set == "" {
		o.Set = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	if name, err = osfile.Target(name); err != nil {
		return nil, fmt.Errorf("relog: write: %w", err)
	}
	part := name + ".part"
	var whole []func()
	for _, suffix := range append([]string{""}, sqlite.Journals()...) {
		whole = append(whole, c.Half(part+suffix))
	}
	done := func() {
		for _, f := range whole {
			f()
		}
	}
	o.NoLinks = true // the name was not the user's choice
	w, err := formats.Create(part, format, h, o)
	if err != nil {
		done()
		return nil, fmt.Errorf("relog: write: %w", err)
	}
	finish := func() error {
		defer done()
		return complete(w, part, name, c)
	}
	return &output{w, "nothing was written", finish, func() {
		defer done()
		_ = w.Close()
		removeAll(part)
	}}, nil
}

// complete gives the file its name.
func complete(w logs.Writer, part, name string, c *Conversion) error {
	if err := cmp.Or(w.Sync(), w.Close()); err != nil {
		removeAll(part)
		return err
	}
	if c.Overwrite && c.Format.HasSets() {
		sqlite.RemoveJournals(name) // they would be taken for those of the new file
	}
	return osfile.Place(part, name, c.Overwrite)
}

// removeAll removes a file that was given up.
func removeAll(name string) {
	_ = os.Remove(name)
	sqlite.RemoveJournals(name)
}

// stream writes to what is no file.
func stream(format *formats.Format, to *os.File, h *logs.Header, o logs.WriteOptions, done func() error) (*output, error) {
	buffer := bufio.NewWriterSize(to, 64<<10)
	o.Screen = term.IsTerminal(int(to.Fd()))
	w, err := formats.Stream(buffer, format, h, o)
	if err != nil {
		return nil, failure.Usage(failure.WithHint(fmt.Errorf("relog: %w", err), "-o FILE"))
	}
	finish := func() error { return cmp.Or(w.Close(), buffer.Flush(), done()) }
	return &output{w, "a part was written", finish, func() { _ = finish() }}, nil
}
