package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"perfdeck/session"
	"perfdeck/session/wire/smbtest"
)

// twoAccounts have the same password.
func twoAccounts(name string) ([16]byte, bool) {
	return NTHash([]byte(testPassword)), strings.EqualFold(name, testUser) || strings.EqualFold(name, "other")
}

// logOn tries a log-on from an address, and a call.
func (ts *testServer) logOn(address, user, password string, change func(*Options)) (*Client, error) {
	o := ts.options()
	o.Connect, o.User, o.Password = ts.from(address), user, smbtest.FixedPassword(password)
	if change != nil {
		change(&o)
	}
	c, err := Dial(context.Background(), o)
	if err != nil {
		return nil, err
	}
	if _, err = c.EnumerateCounterSet(context.Background(), 256); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// flood tries wrong passwords from an address until it is told to stop.
func (ts *testServer) flood(address string, many int, user func(n int) string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for n := range many {
		wg.Go(func() {
			for ; ctx.Err() == nil; n += many {
				if c, err := ts.logOn(address, user(n), "wrong", nil); err == nil {
					_ = c.Close()
				}
				time.Sleep(250 * time.Millisecond)
			}
		})
	}
	return func() {
		cancel()
		wg.Wait()
	}
}

func always(user string) func(int) string { return func(int) string { return user } }

const late = 3 * time.Second

// A flood of wrong passwords holds up neither other addresses nor other
// accounts, nor an account that has logged on from the same address before. Who
// is held up is told so, at once, in another way than a wrong password is, and
// gets in soon after.
func TestFloodOfWrongPasswords(t *testing.T) {
	for _, auth := range []Authentication{SPNEGO, NTLM} {
		onPipes(t, func(o *ServerOptions) { o.LogonDelay, o.Accounts = late, twoAccounts }, func(t *testing.T, ts *testServer) {
			change := func(o *Options) { o.Authentication = auth }
			stop := ts.flood("192.0.2.1", 80, always(testUser))
			time.Sleep(5 * time.Second)
			for name, v := range map[string]struct {
				address, user string
				busy          bool
			}{
				"another address":                {"192.0.2.2", testUser, false},
				"another account":                {"192.0.2.1", "other", false},
				"the same":                       {"192.0.2.1", testUser, true},
				"the same in other letters":      {"192.0.2.1", "PeRF", true},
				"an address of the same network": {"192.0.2.3", testUser, false},
			} {
				began := time.Now()
				c, err := ts.logOn(v.address, v.user, testPassword, change)
				for tries := 0; v.user == "other" && tries < 50 && isCrowded(err); tries++ {
					// It made room for one of the flood.
					c, err = ts.logOn(v.address, v.user, testPassword, change)
				}
				if took := time.Since(began); took > 10*time.Millisecond {
					t.Errorf("%v: %s: answered after %v", auth, name, took)
				}
				if c != nil {
					_ = c.Close()
				}
				if !v.busy {
					if err != nil {
						t.Errorf("%v: %s: %v", auth, name, err)
					}
					continue
				}
				e, ok := errors.AsType[*Error](err)
				if !ok || !errors.Is(err, ErrBusy) || errors.Is(err, session.ErrDenied) || IsWrongPassword(err) || e.Code != FaultServerTooBusy && !isCrowded(err) || e.Hint() == "" {
					t.Errorf("%v: %s: %v", auth, name, err)
				}
			}
			stop()
			time.Sleep(late)
			if c, err := ts.logOn("192.0.2.1", testUser, testPassword, change); err != nil {
				t.Errorf("%v: after the flood: %v", auth, err)
			} else {
				_ = c.Close()
			}
		})
	}
}

// isCrowded tells whether a log-on made room for another.
func isCrowded(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == CodeServerTooBusy
}

// Who makes room for another is told so, whatever it says next.
func TestToldThatItMadeRoom(t *testing.T) {
	for _, auth := range []Authentication{SPNEGO, NTLM} {
		onPipes(t, func(o *ServerOptions) { o.MaxConnections, o.LogonDelay = 4, late }, func(t *testing.T, ts *testServer) {
			for said := range 2 { // before it is pushed out; with the third it would be in
				o := ts.options()
				o.setDefaults()
				push := func() {
					for range 4 {
						nc, err := ts.from("192.0.2.1")(t.Context(), &o)
						if err != nil {
							t.Fatal(err)
						}
						t.Cleanup(func() { _ = nc.Close() })
					}
					synctest.Wait()
				}
				began := time.Now()
				_, err := ts.logOn("192.0.2.1", testUser, testPassword, func(o *Options) {
					o.Authentication = auth
					connect := o.Connect
					o.Connect = func(ctx context.Context, o *Options) (net.Conn, error) {
						nc, err := connect(ctx, o)
						return &interrupted{Conn: nc, left: said, then: push}, err
					}
				})
				if !isCrowded(err) || !errors.Is(err, ErrBusy) || time.Since(began) > 0 {
					t.Errorf("%v, pushed out after %d messages: %v after %v", auth, said, err, time.Since(began))
				}
			}
			ts.Server.mu.Lock()
			leaving := len(ts.leaving)
			ts.Server.mu.Unlock()
			if leaving > 4 {
				t.Errorf("%d are on their way out", leaving)
			}
			time.Sleep(farewell)
			synctest.Wait()
			ts.Server.mu.Lock()
			defer ts.Server.mu.Unlock()
			if len(ts.leaving) > 0 {
				t.Errorf("%d do not go", len(ts.leaving))
			}
		})
	}
}

// interrupted is a connection where something happens after some messages.
type interrupted struct {
	net.Conn

	left int
	then func()
}

func (c *interrupted) Write(b []byte) (int, error) {
	if c.left == 0 {
		c.then()
	}
	c.left--
	return c.Conn.Write(b)
}

func TestFloodBesideAProvenAccount(t *testing.T) {
	onPipes(t, func(o *ServerOptions) { o.LogonDelay, o.Accounts, o.Idle = late, twoAccounts, time.Hour }, func(t *testing.T, ts *testServer) {
		c, err := ts.logOn("192.0.2.1", testUser, testPassword, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 { // a connection that lasts for days
			time.Sleep(time.Hour / 2)
			if _, err := c.EnumerateCounterSet(t.Context(), 256); err != nil {
				t.Fatal(err)
			}
		}
		_ = c.Close()
		defer ts.flood("192.0.2.1", 30, func(n int) string { return []string{testUser, fmt.Sprint("nobody ", n)}[n%2] })()
		for range 10 {
			time.Sleep(time.Second)
			c, err := ts.logOn("192.0.2.1", testUser, testPassword, nil)
			if err != nil {
				t.Fatalf("what was proven before the flood: %v", err)
			}
			_ = c.Close()
		}
	})
}

// However many are tried, few are checked.
func TestFewPasswordsAreChecked(t *testing.T) {
	var checked atomic.Int64
	onPipes(t, func(o *ServerOptions) {
		o.LogonDelay, o.LogonsPerDelay = late, 4
		o.Accounts = func(string) (h [16]byte, ok bool) { checked.Add(1); return h, ok }
	}, func(t *testing.T, ts *testServer) {
		stop := ts.flood("192.0.2.1", 20, always("ana"))
		time.Sleep(time.Minute)
		stop()
	})
	if n, most := checked.Load(), int64(4+4*time.Minute/late); n > most+4 || n < most/2 {
		t.Errorf("%d passwords were checked in a minute, %d may be", n, most)
	}
}

// A flood of connections from one address does not push out those who are about
// to log on from another.
func TestFloodOfConnections(t *testing.T) {
	onPipes(t, func(o *ServerOptions) { o.MaxConnections = 8 }, func(t *testing.T, ts *testServer) {
		o := ts.options()
		o.setDefaults()
		slow, err := ts.from("192.0.2.2")(t.Context(), &o)
		if err != nil {
			t.Fatal(err)
		}
		var strangers []net.Conn
		for range 100 {
			nc, err := ts.from("192.0.2.1")(t.Context(), &o)
			if err != nil {
				t.Fatal(err)
			}
			strangers = append(strangers, nc)
		}
		time.Sleep(time.Second)
		o.Connect = func(context.Context, *Options) (net.Conn, error) { return slow, nil }
		c, err := Dial(t.Context(), o)
		if err != nil {
			t.Errorf("who came before the flood: %v", err)
		} else {
			_ = c.Close()
		}
		ts.Server.mu.Lock()
		connected := len(ts.conns)
		ts.Server.mu.Unlock()
		if connected > 8 {
			t.Errorf("%d strangers are connected", connected)
		}
		for _, nc := range strangers {
			_ = nc.Close()
		}
	})
}

// Nobody holds all connections; the one too many is told why, and comes in when
// another has gone.
func TestTooManyClients(t *testing.T) {
	for _, auth := range []Authentication{SPNEGO, NTLM} {
		onPipes(t, func(o *ServerOptions) {
			o.MaxConnections, o.MaxPerAccount, o.MaxPerAddress, o.Accounts = 6, 3, 4, twoAccounts
		}, func(t *testing.T, ts *testServer) {
			change := func(o *Options) { o.Authentication = auth }
			var all []*Client
			for i, v := range []struct {
				address, user string
				code          Code
			}{
				{"192.0.2.1", testUser, 0}, {"192.0.2.1", testUser, 0}, {"192.0.2.2", testUser, 0},
				{"192.0.2.3", "PERF", CodeConnectionCountLimit}, {"192.0.2.1", "other", 0}, {"192.0.2.1", "other", 0},
				{"192.0.2.1", "other", CodeTooManySessions}, {"192.0.2.4", "other", 0}, {"192.0.2.5", "other", CodeConnectionCountLimit},
				{"192.0.2.5", "third", CodeRequestNotAccepted},
			} {
				if v.user == "third" { // the accounts are full first
					ts.Server.mu.Lock()
					ts.o.MaxPerAccount, v.user = 99, "other"
					ts.Server.mu.Unlock()
				}
				began := time.Now()
				c, err := ts.logOn(v.address, v.user, testPassword, change)
				if c != nil {
					all = append(all, c)
				}
				e, _ := errors.AsType[*Error](err)
				switch {
				case v.code == 0 && err != nil, v.code != 0 && (e == nil || e.Code != v.code):
					t.Errorf("%v: %d: %v", auth, i, err)
				case v.code != 0 && (e.Err == nil || e.Hint() == "" || IsWrongPassword(err) || errors.Is(err, session.ErrDenied) || time.Since(began) > time.Second):
					t.Errorf("%v: %d: told %v, hint %q", auth, i, err, e.Hint())
				}
			}
			for _, c := range all {
				if _, err := c.EnumerateCounterSet(t.Context(), 256); err != nil {
					t.Errorf("%v: who is in: %v", auth, err)
				}
			}
			_ = all[0].Close()
			time.Sleep(time.Second)
			c, err := ts.logOn("192.0.2.9", testUser, testPassword, change)
			if err != nil {
				t.Fatalf("%v: a place is free: %v", auth, err)
			}
			all = append(all, c)
			for _, c := range all {
				_ = c.Close()
			}
		})
	}
}

// The throttle's memory is bounded, whatever names are tried from wherever, and
// who is proven is not forgotten for it.
func TestThrottleIsBounded(t *testing.T) {
	onPipes(t, nil, func(t *testing.T, _ *testServer) {
		throttle := newThrottle(4, late)
		wrong, right := func() error { return errLogon }, func() error { return nil }
		at := func(n int) net.Addr {
			return &net.TCPAddr{IP: net.IPv4(10, byte(n>>16), byte(n>>8), byte(n))}
		}
		for n := range 10 {
			if err := throttle.attempt(at(n), testUser, right); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 3 * maxStrangePairs {
			_ = throttle.attempt(at(1), fmt.Sprint("nobody ", n), wrong)
		}
		if n := len(throttle.pairs); n > maxStrangePairs+10 {
			t.Errorf("%d pairs of one address", n)
		}
		if err := throttle.attempt(at(2), "nobody", right); err != nil {
			t.Errorf("another address: %v", err)
		}
		for n := range 3 * maxPairs {
			_ = throttle.attempt(at(n+100), "nobody", wrong)
		}
		if n := len(throttle.pairs); n > maxPairs {
			t.Errorf("%d pairs", n)
		}
		for n := range 10 {
			if err := throttle.attempt(at(n), testUser, right); err != nil {
				t.Errorf("%d: who was proven: %v", n, err)
			}
		}
		time.Sleep(provenFor + time.Hour)
		for n := range 3 * maxPairs {
			_ = throttle.attempt(at(n), "new", right)
		}
		if n, left := len(throttle.pairs), len(throttle.strange); n > maxPairs || left > 0 {
			t.Errorf("%d pairs a day later, %d strange", n, left)
		}
		for n := range 3 {
			_ = throttle.attempt(&net.TCPAddr{IP: net.ParseIP(fmt.Sprintf("2001:db8::%d", n))}, "x", wrong)
		}
		if err := throttle.attempt(&net.TCPAddr{IP: net.ParseIP("2001:db8::99")}, "x", wrong); errors.Is(err, errBusy) {
			t.Errorf("below the limit: %v", err)
		}
		if err := throttle.attempt(&net.TCPAddr{IP: net.ParseIP("2001:db8::98")}, "x", right); !errors.Is(err, errBusy) {
			t.Errorf("one IPv6 subscriber counts as many: %v", err)
		}
	})
}

// Names that accounts may take for one are one.
func TestFoldAccount(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		orbit := []rune{r}
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			orbit = append(orbit, c)
		}
		if i := slices.IndexFunc(orbit, func(c rune) bool { return foldAccount(string(c)) != foldAccount(string(r)) }); i >= 0 {
			t.Errorf("%q and %q", orbit[0], orbit[i])
		}
	}
}
