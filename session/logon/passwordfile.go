package logon

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"perfdeck/session/files"
)

// mostPassword bounds a password, in bytes.
const mostPassword = 4096

var (
	errNoPassword   = errors.New("the first line is empty")
	errLongPassword = fmt.Errorf("the first line has more than %d bytes", mostPassword)
)

// readPasswordFile reads the first line of a file that nobody else may use.
func readPasswordFile(name string) ([]byte, error) {
	f, err := files.OpenSecret(name)
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	defer f.Close()
	text := make([]byte, mostPassword+len("\r\n"))
	defer clear(text)
	n, err := io.ReadFull(f, text)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	password, err := firstLine(text[:n])
	if err != nil {
		return nil, fmt.Errorf("read the password from %s: %w", name, err)
	}
	return password, nil
}

// firstLine is a copy of the first line of a text.
func firstLine(text []byte) ([]byte, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	switch {
	case len(line) == 0:
		return nil, errNoPassword
	case len(line) > mostPassword:
		return nil, errLongPassword
	}
	return bytes.Clone(line), nil
}
