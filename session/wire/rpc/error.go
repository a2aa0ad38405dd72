package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smb"
)

// Error tells what was tried with a host and why it failed. It never holds a
// secret.
type Error struct {
	Op   string // what was tried
	Host string
	Code Code  // of the fault or result, 0 where the host gave none
	Err  error // the cause on this side, nil where Code says it

	kerberos bool // a ticket was used
	logOn    bool // it was the log-on that failed
	taken    bool // after the host had taken the password
	small    bool // the host answered before, and never much at once
}

func (e *Error) Error() string {
	s := e.Host + ": " + e.Op
	if e.Code != 0 {
		s += fmt.Sprintf(": %v (0x%X)", e.Code, uint32(e.Code))
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return printable.Text(s)
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes a refused log-on or access match session.ErrDenied, and a host that is not found
// session.ErrNotThere.
func (e *Error) Is(target error) bool {
	if target == session.ErrNotThere {
		name, isName := errors.AsType[*net.DNSError](e.Err)
		return errors.Is(e.Err, errRefused) || errors.Is(e.Err, errNoHost) || isName && name.IsNotFound
	}
	return target == session.ErrDenied && (e.Code.IsDenied() || errors.Is(e.Err, krb.ErrWrongKey) || errors.Is(e.Err, smb.ErrGuest))
}

// CodeOf is the code that a host, or whoever answered in its place, gave; 0: none did.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}

// AnswerError is an answer of which nothing can be used, though the connection can: any part of
// what was asked for may be the reason.
type AnswerError struct{ Why error }

func (e *AnswerError) Error() string { return e.Why.Error() }
func (e *AnswerError) Unwrap() error { return e.Why }

// IsLogOn tells whether it was the log-on that failed.
func (e *Error) IsLogOn() bool { return e.logOn }

// IsWrongPassword tells whether a host or a realm refused the account or its
// password: each such answer may count towards locking the account. What a host
// refuses for reasons of its own, as NTLM, guests or rights, does not.
func IsWrongPassword(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || !e.logOn || e.taken {
		return false
	}
	if isRealm := e.Code&^0xff == krbBase; e.kerberos && !isRealm {
		return errors.Is(e.Err, krb.ErrWrongKey) // else it was the ticket that the host did not take
	}
	// Over TCP a wrong password is told as ERROR_ACCESS_DENIED.
	return e.Code.info().wrong || e.Code == CodeAccessDenied || errors.Is(e.Err, krb.ErrWrongKey)
}

// classify finds in an error what was tried, and the code of whoever answered.
func (e *Error) classify(err error) {
	if step, ok := errors.AsType[*smb.Error](err); ok {
		e.Op, e.logOn, err = step.Op, step.Step == smb.LoggedOn, step.Err
	}
	if k, ok := errors.AsType[*krb.Error](err); ok {
		e.Op, e.logOn, err = k.Op, true, k.Err
		if k.Code != 0 {
			e.Code = krbCode(k.Code)
		}
		if k.Skew != 0 {
			err = fmt.Errorf("this computer's clock is %s the domain's", english.Ahead(-k.Skew))
		}
	}
	if f, ok := errors.AsType[Fault](err); ok {
		e.Code, err = Code(f), whys[Code(f)]
	}
	if s, ok := errors.AsType[smb.Status](err); ok {
		e.Code = Code(s)
		if err == error(s) { //nolint:errorlint // nothing but the status
			err = nil
		}
	}
	e.Err = inWords(err)
}

// plain are the words for what the system and its library call otherwise.
var plain = []struct {
	cause error
	words string
}{
	{io.ErrUnexpectedEOF, "the host closed the connection amid an answer"},
	{io.EOF, "the host closed the connection"},
	{context.DeadlineExceeded, "no answer in time"},
	{os.ErrDeadlineExceeded, "no answer in time"},
	{context.Canceled, "given up"},
	{net.ErrClosed, "the connection was closed"},
}

// inWords puts the text of an error into words.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Source != nil && op.Addr != nil { // who talks to whom is known
		text = strings.Replace(text, op.Op+" "+op.Net+" "+op.Source.String()+"->"+op.Addr.String()+": ", "", 1)
	}
	for _, row := range plain {
		if errors.Is(err, row.cause) {
			text = strings.ReplaceAll(text, row.cause.Error(), row.words)
		}
	}
	text = strings.ReplaceAll(text, "no answer in time: no answer in time", "no answer in time")
	if text == err.Error() {
		return err
	}
	return failure.Worded(text, err)
}

