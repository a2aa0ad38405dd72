package platest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// verbs are what is done with a host, by their names.
var verbs = map[string]func(ctx context.Context, c *pla.Client) error{
	"list": func(ctx context.Context, c *pla.Client) error {
		l, err := c.List(ctx, pla.Service)
		if err == nil && len(l.Sets) == 0 {
			err = errNothing
		}
		return err
	},
	"read": func(ctx context.Context, c *pla.Client) error { _, err := c.Read(ctx, service("Set00")); return err },
	"commit": func(ctx context.Context, c *pla.Client) error {
		_, err := c.Commit(ctx, pla.Change{Name: service("Set00"), Mode: pla.Modify, XML: xmlOf("Set00"), Was: xmlOf("Set00")})
		return err
	},
	"start":  func(ctx context.Context, c *pla.Client) error { return c.Start(ctx, service("Set00")) },
	"stop":   func(ctx context.Context, c *pla.Client) error { return c.Stop(ctx, service("Set01")) },
	"delete": func(ctx context.Context, c *pla.Client) error { return c.Delete(ctx, service("Set02")) },
}

// errNothing is a list without a set.
var errNothing = errors.New("nothing is listed")

// methods are what the verbs call.
var methods = []string{
	"IObjectExporter.ServerAlive2", "IRemoteSCMActivator.RemoteCreateInstance", "IRemUnknown.RemRelease", "IDataCollectorSetCollection.GetDataCollectorSets",
	"IDataCollectorSetCollection.Count", "IDataCollectorSetCollection.Item", "IDataCollectorSet.Name", "IDataCollectorSet.Status", "IDataCollectorSet.Query",
	"IDataCollectorSet.Xml", "IDataCollectorSet.Security", "IDataCollectorSet.SetXml", "IDataCollectorSet.Commit", "IDataCollectorSet.Start", "IDataCollectorSet.Stop",
	"IDataCollectorSet.Delete", "IValueMap.Count", "IValueMap.Item", "IValueMapItem.Key", "IValueMapItem.Value",
}

// swept are the keys of what is swept: of a short run a sample.
func swept[V any](of map[string]V) []string {
	keys := slices.Sorted(maps.Keys(of))
	if testing.Short() {
		keys = slices.DeleteFunc(keys, func(k string) bool { return len(k)%3 != 0 })
	}
	return keys
}

// refer are the methods whose answers count references.
var refer = []string{"IRemoteSCMActivator.RemoteCreateInstance", "IDataCollectorSetCollection.Item", "IDataCollectorSet.SetXml", "IDataCollectorSet.Commit", "IValueMap.Item"}

// What a hostile host may take: the longest that a verb may wait, and what may be allocated.
const (
	longest    = 31 * time.Minute // of starting and stopping; others end much earlier
	longestAny = 2 * time.Minute
	mostMemory = 128 << 20 // of both ends, for 10,000 calls
)

// lose tells whether references of a verb cannot be given back, as what would tell of them, or
// take them, does not come.
type lose func(verb string, err error) bool

func nothing(string, error) bool    { return false }
func everything(string, error) bool { return true }

// answers loses those of answers that did not come: the references of many. Nor are those of
// an activation given back where the log-on that this asks for has failed: it is not tried twice.
func answers(verb string, err error) bool {
	e, is := errors.AsType[*rpc.Error](err)
	return verb == "list" || verb == "commit" || is && e.IsLogOn()
}

func losing(all bool) lose {
	if all {
		return everything
	}
	return nothing
}

