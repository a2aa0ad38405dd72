// Package krb is a Kerberos client: tickets by password, keytab or credential
// cache, and the security contexts made with them, for SMB and for DCE/RPC;
// of the latter the host's end, too.
//
// Only AES with SHA-1 (RFC 3962) is spoken, which every domain since Windows
// Server 2008 has. Messages are encoded by gokrb5; what is sent, asked and
// checked is decided here.
//
// Sources: RFC 4120 (tickets), RFC 6806 (referrals), RFC 4121 (contexts),
// MS-KILE 3.4.5 (contexts in DCE style).
package krb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/oiweiwei/gokrb5.fork/v9/crypto/etype"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/etypeID"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/nametype"
	"github.com/oiweiwei/gokrb5.fork/v9/messages"
	"github.com/oiweiwei/gokrb5.fork/v9/types"
)

// Options say who logs on and what is known of the realms.
type Options struct {
	// User is the account without its realm; with a cache or a keytab it may be
	// empty: the one whose it is.
	User string
	// Realm is the account's; empty: the default of the configuration.
	Realm string

	// One of them: CCache is a file with tickets, as kinit makes it, by its path or
	// as FILE:path, DIR:path or DIR::path. Keytab is a file with keys. Password is asked for each time the
	// realm has to be asked; what it returns is wiped after use.
	CCache   string
	Keytab   string
	Password func(ctx context.Context) ([]byte, error)

	// Config is the path of krb5.conf; empty: none, and realms are found by DNS.
	Config string

	// MinIterations is how little work a realm may ask for to make a key of a
	// password, in iterations of PBKDF2; 0: the 4,096 of RFC 3962. Who speaks for a
	// realm could else have the password tried for less.
	MinIterations uint32
	// MaxSkew is how far a realm's clock may be from ours for its word alone, which
	// anybody can send in its place; 0: a day.
	MaxSkew time.Duration

	Dial func(ctx context.Context, network, address string) (net.Conn, error) // nil: net.Dialer's
	Now  func() time.Time                                                     // nil: time.Now
}

// Client gets tickets and keeps them as long as they are valid. Several
// goroutines may use it: what one of them waits for is asked once.
type Client struct {
	o    Options
	conf *Config

	turn    chan struct{} // holds one token: whose turn it is to ask
	tickets map[string]*Ticket
	trial   time.Duration // of the realm's clock from ours, while a realm is asked: not proven yet

	// stringToKey is the costly part of keyOf.
	stringToKey func(et etype.EType, password, salt, params string) ([]byte, error)

	mu     sync.Mutex
	offset time.Duration // of the realm's clock from ours
	last   time.Time     // of an authenticator
}

// Defaults of Options.
const (
	minIterations = 4096
	maxSkew       = 24 * time.Hour
)

// New reads the configuration. Nothing is asked yet.
func New(o Options) (*Client, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	o.MinIterations, o.MaxSkew = cmp.Or(o.MinIterations, minIterations), cmp.Or(o.MaxSkew, maxSkew)
	conf, err := loadConfig(o.Config)
	if err != nil {
		return nil, &Error{Op: "read " + o.Config, Err: err}
	}
	c := &Client{o: o, conf: conf, turn: make(chan struct{}, 1), tickets: map[string]*Ticket{}, stringToKey: etype.EType.StringToKey}
	c.turn <- struct{}{}
	return c, nil
}

// Ticket is a service's ticket and what belongs to it.
type Ticket struct {
	ticket  messages.Ticket
	key     types.EncryptionKey
	client  types.PrincipalName
	realm   string // of the client
	endTime time.Time
	from    *Client
}

// Account is whose ticket it is, as user@REALM.
func (t *Ticket) Account() string { return t.client.PrincipalNameString() + "@" + t.realm }

// usable tells whether a ticket is still good for a log-on.
func (t *Ticket) usable(now time.Time) bool { return t != nil && now.Add(margin).Before(t.endTime) }

// margin before its end, a ticket is not used any more.
const margin = 30 * time.Second

// enctypes are the kinds of keys that are spoken, the preferred one first.
var enctypes = []int32{etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96}

