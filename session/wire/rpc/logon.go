package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/krb"
)

// Authentication is how a client logs on.
type Authentication uint8

// The ways to log on.
const (
	SPNEGO       Authentication = iota // NTLMv2, negotiated
	NTLM                               // NTLMv2 without negotiation
	WithKerberos                       // Kerberos, or NTLMv2 where the realm gives no ticket
)

// Kerberos gets tickets for all hosts that one account logs on to.
type Kerberos = krb.Client

// KerberosOptions say where tickets come from.
type KerberosOptions = krb.Options

// NewKerberos reads the configuration. Nothing is asked yet.
func NewKerberos(o KerberosOptions) (*Kerberos, error) { return krb.New(o) }

// logOns makes the log-ons of one Dial: one for the pipe, one for the calls.
type logOns struct {
	hash    [16]byte // of the password, while Dial runs
	tickets bool     // Kerberos is used
	ticket  *krb.Ticket
	instead error // why NTLM is used though Kerberos was asked for
	taken   bool  // the password was taken

	extend func(time.Duration) // gives Dial more time
}

// bound gives Dial the time of a call, and what extend adds where the host has
// answered that it needs more, or nobody waits for it.
func (o *Options) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	end := time.Now().Add(o.CallTimeout)
	timer := time.AfterFunc(o.CallTimeout, func() { cancel(context.DeadlineExceeded) })
	o.extend = func(d time.Duration) {
		end = end.Add(d)
		timer.Reset(time.Until(end))
	}
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// await waits for the turn, in a time that does not count for the host.
func (o *Options) await(ctx context.Context) error {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, o.CallTimeout)
	defer cancel()
	o.extend(o.CallTimeout)
	err := o.Turn.Await(limited)
	o.extend(time.Since(began) - o.CallTimeout)
	return err
}

// Turn decides when a password may be tried. It is asked when all that comes before
// is done: so who waits for a host that is silent holds up nobody.
type Turn interface {
	// Await waits until a password may be sent. Of one Dial it may be called again.
	Await(ctx context.Context) error
	// Taken tells that the password was taken, which Dial may take long to end with.
	Accepted()
}

type anyTime struct{}

func (anyTime) Await(context.Context) error { return nil }
func (anyTime) Accepted()                   {}

// prepare gets what the log-ons need: a ticket, or the password.
func (o *Options) prepare(ctx context.Context) error {
	if o.Authentication == WithKerberos {
		err := o.getTicket(ctx)
		if err == nil {
			return nil
		}
		if o.RequireKerberos || o.Password == nil || !mayUseNTLM(err) || ctx.Err() != nil {
			o.tickets = true
			return err
		}
		o.instead = err
	} else if o.RequireKerberos {
		return errNotKerberos
	}
	if o.User == "" || o.Password == nil {
		return errNoUser
	}
	password, err := o.Password(ctx)
	if err != nil {
		return fmt.Errorf("password: %w", err)
	}
	o.hash = NTHash(password)
	clear(password)
	return nil
}

var (
	errNotKerberos = errors.New("Kerberos is required and was not asked for")
	errNoTickets   = errors.New("no source of tickets")
)

func (o *Options) getTicket(ctx context.Context) (err error) {
	if o.Kerberos == nil {
		return errNoTickets
	}
	if err := o.await(ctx); err != nil { // keys of a keytab count as passwords do
		return err
	}
	if o.ticket, err = o.Kerberos.Ticket(ctx, o.SPN); err == nil {
		o.tickets = true
		o.Turn.Accepted()
		detail := o.SPN + " for " + o.ticket.Account()
		if skew := o.Kerberos.Skew().Round(time.Second); skew != 0 {
			detail += ", this computer's clock is " + english.Ahead(-skew) + " the domain's"
		}
		o.Progress("ticket", detail)
	}
	return err
}

// mayUseNTLM tells whether a ticket failed for a reason that says nothing
// against the account: one that was refused is not tried in another way, where
// it would count as one more wrong password.
func mayUseNTLM(err error) bool {
	e, ok := errors.AsType[*krb.Error](err)
	return ok && !krbCode(e.Code).IsDenied() && !errors.Is(err, krb.ErrWrongKey)
}