// against does all verbs against a host in memory, where time costs nothing, and tells their
// errors. Whatever the host does, each ends in time and takes little memory.
func against(t *testing.T, o Options, lost lose) (errs map[string]error) {
	t.Helper()
	errs = map[string]error{}
	for name, verb := range verbs {
		synctest.Test(t, func(t *testing.T) {
			o.InMemory = true
			o.Findings = func(string) []pla.Problem { return []pla.Problem{{Key: "a", Code: 1}, {Key: "b", Text: "text"}} }
			h, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			fill(h, 8)
			c := pla.New(h.Dial, h.Port())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			errs[name] = verb(t.Context(), c)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if took > longest || took > longestAny && name != "start" && name != "stop" {
				t.Errorf("%s: %v, %v", name, took, errs[name])
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > mostMemory {
				t.Errorf("%s: %d bytes of memory, %v", name, used, errs[name])
			}
			if held, excess := h.References(); !lost(name, errs[name]) && (held != 0 || excess != 0) {
				t.Errorf("%s: %d references are held, %d were given back too much; %v", name, held, excess, errs[name])
			}
			_ = c.Close()
			h.Close()
		})
	}
	return errs
}

// one lies in a call of a method: the first, or all.
func one(method string, all bool, lie func(ctx context.Context) error) func(context.Context, Method) error {
	return func(ctx context.Context, m Method) error {
		if m.Name != method || !all && m.N > 1 {
			return nil
		}
		return lie(ctx)
	}
}

// Whatever a method is answered by instead, it is told, and nothing is held.
func TestRefusals(t *testing.T) {
	for _, method := range methods {
		lies := map[string]func(context.Context) error{
			"access denied":           func(context.Context) error { return accessDenied },
			"access denied, a fault":  func(context.Context) error { return rpc.Fault(rpc.CodeAccessDenied) },
			"bad stub data":           func(context.Context) error { return rpc.Fault(rpc.CodeBadStubData) },
			"out of range":            func(context.Context) error { return rpc.Fault(rpc.FaultOpRange) },
			"disconnected":            func(context.Context) error { return gone },
			"disconnected, a result":  func(context.Context) error { return dcom.Result(gone) },
			"out of memory":           func(context.Context) error { return dcom.Result(0x8007000E) },
			"never":                   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			"late":                    func(ctx context.Context) error { time.Sleep(4 * time.Second); return nil },
			"success without a value": func(context.Context) error { return dcom.Result(1) },
		}
		for _, name := range swept(lies) {
			lie := lies[name]
			t.Run(method+", "+name, func(t *testing.T) {
				// What was not released cannot have been: the host did not do it.
				errs := against(t, Options{Lies: Lies{Before: one(method, true, lie)}}, losing(method == "IRemUnknown.RemRelease" && name != "late"))
				if name == "late" {
					for verb, err := range errs {
						if err != nil {
							t.Errorf("%s: %v", verb, err)
						}
					}
				}
			})
		}
	}
}

// The levels at which rights are missing are all told as that.
func TestAccessDeniedAtEachLevel(t *testing.T) {
	for _, v := range []struct{ method, verb string }{
		{"IRemoteSCMActivator.RemoteCreateInstance", "list"}, {"IDataCollectorSetCollection.GetDataCollectorSets", "list"}, {"IDataCollectorSetCollection.Item", "list"},
		{"IDataCollectorSet.Name", "list"}, {"IDataCollectorSet.Query", "read"}, {"IDataCollectorSet.Xml", "read"}, {"IDataCollectorSet.SetXml", "commit"},
		{"IDataCollectorSet.Commit", "commit"}, {"IDataCollectorSet.Start", "start"}, {"IDataCollectorSet.Stop", "stop"}, {"IDataCollectorSet.Delete", "delete"},
	} {
		errs := against(t, Options{Lies: Lies{Before: one(v.method, true, func(context.Context) error { return accessDenied })}}, nothing)
		if code(errs[v.verb]) != uint32(accessDenied) {
			t.Errorf("%s: %v", v.method, errs[v.verb])
		}
	}
	nobody := func(string) ([16]byte, bool) { return [16]byte{}, false }
	for name, o := range map[string]Options{"resolver": {Accounts: nobody}, "exporter": {Exporters: nobody}} {
		for verb, err := range against(t, o, everything) {
			if e, is := errors.AsType[*rpc.Error](err); !is || e.Code != rpc.CodeAccessDenied {
				t.Errorf("log-on at the %s: %s: %v", name, verb, err)
			}
		}
	}
	errs := against(t, Options{Lies: Lies{Created: func(c *dcom.Created) { c.Interfaces[0].Result, c.Interfaces[0].Reference = accessDenied, nil }}}, everything)
	if code(errs["list"]) != uint32(accessDenied) {
		t.Errorf("one interface: %v", errs["list"])
	}
}

// What an activation and references lie about is not believed, or does no harm.
func TestLyingReferences(t *testing.T) {
	for name, v := range map[string]struct {
		lies Lies
		fine bool // all goes well
	}{
		"another host": {Lies{Created: func(c *dcom.Created) { address(c, "203.0.113.7[50000]") }}, true},
		"escapes":      {Lies{Created: func(c *dcom.Created) { address(c, "\x1b[31m\u202e[50000]") }}, true},
		"several": {Lies{Created: func(c *dcom.Created) {
			c.Exporter.Addresses = append([]dcom.Binding{{Tower: 15, Address: `\pipe\x[1]`}, {Tower: 7, Address: "none"}}, c.Exporter.Addresses...)
		}}, true},
		"a hint":          {Lies{Created: func(c *dcom.Created) { c.Hint = 1 }}, true},
		"many references": {Lies{Reference: func(r *dcom.Reference) { r.Public = 1 << 30 }}, true},
		"none counted":    {Lies{Reference: func(r *dcom.Reference) { r.Public = 0 }}, true},
		"no addresses":    {Lies{Created: func(c *dcom.Created) { c.Exporter.Addresses = nil }}, false},
		"port 0":          {Lies{Created: func(c *dcom.Created) { address(c, "127.0.0.1[0]") }}, false},
		"port 65536":      {Lies{Created: func(c *dcom.Created) { address(c, "127.0.0.1[65536]") }}, false},
		"no port":         {Lies{Created: func(c *dcom.Created) { address(c, "127.0.0.1") }}, false},
		"a closed port":   {Lies{Created: func(c *dcom.Created) { address(c, "127.0.0.1[7]") }}, false},
		"resolver's port": {Lies{Created: func(c *dcom.Created) { address(c, "127.0.0.1[135]") }}, false},
		"another OXID":    {Lies{Created: func(c *dcom.Created) { c.OXID++ }}, false},
		"another IPID":    {Lies{Created: func(c *dcom.Created) { c.RemUnknown[3]++ }}, true},
		"no interface":    {Lies{Created: func(c *dcom.Created) { c.Interfaces = nil }}, false},
		"two interfaces":  {Lies{Created: func(c *dcom.Created) { c.Interfaces = append(c.Interfaces, c.Interfaces...) }}, false},
		"no reference":    {Lies{Created: func(c *dcom.Created) { c.Interfaces[0].Reference = nil }}, false},
		"half of one":     {Lies{Created: func(c *dcom.Created) { c.Interfaces[0].Reference = c.Interfaces[0].Reference[:30] }}, false},
		"COM 4.9":         {Lies{Created: func(c *dcom.Created) { c.Version = dcom.Version{Major: 4, Minor: 9} }}, false},
		"of another OXID": {Lies{Reference: func(r *dcom.Reference) { r.OXID++ }}, false},
		"of another kind": {Lies{Reference: func(r *dcom.Reference) { r.IID[0]++ }}, false},
		"of nothing":      {Lies{Reference: func(r *dcom.Reference) { r.IPID = dcom.GUID{} }}, false},
		"of the same": {Lies{Reference: func() func(r *dcom.Reference) {
			var first *dcom.GUID
			return func(r *dcom.Reference) {
				if first == nil {
					first = &r.IPID
				}
				r.IPID = *first
			}
		}()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			keeps := v.fine && name != "another IPID"
			for verb, err := range against(t, Options{Lies: v.lies}, losing(!keeps)) {
				if v.fine && err != nil {
					t.Errorf("%s: %v", verb, err)
				}
				if name != "COM 4.9" && name != "of the same" && !v.fine && err == nil {
					t.Errorf("%s: it is believed", verb)
				}
			}
		})
	}
}

func address(c *dcom.Created, a string) { c.Exporter.Addresses[0].Address = a }

// Counts that are not true cost no more than what is there; of very many sets the first are
// listed, and how many more there are.
func TestLyingCounts(t *testing.T) {
	for _, n := range []uint32{0, 7, 9, 1000, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
		against(t, Options{Lies: Lies{Count: func(int) uint32 { return n }}}, nothing)
	}
	h := filled(t, Options{More: map[pla.Category]int{pla.Service: 1_000_000}}, 8)
	l, err := h.Client(t).List(t.Context(), pla.Service)
	if err != nil || len(l.Sets) != pla.MostSets || l.More != 1_000_008-pla.MostSets || l.Sets[9].Name.Set != "More 9" {
		t.Errorf("%d sets and %d more, %v", len(l.Sets), l.More, err)
	}
	settled(t, h)
}

// Stubs that are cut, too long, or changed anywhere are not believed, and harm nobody.
func TestDamagedReplies(t *testing.T) {
	damages := map[string]func(b []byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"half":      func(b []byte) []byte { return b[:len(b)/2] },
		"less one":  func(b []byte) []byte { return b[:len(b)-1] },
		"longer":    func(b []byte) []byte { return append(slices.Clip(b), make([]byte, 100)...) },
		"huge":      func(b []byte) []byte { return append(slices.Clip(b), make([]byte, 8<<20)...) },
		"ones":      func(b []byte) []byte { return bytes.Repeat([]byte{0xff}, len(b)) },
		"zeros":     func(b []byte) []byte { return make([]byte, len(b)) },
		"backwards": func(b []byte) []byte { b = bytes.Clone(b); slices.Reverse(b); return b },
	}
	for _, name := range swept(damages) {
		damage := damages[name]
		for _, method := range methods {
			t.Run(method+", "+name, func(t *testing.T) {
				against(t, Options{Lies: Lies{After: func(m Method, stub []byte) []byte {
					if m.Name == method {
						return damage(stub)
					}
					return stub
				}}}, losing(slices.Contains(refer, method)))
			})
		}
	}
}

// A connection may end at every step, and its PDUs be cut, late, repeated or left out: verbs
// end, and those whose answers came are done.
func TestBrokenConnections(t *testing.T) {
	lies := map[string]func(b []byte) ([]byte, bool){
		"end":        func([]byte) ([]byte, bool) { return nil, true },
		"end after":  func(b []byte) ([]byte, bool) { return b, true },
		"cut":        func(b []byte) ([]byte, bool) { return b[:len(b)/2], true },
		"never":      func([]byte) ([]byte, bool) { return nil, false },
		"late":       func(b []byte) ([]byte, bool) { time.Sleep(4 * time.Second); return b, false },
		"twice":      func(b []byte) ([]byte, bool) { return append(slices.Clip(b), b...), false },
		"other call": func(b []byte) ([]byte, bool) { b[12]++; return b, false },
		"flipped":    func(b []byte) ([]byte, bool) { b[len(b)/2] ^= 1; return b, false },
		"web server": func([]byte) ([]byte, bool) { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), true },
	}
	for _, name := range swept(lies) {
		lie := lies[name]
		for _, exporter := range []bool{false, true} {
			for n := 1; n <= 8; n++ {
				t.Run(fmt.Sprintf("%s, exporter %v, PDU %d", name, exporter, n), func(t *testing.T) {
					for verb, err := range against(t, Options{Lies: Lies{Sent: func(p PDU) ([]byte, bool) {
						if p.Exporter == exporter && p.N == n && p.Connection == 1 {
							return lie(p.Bytes)
						}
						return p.Bytes, false
					}}}, func(verb string, err error) bool { return name != "late" && (!exporter || answers(verb, err)) }) {
						if name == "late" && err != nil {
							t.Errorf("%s: %v", verb, err)
						}
					}
				})
			}
		}
	}
}

