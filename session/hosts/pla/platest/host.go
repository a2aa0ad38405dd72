// Package platest is a Windows host's side of MS-PLA for tests: the resolver and the exporter of
// DCOM on the project's own RPC server, with sets in memory, that counts references and can lie.
//
// By hand: as root,
//
//	PLATEST=127.0.0.2:135 go test ./session/hosts/pla/platest -run TestByHand -v -timeout 0
//
// serves until it is interrupted, for the account that it tells; then
//
//	perfdeck collect list -H 127.0.0.2 --user perf
package platest

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/rpc"
)

// The account that a host knows, unless its options say who.
const (
	User     = "perf"
	Password = "Passw0rd!"
)

// Options are what a host is like. The zero value is an honest one at any port of 127.0.0.1.
type Options struct {
	Lies

	Address   string        // of loopback
	Port      int           // of the resolver; 0: any
	InMemory  bool          // only its own Dial reaches it, and no time passes but Latency
	Latency   time.Duration // of InMemory, one way
	Accounts  rpc.Accounts
	Exporters rpc.Accounts // of the exporter, where they are others
	Tickets   *krb.Service
	Version   dcom.Version // of COM; default 5.7

	OneAtATime  bool          // it does not take several calls at once
	Prefixed    bool          // names have their category before them, as Service\Web
	LateBinding bool          // interfaces can be bound to when there was a reference to one
	Takes       time.Duration // starting and stopping
	// Findings is what is wrong with a set that is given; nil: nothing is.
	Findings func(xml string) []pla.Problem
	More     map[pla.Category]int // sets besides those that were added, each with a name alone
}

// Lies change what a host answers. They may sleep, and change the host itself.
type Lies struct {
	// Before is asked before a method is run. What it returns is answered instead: a
	// dcom.Result, or an rpc.Fault.
	Before func(ctx context.Context, m Method) error
	// After may change the stub of a reply.
	After func(m Method, stub []byte) []byte
	// Created may change what an activation answers, Reference any reference.
	Created   func(*dcom.Created)
	Reference func(*dcom.Reference)
	// Count may change how many items a collection says it has.
	Count func(n int) uint32
	// Sent may change a PDU that goes out, in whatever it is replaced by, and end the
	// connection after it.
	Sent func(p PDU) (instead []byte, end bool)
}

// Method is a call of a method.
type Method struct {
	Name string // as IDataCollectorSet.Start
	N    int    // of the calls of this method, from 1
}

// PDU is one that goes out.
type PDU struct {
	Exporter   bool
	Connection int // of the resolver, or the exporter, from 1
	N          int // of the connection, from 1
	Bytes      []byte
}

// Set is a set of the host.
type Set struct {
	Name, XML, Output, Root, Security, Account string

	Status pla.Status
}

// Host is a host that runs.
type Host struct {
	o        Options
	port     int // of the exporter
	resolver func(ctx context.Context) (net.Conn, error)
	exporter func(ctx context.Context) (net.Conn, error)
	traffic  rpc.Traffic
	stop     context.CancelFunc
	running  sync.WaitGroup

	mu         sync.Mutex
	sets       map[pla.Category][]*Set
	oxid       uint64
	remUnknown dcom.GUID
	objects    map[dcom.GUID]*object // by IPID
	known      map[dcom.GUID]bool    // interfaces of which there was a reference
	last       uint64                // OID
	calls      map[string]int
	excess     int // references that were given back and never had
}