// logOn begins a log-on.
func (o *Options) logOn(ctx context.Context, to purpose) *initiator {
	if o.tickets {
		return negotiated(krbMechanism{o.ticket.Initiate(to == toCall)})
	}
	spn, _, _ := strings.Cut(o.SPN, "@") // NTLM has no realms
	who := newNTLM(o.User, o.Domain, o.hash, spn)
	who.await = func() error { return o.await(ctx) }
	if o.Authentication == NTLM && to == toCall {
		return bare(who)
	}
	return negotiated(who)
}

// purpose is what a log-on is for.
type purpose uint8

const (
	toConnect purpose = iota // SMB's session
	toCall                   // packet privacy of the calls
)

// forget wipes what only Dial needs.
func (o *Options) forget() { clear(o.hash[:]) }

// described is how and as whom is logged on, for people.
func (o *Options) described() string {
	if o.tickets {
		return "Kerberos as " + o.ticket.Account()
	}
	who := o.User
	if o.Domain != "" {
		who = o.Domain + `\` + o.User
	}
	if e := o.noTicket(); e != nil {
		return fmt.Sprintf("NTLMv2 as %s (no ticket: %v)", who, cause{e})
	}
	return "NTLMv2 as " + who
}

// noTicket is why NTLM is used though Kerberos was asked for; nil: it is not.
func (o *Options) noTicket() *Error {
	if o.instead == nil {
		return nil
	}
	e := &Error{Host: o.Name}
	e.classify(o.instead)
	return e
}

// Instead is why NTLM was used though Kerberos was asked for; nil: it was not.
func (c *Client) Instead() error {
	if e := c.o.noTicket(); e != nil {
		return failure.WithHint(fmt.Errorf("%s: NTLMv2 instead of Kerberos: no ticket: %w", e.Host, cause{e}), e.Hint())
	}
	return nil
}

// mechanism is the client's end of an NTLM or a Kerberos log-on, and the
// protection of messages with what came of it.
type mechanism interface {
	oid() string
	// Step takes the host's token, nil at first, and makes the next one. done tells
	// that the keys are there.
	Step(token []byte) (next []byte, done bool, err error)
	SessionKey() []byte
	protection
}

// initiator is the client's end of a security context of a connection.
type initiator struct {
	mechanism

	mu sync.Mutex // both directions may be at work at a time, and a library's mechanism need not allow it

	kind       authType
	headerSign bool // the host signs headers too
	// step makes the tokens: the mechanism's own, or SPNEGO's around them.
	step func(token []byte) (next []byte, done bool, err error)
}

// negotiated puts SPNEGO around a mechanism.
func negotiated(m mechanism) *initiator {
	return &initiator{mechanism: m, kind: authSPNEGO, step: (&spnegoInitiator{mech: m}).Step}
}

// bare uses NTLM without SPNEGO.
func bare(m *ntlmInitiator) *initiator {
	return &initiator{mechanism: m, kind: authNTLM, step: m.Step}
}

// trailer is what stands before this context's signatures.
func (i *initiator) trailer() trailer { return trailer{kind: i.kind, level: levelPrivacy} }

// parts are a PDU without its signature in the three pieces that are protected
// differently, of which that in the middle is enciphered. Of Kerberos it is all that is
// signed where headers are not; NTLM signs all whatever is negotiated of them.
func parts(of string, headers bool, pdu []byte, from, to int) (before, secret, after []byte) {
	if !headers && of == krb.OID {
		return nil, pdu[from:to], nil
	}
	return pdu[:from], pdu[from:to], pdu[to:]
}

// seal protects the PDU, which ends with its trailer: body is enciphered in
// place, the signature returned.
func (i *initiator) seal(pdu []byte, end int) (signature []byte, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.Seal(parts(i.oid(), i.headerSign, pdu, payloadAt(pdu), end))
}

// unseal deciphers a PDU in place and checks its signature.
func (i *initiator) unseal(pdu []byte, end int, signature []byte) error {
	before, secret, after := parts(i.oid(), i.headerSign, pdu, payloadAt(pdu), end)
	i.mu.Lock()
	defer i.mu.Unlock()
	return changed(i.Unseal(before, secret, after, signature))
}

// changed tells a changed message of any mechanism alike.
func changed(err error) error {
	if errors.Is(err, errBadSignature) || errors.Is(err, krb.ErrForged) {
		return errSignature
	}
	return err
}
