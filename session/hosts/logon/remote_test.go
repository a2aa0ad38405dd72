package logon

import (
	"context"
	"net"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/wire/rpc"
)

// remoteOf is a host of the usual account.
func remoteOf(t *testing.T, a *Accounts, address string) *Remote {
	t.Helper()
	r, err := a.Remote(t.Context(), Host{Name: address, Address: address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What the user types for one host is for all that share a password that nobody
// has taken yet; for that host alone once one has.
func TestAnotherAccount(t *testing.T) {
	o := options()
	o.User, o.Password = `CORP\ana`, []byte("wrong")
	accounts := New(o)
	a, b := remoteOf(t, accounts, "a"), remoteOf(t, accounts, "b")
	is := func(r *Remote, user, domain, password string) {
		t.Helper()
		now, err := r.now()
		if err != nil {
			t.Fatal(err)
		}
		got, err := now.options.Password(t.Context())
		if err != nil || now.options.User != user || now.options.Domain != domain || string(got) != password {
			t.Errorf("%s is logged on to by %s %s, password %q, %v", now.options.Host, now.options.Domain, now.options.User, got, err)
		}
	}
	logOn := func(r *Remote, account, password string) {
		t.Helper()
		if err := r.LogOn(account, []byte(password)); err != nil {
			t.Fatal(err)
		}
	}
	is(a, "ana", "CORP", "wrong")
	logOn(a, `CORP\ana`, "right")
	is(a, "ana", "CORP", "right")
	is(b, "ana", "CORP", "right")
	now, err := a.now()
	if err != nil {
		t.Fatal(err)
	}
	if err := now.logOns().asks(t.Context(), "a", fine); err != nil {
		t.Fatal(err)
	}
	logOn(b, "ina", "other")
	is(a, "ana", "CORP", "right")
	is(b, "ina", "", "other")
	logOn(b, `corp\ANA`, "") // as it was typed before
	is(b, "ANA", "corp", "right")
	logOn(b, `CORP\ana`, "wrong") // round and round
	logOn(b, "ina", "other")
	logOn(b, `CORP\ana`, "wrong")
	is(b, "ana", "CORP", "wrong")
	is(a, "ana", "CORP", "right")
	for account, password := range map[string]string{"nobody": "", "": "x", `CORP\`: "x", "long": strings.Repeat("x", mostPassword+1)} {
		if err := a.LogOn(account, []byte(password)); err == nil || password != "" && strings.Contains(err.Error(), password+"x") {
			t.Errorf("%q: %v", account, err)
		}
	}
}

// The account that the user typed is told, the usual one is not.
func TestTyped(t *testing.T) {
	o := options()
	o.User, o.Password = "ana", []byte("x")
	accounts := New(o)
	r := remoteOf(t, accounts, "a")
	if got := r.Typed(); got != "" {
		t.Errorf("typed %q", got)
	}
	if err := r.LogOn(`CORP\ina`, []byte("y")); err != nil {
		t.Fatal(err)
	}
	if got := r.Typed(); got != `CORP\ina` {
		t.Errorf("typed %q", got)
	}
	as, err := accounts.Named(t.Context(), `corp\INA`)
	if err != nil {
		t.Fatal(err)
	}
	other, err := accounts.Remote(t.Context(), Host{Name: "b", Address: "b"}, as)
	if err != nil || other.Typed() != `corp\INA` {
		t.Errorf("typed %q, %v", other.Typed(), err)
	}
	if password, err := as.get(t.Context()); string(password) != "y" || err != nil {
		t.Errorf("password %q, %v", password, err)
	}
}

// A host that takes connections and is silent, as one whose process is stopped,
// keeps none of the others waiting with which it shares a password.
func TestSilentHostHoldsUpNobody(t *testing.T) {
	o := options()
	o.User, o.Password = "ana", []byte("x")
	accounts := New(o)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	known := server.Accounts{}
	if err := known.Add("ana", []byte("x")); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(ctx, l, server.Options{Source: fake.New(fake.Script{Name: "live"}, session.NewSystemClock()), Accounts: known, Go: func(f func()) { go f() }})
	}()
	defer func() { cancel(); <-served }()
	dial := func(at net.Addr) error {
		r, err := accounts.Remote(ctx, Host{Name: at.String(), Address: "127.0.0.1", Port: at.(*net.TCPAddr).Port, TCP: true}, nil)
		if err != nil {
			return err
		}
		c, err := r.Dial(ctx, Connection{})
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	stuck := make(chan error, 1)
	go func() { stuck <- dial(silent.Addr()) }()
	nc, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Read(make([]byte, 1)); err != nil { // it began to log on
		t.Fatal(err)
	}
	live := make(chan error, 1)
	go func() { live <- dial(l.Addr()) }()
	select {
	case err := <-live:
		if err != nil {
			t.Error(err)
		}
	case err := <-stuck:
		t.Errorf("the living wait for the silent host, until %v", err)
	}
	cancel()
	_ = nc.Close()
}

// Objects are reached over TCP at a port of their own; their ticket is for the host that the
// config names, or the one that is dialled.
func TestReachesObjects(t *testing.T) {
	for spn, want := range map[string]string{"": "RPCSS/web01", "cifs/web01.lab.test": "RPCSS/web01.lab.test", "cifs/web01@LAB.TEST": "RPCSS/web01@LAB.TEST"} {
		o := rpc.Options{Address: rpc.Address{Host: "web01", Port: 445, Connect: rpc.SMB}, Tickets: rpc.Tickets{SPN: spn}}
		c := Connection{Service: "RPCSS", Port: 135}
		if c.reaches(&o); o.SPN != want || o.Port != 135 || o.Connect != nil || !o.SideBySide || o.Name != "web01:135" {
			t.Errorf("%q: %+v", spn, o)
		}
		if (&Connection{}).reaches(&o); o.SPN != want || o.Port != 135 {
			t.Errorf("of counters: %+v", o)
		}
	}
}
