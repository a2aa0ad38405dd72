package store

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"perfdeck/session/system/osfile"
)

// The first lines of files of the first version of their form.
const (
	FormJSON = `{"form":1}`
	FormTOML = "form = 1"
)

// ErrForm says that a file is of another version of its form: it is neither read nor written.
var ErrForm = errors.New("it is of another version of perfdeck than this one")

// form is how long the first line of a file is that says the version of its form. A file without one,
// or with a torn one, is of this version.
func form(file io.ReaderAt, want string) (length int64, err error) {
	text := make([]byte, len(want)+16) // room for a number
	n, _ := file.ReadAt(text, 0)       // what cannot be read is no other form
	line, _, isWhole := bytes.Cut(text[:n], []byte("\n"))
	switch before := strings.TrimRight(want, "0123456789}"); {
	case want == "":
	case isWhole && strings.TrimSuffix(string(line), "\r") == want:
		return int64(len(line)) + 1, nil
	case bytes.HasPrefix(line, []byte(before)) && !strings.HasPrefix(want, string(line)):
		return 0, ErrForm
	}
	return 0, nil
}

// mayReplace refuses to put something in the place of a file of another form.
func mayReplace(name, want string) error {
	if want == "" {
		return nil
	}
	f, err := osfile.OpenPlain(name)
	if err != nil {
		return nil // there is none, or whoever writes it tells
	}
	defer f.Close()
	_, err = form(f, want)
	return err
}
