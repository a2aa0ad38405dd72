package logon

import "fmt"

// Error is a failure with something that can be done about it.
type Error struct {
	Err    error
	Advice string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Hint says what can be done.
func (e *Error) Hint() string { return e.Advice }

// NoAccountError is a host that cannot be logged on to because nothing says as
// whom, or because the password of the account is missing.
type NoAccountError struct {
	Host    string
	Account string // empty: none; else its password is missing
	Why     error  // ErrNoAccount or ErrOnScreen
}

func (e *NoAccountError) Error() string { return fmt.Sprintf("log on to %s: %v", e.Host, e.Why) }
func (e *NoAccountError) Unwrap() error { return e.Why }

// Hint says where an account is named.
func (e *NoAccountError) Hint() string {
	return `name one with --user [DOMAIN\]NAME, or with user in the config's [[host]]`
}
