package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/smbtest"
)

var testSet = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

// eachWay runs a test with both kinds of log-on, and with small fragments.
func eachWay(t *testing.T, f func(t *testing.T, change func(*Options))) {
	for name, change := range map[string]func(*Options){
		"spnego": nil,
		"ntlm":   func(o *Options) { o.Authentication = NTLM },
		"small":  func(o *Options) { o.FragmentSize = minFragmentSize; o.Machine = `\\host` },
		"domain": func(o *Options) { o.User = `LAB\PERF` },
	} {
		t.Run(name, func(t *testing.T) { f(t, change) })
	}
}

func TestEightMethods(t *testing.T) {
	eachWay(t, func(t *testing.T, change func(*Options)) {
		ts := startServer(t, nil)
		ts.blocks.Store(3000)
		c := ts.dial(t, change)
		ctx := t.Context()

		a, err := c.EnumerateCounterSet(ctx, 256)
		if err != nil || a.Code != CodeOK || a.Needed != 3 || len(a.Data) != 48 {
			t.Fatalf("enumerate: %+v, %v", a, err)
		}
		a, err = c.EnumerateCounterSet(ctx, 2)
		if err != nil || a.Code != CodeNotEnoughMemory || a.Needed != 3 || len(a.Data) != 0 {
			t.Fatalf("enumerate in a small buffer: %+v, %v", a, err)
		}
		a, err = c.QueryCounterSetRegistrationInfo(ctx, testSet, 2, 26, 4096)
		if want := fmt.Sprintf("%x/2/26", testSet); err != nil || string(a.Data) != want {
			t.Fatalf("registration info: %q, %v, want %q", a.Data, err, want)
		}
		a, err = c.QueryCounterSetRegistrationInfo(ctx, testSet, 99, 0, 0)
		if err != nil || a.Code != CodeInvalidParameter {
			t.Fatalf("registration info of no kind: %+v, %v", a, err)
		}
		a, err = c.EnumerateCounterSetInstances(ctx, testSet, 4096)
		if want := fmt.Sprintf("instances of %x", testSet); err != nil || string(a.Data) != want {
			t.Fatalf("instances: %q, %v", a.Data, err)
		}
		h := openHandle(t, c)
		a, err = c.QueryCounterInfo(ctx, h, 4)
		if err != nil || string(a.Data) != "info" {
			t.Fatalf("info: %q, %v", a.Data, err)
		}
		a, err = c.QueryCounterData(ctx, h, MaxCounterData, nil)
		if err != nil || len(a.Data) != 32*int(ts.blocks.Load()) || a.Data[32*2500] != 2500&0xff {
			t.Fatalf("data: %d bytes, %v", len(a.Data), err)
		}
		ids := bytes.Repeat([]byte{5}, 41*100)
		code, err := c.ValidateCounters(ctx, h, ids, true)
		want := bytes.Repeat([]byte{5}, 41*100)
		want[16], want[17] = 0xB7, 1
		if err != nil || code != CodeOK || !bytes.Equal(ids, want) {
			t.Fatalf("validate: %v, %v", code, err)
		}
		if code, err = c.ValidateCounters(ctx, h, nil, true); err != nil || code != CodeInvalidParameter {
			t.Fatalf("validate nothing: %v, %v", code, err)
		}
		after, code, err := c.CloseQueryHandle(ctx, h)
		if err != nil || code != CodeOK || !after.IsNull() {
			t.Fatalf("close: %v, %v, %v", after, code, err)
		}
		_, err = c.QueryCounterData(ctx, h, 100, nil)
		var e *Error
		if !errors.As(err, &e) || e.Code != FaultContextMismatch {
			t.Fatalf("closed handle: %v", err)
		}
		if _, err = c.EnumerateCounterSet(ctx, 256); !errors.Is(err, ErrBroken) || c.Err() == nil {
			t.Fatalf("after a fault: %v", err)
		}
	})
}