// A process whose connections all end from some moment on is told, whatever was under way over
// a connection that had been kept.
func TestConnectionsThatEndForGood(t *testing.T) {
	for n := 4; n <= 16; n++ {
		for verb, do := range verbs {
			synctest.Test(t, func(t *testing.T) {
				h, err := New(Options{InMemory: true, Lies: Lies{Sent: func(p PDU) ([]byte, bool) { return p.Bytes, p.Exporter && (p.Connection > 1 || p.N >= n) }}})
				if err != nil {
					t.Fatal(err)
				}
				fill(h, 8)
				c := pla.New(h.Dial, h.Port())
				began := time.Now()
				for range 3 {
					err = do(t.Context(), c)
				}
				if took := time.Since(began); err == nil || took > longestAny {
					t.Errorf("%s, from PDU %d on: %v, %v", verb, n, took, err)
				}
				_ = c.Close()
				h.Close()
			})
		}
	}
}

// A process that ended meanwhile is begun anew once, and no more often.
func TestDisconnected(t *testing.T) {
	for _, method := range []string{"IDataCollectorSetCollection.Count", "IDataCollectorSetCollection.Item", "IDataCollectorSet.Name", "IDataCollectorSet.Query", "IDataCollectorSet.Xml",
		"IDataCollectorSet.Start", "IDataCollectorSet.Stop", "IDataCollectorSet.Delete", "IDataCollectorSet.SetXml", "IDataCollectorSet.Commit"} {
		for _, always := range []bool{false, true} {
			for verb, do := range verbs {
				var h *Host
				restarted := false
				h = filled(t, Options{Lies: Lies{Before: one(method, always, func(context.Context) error { restarted = true; h.Restart(); return nil })}}, 4)
				err := do(t.Context(), h.Client(t))
				if restarted && always != (err != nil) && !(verb == "read" && method == "IDataCollectorSet.Name") { // which it can do without
					t.Errorf("%s, at %s, always %v: %v", verb, method, always, err)
				}
				if n := h.Calls("IRemoteSCMActivator.RemoteCreateInstance"); n > 2 {
					t.Errorf("%s, at %s: activated %d times", verb, method, n)
				}
				settled(t, h)
			}
		}
	}
}

