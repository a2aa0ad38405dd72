package rpc

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"
)

// rawClient sends PDUs as it is told to.
type rawClient struct {
	t *testing.T
	net.Conn
	*wire
	id uint32
}

func (ts *testServer) raw(t *testing.T) *rawClient {
	t.Helper()
	o := ts.options()
	o.setDefaults()
	nc, err := ts.connect(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	_ = nc.SetDeadline(time.Now().Add(time.Minute))
	return &rawClient{t: t, Conn: nc, wire: newWire(nc, maxFragmentSize)}
}

// exchange sends a PDU and reads the answer; the end of the connection is no
// answer.
func (r *rawClient) exchange(pdu []byte) (header, []byte) {
	r.t.Helper()
	if _, err := r.Write(pdu); err != nil {
		return header{}, nil
	}
	h, err := r.readHeader()
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			r.t.Fatal("neither answer nor end")
		}
		return header{}, nil
	}
	b, err := r.readBody(h)
	if err != nil {
		r.t.Fatal(err)
	}
	return h, b
}

func (r *rawClient) bindPDU(kind pduType, p bind, t trailer, token []byte) []byte {
	r.id++
	return appendToken(p.append(appendHeader(nil, kind, flagFirst|flagLast, r.id)), t, token)
}

func (r *rawClient) requestPDU(flags uint8, op opnum, stub []byte) []byte {
	b := appendHeader(nil, pduRequest, flags, r.id)
	b = append(b, 0, 0, 0, 0, 0, 0, byte(op), byte(op>>8))
	b = append(b, stub...)
	setLengths(b, len(b), 0)
	return b
}

// bound is a client without log-on.
func (ts *testServer) bound(t *testing.T) *rawClient {
	r := ts.raw(t)
	if h, _ := r.exchange(r.bindPDU(pduBind, bindCall(maxFragmentSize, 0, MSPCQ), trailer{}, nil)); h.kind != pduBindAck {
		t.Fatalf("bind answered by type %d", h.kind)
	}
	return r
}

func TestPresentation(t *testing.T) {
	ndr64 := syntax{[16]byte{0x33, 0x05, 0x71, 0x71, 0xba, 0xbe, 0x37, 0x49, 0x83, 0x19, 0xb5, 0xdb, 0xef, 0x9c, 0xcc, 0x36}, 1}
	foreign := syntax{[16]byte{1, 2, 3}, 1}
	newer := syntax{syntaxPerflibV2.uuid, 2}
	features := syntax{uuid: [16]byte{0x2c, 0x1c, 0xb7, 0x6c, 0x12, 0x98, 0x40, 0x45, 3}, version: 1}
	ts := startServer(t, nil)
	r := ts.raw(t)
	p := bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{
		{0, syntaxPerflibV2, []syntax{syntaxNDR}},
		{1, syntaxPerflibV2, []syntax{ndr64}},
		{2, syntaxPerflibV2, []syntax{features}},
		{3, foreign, []syntax{syntaxNDR}},
		{4, newer, []syntax{syntaxNDR}},
		{5, syntaxPerflibV2, []syntax{ndr64, syntaxNDR}},
		{6, syntaxPerflibV2, nil},
	}}
	_, b := r.exchange(r.bindPDU(pduBind, p, trailer{}, nil))
	ack, err := parseBindAck(b)
	if err != nil {
		t.Fatal(err)
	}
	want := []bindResult{{transfer: syntaxNDR}, {resultRejected, reasonTransfer, syntax{}}, {resultFeatures, featureMultiplexing, syntax{}},
		{resultRejected, reasonInterface, syntax{}}, {resultRejected, reasonInterface, syntax{}}, {transfer: syntaxNDR}, {resultRejected, reasonTransfer, syntax{}}}
	for i, w := range want {
		if ack.results[i] != w {
			t.Errorf("context %d: %+v, want %+v", i, ack.results[i], w)
		}
	}
	if ack.maxSend != 5840 || ack.group == 0 {
		t.Errorf("%+v", ack)
	}
	for context, want := range map[byte]Code{1: FaultUnknownInterface, 3: FaultUnknownInterface} {
		pdu := r.requestPDU(flagFirst|flagLast, opOpenQueryHandle, appendMachine(nil, ""))
		pdu[20] = context
		if h, b := r.exchange(pdu); h.kind != pduFault || Code(binary.LittleEndian.Uint32(b[24:])) != want {
			t.Errorf("call in context %d: type %d %x", context, h.kind, b)
		}
	}
}

// allRequests are sound calls of every method.
func allRequests() []*request {
	h := NewHandle()
	return []*request{
		{op: opEnumerateCounterSet, inSize: 256},
		{op: opQueryCounterSetRegistrationInfo, set: testSet, requestCode: 1, inSize: 64},
		{op: opEnumerateCounterSetInstances, set: testSet, inSize: 64},
		{op: opOpenQueryHandle},
		{op: opCloseQueryHandle, handle: h},
		{op: opQueryCounterInfo, handle: h, inSize: 64},
		{op: opQueryCounterData, handle: h, inSize: 64},
		{op: opValidateCounters, handle: h, inSize: 5, identifiers: []byte("ident"), add: true},
	}
}

