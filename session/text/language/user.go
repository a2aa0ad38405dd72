package language

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// mostFiles is how many files of names a folder may have.
const mostFiles = 64

// Read takes in the files of names of a folder, *.tsv. What cannot be read of them is told, and
// what they say that is not gone by.
func Read(dir fs.FS) (d *Dictionary, told []error) {
	names, err := fs.Glob(dir, "*.tsv")
	if err != nil || len(names) == 0 {
		return nil, nil
	}
	if len(names) > mostFiles {
		told = append(told, fmt.Errorf("of %d files of names the first %d are read", len(names), mostFiles))
		names = names[:mostFiles]
	}
	d = &Dictionary{}
	for _, name := range names {
		if err := d.read(dir, name); err != nil {
			told = append(told, fmt.Errorf("names of %s: %w", path.Base(name), err))
		}
	}
	for _, note := range d.Notes() {
		told = append(told, errors.New("names of "+note))
	}
	return d, told
}

func (d *Dictionary) read(dir fs.FS, name string) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err != nil {
		return err
	}
	return d.Add(name, string(text))
}
