package pla_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/hosts/pla/platest"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// filled is a host with so many sets of users.
func filled(t testing.TB, o platest.Options, sets int) *platest.Host {
	t.Helper()
	h := platest.Start(t, o)
	for i := range sets {
		h.Add(pla.Service, platest.Set{Name: fmt.Sprintf("Set%02d", i), XML: fmt.Sprintf("<DataCollectorSet><Name>Set%02d</Name></DataCollectorSet>", i)})
	}
	return h
}

// settled checks that nothing is held on the host.
func settled(t testing.TB, h *platest.Host) {
	t.Helper()
	if held, excess := h.References(); held != 0 || excess != 0 {
		t.Errorf("%d references are held, %d too many were given back", held, excess)
	}
}

func codeOf(err error) uint32 {
	if e, is := errors.AsType[*pla.Error](err); is {
		return e.Code
	}
	return 0
}

var first = pla.Name{Set: "Set00"}

// A listing waits for few answers where calls may be side by side, and is the same where not.
func TestWaitsOfAListing(t *testing.T) {
	for name, c := range map[string]struct {
		o    platest.Options
		most uint64
	}{
		"side by side":                      {platest.Options{}, 10},
		"interfaces after first references": {platest.Options{LateBinding: true}, 10},
		"one at a time":                     {platest.Options{OneAtATime: true}, 50*3 + 10},
	} {
		h := filled(t, c.o, 50)
		l, err := h.Client(t).List(t.Context(), pla.Service)
		if err != nil || len(l.Sets) != 50 || l.More != 0 || h.Waits() > c.most {
			t.Errorf("%s: %+v in %d waits: %v", name, l, h.Waits(), err)
		}
		for i, s := range l.Sets {
			if s.Name.Set != fmt.Sprintf("Set%02d", i) {
				t.Errorf("%s: %v at %d", name, s, i)
			}
		}
		settled(t, h)
	}
}

// Of very many sets the first are listed, and how many there are more is told.
func TestVeryManySets(t *testing.T) {
	h := filled(t, platest.Options{More: map[pla.Category]int{pla.Service: 999_950}}, 50)
	began := time.Now()
	l, err := h.Client(t).List(t.Context(), pla.Service)
	if err != nil || len(l.Sets) != pla.MostSets || l.More != 1_000_000-pla.MostSets {
		t.Errorf("%d sets, %d more: %v", len(l.Sets), l.More, err)
	}
	t.Logf("in %v", time.Since(began))
	settled(t, h)
	for _, lie := range []uint32{1 << 31, 1<<32 - 1} {
		h := filled(t, platest.Options{Lies: platest.Lies{Count: func(int) uint32 { return lie }}}, 1)
		if _, err := h.Client(t).List(t.Context(), pla.Service); !errors.Is(err, dcom.ErrDamaged) {
			t.Errorf("%d sets: %v", lie, err)
		}
		settled(t, h)
	}
}

// Sets of which a host says that they are elsewhere are left out, and told; the others are listed.
func TestSetsElsewhere(t *testing.T) {
	n := 0
	h := filled(t, platest.Options{Lies: platest.Lies{Reference: func(r *dcom.Reference) {
		if n++; n == 3 {
			r.OXID++
		}
	}}}, 5)
	l, err := h.Client(t).List(t.Context(), pla.Service)
	if err != nil || len(l.Sets) != 4 || l.More != 1 {
		t.Errorf("%+v: %v", l, err)
	}
}

// A host that is slow with each answer does not hold a listing for longer than that may take.
func TestListingTakesNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := filled(t, platest.Options{InMemory: true, OneAtATime: true, Lies: platest.Lies{Before: func(_ context.Context, m platest.Method) error {
			if strings.HasPrefix(m.Name, "IDataCollectorSet") {
				time.Sleep(8 * time.Second)
			}
			return nil
		}}}, 50)
		c := pla.New(h.Dial, h.Port())
		began := time.Now()
		if l, err := c.List(t.Context()); err == nil || !strings.Contains(err.Error(), "5 min") || time.Since(began) > 6*time.Minute {
			t.Errorf("%+v after %v: %v", l, time.Since(began), err)
		}
		_ = c.Close()
		h.Close()
	})
}

