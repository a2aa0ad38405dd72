package smb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/wire/perflib"
)

// peer is a host that answers when and how a test wants.
type peer struct {
	nc   net.Conn
	sign signer
	out  chan []byte
	slow time.Duration // for each 64 KiB of what it sends

	mu     sync.Mutex
	handle func(r asked) (answered bool) // of what comes after the log-on; nil: the usual
	heard  []asked
	opened byte
}

// asked is a request as a host sees it.
type asked struct {
	header
	body []byte
}

// session logs on to a peer, in a bubble.
func (p *peer) session(t *testing.T) *Session {
	t.Helper()
	client, server := net.Pipe()
	p.nc = server
	p.sign = hmacSigner(new(fixedLogon).SessionKey()[:sessionKeySize])
	p.out = make(chan []byte, 1000)
	go p.serve()
	written := make(chan struct{})
	go func() {
		defer close(written)
		for msg := range p.out {
			for part := range slices.Chunk(msg, 64<<10) {
				time.Sleep(p.slow)
				if _, err := p.nc.Write(part); err != nil {
					return
				}
			}
		}
	}()
	o := options()
	o.Dialects = []Dialect{Dialect210}
	s, err := Connect(client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.c.fail(net.ErrClosed); <-written })
	return s
}

func (p *peer) serve() {
	defer close(p.out)
	defer p.nc.Close()
	for {
		var length [4]byte
		if _, err := io.ReadFull(p.nc, length[:]); err != nil {
			return
		}
		msg := make([]byte, binary.BigEndian.Uint32(length[:]))
		if _, err := io.ReadFull(p.nc, msg); err != nil {
			return
		}
		msg[16] |= flagResponse // as parseHeader wants it
		h, err := parseHeader(msg)
		if err != nil {
			return
		}
		h.charge = int(binary.LittleEndian.Uint16(msg[6:]))
		r := asked{h, msg[headerSize:]}
		p.mu.Lock()
		p.heard = append(p.heard, r)
		handle := p.handle
		p.mu.Unlock()
		if handle == nil || h.command < cmdCreate || !handle(r) {
			p.usual(r)
		}
	}
}

// usual answers as a host does that has everything.
func (p *peer) usual(r asked) {
	switch r.command {
	case cmdNegotiate:
		p.answer(r, 0, negotiated(Dialect210, capLargeMTU))
	case cmdSessionSetup:
		p.answer(r, 0, sessionOf(0))
	case cmdTreeConnect:
		p.answer(r, 0, treeOf(map[bool]byte{true: sharePipe, false: shareDisk}[bytes.Contains(r.body, []byte("C\x00$\x00"))], 0))
	case cmdCreate:
		b := created()
		p.opened++
		b[64] = p.opened
		p.answer(r, 0, b)
	case cmdIoctl:
		if binary.LittleEndian.Uint32(r.body[4:]) == fsctlValidate {
			p.answer(r, 0xC00000BB, make([]byte, 9))
			return
		}
		p.answer(r, 0, controlled(r.body[8:9])) // whose file it is
	case cmdRead:
		p.answer(r, 0, readOf(r.body[16:17]))
	case cmdCancel:
	default:
		p.answer(r, 0, make([]byte, 60))
	}
}

// answer answers a request, with so many credits more than it took, and one.
func (p *peer) answer(r asked, status Status, body []byte, credits ...int) {
	h := header{command: r.command, status: status, credits: r.charge + 1, flags: flagResponse | flagSigned, id: r.id, tree: 5, session: usualSession}
	for _, n := range credits {
		h.credits += n
	}
	if status == statusPending {
		h.flags, h.async = flagResponse|flagAsync, 1000+r.id
	}
	msg := append(h.append(nil), body...)
	binary.LittleEndian.PutUint32(msg[8:], uint32(status))
	copy(msg[signatureAt:], p.sign(msg))
	p.out <- append(binary.BigEndian.AppendUint32(nil, uint32(len(msg))), msg...)
}

// handles changes how requests are answered.
func (p *peer) handles(f func(r asked) (answered bool)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handle = f
}

// of are the requests of one command that came.
func (p *peer) of(c command) (out []asked) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.heard {
		if r.command == c {
			out = append(out, r)
		}
	}
	return out
}

