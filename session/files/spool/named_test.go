package spool

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording that was read from elsewhere has the name by which it is read again, if it is.
func TestNamed(t *testing.T) {
	const text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\M\\load\"\r\n\"03/02/2026 14:00:00.000\",\"1\"\r\n"
	plain := filepath.Join(t.TempDir(), "night.csv")
	if err := os.WriteFile(plain, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Options{
		Context: context.Background, Half: func(string) func() { return func() {} }, Report: func(error) {},
		Stdin: func() (io.Reader, func()) { return strings.NewReader(text), func() {} },
		Past:  func(string) (func(string) (string, error), bool) { return nil, false },
	})
	files, done, err := s.Files([]string{plain, Stdin})
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	defer done()
	if name, again := s.Named(files[0]); name != plain || !again {
		t.Errorf("%s, %v", name, again)
	}
	if name, again := s.Named(files[1]); name != Stdin || again {
		t.Errorf("%s, %v", name, again)
	}
}