// Categories that cannot be listed are told beside the others.
func TestCategoriesThatFail(t *testing.T) {
	h := filled(t, platest.Options{Lies: platest.Lies{Before: func(_ context.Context, m platest.Method) error {
		if m.Name == "IDataCollectorSetCollection.GetDataCollectorSets" && m.N > 1 {
			return dcom.Result(0x80070005)
		}
		return nil
	}}}, 3)
	c := h.Client(t)
	l, err := c.List(t.Context())
	if err != nil || len(l.Sets) != 3 || len(l.Not) != 3 || codeOf(l.Not[pla.Session]) != 0x80070005 {
		t.Errorf("%+v: %v", l, err)
	}
	if _, err := c.List(t.Context(), pla.System); codeOf(err) != 0x80070005 {
		t.Error(err)
	}
	settled(t, h)
}

// An object that is gone is activated once more, and no oftener.
func TestDisconnected(t *testing.T) {
	for _, times := range []int{1, 2} {
		for name, gone := range map[string]error{"a result": dcom.ResultDisconnected, "a fault": rpc.Fault(0x80010108)} {
			h := filled(t, platest.Options{Lies: platest.Lies{Before: func(_ context.Context, m platest.Method) error {
				if m.Name == "IDataCollectorSet.Query" && m.N <= times {
					return gone
				}
				return nil
			}}}, 1)
			s, err := h.Client(t).Read(t.Context(), first)
			if times == 1 && (err != nil || s.Name != first) || times == 2 && codeOf(err) != 0x80010108 {
				t.Errorf("%s, %d times: %+v, %v", name, times, s, err)
			}
			if n := h.Calls("IDataCollectorSet.Query"); n != 2 {
				t.Errorf("%s, %d times: asked %d times", name, times, n)
			}
			settled(t, h)
		}
	}
	h := filled(t, platest.Options{}, 5) // the process of the objects ends between two commands
	c := h.Client(t)
	for range 3 {
		if l, err := c.List(t.Context(), pla.Service); err != nil || len(l.Sets) != 5 {
			t.Errorf("%+v: %v", l, err)
		}
		h.Restart()
	}
	settled(t, h)
}

// A host may have its sets by their names with the category before them.
func TestNamesWithTheirCategory(t *testing.T) {
	h := platest.Start(t, platest.Options{Prefixed: true})
	h.Add(pla.Service, platest.Set{Name: "Web", XML: "<DataCollectorSet/>"})
	h.Add(pla.Service, platest.Set{Name: `Else\where`, XML: "<DataCollectorSet/>"})
	c := h.Client(t)
	l, err := c.List(t.Context(), pla.Service)
	if err != nil || len(l.Sets) != 2 || l.Sets[0].Name.Set != "Web" || l.Sets[1].Name.Set != `Else\where` {
		t.Errorf("%+v: %v", l, err)
	}
	web := pla.Name{Set: "Web"}
	if s, err := c.Read(t.Context(), web); err != nil || s.Name != web || s.XML == "" {
		t.Errorf("%+v: %v", s, err)
	}
	if err := c.Start(t.Context(), web); err != nil {
		t.Error(err)
	}
	if _, err := c.Commit(t.Context(), pla.Change{Name: web, Mode: pla.Modify, XML: "<DataCollectorSet></DataCollectorSet>", Was: "<DataCollectorSet/>"}); err != nil {
		t.Error(err)
	}
	before := h.Calls("IDataCollectorSet.Query")
	if _, err := c.Read(t.Context(), pla.Name{Set: "none"}); codeOf(err) != 0x8007007B || h.Calls("IDataCollectorSet.Query") != before+2 {
		t.Error(err)
	}
	settled(t, h)
}