// Sets that vanish or change between two calls are left out, or told.
func TestSetsThatChangeMeanwhile(t *testing.T) {
	for _, method := range []string{"IDataCollectorSetCollection.Count", "IDataCollectorSetCollection.Item", "IDataCollectorSet.Name", "IDataCollectorSet.Status"} {
		var h *Host
		h = filled(t, Options{Lies: Lies{Before: one(method, false, func(context.Context) error { h.Remove(service("Set05")); return nil })}}, 12)
		l, err := h.Client(t).List(t.Context(), pla.Service)
		if err != nil || len(l.Sets) < 11 {
			t.Errorf("%s: %+v, %v", method, l, err)
		}
		settled(t, h)
	}
	for _, method := range []string{"IDataCollectorSet.Xml", "IDataCollectorSet.Start", "IDataCollectorSet.Stop", "IDataCollectorSet.Delete"} {
		var h *Host
		h = filled(t, Options{Lies: Lies{Before: one(method, false, func(context.Context) error {
			for i := range 4 {
				h.Remove(service(fmt.Sprintf("Set%02d", i)))
			}
			return nil
		})}}, 4)
		for verb, do := range verbs {
			if err := do(t.Context(), h.Client(t)); code(err) == uint32(notFound) {
				t.Logf("%s at %s: %v", verb, method, err)
			} else if err != nil && !errors.Is(err, pla.ErrChanged) && !errors.Is(err, errNothing) {
				t.Errorf("%s at %s: %v", verb, method, err)
			}
			settled(t, h)
		}
	}
	var h *Host
	h = filled(t, Options{Lies: Lies{Before: one("IDataCollectorSet.Query", false, func(context.Context) error {
		h.Change(service("Set00"), func(s *Set) { s.XML += " " })
		return nil
	})}}, 4)
	err := verbs["commit"](t.Context(), h.Client(t))
	if !errors.Is(err, pla.ErrChanged) {
		t.Errorf("a set that changed since it was read: %v", err)
	}
	settled(t, h)
}

