package windowscli

import (
	"errors"
	"fmt"
	"os"

	"perfdeck/session"
)

// OpenOutput opens the file that what the commands print goes to; nil: it goes to none.
func (t *Translation) OpenOutput() (*os.File, error) {
	if t.Output == "" {
		return nil, nil
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if t.Replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(t.Output, flags, 0o644) //nolint:gosec // a list of counters is no secret
	if errors.Is(err, os.ErrExist) {
		return nil, session.WithHint(fmt.Errorf("%s is there already", t.Output), "-y replaces it")
	}
	return f, err
}
