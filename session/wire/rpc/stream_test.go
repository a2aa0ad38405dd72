package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// besideSession answers the interface beside MS-PCQ too.
type besideSession struct{ *fakeSession }

func (besideSession) Describe(_ context.Context, inSize uint32) (Array, error) {
	return fill(CodeOK, inSize, []byte("what I am"), 1)
}

func (besideSession) AskRows(_ context.Context, question []byte, inSize uint32) (Array, error) {
	return fill(CodeOK, inSize, bytes.ToUpper(question), 1)
}

func (besideSession) ReadEvents(_ context.Context, question []byte, _ uint32) (Array, error) {
	return Array{Data: question}, nil
}

func (besideSession) CollectChange(_ context.Context, question []byte, inSize uint32, dst []byte) (Array, error) {
	return fill(CodeOK, inSize, append(dst, question...), 1)
}

func streamSession() besideSession {
	return besideSession{&fakeSession{handles: map[Handle]bool{}, blocks: 5, closed: new(atomic.Int32)}}
}

// stream serves one stream and gives its other end.
func stream(t *testing.T, s Session) (near net.Conn, ended <-chan struct{}) {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		ServeStream(context.Background(), far, ServerOptions{Connect: func() Session { return s }})
	}()
	t.Cleanup(func() {
		_ = near.Close()
		<-done
	})
	return near, done
}

// opened is a client over a stream.
func opened(t *testing.T, near net.Conn) (*Client, error) {
	t.Helper()
	o := Options{Address: Address{Host: "web01"}, Calls: Calls{Interfaces: []Interface{MSPCQ, OwnSideChannel}}}
	if _, err := near.Write(Opening(o)); err != nil {
		t.Fatal(err)
	}
	return Over(t.Context(), near, o)
}

