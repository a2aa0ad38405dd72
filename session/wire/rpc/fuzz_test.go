package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session/wire/smbtest"
)

// tape is a connection that plays its input and forgets what is written.
type tape struct {
	in *bytes.Reader
}

func (p tape) Read(b []byte) (int, error)       { return p.in.Read(b) }
func (tape) Write(b []byte) (int, error)        { return len(b), nil }
func (tape) Close() error                       { return nil }
func (tape) LocalAddr() net.Addr                { return &net.TCPAddr{} }
func (tape) RemoteAddr() net.Addr               { return &net.TCPAddr{} }
func (tape) SetDeadline(time.Time) error        { return nil }
func (tape) SetReadDeadline(time.Time) error    { return nil }
func (tape) SetWriteDeadline(t time.Time) error { return nil }

// recorder is a tape that keeps what is written.
type recorder struct {
	tape
	out *bytes.Buffer
}

func (r recorder) Write(b []byte) (int, error) { return r.out.Write(b) }

// FuzzAcceptor plays any bytes to a server's connection.
func FuzzAcceptor(f *testing.F) {
	r := &rawClient{}
	plain := r.bindPDU(pduBind, bindCall(5840, 0, MSPCQ), trailer{}, nil)
	i := bare(newNTLM(testUser, "", NTHash([]byte(testPassword)), testSPN))
	token, _, err := i.step(nil)
	if err != nil {
		f.Fatal(err)
	}
	secured := r.bindPDU(pduBind, bindCall(5840, 0, MSPCQ), trailer{kind: authNTLM, level: levelPrivacy}, token)
	f.Add(secured)
	f.Add(append(secured, appendToken(append(appendHeader(nil, pduAuth3, 3, 1), 0, 0, 0, 0), trailer{kind: authNTLM, level: levelPrivacy}, []byte(ntlmSignature+"\x03\x00\x00\x00"))...))
	for _, req := range allRequests() {
		stub := req.args("")
		f.Add(append(slices.Clip(plain), r.requestPDU(flagFirst|flagLast, req.op, stub)...))
		f.Add(append(append(slices.Clip(plain), r.requestPDU(flagFirst, req.op, stub[:4])...), r.requestPDU(flagLast, req.op, stub[4:])...))
	}
	f.Add(append(slices.Clip(plain), r.bindPDU(pduAlter, bindCall(5840, 1, MSPCQ), trailer{kind: authSPNEGO, level: levelIntegrity, context: 3}, []byte{0x60, 0})...))
	several := r.bindPDU(pduBind, bindCall(5840, 0, manyObjects), trailer{}, nil)
	several[3] |= flagMultiplex
	object := fragments{kind: pduRequest, callID: 2, op: 3, object: [16]byte{1}, max: 5840, protect: unprotected,
		write: func(pdu []byte) error { several = append(several, pdu...); return nil }}
	_ = object.send(nil, []byte("stub")) // to memory
	f.Add(several)
	s := NewServer(ServerOptions{
		Calls: 4,
		Interface: func([16]byte, uint32) Handler {
			return func(_ context.Context, k *Call) ([]byte, error) { return k.Stub, nil }
		},
		Go:         func(f func()) { f() },
		Accounts:   testAccounts,
		Connect:    func() Session { return &fakeSession{handles: map[Handle]bool{}, closed: new(atomic.Int32)} },
		LogonDelay: time.Nanosecond,
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		out := &bytes.Buffer{}
		c := newServerConn(context.Background(), s, recorder{tape{bytes.NewReader(b)}, out}, 1)
		c.serve()
		answers := newWire(struct {
			io.Reader
			io.Writer
		}{out, nil}, maxFragmentSize)
		for {
			h, err := answers.readHeader()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				_, err = answers.readBody(h)
			}
			if err != nil {
				t.Fatalf("an answer is no PDU: %v", err)
			}
		}
	})
}

// FuzzClient plays any bytes to a client that binds, logs on and calls.
func FuzzClient(f *testing.F) {
	for _, auth := range []authType{authNTLM, authSPNEGO} {
		ack := bindAck{maxSend: 5840, maxReceive: 5840, group: 1, address: "0", results: []bindResult{{transfer: syntaxNDR}}}
		pdu := ack.append(appendHeader(nil, pduBindAck, 3, 1))
		a := &ntlmAcceptor{accounts: testAccounts, name: "HOST"}
		token := a.appendChallenge(nil, ntlmRequired|ntlmOffered|ntlmTargetInfo)
		if auth == authSPNEGO {
			token = (&spnegoResponse{state: spnegoIncomplete, token: token}).marshal(oidNTLM)
		}
		f.Add(auth == authNTLM, appendToken(pdu, trailer{kind: auth, level: levelPrivacy}, token))
	}
	f.Add(true, appendFault(nil, 1, 0, CodeAccessDenied))
	f.Add(false, appendBindNak(nil, 1, nakInvalidChecksum))
	f.Fuzz(func(t *testing.T, plain bool, b []byte) {
		o := Options{
			Account: Account{User: testUser, Password: smbtest.FixedPassword(testPassword)},
			Address: Address{Connect: func(context.Context, *Options) (net.Conn, error) {
				return tape{bytes.NewReader(b)}, nil
			}},
		}
		if plain {
			o.Authentication = NTLM
		}
		c, err := Dial(t.Context(), o)
		if err != nil {
			return
		}
		if _, err := c.EnumerateCounterSet(t.Context(), 256); err == nil {
			t.Fatal("an answer without the key is taken")
		}
	})
}

