package logon

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq/server"
)

// servers are hosts that know one account, ana with the password "right".
func servers(t *testing.T, n int) (ports []int) {
	t.Helper()
	known := server.Accounts{}
	if err := known.Add("ana", []byte("right")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		wg.Go(func() {
			_ = server.Serve(ctx, l, server.Options{Source: fake.New(fake.Script{Name: "live"}, session.NewSystemClock()), Accounts: known, LogonDelay: time.Millisecond, Go: func(f func()) { go f() }})
		})
	}
	return ports
}

// dialAll asks hosts, all at once, and counts those that were asked for the password.
func dialAll(t *testing.T, remotes []*Remote) (tried, taken int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, r := range remotes {
		wg.Go(func() {
			c, err := r.Dial(t.Context(), Connection{})
			mu.Lock()
			defer mu.Unlock()
			_, paused := errors.AsType[*pausedError](err)
			switch {
			case err == nil:
				taken++
				tried++
				_ = c.Close()
			case !paused:
				tried++
			}
		})
	}
	wg.Wait()
	return tried, taken
}

// remotesOf are hosts as [[host]] tables have them: the accounts and where their passwords
// are in turn.
func remotesOf(t *testing.T, a *Accounts, ports []int, owns ...config.Host) (out []*Remote) {
	t.Helper()
	for i, port := range ports {
		own := owns[i%len(owns)]
		r, err := a.Remote(t.Context(), Host{Name: "h", Address: "127.0.0.1", Port: port, TCP: true, Own: own}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// A wrong password of one account is tried once before the pause, in however many tables,
// ways to write it and files it stands; accounts of hosts are each one of their own.
func TestOneAccountOfManyTables(t *testing.T) {
	ports := servers(t, 6)
	file := func(text string) config.PasswordRef {
		return config.PasswordRef{File: passwordIn(t, text+"\n", 0o600)}
	}
	one := file("wrong")
	for _, c := range []struct {
		what  string
		usual string // of --user
		owns  []config.Host
		tried int
	}{
		{"one file", "", []config.Host{{User: `LAB\ana`, Password: one}}, 1},
		{"a file each", "", []config.Host{{User: `LAB\ana`, Password: one}, {User: `LAB\ana`, Password: file("wrong, too")}, {User: `LAB\ana`, Password: file("x")}}, 1},
		{"many ways", "", []config.Host{{User: `LAB\ana`, Password: one}, {User: `lab\Ana`, Password: one}, {User: "ANA@lab", Password: file("y")}, {User: "ana@lab.example.com", Password: one}}, 1},
		{"beside the usual one", `LAB\ana`, []config.Host{{}, {User: `lab\ana`, Password: one}}, 1},
		{"the usual one, with a file", `LAB\ana`, []config.Host{{Password: one}, {}}, 1},
		{"a keyring beside a file", "", []config.Host{{User: `LAB\ana`, Password: one}, {User: `LAB\ana`, Password: config.PasswordRef{Keyring: "perfdeck"}}}, 1},
		{"no domain, one file", "", []config.Host{{User: "ana", Password: one}}, 1},
		{"no domain, a file each", "", []config.Host{{User: "ana", Password: one}, {User: "ANA", Password: file("wrong")}, {User: "ana", Password: file("wrong")}}, 1},
		{"no domain, a file and the usual one", "ana", []config.Host{{}, {Password: one}}, 1},
		{"two accounts", "", []config.Host{{User: `LAB\ana`, Password: one}, {User: `LAB\ina`, Password: one}}, 2},
		{"two domains", "", []config.Host{{User: `LAB\ana`, Password: one}, {User: `SUB\ana`, Password: one}}, 2},
		{"accounts of hosts", "", []config.Host{{User: `.\ana`, Password: one}}, 6},
		{"accounts of a host by its name", "", []config.Host{{User: `H\ana`, Password: one}}, 6},
	} {
		t.Run(c.what, func(t *testing.T) {
			o := options()
			o.User, o.Password = c.usual, []byte("wrong")
			a := New(o)
			if tried, taken := dialAll(t, remotesOf(t, a, ports, c.owns...)); tried != c.tried || taken != 0 {
				t.Errorf("%d tries, %d taken, want %d tries", tried, taken, c.tried)
			}
		})
	}
}

// An account of a host waits for none of another host, whose password is elsewhere.
func TestAccountsOfHostsAreApart(t *testing.T) {
	wrong, right := passwordIn(t, "wrong", 0o600), passwordIn(t, "right", 0o600)
	for _, user := range []string{"ana", `.\ana`, `H\ana`} {
		remotes := remotesOf(t, New(options()), servers(t, 2),
			config.Host{User: user, Password: config.PasswordRef{File: wrong}}, config.Host{User: user, Password: config.PasswordRef{File: right}})
		if tried, _ := dialAll(t, remotes[:1]); tried != 1 {
			t.Fatalf("%s: %d tries", user, tried)
		}
		if _, taken := dialAll(t, remotes[1:]); taken != 1 {
			t.Errorf("%s: a host waits for another one", user)
		}
	}
}

// A password that was put right in its file is tried at once, and taken by all.
func TestChangedFileIsTried(t *testing.T) {
	ports := servers(t, 4)
	for _, usual := range []bool{false, true} {
		file := passwordIn(t, "wrong", 0o600)
		o, own := options(), config.Host{User: `LAB\ana`, Password: config.PasswordRef{File: file}}
		if usual {
			o.PasswordFile, own.Password = file, config.PasswordRef{}
		}
		remotes := remotesOf(t, New(o), ports, own)
		if tried, _ := dialAll(t, remotes); tried != 1 {
			t.Fatalf("%d tries", tried)
		}
		if tried, _ := dialAll(t, remotes); tried != 0 {
			t.Errorf("the same password is tried again: %d times", tried)
		}
		if err := os.WriteFile(file, []byte("also wrong"), 0o600); err != nil {
			t.Fatal(err)
		}
		if tried, _ := dialAll(t, remotes); tried != 1 {
			t.Errorf("another one is tried %d times", tried)
		}
		if err := os.WriteFile(file, []byte("right"), 0o600); err != nil {
			t.Fatal(err)
		}
		dialAll(t, remotes[:1])
		if _, taken := dialAll(t, remotes); taken != len(ports) {
			t.Errorf("the right one is taken by %d hosts of %d", taken, len(ports))
		}
	}
}

// A password that is typed is that of one account, however it is written, and of no account of
// another domain that is called alike.
func TestTypedForOneDomain(t *testing.T) {
	var asked []string
	o := options()
	o.Password, o.Prompt = nil, func(what string) ([]byte, error) {
		asked = append(asked, what)
		return []byte(what), nil
	}
	a := New(o)
	for _, name := range []string{"ana@lab.one.example", `LAB.one.example\Ana`, "ana@lab.two.example", `ops\ana`, "ana@OPS"} {
		if _, err := a.Named(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if len(asked) != 3 {
		t.Errorf("asked for %q", asked)
	}
}

// A program that tells a password runs once for an account, whether it fails, tells a wrong
// one or the right one.
func TestOneRunOfACommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	ports := servers(t, 5)
	for script, taken := range map[string]int{"echo right": 5, "echo wrong": 0, "exit 1": 0} {
		runs := filepath.Join(t.TempDir(), "runs")
		command := config.PasswordRef{Command: []string{"sh", "-c", "echo run >> " + runs + "; " + script}}
		remotes := remotesOf(t, New(options()), ports, config.Host{User: `LAB\ana`, Password: command}, config.Host{User: "ana@lab", Password: command})
		for range 2 {
			if _, got := dialAll(t, remotes); got != taken {
				t.Errorf("%s: taken by %d, want %d", script, got, taken)
			}
		}
		text, err := os.ReadFile(runs)
		if n := strings.Count(string(text), "run"); n != 1 || err != nil {
			t.Errorf("%s: it ran %d times, %v", script, n, err)
		}
	}
}

// Keys of a keytab are tried as passwords are; with Kerberos an account without a domain is
// that of the realm, and an account of a host is one whatever the host is called.
func TestVictims(t *testing.T) {
	type at struct {
		account, address string
		realm            bool
	}
	for _, c := range []struct {
		a, b at
		same bool
	}{
		{at{`LAB\ana`, "sql01", false}, at{"ana@lab.example", "sql02", false}, true},
		{at{"ana", "sql01", true}, at{"ANA", "sql02", true}, true},
		{at{`lab.example\ana`, "sql01", true}, at{`LAB\ana`, "sql02", false}, true},
		{at{"ana", "sql01", false}, at{"ana", "sql02", false}, false}, // of two passwords
		{at{`SQL01\ana`, "sql01.lab.example", false}, at{`sql01\ANA`, "sql01.lab.example", false}, true},
		{at{`SQL01\ana`, "sql01.lab.example", false}, at{`.\ana`, "sql01.lab.example", false}, true},
		{at{`SQL01\ana`, "sql01.lab.example", false}, at{`SQL01\ana`, "sql02.lab.example", false}, false},
		{at{`.\ana`, "sql01", false}, at{`.\ana`, "sql02", false}, false},
		{at{`.\ana`, "sql01", false}, at{`.\ana`, "SQL01", false}, true},
		{at{`127\ana`, "127.0.0.1", false}, at{`127\ana`, "127.0.0.2", false}, true}, // an address has no name
	} {
		of := func(x at) victim {
			who := account(x.account)
			who.secret = newSecret(nil)
			return who.victimAt(x.address, x.realm, x.address)
		}
		if got := of(c.a) == of(c.b); got != c.same {
			t.Errorf("%v and %v: one account %v", c.a, c.b, got)
		}
	}
}
