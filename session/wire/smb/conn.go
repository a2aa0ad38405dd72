package smb

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session/system/guard"
)

// conn is a connection with one session, for several users at once. Who waits for an answer
// reads what comes, for all: so an idle connection needs no goroutine, and one that has a
// single user no change between two.
type conn struct {
	nc net.Conn
	in *bufio.Reader
	protection

	offer   []byte // body of the request that was negotiated by
	server  serverTerms
	session uint64

	sending sync.Mutex // held while a message is made and goes out
	sent    []byte
	next    uint64 // message id

	frame []byte       // that is being read; the reader's
	got   int          // bytes of it
	came  atomic.Int64 // bytes of all

	mu          sync.Mutex
	news        sync.Cond // an answer came, somebody ended, or nobody reads
	err         error     // why nothing goes any more
	reader      *user     // nil: nobody reads
	interrupted bool      // the reader is to stop
	credits     int
	under       map[uint64]*request // under way, by their ids
	awaited     int                 // how many they are, with those that are about to be
	strays      int                 // messages that answered nothing since one that did
	largest     int                 // message that is read, bytes
	free        [][]byte            // buffers
}

// user is one of those who use a connection: a pipe, a file, or a call by itself.
type user struct {
	err   error  // why it has ended
	taken int    // credits
	kept  []byte // buffer of its last answer
}

// request is what was sent, and its answer.
type request struct {
	user    *user
	tree    *tree
	command command
	charge  int
	sealed  bool
	async   uint64 // by which the host knows it, once it has said that the answer comes later
	buffer  []byte // that the answer lies in; nil: in one of its own
	answer         // without a message: it has not come
}

// readAhead holds the small messages of a quiet connection in one read.
const readAhead = 4096

func newConn(nc net.Conn) *conn {
	c := &conn{nc: nc, in: bufio.NewReaderSize(nc, readAhead), credits: 1, under: map[uint64]*request{}, largest: maxMessage}
	c.news.L = &c.mu
	return c
}

const (
	wantedCredits = 64      // that each request asks for
	mostCredits   = 1 << 16 // that are counted
)

var errNoCredits = errors.New("the host allows no further request")

// send sends a request as soon as the host lets us.
func (c *conn) send(u *user, t *tree, cmd command, charge int, body []byte) (*request, error) {
	c.mu.Lock()
	err := c.await(u, func() bool { return c.credits >= charge && c.err == nil && u.err == nil })
	if err == nil {
		c.credits -= charge
		u.taken += charge
		c.awaited++
	}
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r := &request{user: u, tree: t, command: cmd, charge: charge, sealed: c.sealed || t != nil && t.sealed}
	c.sending.Lock()
	defer c.sending.Unlock()
	r.id = c.next
	c.next += uint64(charge)
	c.mu.Lock()
	c.under[r.id] = r
	c.mu.Unlock()
	return r, c.write(r.header(wantedCredits), r.sealed, body)
}

// header is that of the request.
func (r *request) header(credits int) header {
	h := header{command: r.command, charge: r.charge, credits: credits, id: r.id}
	if r.tree != nil {
		h.tree = r.tree.id
	}
	return h
}

// write sends a message.
func (c *conn) write(h header, sealed bool, body []byte) error {
	h.session = c.session
	if c.signing != nil && !sealed {
		h.flags |= flagSigned
	}
	start := 4 // of the length before each message
	if sealed {
		start += transformSize
	}
	b := slices.Grow(c.sent[:0], start+headerSize+len(body)+signatureSize)[:start]
	b = append(h.append(b), body...)
	switch {
	case sealed:
		b = c.sealing.seal(b, 4, c.session)
	case c.signing != nil:
		copy(b[start+signatureAt:], c.signing(b[start:]))
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	c.sent = b
	_, err := c.nc.Write(b)
	if err != nil {
		c.fail(err)
	}
	return err
}

// room is how many credits a user may take beyond one: never more than it leaves to others.
func (c *conn) room(u *user) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (c.credits - u.taken) / 2
}

