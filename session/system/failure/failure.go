// Package failure is what errors tell people beside their text: what can be done about them,
// whose fault they are, and that a disk was full.
package failure

import (
	"cmp"
	"errors"
)

// WithHint adds to an error what can be done about it.
func WithHint(err error, hint string) error { return &hintedError{err, hint} }

type hintedError struct {
	error

	hint string
}

func (e *hintedError) Unwrap() error { return e.error }
func (e *hintedError) Hint() string  { return e.hint }

// Worded is an error in other words: asked what it is, it is its cause.
func Worded(text string, cause error) error { return &wordedError{text, cause} }

type wordedError struct {
	text  string
	cause error
}

func (e *wordedError) Error() string { return e.text }
func (e *wordedError) Unwrap() error { return e.cause }

// Hint is what can be done about a failure, as the first error in its chain says that
// has a word on it; empty: none has. Of a full disk it is to make room there, of a file that is not
// there, or that may not be opened, to look for it, or at it.
func Hint(err error) (hint string) {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		hint = hinted.Hint()
	}
	return cmp.Or(fullHint(err, hint), hint, fileHint(err))
}

// Told is a failure in words, with what can be done about it.
func Told(err error) string {
	if hint := Hint(err); hint != "" {
		return err.Error() + ": " + hint
	}
	return err.Error()
}

// UsageError is what was asked for wrongly: trying again does not help, asking otherwise does.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usage marks an error as what was asked for wrongly, with a hint where there is one.
func Usage(err error, hint ...string) error {
	if len(hint) > 0 {
		err = WithHint(err, hint[0])
	}
	return &UsageError{err}
}
