package smb

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"perfdeck/session/system/guard"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/perflib"
)

// fileID names an open file.
type fileID [16]byte

// noFile is the id where a control concerns no file.
var noFile = fileID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// Control codes, MS-FSCC 2.3.
const (
	fsctlTransceive = 0x0011C017
	fsctlValidate   = 0x00140204
)

// opened is an open pipe or file.
type opened struct {
	s    *Session
	tree *tree
	file fileID
	user user
	once sync.Once
}

// Session is what it is open on.
func (o *opened) Session() *Session { return o.s }

// closeTime is how long a host may take to close a pipe or file, and to answer at all when it
// takes longer, as Samba does until what is under way with a pipe has ended.
const closeTime = 5 * time.Second

var errUnclosed = errors.New("the host does not close what it has open, and answers nothing else")

// Close gives the file back, and ends what is under way with it.
func (o *opened) Close() error {
	o.once.Do(func() {
		c := o.s.c
		c.end(&o.user, net.ErrClosed)
		if o.s.leave() {
			return
		}
		guard.Beside(func() {
			c.cancel(&o.user)
			c.closeFile(o.tree, o.file)
		})
	})
	return nil
}

// closeFile has the host close a file. One that answers neither to that nor to anything else
// has the connection ended.
func (c *conn) closeFile(t *tree, file fileID) {
	late := time.AfterFunc(closeTime, func() {
		mute := time.AfterFunc(closeTime, func() { c.fail(errUnclosed) })
		defer mute.Stop()
		_, _ = c.exchange(&user{}, nil, cmdEcho, append16(nil, 4, 0))
	})
	defer late.Stop()
	b := append32(append16(nil, 24, 0), 0)
	_, _ = c.exchange(&user{}, t, cmdClose, append(b, file[:]...)) // what it refuses to close is not open
}

// Pipe is an open named pipe in message mode. It is a net.Conn: what is written
// is sent with the next Read in one exchange, so that a call costs one.
type Pipe struct {
	opened

	pending []byte     // written and not sent yet
	left    []byte     // received and not read yet
	ahead   []*request // reads that were sent, in their order
	body    []byte     // of what is sent
}

// Patience is how long a pipe that is not there is asked for again: Windows starts the
// service behind it when it is asked for.
type Patience struct {
	Most   time.Duration       // default 10 s; negative: not at all
	Begins func(time.Duration) // hears of it before; may be nil
	Opened func(detail string) // hears that it is open; may be nil
}

