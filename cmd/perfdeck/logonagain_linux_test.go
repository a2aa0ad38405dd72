package main

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/rpc"
	"perfdeck/session/rpc/smbtest"
)

// A host that refuses the password takes another one without being opened anew.
func TestLogOnAgain(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{Performance: &someObjects})
	p := loggingOn(t)
	p.config = new(config.Config)
	as, err := p.typedCredentials(smbtest.User, []byte("wrong"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := p.openHost(s.Address(), as)
	if err != nil {
		t.Fatal(err)
	}
	defer h.source.Close()
	if _, err := h.source.Catalogue(t.Context()); !errors.Is(err, session.ErrDenied) {
		t.Fatalf("with a wrong password: %v", err)
	}
	if err := h.logOn(smbtest.Workgroup+`\`+smbtest.User, []byte(smbtest.Password)); err != nil {
		t.Fatal(err)
	}
	if cat, err := h.source.Catalogue(t.Context()); err != nil || cat.Set("Memory") == nil {
		t.Errorf("with the right one: %v", err)
	}
}

// Hosts that take no connection do not keep those waiting that do.
func TestTheDeadDoNotBlockTheLiving(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{Performance: &someObjects})
	p := loggingOn(t)
	p.config, p.flags.user, p.password = new(config.Config), smbtest.User, []byte(smbtest.Password)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	live := remoteOf(t, p, s.Address())
	// 192.0.2.0/24 leads nowhere (RFC 5737): whether it is unreachable or silent,
	// it takes no connection.
	dead := []*remote{remoteOf(t, p, silent.Addr().String()), remoteOf(t, p, "192.0.2.1"), remoteOf(t, p, "192.0.2.2")}
	failed := make(chan error, len(dead))
	for _, r := range dead {
		go func() {
			c, err := r.dial(ctx)
			if err == nil {
				_ = c.Close()
			}
			failed <- err
		}()
	}
	began := time.Now()
	c, err := live.line().dial(ctx, rpc.MSRRP)
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