func pipeOf(t *testing.T, s *Session, name string) *Pipe {
	t.Helper()
	p, err := s.Pipe(t.Context(), name, Patience{Most: -1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call makes one call over a pipe and returns its answer.
func call(p *Pipe) (string, error) {
	if _, err := p.Write([]byte("x")); err != nil {
		return "", err
	}
	var b [8]byte
	n, err := p.Read(b[:])
	return string(b[:n]), err
}

// holding has the calls of one file wait for ever, and answers the rest.
func (p *peer) holding(file byte) {
	p.handles(func(r asked) bool {
		if r.command == cmdIoctl && r.body[8] == file && p.opened > 0 {
			p.answer(r, statusPending, make([]byte, 9))
			return true
		}
		return false
	})
}

// A pipe that waits for its answer holds up no other, also where it reads for all; when it
// is given up it is cancelled and closed, and the other goes on.
func TestPipesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &peer{}
		s := host.session(t)
		slow, quick := pipeOf(t, s, "slow"), pipeOf(t, s, "quick")
		_ = s.Close()
		host.holding(1)
		ended := make(chan error)
		go func() { _, err := call(slow); ended <- err }()
		synctest.Wait() // it reads
		for range 3 {
			if got, err := call(quick); err != nil || got != "\x02" {
				t.Fatalf("%q, %v", got, err)
			}
		}
		_ = slow.Close()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		if got, err := call(quick); err != nil || got != "\x02" {
			t.Fatalf("after it: %q, %v", got, err)
		}
		time.Sleep(time.Minute)
		cancels, closes := host.of(cmdCancel), host.of(cmdClose)
		if len(cancels) != 1 || cancels[0].flags&flagAsync == 0 || cancels[0].async != 1000+cancels[0].id || len(closes) != 1 || closes[0].body[8] != 1 {
			t.Errorf("cancelled %+v, closed %+v", cancels, closes)
		}
		if got, err := call(quick); err != nil || got != "\x02" {
			t.Errorf("later: %q, %v", got, err)
		}
		if n := len(host.of(cmdSessionSetup)) + len(host.of(cmdTreeConnect)); n != 2 {
			t.Errorf("%d log-ons and shares", n)
		}
		_ = quick.Close()
		if _, err := s.Pipe(t.Context(), "other", Patience{}); err == nil {
			t.Error("the connection outlives its last pipe")
		}
	})
}

// tapped is a connection of which somebody hears that something was read.
type tapped struct {
	net.Conn
	read func()
}

func (t *tapped) Read(b []byte) (int, error) {
	n, err := t.Conn.Read(b)
	t.read()
	return n, err
}

// Who reads for all and is given up just when its answer came leaves the reading to the others.
func TestReaderIsGivenUpAtItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &peer{}
		s := host.session(t)
		one, other := pipeOf(t, s, "one"), pipeOf(t, s, "other")
		var held []asked
		host.handles(func(r asked) bool {
			if r.command == cmdIoctl {
				held = append(held, r)
			}
			return r.command == cmdIoctl
		})
		s.c.in = bufio.NewReader(&tapped{s.c.nc, func() {
			s.c.end(&one.user, net.ErrClosed)
			time.Sleep(time.Second) // the others have seen that it reads still
		}})
		got := make(chan string)
		go func() { _, _ = call(one) }()
		synctest.Wait() // it reads
		go func() { text, _ := call(other); got <- text }()
		synctest.Wait()
		host.usual(held[0])
		synctest.Wait()
		host.usual(held[1])
		select {
		case text := <-got:
			if text != "\x02" {
				t.Errorf("%q", text)
			}
		case <-time.After(time.Hour):
			t.Error("nobody reads")
		}
	})
}

// Credits that come with word of a later answer are for all.
func TestCreditsBeforeAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &peer{}
		s := host.session(t)
		slow, other := pipeOf(t, s, "slow"), pipeOf(t, s, "other")
		var held asked
		host.handles(func(r asked) bool {
			isSlow := r.command == cmdIoctl && r.body[8] == 1
			if isSlow {
				held = r
			}
			return isSlow
		})
		go func() { _, _ = call(slow) }()
		synctest.Wait()
		s.c.mu.Lock()
		s.c.credits = 0
		s.c.mu.Unlock()
		got := make(chan string)
		go func() { text, _ := call(other); got <- text }()
		synctest.Wait()
		host.answer(held, statusPending, make([]byte, 9))
		select {
		case text := <-got:
			if text != "\x02" {
				t.Errorf("%q", text)
			}
		case <-time.After(time.Hour):
			t.Error("it waits for the other's answer")
		}
	})
}