// Ticket gets the ticket of a service, such as cifs/srv1.corp.example.
func (c *Client) Ticket(ctx context.Context, spn string) (t *Ticket, err error) {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { c.turn <- struct{}{} }()
	defer shield(&err)
	if t := c.tickets[spn]; t.usable(c.now()) {
		return t, nil
	}
	sname, wanted := parseSPN(spn)
	if wanted == "" && len(sname.NameString) > 1 {
		wanted = c.conf.realmOf(sname.NameString[1])
	}
	if t, err = c.cached(sname); t == nil && err == nil {
		t, err = c.ask(ctx, sname, wanted)
	}
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok && e.Op == opTicket {
			e.Op += " for " + spn
		}
		return nil, err
	}
	c.tickets[spn] = t
	return t, nil
}

// Forget drops the ticket of a service: the service did not take it.
func (c *Client) Forget(ctx context.Context, spn string) {
	select {
	case <-c.turn:
		delete(c.tickets, spn)
		c.turn <- struct{}{}
	case <-ctx.Done():
	}
}

// Skew is how far the realm's clock is ahead of ours, as far as is known.
func (c *Client) Skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// tolerated is a difference of clocks that is not made up for.
const tolerated = 2 * time.Second

// lean goes by a clock of the realm that is not proven: that of a KRB-ERROR. It
// holds for what is asked next, and for good once the realm's answer to that is
// deciphered. It tells whether the clock is another than before, as either may
// be put right at any time. One that is too far off is not believed.
func (c *Client) lean(theirs time.Time) (moved bool) {
	offset := c.offsetTo(theirs, c.trial)
	if offset.Abs() > c.o.MaxSkew || offset == c.trial {
		return false
	}
	moved = (offset - c.trial).Abs() > tolerated
	c.trial = offset
	return moved
}

// sync makes up for the difference to the realm's clock, as kdc_timesync of
// krb5.conf does elsewhere: what the realm says of it is proven.
func (c *Client) sync(theirs time.Time) {
	c.trial = c.offsetTo(theirs, c.trial)
	c.settle()
}

// settle keeps the clock that was leaned on.
func (c *Client) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = c.trial
}

// offsetTo is how far a clock is ahead of ours; known, where that is as good.
func (c *Client) offsetTo(theirs time.Time, known time.Duration) time.Duration {
	offset := theirs.Sub(c.o.Now())
	switch {
	case offset.Abs() <= tolerated:
		return 0
	case (offset - known).Abs() <= tolerated:
		return known
	}
	return offset
}

// now is the realm's time.
func (c *Client) now() time.Time { return c.o.Now().Add(c.Skew()) }

// asking is the realm's time for what it is asked, in the turn of who asks.
func (c *Client) asking() time.Time { return c.o.Now().Add(c.trial) }

// stamp makes the time of an authenticator one that no other has had, in
// microseconds: by it the host's answer is known to be new (RFC 4120 3.2.2).
func (c *Client) stamp(now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now = now.UTC().Truncate(time.Microsecond)
	if ahead := c.last.Sub(now); ahead >= 0 && ahead < tolerated {
		now = c.last.Add(time.Microsecond)
	}
	c.last = now
	return now
}

// parseSPN takes service/host[@REALM] apart.
func parseSPN(spn string) (name types.PrincipalName, realm string) {
	spn, realm, _ = strings.Cut(spn, "@")
	return types.PrincipalName{NameType: nametype.KRB_NT_SRV_INST, NameString: strings.Split(spn, "/")}, realm
}

// ErrLibrary is a failure inside the library that encodes messages.
var ErrLibrary = errors.New("the Kerberos library failed")

// shield turns a panic of the library into an error. What it says may hold
// secrets and is dropped.
func shield(err *error) {
	if recover() != nil {
		*err = ErrLibrary
	}
}

// Error tells what was tried with a realm and why it failed.
type Error struct {
	Op   string
	Code int32         // of the realm's answer, RFC 4120 7.5.9; 0: it gave none
	Skew time.Duration // of the realm's clock from ours, where Code is about it
	Err  error         // the cause on this side, nil where Code says it
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Op + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s: Kerberos error %d", e.Op, e.Code)
}

func (e *Error) Unwrap() error { return e.Err }

// Codes that change what happens next, RFC 4120 7.5.9.
const (
	codePreauthFailed   = 24
	codePreauthRequired = 25
	codeSkew            = 37
	codeWrongRealm      = 68
)
