package winhost

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

func start(f func()) { go f() }

// TestOwnComputer reads this computer: what there is of it has names, counters
// and values. Wine has none but those that somebody put there.
func TestOwnComputer(t *testing.T) {
	s := NewOwn("here", 0, start)
	defer s.Close()
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Skip("no performance counters here: ", err)
	}
	for _, w := range s.Warnings() {
		t.Log("warning: ", w)
	}
	if len(cat.Sets) == 0 {
		t.Skip("no counterset is registered here")
	}
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var wants []session.Want
	for _, set := range cat.Sets {
		w := session.Want{Set: set}
		for i := range set.Counters {
			w.Counters = append(w.Counters, i)
		}
		wants = append(wants, w)
	}
	if err := q.Select(t.Context(), wants); err != nil {
		t.Fatal(err)
	}
	var b session.Batch
	for range 2 {
		if err := q.Collect(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	for i := range b.Sets {
		set := &b.Sets[i]
		t.Logf("%s (%s): %d counters, %d instances, %v", set.Set.Name, set.Set.Protocol, len(set.Counters), len(set.Instances), set.Err)
		if set.Set.Name == "" || strings.Contains(set.Set.Name, "\x00") || len(set.Set.Counters) == 0 {
			t.Errorf("counterset %q with %d counters", set.Set.Name, len(set.Set.Counters))
		}
	}
}

// TestHangingProvider: a call that does not come back is given up, and no other is
// made until it does.
func TestHangingProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &calls{start: start}
		hang := make(chan struct{})
		_, err := c.call(t.Context(), "ask", func() rpc.Code { <-hang; return 0 })
		var e *OwnError
		if !errors.As(err, &e) || e.Hint() == "" || !errors.Is(err, ErrNoAnswer) {
			t.Errorf("gave up with %v", err)
		}
		if err := c.ready(); !errors.As(err, &e) || !errors.Is(err, ErrNoAnswer) {
			t.Errorf("dial beside it: %v", err)
		}
		close(hang)
		synctest.Wait()
		if err := c.ready(); err != nil {
			t.Errorf("dial after it: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		hang = make(chan struct{})
		if _, err := c.call(ctx, "ask", func() rpc.Code { <-hang; return 0 }); !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
		close(hang)
		synctest.Wait()
	})
}

// TestPredefinedKeys: predefined keys are 32 bits with a sign, which a pointer
// keeps (winreg.h).
func TestPredefinedKeys(t *testing.T) {
	if got := keyOf(predefined(keyPerformanceData)); int64(got) != -0x7FFFFFFC {
		t.Errorf("HKEY_PERFORMANCE_DATA is %x", got)
	}
}

// TestRegistryGrows: an answer that does not fit says so, and no more than was
// asked for is given.
func TestRegistryGrows(t *testing.T) {
	conn, err := dialRegistry(&calls{start: start})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	key, _, err := conn.OpenPerformanceData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := conn.QueryValue(t.Context(), key, "Global", 4, nil)
	if err != nil || v.Code != rpc.CodeMoreData {
		t.Fatalf("%v, %v", v.Code, err)
	}
	v, err = conn.QueryValue(t.Context(), key, "Global", 1<<20, make([]byte, 0, 8))
	if err != nil || v.Code != rpc.CodeOK || len(v.Data) < 64 || int(binary.LittleEndian.Uint32(v.Data[20:])) != len(v.Data) {
		t.Errorf("%d bytes, %v, %v", len(v.Data), v.Code, err)
	}
	if _, code, err := conn.CloseKey(t.Context(), key); err != nil || code != rpc.CodeOK {
		t.Errorf("%v, %v", code, err)
	}
}