// checkDenied checks a reply that denies the call and leaves its handle and its
// identifiers as they were.
func checkDenied(t *testing.T, r *request, stub []byte) {
	t.Helper()
	p, err := parseReply(r, stub)
	if err != nil {
		t.Errorf("%s: %v", r.op.name(), err)
		return
	}
	if p.result+p.array.Code != CodeAccessDenied || len(p.array.Data) != 0 || string(p.identifiers) != string(r.identifiers) || p.handle != r.handle && r.op == opCloseQueryHandle {
		t.Errorf("%s: %+v", r.op.name(), p)
	}
}

func TestBelowPrivacyEverythingIsDenied(t *testing.T) {
	ts := startServer(t, nil)
	r := ts.bound(t)
	for _, req := range allRequests() {
		h, b := r.exchange(r.requestPDU(flagFirst|flagLast, req.op, req.args("")))
		if h.kind != pduResponse {
			t.Fatalf("%s: answered by type %d", req.op.name(), h.kind)
		}
		checkDenied(t, req, b[callHeaderSize:])
	}
	for _, level := range []authLevel{levelConnect, levelPacket, levelIntegrity} {
		r := ts.raw(t)
		i, tr := bare(newNTLM(testUser, "", NTHash([]byte(testPassword)), testSPN)), trailer{kind: authNTLM, level: level, context: 7}
		token, _, _ := i.step(nil)
		h, b := r.exchange(r.bindPDU(pduBind, bindCall(maxFragmentSize, 0, MSPCQ), tr, token))
		_, _, token = h.split(b)
		token, _, err := i.step(token)
		if err != nil {
			t.Fatal(err)
		}
		out := append(appendHeader(nil, pduAuth3, flagFirst|flagLast, r.id), 0, 0, 0, 0)
		if _, err := r.Write(appendToken(out, tr, token)); err != nil {
			t.Fatal(err)
		}
		for _, req := range allRequests() {
			pdu := r.requestPDU(flagFirst|flagLast, req.op, req.args(""))
			tr.pad = -len(pdu) & 3
			pdu = append(pdu, make([]byte, tr.pad)...)
			pdu = tr.append(pdu)
			setLengths(pdu, len(pdu)+signatureSize, signatureSize)
			signature := make([]byte, signatureSize)
			if level > levelConnect {
				if signature, err = i.Sign(pdu); err != nil {
					t.Fatal(err)
				}
			}
			h, b := r.exchange(append(pdu, signature...))
			if h.kind != pduResponse {
				t.Fatalf("level %d, %s: answered by type %d", level, req.op.name(), h.kind)
			}
			body, tr, signature := h.split(b)
			if level > levelConnect {
				if err := i.Verify(b[:len(b)-len(signature)], signature); err != nil {
					t.Errorf("level %d, %s: %v", level, req.op.name(), err)
				}
			}
			checkDenied(t, req, body[callHeaderSize:len(body)-tr.pad])
		}
	}
	if ts.opened.Load() != 0 {
		t.Error("a session was asked")
	}
}

func TestDamagedRequestsAreFaults(t *testing.T) {
	ts := startServer(t, nil)
	r := ts.bound(t)
	for _, req := range allRequests() {
		stub := req.args("")
		for _, s := range [][]byte{nil, stub[:len(stub)-4], append(slices.Clip(stub), make([]byte, 8)...)} {
			h, b := r.exchange(r.requestPDU(flagFirst|flagLast, req.op, s))
			if h.kind != pduFault || Code(binary.LittleEndian.Uint32(b[24:])) != CodeBadStubData {
				t.Errorf("%s with %d of %d bytes: type %d %x", req.op.name(), len(s), len(stub), h.kind, b)
			}
		}
	}
	for _, op := range []opnum{8, 99, 0xffff} {
		h, b := r.exchange(r.requestPDU(flagFirst|flagLast, op, nil))
		if h.kind != pduFault || Code(binary.LittleEndian.Uint32(b[24:])) != FaultOpRange {
			t.Errorf("opnum %d: type %d", op, h.kind)
		}
	}
	h, _ := r.exchange(r.requestPDU(flagFirst|flagLast, opEnumerateCounterSet, allRequests()[0].args("")))
	if h.kind != pduResponse {
		t.Errorf("after all this: type %d", h.kind)
	}
}