// FuzzNTLM hands any messages to the acceptor.
func FuzzNTLM(f *testing.F) {
	i := bare(newNTLM(testUser, "LAB", NTHash([]byte(testPassword)), testSPN))
	negotiate, _, err := i.step(nil)
	if err != nil {
		f.Fatal(err)
	}
	a := &ntlmAcceptor{accounts: testAccounts, name: "HOST"}
	challenge, err := a.accept(negotiate)
	if err != nil {
		f.Fatal(err)
	}
	authenticate, _, err := i.step(challenge)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(negotiate, authenticate)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a := &ntlmAcceptor{accounts: testAccounts, name: "HOST"}
		if _, err := a.accept(first); err == nil {
			_, err = a.accept(second)
			if (err == nil) != a.done() {
				t.Fatalf("%v with session %v", err, a.done())
			}
		}
		if a.done() {
			t.Fatal("logged on with a challenge that was never seen")
		}
	})
}

// FuzzSPNEGO reads any tokens, and makes what it can read anew.
func FuzzSPNEGO(f *testing.F) {
	i := negotiated(newNTLM(testUser, "LAB", NTHash([]byte(testPassword)), testSPN))
	token, _, err := i.step(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token)
	f.Add((&spnegoResponse{state: spnegoIncomplete, token: []byte("token"), mic: bytes.Repeat([]byte{1}, 300)}).marshal(oidNTLM))
	f.Fuzz(func(t *testing.T, b []byte) {
		a := &spnegoAcceptor{acceptor: &ntlmAcceptor{accounts: testAccounts, name: "HOST"}}
		if _, err := a.accept(b); err == nil {
			_, _ = a.accept(b)
		}
		i := negotiated(newNTLM(testUser, "LAB", NTHash([]byte(testPassword)), testSPN))
		_, _, _ = i.step(nil)
		if _, done, err := i.step(b); err == nil && done {
			_, _, _ = i.step(b)
		}
		r, err := parseSPNEGOResponse(b)
		if err != nil || len(r.token)+len(r.mic) > 60000 {
			return
		}
		again, err := parseSPNEGOResponse(r.marshal(""))
		if err != nil || !bytes.Equal(again.token, r.token) || !bytes.Equal(again.mic, r.mic) || again.state != r.state {
			t.Fatalf("%+v became %+v: %v", r, again, err)
		}
	})
}

// FuzzRequest reads any stub as any method's arguments.
func FuzzRequest(f *testing.F) {
	for _, req := range allRequests() {
		f.Add(uint16(req.op), req.args("host"))
	}
	f.Fuzz(func(t *testing.T, n uint16, stub []byte) {
		op := opnum(n % uint16(opValidateCounters+1))
		r, err := parseRequest(op, stub)
		if err != nil {
			return
		}
		again, err := parseRequest(op, r.args("host"))
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("%+v became %+v: %v", r, again, err)
		}
	})
}

// FuzzReply reads any stub as the answer to any method.
func FuzzReply(f *testing.F) {
	for _, r := range []*reply{
		{op: opEnumerateCounterSet, inSize: 256, array: Array{Needed: 1, Data: testSet[:]}},
		{op: opQueryCounterData, inSize: 4096, array: Array{Needed: 7, Data: []byte("data...")}},
		{op: opOpenQueryHandle, handle: NewHandle()},
		{op: opValidateCounters, identifiers: []byte("identifiers")},
	} {
		f.Add(uint16(r.op), r.inSize, len(r.identifiers), r.append(nil))
	}
	f.Fuzz(func(t *testing.T, n uint16, inSize uint32, identifiers int, stub []byte) {
		q := &request{op: opnum(n % uint16(opValidateCounters+1)), identifiers: make([]byte, max(0, identifiers%5000))}
		q.inSize = min(inSize, q.op.maxInSize())
		p, err := parseReply(q, stub)
		if err != nil {
			return
		}
		if len(p.array.Data) > int(q.inSize)*q.op.elementSize() {
			t.Fatalf("%d bytes for %d", len(p.array.Data), q.inSize)
		}
		again, err := parseReply(q, p.append(nil))
		if err != nil || !bytes.Equal(again.array.Data, p.array.Data) || again.result != p.result || again.array.Code != p.array.Code || again.handle != p.handle {
			t.Fatalf("%+v became %+v: %v", p, again, err)
		}
	})
}