// answerTo waits for the answer to a request. It is valid until the user's next one.
func (c *conn) answerTo(r *request) (*answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.user.kept != nil {
		c.free = append(c.free, r.user.kept)
		r.user.kept = nil
	}
	if err := c.await(r.user, func() bool { return r.msg != nil }); err != nil {
		return nil, err
	}
	r.user.kept = r.buffer
	return &r.answer, nil
}

// exchange sends a request and waits for its answer. An answer with one of the
// statuses fine is none that refuses.
func (c *conn) exchange(u *user, t *tree, cmd command, body []byte, fine ...Status) (*answer, error) {
	r, err := c.send(u, t, cmd, 1, body)
	if err != nil {
		return nil, err
	}
	a, err := c.answerTo(r)
	if err != nil {
		return nil, err
	}
	if a.status != statusOK && !slices.Contains(fine, a.status) {
		return nil, a.status
	}
	return a, nil
}

// await returns when what a user waits for is there, or can no longer come. c.mu is held,
// but not meanwhile.
func (c *conn) await(u *user, isThere func() bool) error {
	for !isThere() {
		switch {
		case c.err != nil:
			return c.err
		case u.err != nil:
			return u.err
		case c.awaited == 0:
			return errNoCredits
		case c.reader != nil:
			c.news.Wait()
		default:
			c.readFor(u)
		}
	}
	return nil
}

// readFor reads one message, whoever it is for, and has c.mu not held meanwhile.
func (c *conn) readFor(u *user) {
	c.reader = u
	c.mu.Unlock()
	a, frame, encrypted, err := c.read()
	c.mu.Lock()
	c.reader = nil
	c.news.Broadcast() // whoever waits may have what it waits for, and one of them has to read
	if c.interrupted {
		c.interrupted = false
		_ = c.nc.SetReadDeadline(time.Time{})
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
	if err == nil {
		err = c.take(a, frame, encrypted, u)
	}
	if err != nil {
		c.failed(err)
	}
}

// fail ends the connection for all.
func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed(err)
}

// failed is fail while c.mu is held.
func (c *conn) failed(err error) {
	if c.err == nil {
		c.err = err
	}
	_ = c.nc.Close()
	c.news.Broadcast()
}

// end ends one user: nothing waits for it any more, and others go on.
func (c *conn) end(u *user, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if u.err == nil {
		u.err = why
	}
	if c.reader == u {
		c.interrupted = true
		_ = c.nc.SetReadDeadline(time.Unix(1, 0))
	}
	c.news.Broadcast()
}

// within makes a user for what ends with a context.
func (c *conn) within(ctx context.Context) (u *user, stop func() bool) {
	u = &user{}
	return u, context.AfterFunc(ctx, func() {
		c.end(u, context.Cause(ctx))
		c.cancel(u)
	})
}

// cancel tells the host that nobody waits any more for what a user has under way. Such
// answers may come nevertheless.
func (c *conn) cancel(u *user) {
	var left []*request
	c.mu.Lock()
	for _, r := range c.under {
		if r.user == u {
			left = append(left, r)
		}
	}
	c.mu.Unlock()
	for _, r := range left {
		h := r.header(0)
		h.command = cmdCancel
		c.mu.Lock()
		if r.async != 0 {
			h.flags, h.async = flagAsync, r.async
		}
		c.mu.Unlock()
		c.sending.Lock()
		err := c.write(h, r.sealed, append16(nil, 4, 0))
		c.sending.Unlock()
		if err != nil {
			return
		}
	}
}

// ErrUnprotected is an answer that anybody could have made.
var ErrUnprotected = errors.New("an answer was not signed: something between here and the host may change the traffic")

// maxStrays bounds the messages that answer nothing before one that does.
const maxStrays = 64

