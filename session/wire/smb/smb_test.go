package smb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"
)

func openAt(t testing.TB, h *scripted, o Options) (*Pipe, error) {
	t.Helper()
	return openWithin(t.Context(), h, o, Patience{Most: -1})
}

func openWithin(ctx context.Context, h *scripted, o Options, p Patience) (*Pipe, error) {
	o.setDefaults()
	s, err := h.client.logOn(o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	return s.Pipe(ctx, "winreg", p)
}

// A host of every dialect is opened, and a message goes each way.
func TestOpen(t *testing.T) {
	for _, d := range []Dialect{Dialect210, Dialect300, Dialect302, Dialect311} {
		r := script(d)
		if d == Dialect311 {
			r = script311()
		}
		r = append(r, reply{status: statusBufferOverflow, body: controlled([]byte("first"))}, reply{body: readOf([]byte("second"))},
			reply{status: statusPending, body: nil, change: func(m []byte) { m[16] |= flagAsync }})
		h := hostOf(r...)
		p, err := openAt(t, h, options())
		if err != nil {
			t.Errorf("%v: %v", d, err)
			continue
		}
		if p.s.c.dialect != d || p.s.c.sealed || p.s.c.server.time.Unix() != 1_700_000_000 {
			t.Errorf("%v: became %v, encrypted %v, at %v", d, p.s.c.dialect, p.s.c.sealed, p.s.c.server.time)
		}
		if _, err := p.Write([]byte("request")); err != nil {
			t.Fatal(err)
		}
		var b [3]byte
		got := ""
		for len(got) < len("firstsecond") {
			n, err := p.Read(b[:])
			if err != nil {
				t.Fatalf("%v after %q: %v", d, got, err)
			}
			got += string(b[:n])
		}
		if got != "firstsecond" {
			t.Errorf("%v: read %q", d, got)
		}
		if _, err := p.Read(b[:]); !errors.Is(err, io.EOF) { // what was pending never comes
			t.Errorf("%v: %v", d, err)
		}
	}
}

// Each of these hosts is refused, for its reason.
func TestRefusedHosts(t *testing.T) {
	change := func(r []reply, at int, with reply) []reply {
		r[at] = with
		return r
	}
	encrypted := options()
	encrypted.Encrypt = true
	for name, v := range map[string]struct {
		script []reply
		want   error
	}{
		"guest":                   {change(script(Dialect302), 1, reply{body: sessionOf(sessionGuest)}), ErrGuest},
		"anonymous":               {change(script(Dialect302), 1, reply{body: sessionOf(sessionAnonymous)}), ErrGuest},
		"guest, 3.1.1":            {change(script311(), 1, reply{body: sessionOf(sessionGuest)}), ErrGuest},
		"logged on unsigned":      {change(script311(), 1, reply{body: sessionOf(0), plain: true}), ErrUnprotected},
		"tree unsigned":           {change(script311(), 2, reply{body: treeOf(sharePipe, 0), plain: true}), ErrUnprotected},
		"tree of a disk":          {change(script311(), 2, reply{body: treeOf(1, 0)}), errDamaged},
		"tree of another session": {change(script311(), 2, reply{body: treeOf(sharePipe, 0), session: 3}), errDamaged},
		"tree must be encrypted":  {change(change(script311(), 0, reply{body: negotiated311(0)}), 2, reply{body: treeOf(sharePipe, shareEncrypt)}), ErrNoEncryption},
		"other capabilities":      {change(script(Dialect300), 3, reply{body: validated(Dialect300, 0)}), errDowngrade},
		"other dialect":           {change(script(Dialect210), 3, reply{body: validated(Dialect302, capEncryption)}), errDowngrade},
		"no validation":           {change(script(Dialect302), 3, reply{status: 0xC00000BB, body: make([]byte, 9)}), Status(0xC00000BB)},
		"SMB 2.0.2":               {[]reply{{body: negotiated(0x0202, 0)}}, ErrDialect},
		"no dialect":              {[]reply{{status: 0xC00000BB, body: make([]byte, 9)}}, ErrDialect},
		"no integrity":            {[]reply{{body: negotiated(Dialect311, 0)}}, errNoIntegrity},
		"a cipher of its own":     {[]reply{{body: negotiated311(9)}}, errDamaged},
		"wrong password":          {change(script311(), 1, reply{status: 0xC000006D, body: make([]byte, 9)}), Status(0xC000006D)},
		"log-on goes on":          {change(script311(), 1, reply{status: statusMoreProcessing, body: sessionOf(0)}), errLogon},
		"no pipe":                 {change(script311(), 3, reply{status: statusNameNotFound, body: make([]byte, 9)}), statusNameNotFound},
		"short answers":           {change(script311(), 3, reply{body: make([]byte, 80)}), errDamaged},
		"answers of another":      {change(script311(), 2, reply{body: treeOf(sharePipe, 0), change: func(m []byte) { m[24] = 99 }}), errDamaged},
		"answers of no command":   {change(script311(), 2, reply{body: treeOf(sharePipe, 0), change: func(m []byte) { m[12] = 99 }}), errDamaged},
		"requests":                {change(script311(), 2, reply{body: treeOf(sharePipe, 0), change: func(m []byte) { m[16] &^= flagResponse }}), errDamaged},
		"compounds":               {change(script311(), 2, reply{body: treeOf(sharePipe, 0), change: func(m []byte) { m[20] = 8 }}), errDamaged},
		"not SMB":                 {[]reply{{body: negotiated311(1), change: func(m []byte) { m[0] = 'X' }}}, ErrNotSMB},
		"silent":                  {nil, io.EOF},
	} {
		h := hostOf(v.script...)
		if p, err := openAt(t, h, options()); !errors.Is(err, v.want) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	h := hostOf(reply{body: negotiated311(0)})
	if _, err := openAt(t, h, encrypted); !errors.Is(err, ErrNoEncryption) {
		t.Errorf("a host without encryption: %v", err)
	}
}

// Encryption that was asked for covers everything after the log-on, and nothing
// else is taken from the host.
func TestEncryption(t *testing.T) {
	for name, r := range map[string][]reply{
		"asked for":         script311(),
		"of the session":    {{body: negotiated311(cipherAES256GCM)}, {body: sessionOf(sessionEncrypt)}, {body: treeOf(sharePipe, 0)}, {body: created()}},
		"AES-128-CCM":       {{body: negotiated311(cipherAES128CCM)}, {body: sessionOf(sessionEncrypt)}, {body: treeOf(sharePipe, 0)}, {body: created()}},
		"SMB 3.0":           script(Dialect300),
		"of the pipes' own": {{body: negotiated311(cipherAES128GCM)}, {body: sessionOf(0)}, {body: treeOf(sharePipe, shareEncrypt)}, {body: created()}},
	} {
		o := options()
		o.Encrypt = name == "asked for" || name == "SMB 3.0"
		h := hostOf(append(r, reply{body: controlled([]byte("secret"))}, reply{body: controlled([]byte("open")), plain: true})...)
		p, err := openAt(t, h, o)
		if err != nil || !p.s.c.sealed && !p.tree.sealed {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, _ = p.Write([]byte("x"))
		var b [64]byte
		if n, err := p.Read(b[:]); err != nil || string(b[:n]) != "secret" {
			t.Errorf("%s: %q, %v", name, b[:n], err)
		}
		_, _ = p.Write([]byte("x"))
		if _, err := p.Read(b[:]); !errors.Is(err, ErrUnprotected) {
			t.Errorf("%s: an open answer: %v", name, err)
		}
	}
}

// A pipe whose service is being started is asked for again, for a while.
func TestPipeThatComes(t *testing.T) {
	r := script311()
	late := append(r[:3:3], reply{status: statusNotAvailable, body: make([]byte, 9)}, reply{status: statusNameNotFound, body: make([]byte, 9)}, r[3])
	patient := Patience{Most: time.Minute}
	if _, err := openWithin(t.Context(), hostOf(late...), options(), patient); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openWithin(ctx, hostOf(late...), options(), patient); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// Messages that are expected are asked for together, as far as credits go, and
// read in their order.
func TestExpect(t *testing.T) {
	r := append(script311(), reply{body: controlled([]byte("0")), change: func(m []byte) { m[14] = 4 }},
		reply{body: readOf([]byte("1"))}, reply{body: readOf([]byte("2"))}, reply{body: readOf([]byte("3"))}, reply{body: readOf([]byte("4"))})
	h := hostOf(r...)
	p, err := openAt(t, h, options())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = p.Write([]byte("x"))
	got := ""
	for range 5 {
		var b [8]byte
		n, err := p.Read(b[:])
		if err != nil {
			t.Fatal(err)
		}
		if got += string(b[:n]); got == "0" {
			before := len(h.asked)
			if err := p.Expect(100); err != nil {
				t.Fatal(err)
			}
			if n := len(h.asked) - before; n != 2 { // as many are left to others
				t.Errorf("%d reads were sent", n)
			}
		}
	}
	if got != "01234" {
		t.Errorf("read %q", got)
	}
}

// However many are said to follow, and however many the host lets us ask for, the
// reads under way are bounded.
func TestExpectIsBounded(t *testing.T) {
	r := script311()
	for i := range r {
		r[i].change = func(m []byte) { m[14], m[15] = 0xff, 0xff }
	}
	h := hostOf(r...)
	p, err := openAt(t, h, options())
	if err != nil {
		t.Fatal(err)
	}
	before := len(h.asked)
	if err := p.Expect(1 << 30); err != nil {
		t.Fatal(err)
	}
	if n := len(h.asked) - before; n > 1024 {
		t.Errorf("%d reads were sent", n)
	}
}

// longLogon is a log-on whose message does not fit.
type longLogon struct{ fixedLogon }

func (*longLogon) Step([]byte) ([]byte, bool, error) { return make([]byte, 1<<16), false, nil }

func TestLongLogOn(t *testing.T) {
	h := hostOf(script311()...)
	o := options()
	o.Logon = &longLogon{}
	if _, err := openAt(t, h, o); !errors.Is(err, ErrLongToken) || len(h.asked) != 1 {
		t.Errorf("asked %v: %v", h.asked, err)
	}
}

// Several messages written in a row are all sent.
func TestWrites(t *testing.T) {
	h := hostOf(append(script311(), reply{body: make([]byte, 17)}, reply{body: controlled([]byte("answer"))})...)
	p, err := openAt(t, h, options())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if _, err := p.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(io.LimitReader(p, 6))
	if err != nil || string(b) != "answer" {
		t.Errorf("%q, %v", b, err)
	}
	if got := h.asked[len(h.asked)-2:]; got[0] != cmdWrite || got[1] != cmdIoctl {
		t.Errorf("sent %v", got)
	}
	if _, err := p.Write(make([]byte, maxPayload+1)); err == nil {
		t.Error("a message that no exchange can hold is taken")
	}
}

// FuzzHost answers a client with anything, properly signed.
func FuzzHost(f *testing.F) {
	add := func(r []reply, more ...reply) {
		var b []byte
		for _, r := range append(r, more...) {
			b = binary.LittleEndian.AppendUint32(b, uint32(r.status))
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(r.body))), r.body...)
		}
		f.Add(b)
	}
	more := []reply{{status: statusBufferOverflow, body: controlled([]byte("first"))}, {body: readOf([]byte("second"))}}
	add(script311(), more...)
	add(script(Dialect300), more...)
	add(script(Dialect210), more...)
	add([]reply{{body: negotiated311(cipherAES128CCM)}, {body: sessionOf(sessionEncrypt)}, {body: treeOf(sharePipe, 0)}, {body: created()}}, more...)
	f.Fuzz(func(t *testing.T, b []byte) {
		var r []reply
		for len(b) >= 6 {
			n := min(int(binary.LittleEndian.Uint16(b[4:])), len(b)-6)
			r = append(r, reply{status: Status(binary.LittleEndian.Uint32(b)), body: b[6 : 6+n]})
			b = b[6+n:]
		}
		h := hostOf(r...)
		p, err := openAt(t, h, options())
		if err != nil {
			return
		}
		_, _ = p.Write([]byte("request"))
		var all bytes.Buffer
		if n, _ := io.Copy(&all, io.LimitReader(p, 1<<20)); n > int64(len(r))*maxPayload {
			t.Fatalf("%d bytes of %d answers", n, len(r))
		}
	})
}

// FuzzFrames hands a client any bytes.
func FuzzFrames(f *testing.F) {
	h := hostOf(script311()...)
	h.answer(&h.client.protection, cmdNegotiate, 0, reply{body: negotiated311(cipherAES128GCM)})
	f.Add(h.out.Bytes())
	f.Add([]byte{0, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		h := hostOf()
		h.out.Write(b)
		if _, err := openAt(t, h, options()); err == nil {
			t.Fatal("a host without the key is taken")
		}
		if n := cap(h.client.frame); n > 2*maxMessage {
			t.Fatalf("%d bytes for %d", n, len(b))
		}
	})
}
