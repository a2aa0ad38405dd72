package logon

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/paths"
	"perfdeck/session/config"
	"perfdeck/session/wire/rpc"
)

// callTimeout is after how long a call that gets no answer is given up.
const callTimeout = 10 * time.Second

// Host is a host that is to be logged on to.
type Host struct {
	Name    string // as it is shown
	Address string // name or address
	Port    int
	TCP     bool        // DCE/RPC over TCP; else SMB's named pipe
	Encrypt bool        // refuse it where its SMB cannot encrypt
	Rate    *rpc.Rate   // of all connections to it; nil: no limit
	Own     config.Host // what the config says of it, if anything
}

// Remote is how a host is reached, and as whom.
type Remote struct {
	options rpc.Options
	who     *Account
	victim  victim  // whom wrong passwords of who lock
	apart   *logOns // those of who alone, whose password cannot be wrong; nil: of the victim
	tickets bool    // no password is needed
	names   []string

	accounts *Accounts
	kerberos tickets
	typed    *atomic.Pointer[Account] // by the user since, for this host; shared by copies
	named    bool                     // who was typed by the user
}

// Remote is a host with the account that logs on to it; as is one that the user
// typed, nil the usual one.
func (a *Accounts) Remote(ctx context.Context, h Host, as *Account) (*Remote, error) {
	k := a.ticketsFor(h.Own)
	if h.TCP && !k.Require { // perfdeck serve takes NTLM
		k = tickets{}
	}
	r := &Remote{accounts: a, kerberos: k, typed: new(atomic.Pointer[Account]), names: []string{h.Name, h.Address, h.Own.Name}, options: rpc.Options{
		Address: rpc.Address{Host: h.Address, Port: h.Port, Encrypt: h.Encrypt || h.Own.SMBEncrypt},
		Calls:   rpc.Calls{CallTimeout: callTimeout, Rate: h.Rate},
		Tickets: rpc.Tickets{SPN: k.SPN, RequireKerberos: k.Require},
	}}
	if !h.TCP {
		r.options.Connect = rpc.SMB
	}
	if as != nil {
		r.kerberos.asTyped()
		r.named = true
		err := r.become(as)
		r.logOns().lift()
		return r, err
	}
	who, err := a.usual(ctx, h, k)
	if err != nil {
		return nil, err
	}
	return r, r.become(who)
}

// Host is the name or address that is dialled.
func (r *Remote) Host() string { return r.options.Host }

// TCP tells whether it is reached over TCP, else by SMB's named pipe.
func (r *Remote) TCP() bool { return r.options.Connect == nil }

// NeedsPassword is false where there are tickets.
func (r *Remote) NeedsPassword() bool { return !r.tickets }

// become logs on as somebody from now on.
func (r *Remote) become(who *Account) (err error) {
	k := r.kerberos
	r.who, r.tickets = who, k.Use && !k.byPassword
	r.victim, r.apart = who.victimAt(r.address(), k.Use, r.names...), nil
	switch {
	case k.CCache != "" && r.tickets: // a cache has no password that can be wrong
		r.apart = newLogOns(time.Now)
	case r.victim.user == "":
		r.victim.host = k.Keytab // which knows whose it is
	}
	r.options.User, r.options.Domain, r.options.Password = who.user, who.domain, nil
	if !r.tickets {
		r.options.Password = who.get
	}
	if k.Use {
		r.options.Authentication = rpc.WithKerberos
		r.options.Kerberos, err = r.accounts.kerberosOf(k, who)
	}
	return err
}

// logOns are those of who, and of whoever else has that account.
func (r *Remote) logOns() *logOns {
	if r.apart != nil {
		return r.apart
	}
	return r.accounts.logOnsOf(r.victim.now())
}

// LogOn takes the account that the user typed. Where no host has taken the
// password that was used until now, all that share it take the new one: who
// mistyped it for a list of hosts types it once.
func (r *Remote) LogOn(account string, password []byte) error {
	who, err := r.accounts.Typed(account, password)
	if err != nil {
		return err
	}
	now, err := r.now()
	if err != nil {
		return err
	}
	if who.secret != now.who.secret && !now.tickets && !now.logOns().isProven() {
		now.who.successor.Store(who)
	}
	r.typed.Store(who)
	if now, err = r.now(); err == nil {
		now.logOns().lift() // the user means this one to be tried
	}
	return err
}

// wanted is who logs on by now.
func (r *Remote) wanted() *Account {
	who := r.who
	if typed := r.typed.Load(); typed != nil {
		who = typed
	}
	for next := who.successor.Load(); next != nil; next = who.successor.Load() {
		who = next
	}
	return who
}

// Typed is the account that the user typed for the host, as it was typed; empty for
// the usual one.
func (r *Remote) Typed() string {
	if who := r.wanted(); r.named || who != r.who {
		return who.name
	}
	return ""
}

// now is the host reached as whom the user wants by now.
func (r *Remote) now() (*Remote, error) {
	who := r.wanted()
	if who == r.who {
		return r, nil
	}
	one := *r
	one.kerberos.asTyped()
	return &one, one.become(who)
}

// Connection says what a connection is for.
type Connection struct {
	On         *rpc.Shares               // whose log-on it is by; nil: it has one of its own
	Interfaces []rpc.Interface           // that calls are made of
	Traffic    *rpc.Traffic              // counts its bytes; nil: nothing does
	Progress   func(step, detail string) // hears of each step; may be nil
	Once       bool                      // a host that is too busy is not asked again
	Heard      *rpc.Heard                // hears its answers; nil: nobody does

	// Service is the class of the name that the ticket is for, where it is not that of the host's
	// counters: as RPCSS of objects. It is reached over TCP, at Port, with calls side by side.
	Service string
	Port    int
}