// ErrBroken marks a connection that cannot be used any more: dial a new one.
var ErrBroken = errors.New("connection is broken")

// ErrNotServed marks an interface that the host does not serve where it was
// asked for.
var ErrNotServed = errors.New("the host does not serve performance counters here")

// notServed is ErrNotServed of an interface, in words.
func notServed(i Interface) error {
	if i.pipe == "" || i.pipe == MSPCQ.pipe {
		return ErrNotServed
	}
	return &notServedError{i}
}

// notServedError is an interface without counters that the host does not serve.
type notServedError struct{ Interface }

func (e *notServedError) Error() string { return "the host does not serve " + e.String() + " here" }

func (e *notServedError) Is(target error) bool { return target == ErrNotServed }

// ErrBusy marks a log-on that the host did not look at: it says nothing of the
// password, and is to be tried again soon.
var ErrBusy = errors.New("the host is too busy for now")

// Hosts that take no more connections.
var (
	errAccountCrowded = errors.New("the account has as many connections to the host as it may have")
	errAddressCrowded = errors.New("the host has as many connections from this computer's address as it takes")
	errHostCrowded    = errors.New("the host has as many connections as it takes")
)

// errMute is a host that takes a connection and says nothing to the first message of
// DCE/RPC.
var errMute = errors.New("it takes the connection and does not answer DCE/RPC")

// errNotRPC is a host that answers the first message with something else, as a web
// server does.
var errNotRPC = errors.New("what listens there does not speak DCE/RPC")

// errSMBThere is an SMB port that DCE/RPC over TCP was tried at.
var errSMBThere = errors.New("what listens there speaks SMB, not DCE/RPC over TCP")

// Causes on this side of a connection.
var (
	errDamaged      = errors.New("the peer's answer is damaged")
	errSignature    = errors.New("the signature does not match: the answer was changed on its way")
	errUnprotected  = errors.New("the answer is not protected")
	errNoPrivacy    = errors.New("the host offers no strong packet privacy")
	errBindRejected = errors.New("the host refused the connection's terms")
	errAuthType     = errors.New("the host does not take this kind of log-on")
	errNoUser       = errors.New("no user name")
)

// Hint says what can be done about the failure; it may be empty.
func (e *Error) Hint() string {
	if e.kerberos && e.Code == statusLogonFailure {
		return "the host does not take the ticket: check its clock, and that --spn names the host itself"
	}
	if e.small && errors.Is(e.Err, context.DeadlineExceeded) {
		return advice("mtu")
	}
	if hint := e.Code.info().hint; hint != "" && !errors.Is(e.Err, krb.ErrStaleKey) {
		return hint
	}
	if _, ok := errors.AsType[*notServedError](e.Err); ok {
		return ""
	}
	for _, row := range hints {
		if errors.Is(e.Err, row.cause) {
			return advice(row.hint)
		}
	}
	if _, ok := errors.AsType[*net.DNSError](e.Err); ok {
		return "check the host's name"
	}
	return failure.Hint(e.Err) // as of a keytab that others can read
}