// What is interrupted ends at once or after a moment, and leaves nothing on the host.
func TestInterrupted(t *testing.T) {
	for _, at := range []string{"IRemoteSCMActivator.RemoteCreateInstance", "IDataCollectorSetCollection.GetDataCollectorSets", "IDataCollectorSetCollection.Item",
		"IDataCollectorSet.Name", "IDataCollectorSet.Query", "IDataCollectorSet.Stop", "IDataCollectorSet.SetXml", "IDataCollectorSet.Commit"} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var interrupted atomic.Bool
				h := filled(t, platest.Options{InMemory: true, Latency: time.Millisecond, Lies: platest.Lies{Before: func(_ context.Context, m platest.Method) error {
					if m.Name == at && interrupted.CompareAndSwap(false, true) {
						cancel()
						time.Sleep(time.Second)
					}
					return nil
				}}}, 200)
				c := h.Client(t)
				began := time.Now()
				var err error
				switch {
				case strings.HasSuffix(at, "Query"), strings.HasSuffix(at, "Stop"):
					h.Change(first, func(s *platest.Set) { s.Status = pla.Running })
					err = c.Stop(ctx, first)
				case strings.HasSuffix(at, "SetXml"), strings.HasSuffix(at, "Commit"):
					_, err = c.Commit(ctx, pla.Change{Name: first, Mode: pla.Modify, XML: "<DataCollectorSet/>"})
				default:
					_, err = c.List(ctx, pla.Service)
				}
				if !errors.Is(err, context.Canceled) || time.Since(began) > 5*time.Second {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				time.Sleep(5 * time.Second) // the host ends what was under way
				settled(t, h)
				if err := c.Start(t.Context(), pla.Name{Set: "Set01"}); err != nil { // it can be used on
					t.Error(err)
				}
				settled(t, h)
				_ = c.Close()
				h.Close()
			})
		})
	}
}

// Starting and stopping may take long, other calls may not.
func TestLongCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := filled(t, platest.Options{InMemory: true, Takes: 29 * time.Minute}, 1)
		c := h.Client(t)
		if err := c.Start(t.Context(), first); err != nil {
			t.Error(err)
		}
		if err := c.Stop(t.Context(), first); err != nil {
			t.Error(err)
		}
		settled(t, h)
		_ = c.Close()
		h.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		h := filled(t, platest.Options{InMemory: true, Lies: platest.Lies{Before: func(ctx context.Context, m platest.Method) error {
			if m.Name == "IDataCollectorSet.Delete" {
				time.Sleep(time.Hour)
			}
			return nil
		}}}, 1)
		c := h.Client(t)
		began := time.Now()
		if err := c.Delete(t.Context(), first); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		settled(t, h)
		_ = c.Close()
		h.Close()
	})
}