// Start starts a host, which ends with the test.
func Start(t testing.TB, o Options) *Host {
	t.Helper()
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// New starts a host.
func New(o Options) (*Host, error) {
	o.Address = cmp.Or(o.Address, "127.0.0.1")
	o.Version = cmp.Or(o.Version, dcom.Version{Major: 5, Minor: 7})
	if o.Accounts == nil {
		o.Accounts = func(name string) ([16]byte, bool) { return rpc.NTHash([]byte(Password)), strings.EqualFold(name, User) }
	}
	h := &Host{o: o, sets: map[pla.Category][]*Set{}, known: map[dcom.GUID]bool{}, calls: map[string]int{}}
	h.Restart()
	if o.InMemory {
		o.Port = cmp.Or(o.Port, dcom.ResolverPort)
	}
	resolver, err := h.listen(o.Port)
	if err != nil {
		return nil, err
	}
	exporter, err := h.listen(0)
	if err != nil {
		_ = resolver.Close()
		return nil, err
	}
	h.o.Port, h.port = portOf(resolver), portOf(exporter)
	h.resolver, h.exporter = h.dialer(resolver), h.dialer(exporter)
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	served := rpc.ServerOptions{Go: func(f func()) { go f() }, Accounts: o.Accounts, Tickets: o.Tickets, Name: "FAKE", MaxConnections: 1000,
		LogonDelay: time.Millisecond, LogonsPerDelay: 1000, LogonsPerConnection: 1000, Interface: h.ofResolver, Idle: 2 * time.Hour}
	h.serve(ctx, resolver, false, served)
	served.Interface = h.ofExporter
	if o.Exporters != nil {
		served.Accounts = o.Exporters
	}
	if !o.OneAtATime {
		served.Calls = rpc.MostUnderWay
	}
	h.serve(ctx, exporter, true, served)
	return h, nil
}

func (h *Host) serve(ctx context.Context, l net.Listener, exporter bool, o rpc.ServerOptions) {
	h.running.Add(1)
	s := rpc.NewServer(o)
	go func() {
		defer h.running.Done()
		_ = s.Serve(ctx, &lyingListener{Listener: l, host: h, exporter: exporter})
	}()
}

// Close ends the host.
func (h *Host) Close() {
	h.stop()
	h.running.Wait()
}

// Port is where the host resolves and activates.
func (h *Host) Port() int { return h.o.Port }

// Dial logs on to a port of the host as pla.New wants it.
func (h *Host) Dial(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
	return rpc.Dial(ctx, h.Reach(port, interfaces...))
}

// Reach is how a port of the host is dialled.
func (h *Host) Reach(port int, interfaces ...rpc.Interface) rpc.Options {
	o := rpc.Options{
		Address:   rpc.Address{Host: h.o.Address, Port: port},
		Account:   rpc.Account{User: User, Password: func(context.Context) ([]byte, error) { return []byte(Password), nil }},
		Calls:     rpc.Calls{Interfaces: interfaces, CallTimeout: 10 * time.Second, SideBySide: true, Go: func(f func()) { go f() }},
		Listeners: rpc.Listeners{Traffic: &h.traffic},
	}
	if h.o.InMemory {
		o.Connect = func(ctx context.Context, _ *rpc.Options) (net.Conn, error) {
			switch port {
			case h.Port():
				return h.resolver(ctx)
			case h.port:
				return h.exporter(ctx)
			}
			return nil, fmt.Errorf("nothing listens at port %d", port)
		}
	}
	return o
}

// Client is the sets of the host, as they are reached by Dial.
func (h *Host) Client(t testing.TB) *pla.Client {
	t.Helper()
	c := pla.New(h.Dial, h.Port())
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Waits is how often clients that came by Dial waited for answers, log-ons excepted.
func (h *Host) Waits() uint64 { return h.traffic.Waits() }

// Calls is how often a method was called, as IDataCollectorSet.Start.
func (h *Host) Calls(method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[method]
}

// References is how many references clients hold; and how many were given back that nobody had.
func (h *Host) References() (held, excess int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.objects {
		held += o.public
	}
	return held, h.excess
}

// Restart makes the process of the sets begin anew: all objects are gone.
func (h *Host) Restart() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.oxid++
	h.remUnknown = newID()
	h.objects = map[dcom.GUID]*object{}
}

// Add adds a set, or puts it in the place of one with its name.
func (h *Host) Add(of pla.Category, s Set) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.store(of, &s)
}

// store adds a set, whose root path and rights are those of its XML; h.mu is held.
func (h *Host) store(of pla.Category, s *Set) {
	x, _ := parse(s.XML)
	s.Root, s.Security, s.Output = cmp.Or(x.RootPath, s.Root), cmp.Or(x.Security, s.Security), cmp.Or(s.Output, x.LatestOutputLocation)
	if is := h.find(of, s.Name); is != nil {
		*is = *s
		return
	}
	h.sets[of] = append(h.sets[of], s)
}

// find finds a set by its name; h.mu is held.
func (h *Host) find(of pla.Category, name string) *Set {
	for _, s := range h.sets[of] {
		if strings.EqualFold(s.Name, name) {
			return s
		}
	}
	return nil
}

// Set is a set as it is now.
func (h *Host) Set(name pla.Name) (s Set, there bool) {
	h.Change(name, func(is *Set) { s, there = *is, true })
	return s, there
}

// Change changes a set, as another program would.
func (h *Host) Change(name pla.Name, change func(*Set)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.find(name.Category, name.Set); s != nil {
		change(s)
	}
}

// Remove removes a set, as another program would.
func (h *Host) Remove(name pla.Name) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(name.Category, name.Set)
}

func portOf(l net.Listener) int {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	n, _ := strconv.Atoi(port)
	return n
}
