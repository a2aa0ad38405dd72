package logon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// mostPassword bounds a password, in bytes.
const mostPassword = 4096

var (
	errNoPassword   = errors.New("the first line is empty")
	errLongPassword = fmt.Errorf("the first line has more than %d bytes", mostPassword)
)

// readPasswordFile reads the first line of a file that nobody else may read.
func readPasswordFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, &Error{
			fmt.Errorf("read the password from %s: others may read the file (mode %04o)", name, info.Mode().Perm()),
			"chmod 600 " + name,
		}
	}
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