// Over a stream nobody logs on, and both interfaces answer.
func TestStream(t *testing.T) {
	s := streamSession()
	near, ended := stream(t, s)
	c, err := opened(t, near)
	if err != nil {
		t.Fatal(err)
	}
	h, code, err := c.OpenQueryHandle(t.Context())
	if err != nil || code != CodeOK {
		t.Fatal(code, err)
	}
	if a, err := c.QueryCounterData(t.Context(), h, 1<<20, nil); err != nil || len(a.Data) != 5*32 {
		t.Errorf("%d bytes, %v", len(a.Data), err)
	}
	if a, err := c.Describe(t.Context(), 4); err != nil || a.Code != CodeNotEnoughMemory || a.Needed != 9 {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := c.Describe(t.Context(), MaxDescription); err != nil || string(a.Data) != "what I am" {
		t.Errorf("%+v, %v", a, err)
	}
	question := strings.Repeat("rows ", 40_000) // of many fragments
	if a, err := c.AskRows(t.Context(), []byte(question), MaxRows); err != nil || string(a.Data) != strings.ToUpper(question) {
		t.Errorf("%d bytes, %v", len(a.Data), err)
	}
	if _, err := c.AskRows(t.Context(), make([]byte, MaxQuestion+1), 1); err == nil || c.Err() != nil {
		t.Errorf("%v, %v", err, c.Err())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	<-ended
	if s.closed.Load() != 1 {
		t.Error("the session is not closed")
	}
}

// What opens a stream may be sent before anybody waits for its answers.
func TestOpenedAhead(t *testing.T) {
	near, _ := stream(t, streamSession())
	o := Options{Address: Address{Host: "web01"}, Calls: Calls{Interfaces: []Interface{MSPCQ, OwnSideChannel}}}
	if _, err := near.Write(Opening(o)); err != nil {
		t.Fatal(err)
	}
	c, err := Over(t.Context(), near, o)
	if err != nil || string(c.About().Data) != "what I am" {
		t.Fatalf("%+v, %v", c, err)
	}
	if _, code, err := c.OpenQueryHandle(t.Context()); err != nil || code != CodeOK {
		t.Error(code, err)
	}
}

// A session that has nothing beside MS-PCQ is told from a connection that is broken.
func TestStreamWithoutBeside(t *testing.T) {
	near, _ := stream(t, streamSession().fakeSession)
	c, err := opened(t, near)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Describe(t.Context(), 10); err == nil || c.About().Data != nil {
		t.Errorf("%v, %+v", err, c.About())
	}
}

// What comes over TCP has no such interface, and no call without a log-on, whatever it
// binds to: only who holds a stream has.
func TestNoStreamOverTCP(t *testing.T) {
	ts := startServer(t, nil)
	r := ts.raw(t)
	h, ack := r.exchange(r.bindPDU(pduBind, bindCall(maxFragmentSize, 0, MSPCQ, OwnSideChannel), trailer{}, nil))
	if h.kind != pduBindAck {
		t.Fatalf("bind answered by type %d", h.kind)
	}
	p, err := parseBindAck(ack)
	if err != nil || p.results[0].result != resultAccepted || p.results[1].result != resultRejected {
		t.Fatalf("%+v, %v", p, err)
	}
	req := &request{op: opOpenQueryHandle}
	h, pdu := r.exchange(r.requestPDU(flagFirst|flagLast, req.op, req.args("")))
	if h.kind != pduResponse {
		t.Fatalf("answered by type %d", h.kind)
	}
	if rep, err := parseReply(req, pdu[callHeaderSize:]); err != nil || rep.result != CodeAccessDenied {
		t.Errorf("%+v, %v", rep, err)
	}
	b := r.requestPDU(flagFirst|flagLast, opDescribe, (&sideRequest{inSize: 10}).args())
	b[20] = 1
	if h, _ := r.exchange(b); h.kind != pduFault {
		t.Errorf("answered by type %d", h.kind)
	}
}

// A stream takes no log-on, and a client over one no answer that claims protection.
func TestStreamTakesNoLogOn(t *testing.T) {
	near, ended := stream(t, streamSession())
	r := &rawClient{t: t, Conn: near, wire: newWire(near, maxFragmentSize)}
	h, _ := r.exchange(r.bindPDU(pduBind, bindCall(maxFragmentSize, 0, MSPCQ), trailer{kind: authNTLM, level: levelPrivacy}, []byte("NTLMSSP\x00")))
	if h.kind != pduBindNak {
		t.Errorf("answered by type %d", h.kind)
	}
	<-ended
}

// Who goes silent is not kept for ever.
func TestSilentStreamEnds(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	ServeStream(t.Context(), far, ServerOptions{Idle: time.Millisecond, Connect: func() Session { return streamSession() }})
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// The end of ctx ends it too.
func TestStreamEndsWithContext(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ServeStream(ctx, far, ServerOptions{Connect: func() Session { return streamSession() }})
}

// FuzzStream plays any bytes to the server of a stream.
func FuzzStream(f *testing.F) {
	r := &rawClient{}
	bound := r.bindPDU(pduBind, bindCall(5840, 0, MSPCQ, OwnSideChannel), trailer{}, nil)
	for _, req := range allRequests() {
		f.Add(append(bytes.Clone(bound), r.requestPDU(flagFirst|flagLast, req.op, req.args(""))...))
	}
	for _, req := range []*sideRequest{{op: opDescribe, inSize: 100}, {op: opAskRows, inSize: 100, question: []byte("rows")}} {
		pdu := r.requestPDU(flagFirst|flagLast, req.op, req.args())
		pdu[20] = 1
		f.Add(append(bytes.Clone(bound), pdu...))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		ServeStream(context.Background(), recorder{tape{bytes.NewReader(b)}, &bytes.Buffer{}}, ServerOptions{
			Connect: func() Session { return streamSession() },
		})
	})
}

// FuzzOver plays any bytes to a client over a stream.
func FuzzOver(f *testing.F) {
	out := &bytes.Buffer{}
	r := &rawClient{}
	r.id = 0
	in := r.bindPDU(pduBind, bindCall(maxFragmentSize, 0, MSPCQ, OwnSideChannel), trailer{}, nil)
	ServeStream(context.Background(), recorder{tape{bytes.NewReader(in)}, out}, ServerOptions{Connect: func() Session { return streamSession() }})
	ack := bytes.Clone(out.Bytes())
	reply := appendBesideReply(append(appendHeader(nil, pduResponse, flagFirst|flagLast, 2), make([]byte, 8)...), Array{Data: []byte("what I am")})
	setLengths(reply, len(reply), 0)
	f.Add(append(bytes.Clone(ack), reply...))
	f.Add(ack)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Over(t.Context(), tape{bytes.NewReader(b)}, Options{Address: Address{Host: "web01"}, Calls: Calls{Interfaces: []Interface{MSPCQ, OwnSideChannel}}})
		if err != nil {
			return
		}
		a, err := c.Describe(t.Context(), 64)
		if err == nil && len(a.Data) > 64 {
			t.Fatalf("%d bytes", len(a.Data))
		}
	})
}

// FuzzBesideRequest reads any stub as a request: one that is taken is written alike.
func FuzzBesideRequest(f *testing.F) {
	f.Add(uint16(opAskRows), (&sideRequest{op: opAskRows, inSize: 9, question: []byte("rows?")}).args())
	f.Fuzz(func(t *testing.T, n uint16, stub []byte) {
		r, err := parseBesideRequest(opnum(n), stub)
		if err != nil {
			return
		}
		again, err := parseBesideRequest(r.op, r.args())
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("%+v became %+v: %v", r, again, err)
		}
	})
}
