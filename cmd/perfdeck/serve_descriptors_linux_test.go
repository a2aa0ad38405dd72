package main

import (
	"fmt"
	"os"
	"testing"

	"perfdeck/session/perflib"
	"perfdeck/session/rpc"
)

// descriptors is how many a server has open.
func (s *served) descriptors() int {
	s.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		s.Fatal(err)
	}
	return len(entries)
}

// reads opens a query of all that a server publishes, and reads it.
func (s *served) reads(c *rpc.Client) {
	s.Helper()
	sets, err := c.EnumerateCounterSet(s.Context(), rpc.MaxEnumerate)
	if err != nil || sets.Code != rpc.CodeOK {
		s.Fatal(sets.Code, err)
	}
	h, code, err := c.OpenQueryHandle(s.Context())
	if err != nil || code != rpc.CodeOK {
		s.Fatal(code, err)
	}
	var ids []byte
	for list := sets.Data; len(list) > 0; list = list[16:] {
		for _, name := range []string{"", "*"} { // one of them fits
			id := perflib.Identifier{Counterset: perflib.GUID(list[:16]), CounterID: perflib.AllCounters, InstanceID: perflib.AnyInstance}
			if name != "" {
				id.Name = perflib.EncodeText(name)
			}
			ids = perflib.AppendIdentifier(ids, &id)
		}
	}
	if code, err := c.ValidateCounters(s.Context(), h, ids, true); err != nil || code != rpc.CodeOK {
		s.Fatal(code, err)
	}
	for range 2 {
		a, err := c.QueryCounterData(s.Context(), h, 4<<20, nil)
		if err != nil || a.Code != rpc.CodeOK || len(a.Data) < 1000 {
			s.Fatalf("%v, %d bytes, %v", a.Code, len(a.Data), err)
		}
	}
}

// 64 clients that read all there is hold their connections and one client's
// files, those of processes too.
func TestServedClientsShareDescriptors(t *testing.T) {
	for _, args := range [][]string{nil, {"--expose=Process"}} {
		s := serves(t, append(args, "--max-per-account=64", "--max-per-address=64")...)
		idle := s.descriptors()
		client := func() {
			c, err := s.logOn(t.Context(), testUser, testPassword)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			s.reads(c)
		}
		client()
		one := s.descriptors() - idle
		for range 63 {
			client()
		}
		all := s.descriptors() - idle
		t.Logf("serve %v: %d files open without a client, %d more with one, %d more with 64", args, idle, one, all)
		if all > 2*one+63+10 { // processes come and go
			t.Errorf("serve %v: one client has %d files open, 64 have %d", args, one, all)
		}
	}
}