// References of another process are not followed, nor a port of another service; what was
// counted is given back as far as there is a way.
func TestWhereObjectsAre(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var connected atomic.Int32
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			connected.Add(1)
			_ = c.Close()
		}
	}()
	at := func(address string) func(*dcom.Created) {
		return func(c *dcom.Created) {
			port := c.Exporter.Addresses[0].Address[strings.Index(c.Exporter.Addresses[0].Address, "["):]
			c.Exporter.Addresses = []dcom.Binding{{Tower: dcom.TowerTCP, Address: strings.ReplaceAll(address, "PORT", port)}}
		}
	}
	for name, c := range map[string]struct {
		lies    platest.Lies
		works   bool
		settles bool
	}{
		"another address":     {platest.Lies{Created: at("192.0.2.1PORT")}, true, true},
		"no address":          {platest.Lies{Created: at("PORT")}, true, true},
		"an escape":           {platest.Lies{Created: at("\x1b[31mPORT")}, true, true},
		"no port":             {platest.Lies{Created: at("127.0.0.1")}, false, false},
		"port 0":              {platest.Lies{Created: at("127.0.0.1[0]")}, false, false},
		"port 70000":          {platest.Lies{Created: at("127.0.0.1[70000]")}, false, false},
		"port of nobody":      {platest.Lies{Created: at("127.0.0.1[1]")}, false, false},
		"another protocol":    {platest.Lies{Created: func(c *dcom.Created) { c.Exporter.Addresses[0].Tower = 8 }}, false, false},
		"port of another":     {platest.Lies{Created: at(fmt.Sprintf("127.0.0.1[%d]", other.Addr().(*net.TCPAddr).Port))}, false, false},
		"no interfaces":       {platest.Lies{Created: func(c *dcom.Created) { c.Interfaces = nil }}, false, false},
		"no reference":        {platest.Lies{Created: func(c *dcom.Created) { c.Interfaces[0].Reference = nil }}, false, false},
		"another process":     {platest.Lies{Created: func(c *dcom.Created) { c.OXID++ }}, false, false},
		"another interface":   {platest.Lies{Reference: func(r *dcom.Reference) { r.IID = dcom.IRemUnknown }}, false, true},
		"items of elsewhere":  {platest.Lies{Reference: func(r *dcom.Reference) { r.OXID += uint64(r.IID[0] & 1) }}, true, true},
		"another IRemUnknown": {platest.Lies{Created: func(c *dcom.Created) { c.RemUnknown[3]++ }}, true, false},
	} {
		h := filled(t, platest.Options{Lies: c.lies}, 3)
		_, err := h.Client(t).Read(t.Context(), first)
		if (err == nil) != c.works {
			t.Errorf("%s: %v", name, err)
		}
		if c.settles {
			settled(t, h)
		}
	}
	if n := connected.Load(); n > 2 { // the second asks whether it is SMB
		t.Errorf("%d connections to a service that is none of DCOM", n)
	}
	h := filled(t, platest.Options{Lies: platest.Lies{Reference: func(r *dcom.Reference) {
		if strings.HasPrefix(fmt.Sprintf("%x", r.IID), "20758303") { // of a set
			r.OXID++
		}
	}}}, 3)
	if l, err := h.Client(t).List(t.Context(), pla.Service); err != nil || len(l.Sets) != 0 || l.More != 3 {
		t.Errorf("sets of another process are called, or not told: %+v, %v", l, err)
	}
}

// The version of COM is the lower one of both ends, and asking for it may be refused.
func TestVersionsOfCOM(t *testing.T) {
	for name, c := range map[string]struct {
		o     platest.Options
		works bool
	}{
		"5.6":                        {platest.Options{Version: dcom.Version{Major: 5, Minor: 6}}, true},
		"newer":                      {platest.Options{Version: dcom.Version{Major: 5, Minor: 9}}, true},
		"old":                        {platest.Options{Version: dcom.Version{Major: 5, Minor: 4}}, false},
		"refused":                    {platest.Options{Lies: aliveRefused(0x1C010002)}, true},
		"refused with the line":      {platest.Options{Lies: aliveRefused(5)}, true},
		"refused, and no newer than": {platest.Options{Version: dcom.Version{Major: 5, Minor: 6}, Lies: aliveRefused(0x1C010002)}, true},
	} {
		h := filled(t, c.o, 1)
		client := h.Client(t)
		for range 2 {
			if _, err := client.Read(t.Context(), first); (err == nil) != c.works {
				t.Errorf("%s: %v", name, err)
			}
		}
		settled(t, h)
	}
}

func aliveRefused(code rpc.Code) platest.Lies {
	return platest.Lies{Before: func(_ context.Context, m platest.Method) error {
		if m.Name == "IObjectExporter.ServerAlive2" {
			return rpc.Fault(code)
		}
		return nil
	}}
}

// What somebody changes while a password is asked for is not overwritten.
func TestChangedWhileAsked(t *testing.T) {
	h := filled(t, platest.Options{}, 1)
	set, _ := h.Set(first)
	change := pla.Change{Name: first, Mode: pla.Modify, XML: set.XML, Was: set.XML, RunAs: &pla.RunAs{User: "ana", Password: func(context.Context) ([]byte, error) {
		h.Change(first, func(s *platest.Set) { s.XML += "<!-- other -->" })
		return []byte("secret"), nil
	}}}
	_, err := h.Client(t).Commit(t.Context(), change)
	if !errors.Is(err, pla.ErrChanged) || h.Calls("IDataCollectorSet.Commit") > 0 {
		t.Error(err)
	}
	change.RunAs.Password = func(context.Context) ([]byte, error) { return nil, net.ErrClosed }
	if _, err := h.Client(t).Commit(t.Context(), change); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	settled(t, h)
}