// Pipe opens a named pipe, without \PIPE\ in its name. One that is not there it asks for
// again for a while.
func (s *Session) Pipe(ctx context.Context, name string, p Patience) (*Pipe, error) {
	t, err := s.connect(ctx, `IPC$`, sharePipe)
	if err != nil {
		return nil, err
	}
	file, err := s.await(ctx, t, name, p)
	if err != nil {
		return nil, &Error{Opened, `open \PIPE\` + name, err}
	}
	s.join()
	return &Pipe{opened: opened{s: s, tree: t, file: file}}, nil
}

// await opens a pipe that may not be there yet.
func (s *Session) await(ctx context.Context, t *tree, name string, p Patience) (fileID, error) {
	const (
		pause     = 250 * time.Millisecond
		readWrite = 0x0012019F // FILE_GENERIC_READ and FILE_GENERIC_WRITE
		shared    = 3
		noFolder  = 0x40
	)
	p.Most = cmp.Or(p.Most, 10*time.Second)
	u, stop := s.c.within(ctx)
	defer stop()
	for waited := time.Duration(0); ; waited += pause {
		a, err := s.c.create(u, t, name, readWrite, shared, noFolder)
		if err == nil {
			detail := ""
			if waited > 0 {
				detail = "after " + english.Span(waited) + ", in which the host started the service behind it"
			}
			if p.Opened != nil {
				p.Opened(detail)
			}
			return createdBy(a)
		}
		if !errors.Is(err, statusNameNotFound) && !errors.Is(err, statusNotAvailable) || waited >= p.Most {
			return fileID{}, err
		}
		if waited == 0 && p.Begins != nil {
			p.Begins(p.Most)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fileID{}, context.Cause(ctx)
		}
	}
}

// create opens a file of a share that is there.
func (c *conn) create(u *user, t *tree, name string, access, shared, options uint32) (*answer, error) {
	const (
		impersonation = 2
		existing      = 1
	)
	text := perflib.UTF16(name)
	b := append16(nil, 57)
	b = append(b, 0, 0)
	b = append32(b, impersonation, 0, 0, 0, 0, access, 0, shared, existing, options)
	b = append16(b, headerSize+56, uint16(len(text)))
	b = append(append32(b, 0, 0), text...)
	if len(text) == 0 { // the buffer may not be empty
		b = append(b, 0)
	}
	return c.exchange(u, t, cmdCreate, b)
}

// createdBy is the file that an answer is about.
func createdBy(a *answer) (fileID, error) {
	b, err := a.fixed(88)
	if err != nil {
		return fileID{}, err
	}
	return fileID(b[64:80]), nil
}

// appendControl is the body of a control with at most limit bytes of output.
func appendControl(b []byte, code uint32, file fileID, in []byte, limit uint32) []byte {
	const isFSCTL = 1
	b = append32(append16(b, 57, 0), code)
	b = append(b, file[:]...)
	b = append32(b, headerSize+56, uint32(len(in)), 0, 0, 0, limit, isFSCTL, 0)
	return append(b, in...)
}

// control makes a control.
func (c *conn) control(u *user, t *tree, body []byte, limit uint32) ([]byte, error) {
	a, err := c.exchange(u, t, cmdIoctl, body, statusBufferOverflow)
	if err != nil {
		return nil, err
	}
	b, err := a.fixed(48)
	if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(b[36:])
	if n > limit {
		return nil, fmt.Errorf("%w: %d bytes of %d", errDamaged, n, limit)
	}
	return a.part(binary.LittleEndian.Uint32(b[32:]), n)
}

// Write takes one message. It is sent with the next Read, or before the next
// Write.
func (p *Pipe) Write(msg []byte) (int, error) {
	if len(msg) > maxPayload {
		return 0, fmt.Errorf("%w: message of %d bytes", errDamaged, len(msg))
	}
	if err := p.flush(); err != nil {
		return 0, err
	}
	p.pending = append(p.pending[:0], msg...)
	return len(msg), nil
}

// flush sends what was written by a write of its own.
func (p *Pipe) flush() error {
	if len(p.pending) == 0 {
		return nil
	}
	b := append16(p.body[:0], 49, headerSize+48)
	b = append32(b, uint32(len(p.pending)), 0, 0)
	b = append(b, p.file[:]...)
	p.body = append(append32(b, 0, 0, 0, 0), p.pending...)
	p.pending = p.pending[:0]
	_, err := p.s.c.exchange(&p.user, p.tree, cmdWrite, p.body)
	return err
}

// Read waits for a message, or goes on with the one that did not fit.
func (p *Pipe) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		msg, err := p.receive()
		if err != nil {
			return 0, err
		}
		p.left = msg
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *Pipe) receive() (msg []byte, err error) {
	switch {
	case len(p.ahead) > 0:
		if err := p.flush(); err != nil { // what these reads wait for may be its answer
			return nil, err
		}
	case len(p.pending) > 0:
		p.body = appendControl(p.body[:0], fsctlTransceive, p.file, p.pending, maxPayload)
		p.pending = p.pending[:0]
		msg, err = p.s.c.control(&p.user, p.tree, p.body, maxPayload)
		return message(msg, err)
	default:
		if err := p.ask(); err != nil {
			return nil, err
		}
	}
	r := p.ahead[0]
	p.ahead = p.ahead[1:]
	return message(p.s.c.dataOf(r))
}

// message is one of a pipe: there are no empty ones.
func message(msg []byte, err error) ([]byte, error) {
	if err == nil && len(msg) == 0 {
		err = fmt.Errorf("%w: empty message", errDamaged)
	}
	return msg, err
}

// maxAhead bounds the reads under way: 5 MB of the smallest fragments that hosts
// send.
const maxAhead = 1024

// Expect tells that at least n messages follow the last that was read: they are
// asked for at once, as far as the host and the other users let us, and not one by one.
func (p *Pipe) Expect(n int) error {
	for n = min(n, maxAhead) - len(p.ahead); n > 0 && p.s.c.room(&p.user) > 0; n-- {
		if err := p.ask(); err != nil {
			return err
		}
	}
	return nil
}

// ask sends a read.
func (p *Pipe) ask() error {
	p.body = appendRead(p.body[:0], p.file, 0, maxPayload)
	r, err := p.s.c.send(&p.user, p.tree, cmdRead, 1, p.body)
	if err == nil {
		p.ahead = append(p.ahead, r)
	}
	return err
}

// appendRead is the body of a read.
func appendRead(b []byte, file fileID, offset uint64, n int) []byte {
	b = append32(append16(b, 49, 0x50), uint32(n))
	b = binary.LittleEndian.AppendUint64(b, offset)
	b = append(b, file[:]...)
	return append(append32(b, 0, 0, 0, 0), 0)
}

// dataOf is the data of the answer to a read.
func (c *conn) dataOf(r *request) ([]byte, error) {
	a, err := c.answerTo(r)
	if err != nil {
		return nil, err
	}
	if a.status != statusOK && a.status != statusBufferOverflow {
		return nil, a.status
	}
	b, err := a.fixed(16)
	if err != nil {
		return nil, err
	}
	return a.part(uint32(b[2]), binary.LittleEndian.Uint32(b[4:]))
}

// The rest of net.Conn.

// LocalAddr is the address of this end of the connection.
func (p *Pipe) LocalAddr() net.Addr { return p.s.c.nc.LocalAddr() }

// RemoteAddr is the address of the host.
func (p *Pipe) RemoteAddr() net.Addr { return p.s.c.nc.RemoteAddr() }

// SetDeadline is not for pipes, which share their connection: Close ends what waits.
func (p *Pipe) SetDeadline(time.Time) error { return os.ErrNoDeadline }

// SetReadDeadline is not for pipes.
func (p *Pipe) SetReadDeadline(time.Time) error { return os.ErrNoDeadline }

// SetWriteDeadline is not for pipes.
func (p *Pipe) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

var _ net.Conn = (*Pipe)(nil)
