package server

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

func isMismatch(err error) bool {
	var f rpc.Fault
	return errors.As(err, &f) && rpc.Code(f) == rpc.FaultContextMismatch
}

// A handle is worth nothing on another connection, nor once it is closed.
func TestForeignHandles(t *testing.T) {
	h, owner := newSession(t, newTable())
	other := h.connect()
	defer other.Close()
	mine, closed := openHandle(t, owner), openHandle(t, owner)
	if _, _, err := owner.CloseQueryHandle(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	id := ident(diskGUID, 5, "*")
	for name, try := range map[string]struct {
		on rpc.Session
		h  rpc.Handle
	}{
		"foreign": {other, mine}, "closed": {owner, closed}, "null": {owner, rpc.Handle{}}, "guessed": {owner, rpc.NewHandle()},
	} {
		_, err1 := try.on.QueryCounterInfo(t.Context(), try.h, enough)
		_, err2 := try.on.QueryCounterData(t.Context(), try.h, enough, nil)
		_, err3 := try.on.ValidateCounters(t.Context(), try.h, perflib.AppendIdentifier(nil, &id), true)
		_, _, err4 := try.on.CloseQueryHandle(t.Context(), try.h)
		for i, err := range []error{err1, err2, err3, err4} {
			if !isMismatch(err) {
				t.Errorf("%s handle, method %d: %v", name, i, err)
			}
		}
	}
	if got := add(t, owner, mine, true, id); got[0] != rpc.CodeOK {
		t.Errorf("the owner's handle afterwards: %v", got)
	}
}

func TestHandleLimit(t *testing.T) {
	source := newTable()
	_, c := newSession(t, source)
	var last rpc.Handle
	for range maxHandles {
		last = openHandle(t, c)
	}
	h, code, err := c.OpenQueryHandle(t.Context())
	if err != nil || code != rpc.CodeNoSystemResources || !h.IsNull() {
		t.Errorf("one more: %v, %v, %v", h, code, err)
	}
	if _, _, err := c.CloseQueryHandle(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	openHandle(t, c)
	if n := source.open.Load(); n != maxHandles {
		t.Errorf("%d queries open, want %d", n, maxHandles)
	}
}

func TestIdentifierLimit(t *testing.T) {
	_, c := newSession(t, newTable())
	h := openHandle(t, c)
	ids := make([]perflib.Identifier, maxIdentifiers+1)
	for i := range ids {
		ids[i] = ident(diskGUID, 5, fmt.Sprint("disk ", i))
	}
	got := add(t, c, h, true, ids...)
	if i := slices.IndexFunc(got, func(c rpc.Code) bool { return c != rpc.CodeOK }); i != maxIdentifiers || got[i] != rpc.CodeOutOfMemory {
		t.Errorf("identifier %d: %v", i, got[max(i, 0)])
	}
	if got := add(t, c, h, false, ids[0]); got[0] != rpc.CodeOK {
		t.Error(got)
	}
	if got := add(t, c, h, true, ids[maxIdentifiers]); got[0] != rpc.CodeOK {
		t.Error(got)
	}
	r := collect(t, c, h)
	if r.Header().NumCounters != maxIdentifiers {
		t.Errorf("%d blocks", r.Header().NumCounters)
	}
}

// Long names count against a limit of their own, and give it back.
func TestNameLimit(t *testing.T) {
	_, c := newSession(t, newTable())
	h := openHandle(t, c)
	long := make([]rune, maxNameUnits-1)
	name := func(i int) string {
		for k := range long {
			long[k] = rune('a' + (i>>(k%10))&1)
		}
		return string(long)
	}
	fit := maxNameBytes / (2 * len(long))
	ids := make([]perflib.Identifier, fit+1)
	for i := range ids {
		ids[i] = ident(diskGUID, 5, name(i))
	}
	for range 2 {
		got := add(t, c, h, true, ids...)
		if i := slices.IndexFunc(got, func(c rpc.Code) bool { return c != rpc.CodeOK }); i != fit || got[i] != rpc.CodeOutOfMemory {
			t.Fatalf("identifier %d of %d: %v", i, fit, got)
		}
		add(t, c, h, false, ids[:fit]...)
	}
}

func TestReplyLimit(t *testing.T) {
	source := newTable()
	source.rows["Disk"] = nil
	for i := range uint64(5000) {
		source.rows["Disk"] = append(source.rows["Disk"], session.Instance{Key: session.InstanceKey{Name: fmt.Sprint("disk ", i), ID: i}})
	}
	_, c := newSession(t, source)
	h := openHandle(t, c)
	add(t, c, h, true, ident(diskGUID, perflib.AllCounters, "*"))
	collect(t, c, h)
	var more []perflib.Identifier
	for i := range 100 {
		more = append(more, ident(diskGUID, perflib.AllCounters, strings.Repeat("*", i+2)))
	}
	add(t, c, h, true, more...)
	a, err := c.QueryCounterData(t.Context(), h, rpc.MaxCounterData, nil)
	if err != nil || a.Code != rpc.CodeOutOfMemory || len(a.Data) != 0 {
		t.Errorf("%v, %d bytes, %v", a.Code, len(a.Data), err)
	}
}

func TestExpose(t *testing.T) {
	source := newTable()
	for _, name := range []string{"Process", "THREAD", "Empty"} {
		set := &session.Counterset{Name: name, Counters: []session.Counter{none(session.Counter{ID: 1, Name: "C"})}}
		if name == "Empty" {
			set.Counters[0].Absent = "not on this system"
		}
		source.cat.Sets = append(source.cat.Sets, set)
	}
	for _, row := range []struct {
		expose []string
		want   []string
	}{
		{nil, []string{"Disk", "Memory"}},
		{[]string{"thread", "DISK"}, []string{"Disk", "THREAD"}},
	} {
		h, _ := newSession(t, source, row.expose...)
		var got []string
		for _, s := range h.sets {
			got = append(got, s.set.Name)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("expose %v: %v, want %v", row.expose, got, row.want)
		}
	}
	if _, err := NewHandler(t.Context(), source, []string{"Nothing"}); err == nil {
		t.Error("a counterset that is not there is exposed")
	}
}

// A client can list 256 countersets: more are not published, and the server
// says which.
func TestTooManySets(t *testing.T) {
	source := newTable()
	for i := range 300 {
		source.cat.Sets = append(source.cat.Sets, &session.Counterset{Name: fmt.Sprint("Set ", i), Counters: []session.Counter{none(session.Counter{ID: 1})}})
	}
	h, c := newSession(t, source)
	a, err := c.EnumerateCounterSet(t.Context(), rpc.MaxEnumerate)
	if err != nil || a.Code != rpc.CodeOK || len(a.Data) != 16*rpc.MaxEnumerate {
		t.Errorf("%v, %d bytes, %v", a.Code, len(a.Data), err)
	}
	if left := h.unpublished; len(left) != 302-rpc.MaxEnumerate || left[0] != "Set 254" {
		t.Errorf("%d left, %v", len(left), left[:1])
	}
}

func TestNoAccount(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := Serve(t.Context(), l, Options{Source: newTable()}); !errors.Is(err, ErrNoAccount) {
		t.Errorf("serve: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is still open: %v", err)
	}
}

func TestWrongPassword(t *testing.T) {
	port, _ := serve(t, newTable(), nil)
	c, err := rpc.Dial(t.Context(), rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: port}, Account: rpc.Account{User: testUser, Password: smbtest.FixedPassword("wrong")}, Calls: rpc.Calls{CallTimeout: 10 * time.Second}})
	if err == nil {
		_, err = c.EnumerateCounterSet(t.Context(), 256)
		_ = c.Close()
	}
	if !errors.Is(err, session.ErrDenied) {
		t.Errorf("wrong password: %v", err)
	}
}

