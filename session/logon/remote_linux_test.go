package logon

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/rpc"
	"perfdeck/session/rpc/smbtest"
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
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	live := remoteAt(t, accounts, s.Address())
	// 192.0.2.0/24 leads nowhere (RFC 5737): whether it is unreachable or silent,
	// it takes no connection.
	dead := []*Remote{remoteAt(t, accounts, silent.Addr().String()), remoteAt(t, accounts, "192.0.2.1:445"), remoteAt(t, accounts, "192.0.2.2:445")}
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
	began := time.Now()
	c, err := live.Dial(ctx, Connection{Interfaces: []rpc.Interface{rpc.MSRRP}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the log-on took %v", took)
	}
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