// A wrong password is tried once, whatever is asked for, and wherever it is refused.
func TestWrongPasswordIsTriedOnce(t *testing.T) {
	for _, at := range []string{"resolver", "exporter"} {
		for name, do := range map[string]func(c *pla.Client) error{
			"list": func(c *pla.Client) error { _, err := c.List(t.Context()); return err },
			"read": func(c *pla.Client) error { _, err := c.Read(t.Context(), first); return err },
			"commit": func(c *pla.Client) error {
				_, err := c.Commit(t.Context(), pla.Change{Name: first, Mode: pla.Create, XML: "<a/>"})
				return err
			},
			"stop": func(c *pla.Client) error { return c.Stop(t.Context(), first) },
		} {
			var tries atomic.Int32
			refusing := func(string) ([16]byte, bool) { tries.Add(1); return [16]byte{}, false }
			o := platest.Options{Accounts: refusing}
			if at == "exporter" {
				o = platest.Options{Exporters: refusing}
			}
			h := filled(t, o, 1)
			if err := do(h.Client(t)); !errors.Is(err, session.ErrDenied) || tries.Load() != 1 {
				t.Errorf("%s, refused by the %s: %d tries, %v", name, at, tries.Load(), err)
			}
		}
	}
}

// That a set runs already, or is not there, is believed where it is signed.
func TestForgedAnswers(t *testing.T) {
	for _, code := range []uint32{0x803000AA, 0x80300002} {
		for _, v := range []struct {
			lie  error
			told uint32
		}{{dcom.Result(code), code}, {rpc.Fault(code), 0}} {
			h := filled(t, platest.Options{Lies: platest.Lies{Before: func(_ context.Context, m platest.Method) error {
				if m.Name == "IDataCollectorSet.Start" {
					return v.lie
				}
				return nil
			}}}, 1)
			if err := h.Client(t).Start(t.Context(), first); err == nil || codeOf(err) != v.told {
				t.Errorf("%T: %v", v.lie, err)
			}
			settled(t, h)
		}
	}
}

// A connection that the host closed between two commands is made anew, at each of its ends.
func TestClosedBetweenCommands(t *testing.T) {
	for _, exporter := range []bool{false, true} {
		var open []net.Conn
		h := filled(t, platest.Options{}, 2)
		dial := func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
			o := h.Reach(port, interfaces...)
			o.Connect = func(ctx context.Context, o *rpc.Options) (net.Conn, error) {
				c, err := rpc.TCP(ctx, o)
				if err == nil && exporter != (port == h.Port()) {
					open = append(open, c)
				}
				return c, err
			}
			return rpc.Dial(ctx, o)
		}
		c := pla.New(dial, h.Port())
		for i := range 3 {
			if l, err := c.List(t.Context(), pla.Service); err != nil || len(l.Sets) != 2 {
				t.Errorf("exporter %v: %+v, %v", exporter, l, err)
			}
			if len(open) != i+1 {
				t.Fatalf("exporter %v: %d connections", exporter, len(open))
			}
			_ = open[i].Close()
		}
		settled(t, h)
		_ = c.Close()
	}
}

// A host that cannot be reached says what lets it be.
func TestUnreached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	h := filled(t, platest.Options{}, 0)
	c := pla.New(h.Dial, port)
	_, err = c.List(t.Context())
	if _, is := errors.AsType[*rpc.Error](err); !is || !strings.Contains(failure.Hint(err), "firewall") {
		t.Errorf("%v, hint %q", err, failure.Hint(err))
	}
	c = pla.New(func(context.Context, int, ...rpc.Interface) (*rpc.Client, error) {
		return nil, &rpc.Error{Host: "web1", Op: "connect", Err: &net.DNSError{Name: "web1", IsNotFound: true}}
	}, port)
	if _, err = c.List(t.Context()); err == nil || strings.Contains(failure.Hint(err), "firewall") {
		t.Errorf("no such name: %v, hint %q", err, failure.Hint(err))
	}
}