// Connections that are cut leave nothing behind.
func TestNothingIsLeft(t *testing.T) {
	source := newTable()
	port, stop := serve(t, source, nil)
	before := runtime.NumGoroutine()
	for range 10 {
		c := dial(t, port)
		h := openHandle(t, c)
		openHandle(t, c)
		add(t, c, h, true, ident(diskGUID, 5, "*"))
		collect(t, c, h)
		if source.open.Load() == 0 {
			t.Error("no query is open")
		}
		_ = c.Close()
	}
	sharedtest.Until(t, "queries are closed", func() bool { return source.open.Load() == 0 })
	sharedtest.Until(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	// Nor does a server that ends while its source hangs.
	c := dial(t, port)
	h := openHandle(t, c)
	source.hangs.Store(true)
	calls := source.calls.Load()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = c.QueryCounterData(t.Context(), h, enough, nil)
	}()
	sharedtest.Until(t, "the source is asked", func() bool { return source.calls.Load() > calls })
	stop()
	<-answered
	if n := source.open.Load(); n != 0 {
		t.Errorf("%d queries are open after the server ended", n)
	}
}

// What tells what users do is published where it is named, alone.
func TestPrivateSets(t *testing.T) {
	for _, name := range []string{"Process", "Process Exits", "Thread", "process exits", "Service"} {
		if exposed(name, nil) || !exposed(name, []string{name}) || exposed(name, []string{"System"}) {
			t.Errorf("%s: by default %v, named %v", name, exposed(name, nil), exposed(name, []string{name}))
		}
	}
	if !exposed("System", nil) {
		t.Error("System is not published")
	}
}

// Several clients share a source that serves one at a time.
func TestClientsAtOnce(t *testing.T) {
	source := newTable()
	busy := make(chan struct{}, 1)
	source.read = func(*session.Counterset, *session.Instance, int) cooker.Reading {
		select {
		case busy <- struct{}{}:
		default:
			t.Error("two at once")
		}
		<-busy
		return cooker.Reading{Raw: 1}
	}
	h, err := NewHandler(t.Context(), source, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			c := h.connect()
			defer c.Close()
			q := openHandle(t, c)
			add(t, c, q, true, ident(diskGUID, perflib.AllCounters, "*"))
			for range 50 {
				collect(t, c, q)
			}
		}()
	}
	for range 4 {
		<-done
	}
}

// stubborn cannot be closed.
type stubborn struct{ session.Source }

func (stubborn) Close() error { return errors.New("it is held") }

// What is published stays so, though what was before cannot be closed: that is told.
func TestSourceThatCannotBeClosed(t *testing.T) {
	var told error
	s, err := New(t.Context(), Options{Source: stubborn{newTable()}, Accounts: testAccounts(t), Go: func(f func()) { go f() }, Report: func(_ net.Addr, err error) { told = err }})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetSource(t.Context(), newTable()); err != nil || told == nil {
		t.Errorf("it is %v; told is %v", err, told)
	}
}