// take hands a message to whoever it is for. One that tells that the answer comes later
// changes nothing. c.mu is held.
func (c *conn) take(a answer, frame []byte, encrypted bool, by *user) error {
	c.credits = min(c.credits+a.credits, mostCredits)
	r := c.under[a.id]
	switch {
	case r != nil && r.sealed && !encrypted:
		return fmt.Errorf("%w (and not encrypted)", ErrUnprotected)
	case r != nil && a.isInterim() && r.async == 0 && a.async != 0:
		r.async = a.async
		c.free = append(c.free, frame)
		return nil
	case a.isInterim():
		if c.strays++; c.strays > maxStrays {
			return fmt.Errorf("%w: no end of messages that answer nothing", errDamaged)
		}
		c.free = append(c.free, frame)
		return nil
	case r == nil || r.command != a.command:
		return fmt.Errorf("%w: message %d of command %d", errDamaged, a.id, a.command)
	}
	c.strays = 0
	c.awaited--
	r.user.taken -= r.charge
	delete(c.under, a.id)
	if r.user.err != nil { // nobody waits for it
		if file, err := createdBy(&a); r.command == cmdCreate && err == nil && a.status == statusOK {
			guard.Beside(func() { c.closeFile(r.tree, file) })
		}
		c.free = append(c.free, frame)
		return nil
	}
	r.answer, r.buffer = a, frame
	if r.user != by && len(frame) <= maxMessage { // what waits takes no more than it is long
		r.msg, r.buffer = slices.Clone(a.msg), nil
		c.free = append(c.free, frame)
	}
	return nil
}

// read reads one message and takes its protection off. It lies in frame.
func (c *conn) read() (a answer, frame []byte, encrypted bool, err error) {
	if frame, err = c.readFrame(); err != nil {
		return a, nil, false, err
	}
	msg := frame
	if encrypted = len(msg) >= transformSize && string(msg[:4]) == "\xfdSMB"; encrypted {
		if c.sealing == nil {
			return a, nil, false, fmt.Errorf("%w: encrypted without a session", errDamaged)
		}
		if msg, err = c.sealing.open(msg, c.session); err != nil {
			return a, nil, false, err
		}
	}
	if a.header, err = parseHeader(msg); err != nil {
		return a, nil, false, err
	}
	a.msg = msg
	switch {
	case c.checking == nil || encrypted:
	case a.isInterim(): // nothing is taken from it
	case a.flags&flagSigned == 0 || !verify(c.checking, msg):
		return a, nil, false, ErrUnprotected
	}
	if c.checking != nil && !a.isInterim() && a.session != c.session {
		return a, nil, false, fmt.Errorf("%w: session", errDamaged)
	}
	return a, frame, encrypted, nil
}

// readFrame reads one message as it travels. What an interrupted reader has read the next
// one goes on from.
func (c *conn) readFrame() ([]byte, error) {
	if c.frame == nil {
		length, err := c.in.Peek(4)
		if err != nil {
			if errors.Is(err, io.EOF) && len(length) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		n := binary.BigEndian.Uint32(length)
		_, _ = c.in.Discard(len(length))
		if c.frame, err = c.buffer(n); err != nil {
			return nil, err
		}
		c.got = 0
	}
	for c.got < len(c.frame) {
		n, err := c.in.Read(c.frame[c.got:])
		c.got += n
		c.came.Add(int64(n))
		if err != nil && c.got < len(c.frame) {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	frame := c.frame
	c.frame = nil
	return frame, nil
}

// buffer is one for a message of n bytes, and for the signature that opening it puts behind.
func (c *conn) buffer(n uint32) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n < headerSize && n < transformSize || n > uint32(c.largest) {
		return nil, fmt.Errorf("%w: message of %d bytes", errDamaged, n)
	}
	var b []byte
	if last := len(c.free) - 1; last >= 0 {
		b, c.free = c.free[last], c.free[:last]
	}
	return slices.Grow(b[:0], int(n)+signatureSize)[:n], nil
}
