package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// descriptors is how many a server has open, without those of processes that have
// ended: who read them once keeps them until it reads again, and how many came and
// went is the machine's business.
func (s *served) descriptors() (n int) {
	s.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.Fatal(err)
	}
	for _, entry := range entries {
		file, _ := os.Readlink(filepath.Join(dir, entry.Name()))
		if m := ofProcess.FindString(file); m != "" {
			if _, err := os.Stat(m); err != nil {
				continue
			}
		}
		n++
	}
	return n
}

var ofProcess = regexp.MustCompile(`^/proc/[0-9]+`)

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

// 64 clients that read all there is, or in short runs 16, hold their connections and
// one client's files, those of processes too.
func TestServedClientsShareDescriptors(t *testing.T) {
	clients := 64
	if testing.Short() {
		clients = 16
	}
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
		for range clients - 1 {
			client()
		}
		all := s.descriptors() - idle
		t.Logf("serve %v: %d files open without a client, %d more with one, %d more with %d", args, idle, one, all, clients)
		if all > 2*one+clients+9 { // processes come and go
			t.Errorf("serve %v: one client has %d files open, %d have %d", args, one, clients, all)
		}
	}
}
