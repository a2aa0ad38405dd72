package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smbtest"
)

// numbered is an interface of a test.
func numbered(n byte) syntax { return syntax{uuid: [16]byte{n}} }

// registry is interfaces that come one after the other.
type registry struct {
	mu   sync.Mutex
	have map[[16]byte]Handler
}

func (r *registry) add(i syntax, h Handler) {
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

// objectClient calls any interface of a server, after a log-on of Dial.
type objectClient struct {
	*Client
	t     testing.TB
	flags uint8
}

func objects(t testing.TB, c *Client) *objectClient { return &objectClient{Client: c, t: t} }

// alter binds to one more interface and returns the result.
func (c *objectClient) alter(context uint16, i syntax) bindResult {
	c.t.Helper()
	c.callID++
	p := bind{maxSend: maxFragmentSize, maxReceive: maxFragmentSize, contexts: []presentation{{context, i, []syntax{syntaxNDR}}}}
	if err := c.wire.write(appendToken(p.append(appendHeader(nil, pduAlter, flagFirst|flagLast, c.callID)), trailer{}, nil)); err != nil {
		c.t.Fatal(err)
	}
	h, pdu, err := c.readPDU()
	if err != nil || h.kind != pduAlterResponse {
		c.t.Fatalf("type %d, %v", h.kind, err)
	}
	ack, err := parseBindAck(pdu)
	if err != nil || len(ack.results) != 1 {
		c.t.Fatal(err)
	}
	return ack.results[0]
}

// send sends a call of an object.
func (c *objectClient) send(context uint16, object [16]byte, op opnum, stub []byte) (id uint32) {
	c.t.Helper()
	c.callID++
	flags, size := uint8(flagFirst|flagLast), callHeaderSize
	if object != ([16]byte{}) {
		flags, size = flags|flagObject, callHeaderSize+16
	}
	pdu := binary.LittleEndian.AppendUint32(appendHeader(nil, pduRequest, flags, c.callID), uint32(len(stub)))
	pdu = binary.LittleEndian.AppendUint16(pdu, context)
	pdu = binary.LittleEndian.AppendUint16(pdu, uint16(op))
	if flags&flagObject != 0 {
		pdu = append(pdu, object[:]...)
	}
	pdu, end := appendTrailer(append(pdu, stub...), c.sec.trailer(), c.sec.Overhead())
	signature, err := c.sec.Seal(pdu[:size], pdu[size:end], pdu[end:])
	if err == nil {
		err = c.wire.write(append(pdu, signature...))
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return c.callID
}

// answer reads the answer to a call.
func (c *objectClient) answer(id uint32) (string, error) {
	c.callID, id = id, c.callID
	defer func() { c.callID = id }()
	stub, err := c.receive(1 << 20)
	return string(stub), err
}

// Interfaces that come while a connection is open can be bound to from then on; their calls
// hear their object, and their faults are answers after which others go on.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	r := &registry{have: map[[16]byte]Handler{}}
	ts := startServer(t, func(o *ServerOptions) { o.Interface = r.find })
	c := objects(t, ts.dial(t, nil))
	if got := c.alter(7, numbered(1)); got.result != resultRejected || got.reason != reasonInterface {
		t.Errorf("not there yet: %+v", got)
	}
	if _, err := c.answer(c.send(7, [16]byte{}, 0, nil)); !errors.Is(err, Fault(FaultUnknownInterface)) {
		t.Errorf("a call of what was refused: %v", err)
	}
	r.add(numbered(1), func(_ context.Context, k *Call) ([]byte, error) {
		switch k.Op {
		case 1:
			return nil, Fault(0x80010108)
		case 2:
			return nil, errors.New("something else")
		case 3:
			return bytes.Repeat([]byte("much"), 100_000), nil
		}
		return append([]byte(k.Account+" "), append(k.Object[:2], k.Stub...)...), nil
	})
	if got := c.alter(7, syntax{numbered(1).uuid, 1}); got.result != resultRejected {
		t.Errorf("another version: %+v", got)
	}
	if got := c.alter(7, numbered(1)); got.result != resultAccepted {
		t.Fatalf("%+v", got)
	}
	if got, err := c.answer(c.send(7, [16]byte{'o', 'b'}, 0, []byte("ject"))); err != nil || got != testUser+" object" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.answer(c.send(7, [16]byte{1}, 1, nil)); !errors.Is(err, Fault(0x80010108)) {
		t.Errorf("a fault by its code: %v", err)
	}
	if _, err := c.answer(c.send(7, [16]byte{1}, 2, nil)); !errors.Is(err, Fault(CodeNoSystemResources)) {
		t.Errorf("an error: %v", err)
	}
	if got, err := c.answer(c.send(7, [16]byte{}, 3, nil)); err != nil || len(got) != 400_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if a, err := c.EnumerateCounterSet(t.Context(), 256); err != nil || len(a.Data) == 0 {
		t.Errorf("PerflibV2 beside it: %v", err)
	}
}

// Below packet privacy a call of an interface says that nobody is logged on.
func TestInterfaceWithoutPrivacy(t *testing.T) {
	t.Parallel()
	r := &registry{have: map[[16]byte]Handler{}}
	r.add(numbered(1), func(_ context.Context, k *Call) ([]byte, error) { return []byte("<" + k.Account + ">"), nil })
	ts := startServer(t, func(o *ServerOptions) { o.Interface = r.find })
	c := ts.raw(t)
	p := bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{{0, numbered(1), []syntax{syntaxNDR}}}}
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
				p := bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{{0, numbered(1), []syntax{syntaxNDR}}}}
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
	p := bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{{0, numbered(1), []syntax{syntaxNDR}}}}
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
		client, err := Dial(t.Context(), o)
		if (err == nil) != known {
			t.Errorf("known %v: %v", known, err)
		}
		if err != nil {
			continue
		}
		c := objects(t, client)
		if c.sec.oid() != krb.OID {
			t.Error("logged on otherwise")
		}
		if got := c.alter(7, numbered(1)); got.result != resultAccepted {
			t.Fatalf("%+v", got)
		}
		for _, object := range [][16]byte{{}, {1}} {
			if got, err := c.answer(c.send(7, object, 0, []byte("stub"))); err != nil || !strings.EqualFold(got, account) {
				t.Errorf("%q, %v", got, err)
			}
		}
		_ = c.nc.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.sec.Sign(nil); err != nil { // one was left out
			t.Fatal(err)
		}
		c.send(7, [16]byte{}, 0, nil)
		if h, pdu, err := c.readPDU(); !errors.Is(err, Fault(CodeAccessDenied)) {
			t.Errorf("a call was left out: type %d %x, %v", h.kind, pdu, err)
		}
		if _, err := c.wire.readHeader(); !errors.Is(err, io.EOF) {
			t.Errorf("the connection stays: %v", err)
		}
		_ = client.Close()
	}
}
