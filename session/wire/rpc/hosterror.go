package rpc

import (
	"errors"
	"fmt"

	"perfdeck/session"
)

// HostError is the error that a sampler shows of a host: what was tried, why it
// failed, and what can be done. op is what was tried where err does not know it
// better.
func HostError(host, op string, err error) *session.HostError {
	e := &session.HostError{Host: host, Op: op, Err: inWords(err)}
	if call, ok := errors.AsType[*Error](err); ok {
		e.At, e.Op, e.Err, e.Advice = call.Host, call.Op, cause{call}, call.Hint()
		return e
	}
	e.Advice = session.HintOf(err) // of whoever dials
	return e
}

// cause is an Error without its host and operation, which stand before it.
type cause struct{ of *Error }

func (c cause) Error() string {
	switch {
	case c.of.Code != 0 && c.of.Err != nil:
		return fmt.Sprintf("%s: %v", c.of.Code.Text(), c.of.Err)
	case c.of.Err != nil:
		return c.of.Err.Error()
	}
	return c.of.Code.Text()
}

func (c cause) Unwrap() error { return c.of }

// Text is the code's name and number.
func (c Code) Text() string { return fmt.Sprintf("%v (0x%X)", c, uint32(c)) }
