package smb

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
)

// conn is a connection with one session and one tree. One request at a time is
// made on it, but for the reads of Pipe.Expect.
type conn struct {
	nc net.Conn
	in *bufio.Reader

	dialect  Dialect
	offer    []byte // body of the request that was negotiated by
	server   serverTerms
	preauth  [64]byte // hash of the messages before the session, 3.1.1
	session  uint64
	tree     uint32
	next     uint64 // message id
	credits  int
	signing  signer // nil until the session is there
	sealing  *sealer
	sealed   bool               // everything is encrypted
	early    map[uint64]*answer // that came before they were waited for
	sent     []byte
	received []byte
	plain    []byte
}

// readAhead holds the small messages of a quiet connection in one read.
const readAhead = 4096

func newConn(nc net.Conn) *conn {
	return &conn{nc: nc, in: bufio.NewReaderSize(nc, readAhead), credits: 1, early: map[uint64]*answer{}}
}

// wantedCredits is how many requests may be under way.
const wantedCredits = 64

var errNoCredits = errors.New("the host allows no further request")

// send sends a request and returns its id.
func (c *conn) send(cmd command, body []byte) (uint64, error) {
	if c.credits < 1 {
		return 0, errNoCredits
	}
	h := header{command: cmd, credits: wantedCredits, id: c.next, tree: c.tree, session: c.session}
	if c.signing != nil && !c.sealed {
		h.flags |= flagSigned
	}
	c.next++
	c.credits--
	start := 4 // of the length before each message
	if c.sealed {
		start += transformSize
	}
	b := slices.Grow(c.sent[:0], start+headerSize+len(body)+signatureSize)[:start]
	b = append(h.append(b), body...)
	switch {
	case c.sealed:
		b = c.sealing.seal(b, 4, c.session)
	case c.signing != nil:
		copy(b[start+signatureAt:], c.signing.sign(b[start:]))
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	c.sent = b
	_, err := c.nc.Write(b)
	return h.id, err
}

// maxStrays bounds the messages that answer nothing before one that does.
const maxStrays = 64

// receive reads the answer to the request with the id. One that tells that the
// answer comes later is waited over; those to the reads others, which may come
// before, are kept for who receives them.
func (c *conn) receive(id uint64, cmd command, others ...uint64) (*answer, error) {
	if a := c.early[id]; a != nil {
		delete(c.early, id)
		return a, nil
	}
	for range maxStrays + len(others) {
		a, err := c.read()
		if err != nil {
			return nil, err
		}
		c.credits += a.credits
		if a.id == noMessage || a.status == statusPending && a.flags&flagAsync != 0 {
			continue
		}
		if a.command == cmdRead && c.early[a.id] == nil && slices.Contains(others, a.id) {
			a.msg = slices.Clone(a.msg)
			c.early[a.id] = a
			continue
		}
		if a.id != id || a.command != cmd {
			return nil, fmt.Errorf("%w: message %d of command %d, not %d of %d", errDamaged, a.id, a.command, id, cmd)
		}
		return a, nil
	}
	return nil, fmt.Errorf("%w: no end of messages that answer nothing", errDamaged)
}

// exchange sends a request and reads its answer. An answer with one of the
// statuses fine is none that refuses.
func (c *conn) exchange(cmd command, body []byte, fine ...Status) (*answer, error) {
	id, err := c.send(cmd, body)
	if err != nil {
		return nil, err
	}
	a, err := c.receive(id, cmd)
	if err != nil {
		return nil, err
	}
	if a.status != statusOK && !slices.Contains(fine, a.status) {
		return nil, a.status
	}
	return a, nil
}

// ErrUnprotected is an answer that anybody could have made.
var ErrUnprotected = errors.New("an answer was not signed: something between here and the host may change the traffic")

// read reads one message and takes its protection off.
func (c *conn) read() (*answer, error) {
	msg, err := c.readFrame()
	if err != nil {
		return nil, err
	}
	encrypted := len(msg) >= transformSize && string(msg[:4]) == "\xfdSMB"
	if encrypted {
		if c.sealing == nil {
			return nil, fmt.Errorf("%w: encrypted without a session", errDamaged)
		}
		if c.plain, err = c.sealing.open(c.plain[:0], msg, c.session); err != nil {
			return nil, err
		}
		msg = c.plain
	}
	h, err := parseHeader(msg)
	if err != nil {
		return nil, err
	}
	a := &answer{h, msg}
	interim := h.status == statusPending && h.flags&flagAsync != 0 || h.id == noMessage
	switch {
	case c.signing == nil || encrypted:
	case c.sealed:
		return nil, fmt.Errorf("%w (and not encrypted)", ErrUnprotected)
	case interim: // nothing is taken from it
	case h.flags&flagSigned == 0 || !verify(c.signing, msg):
		return nil, ErrUnprotected
	}
	if c.signing != nil && !interim && h.session != c.session {
		return nil, fmt.Errorf("%w: session", errDamaged)
	}
	return a, nil
}

// readFrame reads one message as it travels.
func (c *conn) readFrame() ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(c.in, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n < headerSize && n < transformSize || n > maxMessage {
		return nil, fmt.Errorf("%w: message of %d bytes", errDamaged, n)
	}
	c.received = slices.Grow(c.received[:0], int(n))[:n]
	if _, err := io.ReadFull(c.in, c.received); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return c.received, nil
}
