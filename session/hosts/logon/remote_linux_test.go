package logon

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// remoteAt is a host by its address with a port.
func remoteAt(t *testing.T, a *Accounts, address string) *Remote {
	t.Helper()
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Remote(t.Context(), Host{Name: address, Address: name, Port: n}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Hosts that take no connection do not keep those waiting that do.
func TestTheDeadDoNotBlockTheLiving(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{})
	o := options()
	o.User, o.Password = smbtest.User, []byte(smbtest.Password)
	accounts := New(o)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	live := remoteAt(t, accounts, s.Address())
	dead := []*Remote{remoteAt(t, accounts, silent.Addr().String()), remoteAt(t, accounts, "192.0.2.1:445"), remoteAt(t, accounts, "192.0.2.2:445")}
	dialled := make(chan struct{}, len(dead))
	for _, r := range dead[1:] { // nobody answers there until the connection is given up
		r.options.CallTimeout = time.Hour
		r.options.Connect = func(ctx context.Context, _ *rpc.Options) (net.Conn, error) {
			dialled <- struct{}{}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
	}
	failed := make(chan error, len(dead))
	for _, r := range dead {
		go func() {
			c, err := r.Dial(ctx, Connection{})
			if err == nil {
				_ = c.Close()
			}
			failed <- err
		}()
	}
	for range dead[1:] {
		<-dialled
	}
	c, err := live.Dial(ctx, Connection{Interfaces: []rpc.Interface{rpc.MSRRP}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	cancel()
	for range dead {
		if <-failed == nil {
			t.Error("nobody is there")
		}
	}
}

// A host where NTLM is switched off pauses none of the others, not even one behind
// another port of the same name.
func TestHostWithoutNTLMPausesNobody(t *testing.T) {
	off := smbtest.Start(t, smbtest.Options{Global: []string{"ntlm auth = disabled"}})
	on := smbtest.Start(t, smbtest.Options{})
	o := options()
	o.User, o.Password = smbtest.User, []byte(smbtest.Password)
	accounts := New(o)
	if _, err := remoteAt(t, accounts, off.Address()).Dial(t.Context(), Connection{}); !errors.Is(err, session.ErrDenied) {
		t.Fatalf("the host without NTLM: %v", err)
	}
	c, err := remoteAt(t, accounts, on.Address()).Dial(t.Context(), Connection{Interfaces: []rpc.Interface{rpc.MSRRP}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}

// Where there is no ticket and NTLM takes its place it is told, once, with what would help.
func TestNTLMInsteadIsTold(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{})
	conf := filepath.Join(t.TempDir(), "krb5.conf")
	if err := os.WriteFile(conf, []byte("[libdefaults]\ndefault_realm = PERF.TEST\n[realms]\nPERF.TEST = { kdc = 127.0.0.1:1 }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []error
	o := options()
	o.User, o.Password = smbtest.User, []byte(smbtest.Password)
	o.Tickets, o.Tell = Tickets{Use: true, Conf: conf}, func(err error) { told = append(told, err) }
	r := remoteAt(t, New(o), s.Address())
	for range 2 {
		c, err := r.Dial(t.Context(), Connection{Interfaces: []rpc.Interface{rpc.MSRRP}})
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
	if len(told) != 1 || r.Instead() == nil {
		t.Fatalf("told %v", told)
	}
	if text, hint := told[0].Error(), failure.Hint(told[0]); !strings.Contains(text, "NTLM") || !strings.Contains(text, s.Address()) || !strings.Contains(hint, "krb5.conf") || strings.Contains(text+hint, smbtest.Password) {
		t.Errorf("%s; hint %s", text, hint)
	}
}
