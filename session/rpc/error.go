package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"perfdeck/session"
)

// Error tells what was tried with a host and why it failed. It never holds a
// secret.
type Error struct {
	Op   string // what was tried
	Host string
	Code Code  // of the fault or result, 0 where the host gave none
	Err  error // the cause on this side, nil where Code says it
}

func (e *Error) Error() string {
	s := e.Host + ": " + e.Op
	if e.Code != 0 {
		s += fmt.Sprintf(": %v (0x%X)", e.Code, uint32(e.Code))
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return session.Printable(s)
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes a refused log-on or access match session.ErrDenied.
func (e *Error) Is(target error) bool {
	return target == session.ErrDenied && e.Code.IsDenied()
}

// ErrBroken marks a connection that cannot be used any more: dial a new one.
var ErrBroken = errors.New("connection is broken")

// Causes on this side of a connection.
var (
	errDamaged      = errors.New("the peer's answer is damaged")
	errSignature    = errors.New("the signature does not match: the answer was changed on its way")
	errUnprotected  = errors.New("the answer is not protected")
	errNoPrivacy    = errors.New("the host offers no strong packet privacy")
	errNotAccepted  = errors.New("the host does not serve performance counters (MS-PCQ) here")
	errBindRejected = errors.New("the host refused the connection's terms")
	errAuthType     = errors.New("the host does not take this kind of log-on")
	errNoUser       = errors.New("no user name")
)

// Hint says what can be done about the failure; it may be empty.
func (e *Error) Hint() string {
	switch {
	case e.Code == CodeAccessDenied && e.Err == nil:
		return "check user and password; on Windows the account must be an administrator or in Performance Monitor Users"
	case e.Code == 0x533 || e.Code == 0xC0000072 || e.Code == 0x775 || e.Code == 0xC0000234:
		return "the account is disabled or locked: unlock it on the host or its domain"
	case e.Code == 0x532 || e.Code == 0xC0000071:
		return "the password has expired: change it"
	case e.Code.IsDenied():
		return "check user, domain and password"
	case e.Code == FaultContextMismatch || e.Code == FaultUnknownInterface:
		return "the host lost the query, it is asked anew"
	}
	for _, row := range hints {
		if errors.Is(e.Err, row.cause) {
			return row.hint
		}
	}
	if _, ok := errors.AsType[*net.DNSError](e.Err); ok {
		return "check the host's name"
	}
	return ""
}

var hints = []struct {
	cause error
	hint  string
}{
	{errNoUser, "give a user with --user"},
	{errSignature, "something between here and the host changes the traffic"},
	{errNotAccepted, "check the port, and that the host's Remote Registry service runs"},
	{errNoPrivacy, "allow NTLMv2 with 128-bit session security on the host"},
	{errAuthType, "allow NTLM on the host"},
	{context.DeadlineExceeded, "the host or the network is slow, or a firewall drops the traffic"},
	{os.ErrDeadlineExceeded, "the host or the network is slow, or a firewall drops the traffic"},
	{syscall.ECONNREFUSED, "nothing listens on that port: is the server running?"},
	{io.EOF, "the host closed the connection: it may have restarted or have too many connections"},
	{io.ErrUnexpectedEOF, "the host closed the connection: it may have restarted"},
	{syscall.ECONNRESET, "the host closed the connection: it may have restarted"},
}
