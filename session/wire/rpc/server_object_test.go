package rpc

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smbtest"
)

// registry is interfaces that come one after the other.
type registry struct {
	mu   sync.Mutex
	have map[[16]byte]Handler
}

func (r *registry) add(i Interface, h Handler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.have[i.uuid] = h
}

func (r *registry) find(id [16]byte, version uint32) Handler {
	r.mu.Lock()
	defer r.mu.Unlock()
	if version != 0 {
		return nil
	}
	return r.have[id]
}

// called calls an interface's method, and returns the stub of its reply.
func called(t testing.TB, c *Client, i Interface, object [16]byte, op uint16, stub string) (got string, err error) {
	t.Helper()
	k := &Outgoing{Interface: i, Object: object, Op: op, Name: "call", Args: []byte(stub), MaxReply: 1 << 20,
		Take: func(b []byte) error { got = string(b); return nil }}
	err = c.Do(t.Context(), k)
	return got, errors.Join(err, k.Err)
}

// bindTo binds to an interface and tells whether it is served.
func bindTo(t testing.TB, c *Client, i Interface) bool {
	t.Helper()
	if err := c.Bind(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	return c.Serves(i)
}

// Interfaces that come while a connection is open can be bound to from then on; their calls
// hear their object, and their faults are answers after which others go on.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	r := &registry{have: map[[16]byte]Handler{}}
	ts := startServer(t, func(o *ServerOptions) { o.Interface = r.find })
	c := ts.dial(t, nil)
	if bindTo(t, c, manyObjects) {
		t.Error("it is served before it is there")
	}
	r.add(manyObjects, func(_ context.Context, k *Call) ([]byte, error) {
		switch k.Op {
		case 1:
			return nil, Fault(0x80010108)
		case 2:
			return bytes.Repeat([]byte("much"), 100_000), nil
		case 3:
			return nil, errors.New("something else")
		}
		return append([]byte(k.Account+" "), append(k.Object[:2], k.Stub...)...), nil
	})
	if bindTo(t, c, Interface{name: "newer", syntax: syntax{manyObjects.uuid, 1}}) {
		t.Error("another version is served")
	}
	if !bindTo(t, c, manyObjects) {
		t.Fatal("it is not served")
	}
	if got, err := called(t, c, manyObjects, [16]byte{'o', 'b'}, 0, "ject"); err != nil || got != testUser+" object" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := called(t, c, manyObjects, [16]byte{1}, 1, ""); codeOf(err) != 0x80010108 {
		t.Errorf("a fault by its code: %v", err)
	}
	if got, err := called(t, c, manyObjects, [16]byte{}, 2, ""); err != nil || len(got) != 400_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if a, err := c.EnumerateCounterSet(t.Context(), 256); err != nil || len(a.Data) == 0 {
		t.Errorf("PerflibV2 beside it: %v", err)
	}
	if _, err := called(t, c, manyObjects, [16]byte{1}, 3, ""); codeOf(err) != CodeNoSystemResources {
		t.Errorf("an error: %v", err)
	}
}

func codeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}

// Below packet privacy a call of an interface says that nobody is logged on.
func TestInterfaceWithoutPrivacy(t *testing.T) {
	t.Parallel()
	r := &registry{have: map[[16]byte]Handler{}}
	r.add(manyObjects, func(_ context.Context, k *Call) ([]byte, error) { return []byte("<" + k.Account + ">"), nil })
	ts := startServer(t, func(o *ServerOptions) { o.Interface = r.find })
	c := ts.raw(t)
	p := bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{{0, manyObjects.syntax, []syntax{syntaxNDR}}}}
	if h, _ := c.exchange(c.bindPDU(pduBind, p, trailer{}, nil)); h.kind != pduBindAck {
		t.Fatal(h.kind)
	}
	if _, b := c.exchange(c.requestPDU(flagFirst|flagLast, 0, nil)); string(b[callHeaderSize:]) != "<>" {
		t.Errorf("%x", b)
	}
}

