package rpc

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/oiweiwei/go-msrpc/msrpc/dtyp"
	even "github.com/oiweiwei/go-msrpc/msrpc/even/eventlog/v0"
	scmr "github.com/oiweiwei/go-msrpc/msrpc/scmr/svcctl/v2"

	"perfdeck/session"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/smbtest"
)

// sharedOver shares a log-on to a Samba, and counts.
func sharedOver(s *smbtest.Server) (*Shared, *logOnCount) {
	count := &logOnCount{}
	o := smbOptions(s)
	o.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := (&net.Dialer{}).DialContext(ctx, network, address)
		count.connections++
		return setUps{nc, count}, err
	}
	return &Shared{
		LogOn: func(ctx context.Context) (*Shares, error) { return Files(ctx, o) },
		Dial: func(ctx context.Context, on *Shares, i ...Interface) (*Client, error) {
			o := o
			o.On, o.Interfaces = on, i
			return Dial(ctx, o)
		},
	}, count
}

func lease(t *testing.T, s *Shared, i Interface) *Lease {
	t.Helper()
	l, err := s.Connect(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// openManager opens the service manager for what is read.
func openManager(ctx context.Context, c *Client) (*scmr.Handle, error) {
	var r scmr.OpenSCMWResponse
	err := c.Generated(ctx, MSSCMR, "open the service manager", &scmr.OpenSCMWRequest{DatabaseName: "ServicesActive", DesiredAccess: 5}, &r, 64)
	if err == nil && r.Return != 0 {
		err = Fault(r.Return)
	}
	return r.SCM, err
}

// Counters, services and events of a host are read over one connection and one log-on, and what
// is not served of one of them costs the others nothing.
func TestSharedPipes(t *testing.T) {
	t.Parallel()
	for _, global := range [][]string{nil, {"smb encrypt = required"}, {"server max protocol = SMB2_10"}} {
		server := smbtest.Start(t, smbtest.Options{Global: append(global, "eventlog list = Application System"), Performance: &someData})
		s, count := sharedOver(server)
		counters := lease(t, s, MSRRP)
		var all sync.WaitGroup
		all.Go(func() {
			services, err := s.Connect(t.Context(), MSSCMR)
			if err != nil {
				t.Error(err)
				return
			}
			defer services.Close()
			manager, err := openManager(t.Context(), services.Client)
			if err != nil {
				t.Error(err)
				return
			}
			for range 5 {
				// Samba has no 42, which leaves the connection whole.
				ex := &scmr.EnumServicesStatusExWRequest{ServiceManager: manager, ServiceType: 0x30, ServiceState: 3, BufferLength: 32 << 10}
				err := services.Generated(t.Context(), MSSCMR, "list services", ex, &scmr.EnumServicesStatusExWResponse{}, 33<<10)
				if e, ok := errors.AsType[*Error](err); !ok || e.Code != FaultOpRange {
					t.Errorf("42: %v", err)
				}
				var r scmr.EnumServicesStatusWResponse
				in := &scmr.EnumServicesStatusWRequest{ServiceManager: manager, ServiceType: 0x30, ServiceState: 3, BufferLength: 32 << 10}
				if err := services.Generated(t.Context(), MSSCMR, "list services", in, &r, 33<<10); err != nil || r.Return != 0 || r.ServicesReturned < 4 {
					t.Errorf("14: %d services, %d, %v", r.ServicesReturned, r.Return, err)
				}
			}
		})
		all.Go(func() {
			events, err := s.Connect(t.Context(), MSEVEN)
			if err != nil {
				t.Error(err)
				return
			}
			defer events.Close()
			for range 5 {
				var r even.OpenEventLogWResponse
				in := &even.OpenEventLogWRequest{ModuleName: &dtyp.UnicodeString{Buffer: "System"}, RegModuleName: &dtyp.UnicodeString{}, MajorVersion: 1, MinorVersion: 1}
				if err := events.Generated(t.Context(), MSEVEN, "open System", in, &r, 64); err != nil {
					t.Error(err)
				}
			}
		})
		for range 20 {
			readGlobal(t, counters.Client)
		}
		all.Wait()
		readGlobal(t, counters.Client)
		if count.n != 2 || count.connections != 1 { // two messages of one log-on
			t.Errorf("%v: %d messages of log-ons, %d connections", global, count.n, count.connections)
		}
	}
}

// A process of the host that is stopped costs those whose pipe it serves, for as long as it is:
// nobody else waits, and it is asked again over the same log-on. Samba serves services by one
// process and counters by another.
func TestStoppedService(t *testing.T) {
	t.Parallel()
	server := startSMB(t)
	s, count := sharedOver(server)
	asks := map[string]func(ctx context.Context) error{
		"rpcd_winreg": func(ctx context.Context) error {
			l, err := s.Connect(ctx, MSRRP)
			if err != nil {
				return err
			}
			defer l.Close()
			key, _, err := l.OpenPerformanceData(ctx)
			if err == nil {
				_, _, err = l.CloseKey(ctx, key)
			}
			return err
		},
		"rpcd_classic": func(ctx context.Context) error {
			l, err := s.Connect(ctx, MSSCMR)
			if err != nil {
				return err
			}
			defer l.Close()
			_, err = openManager(ctx, l.Client)
			return err
		},
	}
	lease(t, s, MSRRP)
	lease(t, s, MSSCMR)
	long := 20 * time.Second
	if testing.Short() {
		long = 2 * time.Second
	}
	for stopped, ask := range asks {
		for name, other := range asks {
			if err := other(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		thaw := server.FreezeOnly(stopped)
		until := time.Now().Add(long)
		failed := 0
		var all sync.WaitGroup
		all.Go(func() {
			for time.Now().Before(until) {
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				if ask(ctx) != nil { // Samba starts other processes with time
					failed++
				}
				cancel()
			}
		})
		for name, other := range asks {
			for name != stopped && time.Now().Before(until) {
				began := time.Now()
				if err := other(t.Context()); err != nil || time.Since(began) > 5*time.Second {
					t.Errorf("with %s stopped, %s: %v after %v", stopped, name, err, time.Since(began))
				}
				time.Sleep(20 * time.Millisecond)
			}
		}
		all.Wait()
		thaw()
		sharedtest.Until(t, stopped+" answers again", func() bool { return ask(t.Context()) == nil })
		if failed == 0 || count.connections != 1 {
			t.Errorf("with %s stopped, %d calls failed, %d connections", stopped, failed, count.connections)
		}
	}
}

// What was refused is not asked for again over the same connection, nor where there is none, for
// ten minutes.
func TestRefusalIsRemembered(t *testing.T) {
	now := time.Now()
	dials := map[string]int{}
	refused := &Error{Op: "open", Code: CodeAccessDenied}
	ts := startServer(t, nil)
	s := &Shared{Now: func() time.Time { return now }, Dial: func(ctx context.Context, _ *Shares, i ...Interface) (*Client, error) {
		dials[i[0].name]++
		if i[0] == MSSCMR {
			return nil, refused
		}
		return Dial(ctx, ts.options())
	}}
	check := func(want int) {
		t.Helper()
		if _, err := s.Connect(t.Context(), MSSCMR); !errors.Is(err, session.ErrDenied) || dials[MSSCMR.name] != want {
			t.Errorf("asked %d times, want %d: %v", dials[MSSCMR.name], want, err)
		}
	}
	check(1)
	check(1)
	lease(t, s, MSPCQ)
	now = now.Add(remembered - time.Second)
	check(1)
	now = now.Add(time.Second)
	check(2)
}