// hints are in words, or named as in the sheet of codes.
var hints = []struct {
	cause error
	hint  string
}{
	// Those of getting a ticket stand before those of the network, which they are about.
	{krb.ErrUnreachable, "check the realm's name and krb5.conf: its domain controllers have to be reached on port 88"},
	{krb.ErrNoRealm, `name the account as user@REALM, or set default_realm in krb5.conf`},
	{krb.ErrExpired, "ticket"},
	{krb.ErrNoTicket, "ticket"},
	{krb.ErrStaleKey, "keytab"},
	{krb.ErrWrongKey, "account"},
	{krb.ErrNoKey, "keytab-of-others"},
	{krb.ErrWeakKey, "set the account's password anew, so that the realm makes another key; if it has to be, see --krb-min-iterations"},
	{errSMBThere, "write the host without tcp://: NAME, or NAME:PORT"},
	{errMute, "does perfdeck serve there, and is it not stopped? SMB, which Windows and Samba speak, is asked for without tcp://"},
	{errNotRPC, "check the port: perfdeck serve is on tcp://NAME:14500"},
	{errNoUser, "give a user with --user"},
	{errSignature, "changed"},
	{ErrNotServed, "check the port, and that the host's Remote Registry service runs"},
	{errNoPrivacy, "allow NTLMv2 with 128-bit session security on the host"},
	{errAuthType, "allow NTLM on the host, or use --kerberos"},
	{errOther, "ntlm"},
	{errNotKerberos, "add --kerberos"},
	{errNoTickets, "add --kerberos"},
	{smb.ErrGuest, "check user and password: the host takes unknown accounts as guests (map to guest, or the Guest account)"},
	{smb.ErrLongToken, "the account's ticket is very large, as of one in hundreds of groups: use another account"},
	{smb.ErrUnprotected, "changed"},
	{smb.ErrNoEncryption, "turn SMB encryption on at the host, or do not ask for it"},
	{smb.ErrDialect, "the host has to speak SMB 2.1 or later: SMB 1 is not spoken"},
	{smb.ErrNotSMB, "check the port: SMB is on 445, perfdeck serve on tcp://NAME:14500"},
	{context.DeadlineExceeded, "silent"},
	{os.ErrDeadlineExceeded, "silent"},
	{errNoAnswer, "silent"},
	{errRefused, "nothing listens on that port: is the server running, and does its firewall let us in?"},
	{errNoHost, "no way leads to the host: check its address, and that it is on"},
	{errNoNetwork, "no way leads to the host's network"},
	{io.EOF, "the host closed the connection: it may have restarted or have too many connections"},
	{io.ErrUnexpectedEOF, "gone"},
	{errReset, "gone"},
	{errInterrupted, "gone"},
	{os.ErrNotExist, "check the file's name; kinit makes a credential cache"},
}

// HostError is the error that a sampler shows of a host: what was tried, why it
// failed, and what can be done. op is what was tried where err does not know it
// better.
func HostError(host, op string, err error) *session.HostError {
	e := &session.HostError{Host: host, Op: op, Err: inWords(err)}
	if call, ok := errors.AsType[*Error](err); ok {
		e.At, e.Op, e.Err, e.Advice = call.Host, call.Op, cause{call}, call.Hint()
		return e
	}
	e.Advice = failure.Hint(err) // of whoever dials
	return e
}

// undialed is why dialing failed, without the address and the call, which the host and the
// operation before it say; any other error is as it is.
func undialed(err error) error {
	dial, ok := err.(*net.OpError) //nolint:errorlint // what wraps one has more to say
	if !ok || dial.Op != "dial" || dial.Err == nil {
		return err
	}
	if call, ok := errors.AsType[*os.SyscallError](dial.Err); ok && call.Err != nil {
		return call.Err
	}
	return dial.Err
}

// cause is an Error without its host and operation, which stand before it.
type cause struct{ of *Error }

func (c cause) Error() string {
	switch {
	case c.of.Code != 0 && c.of.Err != nil:
		return fmt.Sprintf("%s: %v", c.of.Code.Text(), c.of.Err)
	case c.of.Err != nil:
		return undialed(c.of.Err).Error()
	}
	return c.of.Code.Text()
}

func (c cause) Unwrap() error { return c.of }

// Text is the code's name and number.
func (c Code) Text() string { return fmt.Sprintf("%v (0x%X)", c, uint32(c)) }