// A host that does not close a pipe loses the connection only when it answers nothing else.
func TestUnclosedPipe(t *testing.T) {
	for _, alive := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			host := &peer{}
			s := host.session(t)
			host.handles(func(r asked) bool { return r.command == cmdClose || r.command == cmdEcho && !alive })
			one, other := pipeOf(t, s, "one"), pipeOf(t, s, "other")
			_ = one.Close()
			time.Sleep(3 * closeTime)
			if _, err := call(other); (err == nil) != alive || !alive && !errors.Is(err, errUnclosed) {
				t.Errorf("alive %v: %v", alive, err)
			}
		})
	}
}

// A pipe that is opened too late is closed again.
func TestLatePipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &peer{}
		s := host.session(t)
		other := pipeOf(t, s, "other")
		var late asked
		host.handles(func(r asked) bool {
			if r.command == cmdCreate {
				late = r
			}
			return r.command == cmdCreate
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Pipe(ctx, "late", Patience{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		host.handles(nil)
		synctest.Wait()
		host.usual(late)
		if _, err := call(other); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if closes := host.of(cmdClose); len(closes) != 1 || closes[0].body[8] != 2 || len(host.of(cmdCancel)) != 1 {
			t.Errorf("closed %+v", closes)
		}
	})
}

// However much a pipe expects, it leaves as many credits to the others as it takes, and
// those that come between get theirs.
func TestCreditsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &peer{}
		s := host.session(t)
		host.handles(func(r asked) bool {
			switch r.command {
			case cmdCreate:
				b := created()
				host.opened++
				b[64] = host.opened
				host.answer(r, 0, b, 20)
				return true
			case cmdRead: // none is ever answered
				return true
			}
			return false
		})
		greedy, other, third := pipeOf(t, s, "greedy"), pipeOf(t, s, "other"), pipeOf(t, s, "third")
		all := s.c.credits
		for _, p := range []*Pipe{greedy, other} {
			if err := p.Expect(1000); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := greedy.user.taken; n > all/2 || n < all/2-1 || s.c.credits < 1 {
			t.Errorf("%d of %d credits were taken, %d are left", n, all, s.c.credits)
		}
		if got, err := call(third); err != nil || got != "\x03" {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// Answers come in any order, and each to whoever asked.
func TestAnswersInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &peer{}
		s := host.session(t)
		var pipes []*Pipe
		for range 5 {
			pipes = append(pipes, pipeOf(t, s, "one"))
		}
		var held []asked
		host.handles(func(r asked) bool {
			if r.command != cmdIoctl {
				return false
			}
			if held = append(held, r); len(held) == len(pipes) {
				slices.Reverse(held)
				for _, r := range held {
					host.usual(r)
				}
				held = nil
			}
			return true
		})
		var all sync.WaitGroup
		for i, p := range pipes {
			all.Go(func() {
				for range 3 {
					if got, err := call(p); err != nil || got != string(byte(i+1)) {
						t.Errorf("pipe %d: %q, %v", i, got, err)
					}
				}
			})
		}
		all.Wait()
	})
}

// file is one of a peer, of so many bytes.
func (p *peer) file(size int, read func(r asked, from, n int) bool) {
	p.handles(func(r asked) bool {
		switch r.command {
		case cmdCreate:
			b := created()
			binary.LittleEndian.PutUint64(b[48:], uint64(size))
			p.answer(r, 0, b, 63)
		case cmdRead:
			from, n := int(binary.LittleEndian.Uint64(r.body[8:])), int(binary.LittleEndian.Uint32(r.body[4:]))
			if read == nil || !read(r, from, n) {
				p.answer(r, 0, readOf(bytes.Repeat([]byte{byte(from >> 16)}, n)))
			}
		default:
			return false
		}
		return true
	})
}

