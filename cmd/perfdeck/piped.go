package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"perfdeck/session/files"
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
		info, statErr := os.Stat(name)
		isArchive := statErr == nil && info.Mode().IsRegular() && isZip(name)
		if name != stdinName && !isArchive && (statErr != nil || info.Mode().IsRegular() || info.IsDir()) {
			found = append(found, name) // perhaps with the name of a set behind it
			continue
		}
		folder, err := os.MkdirTemp("", "perfdeck-")
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("read a recording: %w", err)
		}
		p.half(folder)
		folders = append(folders, folder)
		if isArchive {
			members, err := unzip(name, folder)
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

// spool copies what is read from front to back into a file.
func (p *program) spool(name, to string) error {
	from := p.standardInput()
	if name == stdinName {
		defer p.takeTerminal()
	} else {
		in, err := files.Open(p.context(), name)
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