// Where it was granted, calls run beside each other and are answered as they are done, at
// most as many as may; else one after the other.
func TestSeveralCalls(t *testing.T) {
	t.Parallel()
	for _, calls := range []int{1, 4} {
		for _, asked := range []uint8{0, flagMultiplex} {
			onPipes(t, func(o *ServerOptions) {
				o.Calls = calls
				o.Interface = func(id [16]byte, _ uint32) Handler {
					return func(ctx context.Context, k *Call) ([]byte, error) {
						time.Sleep(time.Duration(k.Op) * time.Second)
						return slices.Clone(k.Stub), nil
					}
				}
			}, func(t *testing.T, ts *testServer) {
				c := ts.raw(t)
				p := bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{{0, manyObjects.syntax, []syntax{syntaxNDR}}}}
				pdu := c.bindPDU(pduBind, p, trailer{}, nil)
				pdu[3] |= asked
				h, _ := c.exchange(pdu)
				granted := h.flags&flagMultiplex != 0
				if want := calls > 1 && asked != 0; h.kind != pduBindAck || granted != want {
					t.Fatalf("%d calls, asked %d: type %d, granted %v", calls, asked, h.kind, granted)
				}
				go func() {
					for _, op := range []opnum{7, 1, 4, 2, 2} {
						c.id++
						_, _ = c.Write(c.requestPDU(flagFirst|flagLast, op, []byte{'0' + byte(op)}))
					}
				}()
				began := time.Now()
				var order strings.Builder
				for range 5 {
					h, err := c.readHeader()
					if err != nil {
						t.Fatal(err)
					}
					b, err := c.readBody(h)
					if err != nil {
						t.Fatal(err)
					}
					order.WriteByte(b[callHeaderSize])
				}
				want, took := "71422", 16*time.Second
				if granted {
					want, took = "12247", 7*time.Second
				}
				if order.String() != want || time.Since(began) != took {
					t.Errorf("%d calls, granted %v: %s in %v", calls, granted, order.String(), time.Since(began))
				}
			})
		}
	}
}

// A connection that ends has the calls under way end with it.
func TestSeveralCallsEnd(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 3)
	ended := make(chan error, 3)
	ts := startServer(t, func(o *ServerOptions) {
		o.Calls = 2
		o.Interface = func([16]byte, uint32) Handler {
			return func(ctx context.Context, _ *Call) ([]byte, error) {
				begun <- struct{}{}
				<-ctx.Done()
				ended <- ctx.Err()
				return nil, ctx.Err()
			}
		}
	})
	c := ts.raw(t)
	p := bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{{0, manyObjects.syntax, []syntax{syntaxNDR}}}}
	pdu := c.bindPDU(pduBind, p, trailer{}, nil)
	pdu[3] |= flagMultiplex
	if h, _ := c.exchange(pdu); h.kind != pduBindAck {
		t.Fatal(h.kind)
	}
	for range 3 { // one more than may be
		c.id++
		if _, err := c.Write(c.requestPDU(flagFirst|flagLast, 0, nil)); err != nil {
			t.Fatal(err)
		}
	}
	<-begun
	<-begun
	_ = c.Close()
	ts.stop()
	if <-ended == nil || <-ended == nil || ts.running.Load() != 0 {
		t.Error("calls go on after their connection")
	}
}

// Who has a ticket logs on with it, where the account may, and is taken for its account; a
// message that was changed on its way ends the connection.
func TestKerberosAcceptor(t *testing.T) {
	t.Parallel()
	k := smbtest.StartKDC(t)
	service, err := krb.NewService(k.Keytab())
	if err != nil {
		t.Fatal(err)
	}
	tickets, err := NewKerberos(KerberosOptions{Config: k.Config, User: smbtest.User, Password: smbtest.FixedPassword(smbtest.Password)})
	if err != nil {
		t.Fatal(err)
	}
	account := smbtest.User + "@" + smbtest.Realm
	for _, known := range []bool{true, false} {
		ts := startServer(t, func(o *ServerOptions) {
			o.Tickets = service
			o.Accounts = func(name string) ([16]byte, bool) { return [16]byte{}, known && strings.EqualFold(name, account) }
			o.Interface = func([16]byte, uint32) Handler {
				return func(_ context.Context, k *Call) ([]byte, error) { return []byte(k.Account), nil }
			}
		})
		o := ts.options()
		o.Authentication, o.RequireKerberos, o.Kerberos, o.SPN = WithKerberos, true, tickets, smbtest.Service
		o.Interfaces = []Interface{manyObjects}
		c, err := Dial(t.Context(), o)
		if (err == nil) != known {
			t.Errorf("known %v: %v", known, err)
		}
		if err != nil {
			continue
		}
		if c.sec.oid() != krb.OID {
			t.Error("logged on otherwise")
		}
		for _, object := range [][16]byte{{}, {1}} {
			if got, err := called(t, c, manyObjects, object, 0, "stub"); err != nil || !strings.EqualFold(got, account) {
				t.Errorf("%q, %v", got, err)
			}
		}
		if _, err := c.sec.Sign(nil); err != nil { // one message was left out
			t.Fatal(err)
		}
		if _, err := called(t, c, manyObjects, [16]byte{}, 0, ""); codeOf(err) != CodeAccessDenied {
			t.Errorf("a call was left out: %v", err)
		}
		_ = c.Close()
	}
}