// reaches changes how the host is reached to that of a connection's own.
func (c *Connection) reaches(o *rpc.Options) {
	if c.Service == "" {
		return
	}
	_, name, named := strings.Cut(o.SPN, "/")
	if !named {
		name = o.Host
	}
	o.Connect, o.Port, o.SPN = nil, c.Port, c.Service+"/"+name
	o.Name = net.JoinHostPort(o.Host, strconv.Itoa(c.Port))
	o.SideBySide = true
}

// Dial logs on. The password is fetched before, in a time of its own.
func (r *Remote) Dial(ctx context.Context, c Connection) (*rpc.Client, error) {
	return logOnTo(ctx, r, c, rpc.Dial)
}

// Files logs on for the files that the host shares, and for pipes, as Dial does.
func (r *Remote) Files(ctx context.Context, traffic *rpc.Traffic) (*rpc.Shares, error) {
	return logOnTo(ctx, r, Connection{Traffic: traffic}, rpc.Files)
}

// logOnTo logs on by dial, when the account may.
func logOnTo[C interface{ Instead() error }](ctx context.Context, r *Remote, c Connection, dial func(context.Context, rpc.Options) (C, error)) (client C, err error) {
	var none C
	if r, err = r.now(); err != nil {
		return none, err
	}
	options := r.options
	options.Name = r.address()
	options.On, options.Interfaces, options.Traffic, options.Progress, options.Heard, options.Go = c.On, c.Interfaces, c.Traffic, c.Progress, c.Heard, r.accounts.o.Go
	c.reaches(&options)
	if err := r.logOns().paused(r.address()); err != nil {
		if !r.who.isNew(ctx) {
			return none, err
		}
		r.logOns().lift()
	}
	if err := r.Ready(ctx); err != nil {
		return none, err
	}
	logOns := r.logOns() // by now the password is known
	logOn := func() error {
		return logOns.try(r.address(), func(turn rpc.Turn) (err error) {
			options.Turn = turn
			client, err = dial(ctx, options)
			return err
		})
	}
	if err = logOn(); !c.Once {
		err = whileBusy(ctx, err, logOn)
	}
	if rpc.IsWrongPassword(err) {
		r.who.refused()
	}
	if err == nil {
		r.tellInstead(client.Instead())
	}
	return client, err
}

// tellInstead notes why NTLM is used for the host though Kerberos was asked for, and tells it once;
// nil: it is not.
func (r *Remote) tellInstead(why error) {
	a := r.accounts
	a.mu.Lock()
	before := a.instead[r.address()]
	a.instead[r.address()] = why
	a.mu.Unlock()
	if why != nil && before == nil && a.o.Tell != nil {
		a.o.Tell(why)
	}
}

// Instead is why NTLM is used though Kerberos was asked for; nil: it is not.
func (r *Remote) Instead() error {
	r.accounts.mu.Lock()
	defer r.accounts.mu.Unlock()
	return r.accounts.instead[r.address()]
}

// As is who logs on, for people.
func (r *Remote) As() string {
	switch {
	case r.tickets && r.kerberos.CCache != "":
		return "whoever the tickets in " + r.kerberos.CCache + " are of"
	case r.tickets && r.who.name == "":
		return "whoever the keys in " + r.kerberos.Keytab + " are of"
	}
	return r.wanted().name
}

// Paused is whose log-ons are not tried for how long, after wrong passwords; 0:
// they are.
func (r *Remote) Paused() (account string, left time.Duration) {
	now, err := r.now()
	if err != nil {
		return r.wanted().name, 0
	}
	return now.who.name, now.logOns().left(r.address())
}

// LogOnNow ends the pause after wrong passwords, and what failed is fetched again.
func (r *Remote) LogOnNow() {
	if now, err := r.now(); err == nil {
		now.logOns().lift()
		now.who.retry()
	}
}

// address tells hosts apart, those behind the ports of one tunnel too: with the port
// where it is not the usual one of SMB.
func (r *Remote) address() string {
	address := net.JoinHostPort(r.options.Host, strconv.Itoa(r.options.Port))
	switch {
	case r.TCP():
		return paths.TCPScheme + address
	case r.options.Port == rpc.SMBPort || r.options.Port == 0:
		return r.options.Host
	}
	return address
}

// Ready fetches what is needed to log on.
func (r *Remote) Ready(ctx context.Context) error {
	if r.tickets {
		return nil
	}
	return r.who.ready(ctx)
}

// Extras are connections by which catalogues are read faster, of all hosts: so many at
// most. With a hundred hosts they help nobody, and descriptors are few. The zero value has
// none, and any goroutine may use it.
type Extras struct{ open atomic.Int32 }

const mostExtras = 56

var errManyExtras = errors.New("other hosts' catalogues are being read")

// Dial makes one, if there is room.
func (e *Extras) Dial(ctx context.Context, r *Remote, traffic *rpc.Traffic) (*Extra, error) {
	if e.open.Add(1) > mostExtras {
		e.open.Add(-1)
		return nil, errManyExtras
	}
	c, err := r.Dial(ctx, Connection{Interfaces: []rpc.Interface{rpc.MSPCQ}, Traffic: traffic, Once: true})
	if err != nil {
		e.open.Add(-1)
		return nil, err
	}
	return &Extra{Client: c, of: e}, nil
}

// Extra makes room when it is closed.
type Extra struct {
	*rpc.Client

	of   *Extras
	once sync.Once
}

// Close ends the connection.
func (c *Extra) Close() error {
	c.once.Do(func() { c.of.open.Add(-1) })
	return c.Client.Close()
}