// Stubs of every length around the ends of fragments arrive whole, both ways.
func TestFragmentBoundaries(t *testing.T) {
	ts := startServer(t, func(o *ServerOptions) { o.FragmentSize = minFragmentSize })
	c := ts.dial(t, nil)
	h := openHandle(t, c)
	room := (minFragmentSize - callHeaderSize - trailerSize - signatureSize) &^ (payloadAlignment - 1)
	const around = 128 // the most that stands in a stub beside the identifiers
	for n := 40; n < 4*room+around; n++ {
		if n > 2*around && (n+around)%room > 2*around {
			continue // far from where a fragment ends
		}
		ids := make([]byte, n)
		for i := range ids {
			ids[i] = byte(i * 7)
		}
		want := bytes.Clone(ids)
		want[16] = 0xB7
		if _, err := c.ValidateCounters(t.Context(), h, ids, false); err != nil || !bytes.Equal(ids, want) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

func TestSessionsAreOfOneConnection(t *testing.T) {
	ts := startServer(t, nil)
	a, b := ts.dial(t, nil), ts.dial(t, nil)
	h := openHandle(t, a)
	if _, err := b.QueryCounterInfo(t.Context(), h, 10); err == nil {
		t.Fatal("a handle is known on another connection")
	}
	if _, err := a.QueryCounterInfo(t.Context(), h, 10); err != nil {
		t.Fatal(err)
	}
	_ = a.Close()
	_ = b.Close()
	sharedtest.Until(t, "sessions end with their connections", func() bool {
		return ts.closed.Load() == ts.opened.Load() && ts.running.Load() == 0
	})
}

func TestSharedClient(t *testing.T) {
	ts := startServer(t, nil)
	ts.blocks.Store(500)
	c := ts.dial(t, nil)
	h := openHandle(t, c)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				a, err := c.QueryCounterData(t.Context(), h, 1<<20, nil)
				if err != nil || len(a.Data) != 32*500 {
					t.Errorf("%d bytes, %v", len(a.Data), err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestSizesBeyondTheRange(t *testing.T) {
	ts := startServer(t, nil)
	c := ts.dial(t, nil)
	ctx := t.Context()
	h := openHandle(t, c)
	for name, call := range map[string]func() error{
		"enumerate": func() error { _, err := c.EnumerateCounterSet(ctx, MaxEnumerate+1); return err },
		"registration": func() error {
			_, err := c.QueryCounterSetRegistrationInfo(ctx, testSet, 1, 0, MaxRegistrationInfo+1)
			return err
		},
		"instances": func() error { _, err := c.EnumerateCounterSetInstances(ctx, testSet, MaxInstances+1); return err },
		"info":      func() error { _, err := c.QueryCounterInfo(ctx, h, MaxCounterInfo+1); return err },
		"data":      func() error { _, err := c.QueryCounterData(ctx, h, MaxCounterData+1, nil); return err },
	} {
		var e *Error
		if err := call(); !errors.As(err, &e) || e.Code != CodeInvalidParameter {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.EnumerateCounterSet(ctx, MaxEnumerate); err != nil {
		t.Fatalf("nothing was sent, yet the connection is gone: %v", err)
	}
}

func TestWrongPassword(t *testing.T) {
	for _, auth := range []Authentication{SPNEGO, NTLM} {
		for name, change := range map[string]func(*Options){
			"password": func(o *Options) { o.Password = smbtest.FixedPassword("s3cret-guess") },
			"user":     func(o *Options) { o.User = "nobody" },
			"guest":    func(o *Options) { o.User = "Guest" },
			"empty":    func(o *Options) { o.Password = smbtest.FixedPassword("") },
		} {
			ts := startServer(t, nil)
			o := ts.options()
			o.Authentication = auth
			change(&o)
			c, err := Dial(t.Context(), o)
			if err == nil {
				_, err = c.EnumerateCounterSet(t.Context(), 256)
				_ = c.Close()
			}
			if !errors.Is(err, session.ErrDenied) {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var e *Error
			if !errors.As(err, &e) || e.Hint() == "" || strings.Contains(e.Error()+e.Hint(), "s3cret") {
				t.Errorf("%s: %v, hint %q", name, err, e.Hint())
			}
			if ts.opened.Load() != 0 {
				t.Errorf("%s: a session was begun", name)
			}
		}
	}
}

func TestDialFailures(t *testing.T) {
	ts := startServer(t, nil)
	for name, change := range map[string]func(*Options){
		"no user":     func(o *Options) { o.User = "" },
		"no password": func(o *Options) { o.Password = nil },
		"password fails": func(o *Options) {
			o.Password = func(context.Context) ([]byte, error) { return nil, errors.New("no keyring") }
		},
		"nobody listens":  func(o *Options) { o.Port = 1 },
		"not this server": func(o *Options) { o.Host = "no-such-host.invalid"; o.CallTimeout = 3 * time.Second },
	} {
		o := ts.options()
		change(&o)
		c, err := Dial(t.Context(), o)
		var e *Error
		if c != nil || !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPasswordIsWiped(t *testing.T) {
	ts := startServer(t, nil)
	secret := []byte(testPassword)
	ts.dial(t, func(o *Options) {
		o.Password = func(context.Context) ([]byte, error) { return secret, nil }
	})
	if !bytes.Equal(secret, make([]byte, len(secret))) {
		t.Fatal("the password stays in memory")
	}
}