// What a host says of a file that is not so, is told, and costs the file alone.
func TestHostileFiles(t *testing.T) {
	const size = 3<<20 + 5
	for name, v := range map[string]struct {
		read func(p *peer) func(r asked, from, n int) bool
		want error
	}{
		"as it is": {nil, nil},
		"shorter": {func(p *peer) func(asked, int, int) bool {
			return func(r asked, from, n int) bool {
				p.answer(r, 0, readOf(make([]byte, n-1)))
				return true
			}
		}, ErrShrank},
		"ended": {func(p *peer) func(asked, int, int) bool {
			return func(r asked, from, n int) bool {
				p.answer(r, statusEndOfFile, make([]byte, 9))
				return true
			}
		}, ErrShrank},
		"longer": {func(p *peer) func(asked, int, int) bool {
			return func(r asked, from, n int) bool {
				p.answer(r, 0, readOf(make([]byte, n+1)))
				return true
			}
		}, errDamaged},
		"silent": {func(*peer) func(asked, int, int) bool {
			return func(_ asked, from, _ int) bool { return from > 0 }
		}, nil},
		"slow": {nil, nil}, // a read takes longer than a host may be silent
	} {
		synctest.Test(t, func(t *testing.T) {
			host := &peer{}
			if name == "slow" {
				host.slow = silence / 10
			}
			s := host.session(t)
			host.file(size, nil)
			if v.read != nil {
				host.file(size, v.read(host))
			}
			share, err := s.Share(t.Context(), "logs")
			if err != nil {
				t.Fatal(err)
			}
			f, err := share.Open(t.Context(), `a\b`)
			if err != nil || f.Size != size {
				t.Fatal(err)
			}
			n, err := f.Copy(t.Context(), io.Discard, 0)
			if name == "silent" {
				if err == nil {
					t.Error("a host that is silent: read")
				}
			} else if !errors.Is(err, v.want) || err == nil && n != size {
				t.Errorf("%s: %d bytes, %v", name, n, err)
			}
			_ = f.Close()
			if g, err := share.Open(t.Context(), `c`); err != nil {
				t.Errorf("%s: the next: %v", name, err)
			} else {
				_ = g.Close()
			}
		})
	}
}

// entryOf is an entry of a listing.
func entryOf(name string, last bool) []byte {
	text := perflib.EncodeText(name)
	b := make([]byte, 64, 64+len(text)+8)
	binary.LittleEndian.PutUint32(b[60:], uint32(len(text)))
	b = append(b, text...)
	b = append(b, make([]byte, -len(b)&7)...)
	if !last {
		binary.LittleEndian.PutUint32(b, uint32(len(b)))
	}
	return b
}

func listingOf(b []byte) []byte {
	return append(append32(append16(nil, 9, headerSize+8), uint32(len(b))), b...)
}

// Listings end, whatever a host makes of them.
func TestHostileListings(t *testing.T) {
	for name, v := range map[string]struct {
		part []byte
		want error
	}{
		"without an end":          {entryOf("a", true), ErrManyEntries},
		"of nothing but itself":   {entryOf(".", true), errDamaged},
		"of nothing":              {nil, errDamaged},
		"that is cut":             {entryOf("name", true)[:66], errDamaged},
		"whose name is longer":    {append32(make([]byte, 60), 1<<31), errDamaged},
		"that leads outside":      {append(append32(nil, 1<<30), make([]byte, 60)...), errDamaged},
		"that leads back":         {append(append32(nil, 8), make([]byte, 60)...), errDamaged},
		"of half a unit":          {append(append32(make([]byte, 60), 1), 0), errDamaged},
		"of names without an end": {entryOf(strings.Repeat("x", 30_000), true), errDamaged},
		"that ends where it ends": {append(entryOf("a", false), entryOf("b", false)...), errDamaged},
	} {
		synctest.Test(t, func(t *testing.T) {
			host := &peer{}
			s := host.session(t)
			host.handles(func(r asked) bool {
				if r.command == cmdQueryFolder {
					host.answer(r, 0, listingOf(v.part))
				}
				return r.command == cmdQueryFolder
			})
			share, err := s.Share(t.Context(), "logs")
			if err != nil {
				t.Fatal(err)
			}
			if list, err := share.List(t.Context(), "", 5); !errors.Is(err, v.want) {
				t.Errorf("a listing %s: %v, %v", name, list, err)
			}
		})
	}
}

// FuzzListing reads any part of a listing.
func FuzzListing(f *testing.F) {
	f.Add(append(entryOf("a", false), entryOf("DataCollector01.blg", true)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := appendEntries(nil, b, 100); err == nil && len(list) > 100 {
			t.Fatal(len(list))
		}
	})
}
