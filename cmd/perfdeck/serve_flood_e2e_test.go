//go:build !windows

package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session/system/output"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// servesAccounts starts a server for several accounts with testPassword.
func servesAccounts(t *testing.T, names []string, args ...string) *served {
	t.Helper()
	file := filepath.Join(t.TempDir(), "accounts")
	for _, name := range names {
		if _, stderr, code := runs(t, withPassword(testPassword), "serve", "passwd", "--accounts="+file, name); code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	return servesWith(t, plainEnviron, append(args, "--accounts="+file, "--expose=System")...)
}

// logOn logs on over TCP, as perfdeck does.
func (s *served) logOn(ctx context.Context, user, password string) (*rpc.Client, error) {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	return rpc.Dial(ctx, rpc.Options{Address: rpc.Address{Host: host, Port: n}, Account: rpc.Account{User: user, Password: smbtest.FixedPassword(password)}})
}

// While somebody at the same address tries passwords for an account, others log
// on, who is held up is told that and no word of a wrong password, and the
// server's log stays short.
func TestServeUnderAFlood(t *testing.T) {
	s := servesAccounts(t, []string{"ana", "bob"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	busy := make(chan struct{})
	var once sync.Once
	var flood sync.WaitGroup
	for range 8 {
		flood.Go(func() {
			for ctx.Err() == nil {
				c, err := s.logOn(ctx, "ana", "wrong")
				if err == nil {
					_ = c.Close()
					t.Error("a wrong password is taken")
				}
				if errors.Is(err, rpc.ErrBusy) {
					once.Do(func() { close(busy) })
				}
			}
		})
	}
	<-busy
	sample := func(user string) (string, int) {
		_, stderr, code := runs(t, withPassword(testPassword), "sample", s.host(), "--user="+user, "-n1", "-i0.1", `\System\Processes`)
		return stderr, code
	}
	if stderr, code := sample("bob"); code != exitDone {
		t.Errorf("another account: exit code %d: %s", code, stderr)
	}
	told := 0
	for range 5 { // one may come just when a debt is paid
		out, _, code := runs(t, withPassword(testPassword), "doctor", "tcp://"+s.address, "--user=ana")
		if strings.Contains(out, "DENIED") || strings.Contains(out, "check user") {
			t.Errorf("the right password is called wrong: %s", out)
		}
		if code == exitFailed && strings.Contains(out, "too busy") && strings.Contains(out, "hint: wait") {
			told++
		}
	}
	if told == 0 {
		t.Error("nobody was told that the host is busy")
	}
	cancel()
	flood.Wait()
	if stderr, code := sample("ana"); code != exitDone {
		t.Errorf("after the flood: exit code %d: %s", code, stderr)
	}
	for range 3 { // it is proven now
		if stderr, code := sample("ana"); code != exitDone {
			t.Errorf("afterwards: exit code %d: %s", code, stderr)
		}
	}
	log := s.said.String()
	if n := strings.Count(log, "\n"); n == 0 || n > 30 || len(log) > 30*output.LineLength {
		t.Errorf("%d lines of log", n)
	}
}

// The one connection too many is told why, in words.
func TestServeLimits(t *testing.T) {
	s := servesAccounts(t, []string{"ana", "bob", "cy"}, "--max-connections=4", "--max-per-account=2", "--max-per-address=3")
	hold := func(user string) {
		c, err := s.logOn(t.Context(), user, testPassword)
		if err != nil {
			t.Fatalf("%s: %v", user, err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	refused := func(user, why, hint string) {
		t.Helper()
		began := time.Now()
		_, stderr, code := runs(t, withPassword(testPassword), "sample", s.host(), "--user="+user, "-n1", `\System\Processes`)
		if code != exitFailed || !strings.Contains(stderr, why) || !strings.Contains(stderr, hint) || strings.Count(stderr, "\n") != 2 {
			t.Errorf("%s: exit code %d after %v: %s", user, code, time.Since(began), stderr)
		}
	}
	hold("ana")
	hold("ana")
	refused("ana", "the account has as many connections", "--max-per-account")
	hold("bob")
	refused("cy", "from this computer's address", "--max-per-address")
	if _, _, code := runs(t, withPassword("x"), "serve", "--account=ana", "--max-connections=0"); code != exitUsage {
		t.Errorf("no connection: exit code %d", code)
	}
}