// What breaks the protocol ends the connection, and only that.
func TestBrokenProtocol(t *testing.T) {
	sound := allRequests()[0].args("")
	patch := func(at int, v byte) func(*rawClient) [][]byte {
		return func(r *rawClient) [][]byte {
			b := r.requestPDU(flagFirst|flagLast, 0, sound)
			b[at] = v
			return [][]byte{b}
		}
	}
	one := func(f func(r *rawClient) []byte) func(*rawClient) [][]byte {
		return func(r *rawClient) [][]byte { return [][]byte{f(r)} }
	}
	for name, pdus := range map[string]func(*rawClient) [][]byte{
		"version":        patch(0, 4),
		"big-endian":     patch(4, 0),
		"length 0":       patch(8, 0),
		"authentication": patch(10, 0xff),
		"type":           patch(2, 77),
		"second bind":    one(func(r *rawClient) []byte { return r.bindPDU(pduBind, bindCall(5840, 0, MSPCQ), trailer{}, nil) }),
		"bind_ack":       one(func(r *rawClient) []byte { return appendHeaderOnly(pduBindAck, 1) }),
		"short request":  one(func(r *rawClient) []byte { return appendHeaderOnly(pduRequest, 1) }),
		"not first":      one(func(r *rawClient) []byte { return r.requestPDU(flagLast, 0, sound) }),
		"empty fragments": func(r *rawClient) [][]byte {
			return [][]byte{r.requestPDU(flagFirst, 0, nil), r.requestPDU(0, 0, nil)}
		},
		"another call": func(r *rawClient) [][]byte {
			first := r.requestPDU(flagFirst, 0, sound[:4])
			r.id++
			return [][]byte{first, r.requestPDU(flagLast, 0, sound[4:])}
		},
		"too long": func(r *rawClient) [][]byte {
			b := r.requestPDU(flagFirst, 7, make([]byte, 60000))
			c := r.requestPDU(0, 7, make([]byte, 60000))
			return [][]byte{b, c}
		},
		"tiny fragments": func(r *rawClient) [][]byte { return nil },
		"auth3 without bind": one(func(r *rawClient) []byte {
			return appendToken(append(appendHeader(nil, pduAuth3, 3, 1), 0, 0, 0, 0), trailer{kind: authNTLM, level: levelPrivacy}, []byte("NTLMSSP"))
		}),
		"slow PDU": one(func(r *rawClient) []byte { return r.requestPDU(flagFirst|flagLast, 0, sound)[:30] }),
		"silence":  func(*rawClient) [][]byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			onPipes(t, nil, func(t *testing.T, ts *testServer) { checkBroken(t, ts, pdus) })
		})
	}
	onPipes(t, nil, checkBrokenBinds)
}

// checkBrokenBinds sends what must not come first.
func checkBrokenBinds(t *testing.T, ts *testServer) {
	t.Helper()
	client := ts.dial(t, nil)
	sound := allRequests()[0].args("")
	for name, pdu := range map[string][]byte{
		"request before bind": (&rawClient{}).requestPDU(flagFirst|flagLast, 0, sound),
		"alter before bind":   (&rawClient{}).bindPDU(pduAlter, bindCall(5840, 0, MSPCQ), trailer{}, nil),
		"tiny fragments":      (&rawClient{}).bindPDU(pduBind, bindCall(500, 0, MSPCQ), trailer{}, nil),
		"cut bind":            (&rawClient{}).bindPDU(pduBind, bind{maxSend: 5840, maxReceive: 5840, contexts: []presentation{}}, trailer{}, nil)[:20],
		"kerberos":            (&rawClient{}).bindPDU(pduBind, bindCall(5840, 0, MSPCQ), trailer{kind: 16, level: levelPrivacy}, []byte("ticket")),
		"level 9":             (&rawClient{}).bindPDU(pduBind, bindCall(5840, 0, MSPCQ), trailer{kind: authNTLM, level: 9}, []byte("NTLMSSP")),
		"not NTLM":            (&rawClient{}).bindPDU(pduBind, bindCall(5840, 0, MSPCQ), trailer{kind: authNTLM, level: levelPrivacy}, []byte("nonsense")),
		"not SPNEGO":          (&rawClient{}).bindPDU(pduBind, bindCall(5840, 0, MSPCQ), trailer{kind: authSPNEGO, level: levelPrivacy}, []byte{0x60, 0x84, 0xff}),
	} {
		if h, _ := ts.raw(t).exchange(pdu); h.kind != pduFault && h.kind != pduBindNak && h.length != 0 {
			t.Errorf("%s: answered by type %d", name, h.kind)
		}
	}
	if _, err := client.EnumerateCounterSet(t.Context(), 256); err != nil {
		t.Errorf("the client beside: %v", err)
	}
}

// checkBroken sends PDUs after a bind, while another client is logged on.
func checkBroken(t *testing.T, ts *testServer, pdus func(*rawClient) [][]byte) {
	t.Helper()
	beside := ts.dial(t, nil)
	r := ts.bound(t)
	for _, b := range pdus(r) {
		if _, err := r.Write(b); err != nil {
			break
		}
	}
	rest, err := io.ReadAll(r.in)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the connection stays open")
	}
	if len(rest) > 0 && pduType(rest[2]) != pduFault {
		t.Errorf("answered by type %d", rest[2])
	}
	if _, err := beside.EnumerateCounterSet(t.Context(), 256); err != nil {
		t.Errorf("the client beside: %v", err)
	}
}