// Names and texts that mean harm come as they are: whoever shows them makes them printable.
func TestNastyTexts(t *testing.T) {
	h := filled(t, Options{}, 0)
	for _, s := range nasty() {
		h.Add(pla.Service, s)
	}
	c := h.Client(t)
	l, err := c.List(t.Context(), pla.Service)
	if err != nil || len(l.Sets) != len(nasty()) {
		t.Fatalf("%+v, %v", l, err)
	}
	for _, s := range nasty() {
		if _, err := c.Read(t.Context(), service(s.Name)); err != nil && code(err) != uint32(badName) && code(err) != uint32(notFound) {
			t.Errorf("%q: %v", s.Name, err)
		}
	}
	h.Add(pla.Service, Set{Name: "Set00", XML: string(bytes.Repeat([]byte("x"), 3<<20))}) // 6 MiB as they travel
	if _, err := c.Read(t.Context(), service("Set00")); err == nil {
		t.Error("a set of 6 MiB is read")
	}
	settled(t, h)
}

// Who interrupts a verb waits no longer, and holds nothing; a set that is stopped goes on
// stopping.
func TestInterrupted(t *testing.T) {
	for _, method := range methods {
		for verb, do := range verbs {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				h, err := New(Options{InMemory: true, Takes: time.Hour, Lies: Lies{Before: one(method, false, func(context.Context) error { cancel(); return nil })}})
				if err != nil {
					t.Fatal(err)
				}
				fill(h, 8)
				c := pla.New(h.Dial, h.Port())
				began := time.Now()
				time.AfterFunc(time.Minute, cancel)
				err = do(ctx, c)
				if took := time.Since(began); took > longestAny {
					t.Errorf("%s, at %s: %v, %v", verb, method, took, err)
				}
				if held, _ := h.References(); held != 0 {
					t.Errorf("%s, at %s: %d references are held, %v", verb, method, held, err)
				}
				_ = c.Close()
				h.Close()
				cancel()
			})
		}
	}
}
