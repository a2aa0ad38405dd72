package winhost

import (
	"errors"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// MissingError tells that one of the two ways to read a host is missing, and
// why, while the other works.
type MissingError struct {
	What string // what is missing with it
	Err  error
}

func (e *MissingError) Error() string {
	if errors.Is(e.Err, rpc.ErrNotServed) {
		return e.What + " are missing: the host does not serve them"
	}
	return e.What + " are missing: " + e.Err.Error()
}

// Unwrap gives the reason.
func (e *MissingError) Unwrap() error { return e.Err }

// Hint says what can be done about it; it may be empty. What a host does not
// serve it need not have: it is a Samba, or a Windows before Vista.
func (e *MissingError) Hint() string {
	if errors.Is(e.Err, rpc.ErrNotServed) {
		return ""
	}
	return session.HintOf(e.Err)
}
