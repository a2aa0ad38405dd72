package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"perfdeck/session"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/system/osfile"
)

// convert writes the rows to where -o says.
func (j *relogJob) convert(ctx context.Context) error {
	if err := checkExtension("relog", j.flags.output, j.flags.format); err != nil {
		return err
	}
	format, err := writtenFormat(j.flags.format, j.flags.output, "csv")
	if err != nil {
		return err
	}
	if err := format.Caution(j.flags.output); err != nil {
		j.program.report(err)
	}
	release, err := holdFile("relog", j.flags.output, j.flags.extend)
	if err != nil {
		return err
	}
	defer release()
	out, err := j.open(format)
	if err != nil {
		return err
	}
	err = j.each(ctx, out.WriteRow)
	if err != nil {
		out.discard()
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %s", err, out.left)
		}
		return unlessPipe(fmt.Errorf("relog: %w", err))
	}
	if err := out.finish(); err != nil {
		return unlessPipe(fmt.Errorf("relog: write %s: %w", j.flags.output, err))
	}
	return nil
}

// relogOutput is what relog writes to.
type relogOutput struct {
	logs.Writer

	left    string // what is left when it is given up, in words
	finish  func() error
	discard func()
}

// open opens the output. A new file gets its name when it is complete, so that
// nobody takes a part for the whole, and an old one stays until then.
func (j *relogJob) open(format *logs.Format) (*relogOutput, error) {
	name := j.flags.output
	o := logs.WriteOptions{Buffered: true, Overwrite: true, Set: j.flags.set}
	old, err := os.Stat(name)
	there := err == nil
	switch {
	case name == "-":
		return j.stream(format, j.out, o, func() error { return nil })
	case there && !old.Mode().IsRegular(): // a device, a pipe
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("relog: %w", err)
		}
		return j.stream(format, file, o, file.Close)
	case there && j.flags.extend:
		w, _, err := logs.Append(name, format, j.header(), o)
		if err != nil {
			return nil, fmt.Errorf("relog: append: %w", err)
		}
		return &relogOutput{w, "what was appended stays", w.Close, func() { _ = w.Close() }}, nil
	case there && !j.flags.overwrite:
		return nil, session.WithHint(fmt.Errorf("relog: write %s: it is there already", name), "--yes overwrites it, --append appends")
	}
	if err := logs.Orphan(name); err != nil && !j.flags.overwrite {
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
	for _, suffix := range append([]string{""}, journals...) {
		whole = append(whole, j.life.Half(part+suffix))
	}
	done := func() {
		for _, f := range whole {
			f()
		}
	}
	w, err := logs.Create(part, format, j.header(), o)
	if err != nil {
		done()
		return nil, fmt.Errorf("relog: write: %w", err)
	}
	finish := func() error {
		defer done()
		return j.complete(w, part, name)
	}
	return &relogOutput{w, "nothing was written", finish, func() {
		defer done()
		_ = w.Close()
		removeAll(part)
	}}, nil
}

// complete gives the file its name.
func (j *relogJob) complete(w logs.Writer, part, name string) error {
	if err := cmp.Or(w.Sync(), w.Close()); err != nil {
		removeAll(part)
		return err
	}
	if !j.flags.overwrite {
		switch err := os.Link(part, name); {
		case err == nil:
			return os.Remove(part)
		case errors.Is(err, fs.ErrExist): // it came in the meantime
			removeAll(part)
			return err
		}
	}
	removeJournals(name) // they would be taken for those of the new file
	return osfile.Replace(part, name)
}

// removeAll removes a file that was given up.
func removeAll(name string) {
	_ = os.Remove(name)
	removeJournals(name)
}

// journals are what SQLite keeps beside a file.
var journals = []string{"-wal", "-shm", "-journal"}

// removeJournals removes the journals of an SQLite file, if there are any.
func removeJournals(name string) {
	for _, suffix := range journals {
		_ = os.Remove(name + suffix)
	}
}

// stream writes to what is no file.
func (j *relogJob) stream(format *logs.Format, to *os.File, o logs.WriteOptions, done func() error) (*relogOutput, error) {
	buffer := bufio.NewWriterSize(to, 64<<10)
	o.Screen = term.IsTerminal(int(to.Fd()))
	w, err := logs.Stream(buffer, format, j.header(), o)
	if err != nil {
		return nil, usage(session.WithHint(fmt.Errorf("relog: %w", err), "-o FILE"))
	}
	finish := func() error { return cmp.Or(w.Close(), buffer.Flush(), done()) }
	return &relogOutput{w, "a part was written", finish, func() { _ = finish() }}, nil
}

// holdFile keeps recorders from a file that is written to in its place, or that is
// replaced, until release is called.
// It is refused while one records to it: the recording would be lost.
func holdFile(verb, name string, inPlace bool) (release func(), err error) {
	if info, err := os.Stat(name); name == "-" || err == nil && !info.Mode().IsRegular() { // a device, a pipe
		return func() {}, nil
	}
	release, err = collector.Hold(name, inPlace)
	if busy, ok := errors.AsType[*collector.BusyError](err); ok {
		return nil, session.WithHint(
			fmt.Errorf("%s: write %s: %s records to it", verb, name, cmp.Or(busy.Holder, "another process")),
			"write to another file, or end the recording first: perfdeck record --stop")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: write %s: %w", verb, name, err)
	}
	return release, nil
}

// takeNotesAlong writes the notes of recordings, as far as they are of its time, beside
// the one that was made of them.
func (j *relogJob) takeNotesAlong(recordings []string) error {
	name := j.flags.output
	if info, err := os.Stat(name); name == "-" || err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // a device, a pipe
	}
	notes, damaged := notebook.Of(recordings, j.begin, j.end)
	for _, err := range damaged {
		j.program.report(err)
		j.partly = true
	}
	if !j.flags.extend {
		if err := notebook.RemoveBeside(name); err != nil { // of what was there
			return fmt.Errorf("relog: %w", err)
		}
	}
	if err := notebook.AddBeside(name, notes...); err != nil {
		return fmt.Errorf("relog: %w", err)
	}
	return nil
}
