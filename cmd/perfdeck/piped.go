package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"perfdeck/session/record/zips"
	"perfdeck/session/system/osfile"
)

// seekable puts recordings that come through pipes, in archives, or as standard input, into
// files of their own: recordings are read from any place, and more than once. done removes
// them.
func (p *program) seekable(names []string) (found []string, done func(), err error) {
	var folders []string
	done = func() {
		for _, folder := range folders {
			_ = os.RemoveAll(folder)
		}
	}
	for _, name := range names {
		if isBeside(name) && len(names) > 1 {
			continue
		}
		engine, isPast := p.pastNamed(name)
		info, statErr := os.Stat(name)
		isArchive := statErr == nil && info.Mode().IsRegular() && zips.Is(name)
		if name != stdinName && !isArchive && !isPast && (statErr != nil || info.Mode().IsRegular() || info.IsDir()) {
			found = append(found, name) // perhaps with the name of a set behind it
			continue
		}
		folder, err := os.MkdirTemp("", "perfdeck-")
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("read a recording: %w", err)
		}
		p.life.Half(folder)
		folders = append(folders, folder)
		from, _ := filepath.Split(name)
		if isArchive && isBundle(name) {
			from = name + "/"
		}
		if isPast {
			file, err := p.spoolPast(engine, folder)
			if err != nil {
				done()
				return nil, nil, fmt.Errorf("read the past: %w", err)
			}
			p.spooled = append(p.spooled, spooled{file, name})
			found = append(found, file)
			continue
		}
		p.spooled = append(p.spooled, spooled{folder + string(filepath.Separator), from})
		if isArchive {
			members, err := p.unpackAll(name, folder)
			if err != nil {
				done()
				return nil, nil, fmt.Errorf("read a recording: %w", err)
			}
			found = append(found, members...)
			continue
		}
		file := filepath.Join(folder, filepath.Base(name))
		if name == stdinName {
			file = filepath.Join(folder, "standard input")
		}
		if err := p.spool(name, file); err != nil {
			done()
			return nil, nil, fmt.Errorf("read a recording: %w", err)
		}
		found = append(found, file)
	}
	return found, done, nil
}

// unpackAll unpacks the recordings of an archive.
func (p *program) unpackAll(name, folder string) ([]string, error) {
	if isBundle(name) {
		return p.openBundle(name, folder)
	}
	return zips.Unpack(name, folder)
}

// spooled is a folder that holds what was read from elsewhere, and what stands in its place
// in what is told.
type spooled struct{ folder, shown string }

// shown is a text with the names that the user knows in it, in place of those of folders
// that hold what was read.
func (p *program) shown(text string) string {
	for _, s := range p.spooled {
		text = strings.ReplaceAll(text, s.folder, s.shown)
	}
	return text
}

// spool copies what is read from front to back into a file.
func (p *program) spool(name, to string) error {
	from := p.standardInput()
	if name == stdinName {
		defer p.takeTerminal()
	} else {
		in, err := osfile.Open(p.context(), name)
		if err != nil {
			return err
		}
		defer in.Close() //nolint:errcheck // it was only read
		from = in
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return cmp.Or(err, out.Close())
}
