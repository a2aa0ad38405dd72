package smb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"perfdeck/session/text/english"
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

// Pipe is an open named pipe in message mode. It is a net.Conn: what is written
// is sent with the next Read in one exchange, so that a call costs one.
type Pipe struct {
	c       *conn
	file    fileID
	pending []byte   // written and not sent yet
	left    []byte   // received and not read yet
	ahead   []uint64 // ids of reads that were sent, in their order
}

// openPipe opens the pipe; one that is not there it asks for again for a while.
func (c *conn) openPipe(ctx context.Context, o *Options) (*Pipe, error) {
	const pause = 250 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		file, err := c.create(o.Pipe)
		if err == nil {
			detail := ""
			if waited > 0 {
				detail = "after " + english.Span(waited) + ", in which the host started the service behind it"
			}
			o.Progress(Opened, detail)
			return &Pipe{c: c, file: file}, nil
		}
		if !errors.Is(err, statusNameNotFound) && !errors.Is(err, statusNotAvailable) || waited >= o.Wait {
			return nil, err
		}
		if waited == 0 {
			o.Waits(o.Wait)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// create opens a file of the tree for reading and writing.
func (c *conn) create(name string) (fileID, error) {
	const (
		impersonation = 2
		readWrite     = 0x0012019F // FILE_GENERIC_READ and FILE_GENERIC_WRITE
		shared        = 3
		existing      = 1
		noDirectory   = 0x40
	)
	text := appendText(nil, name)
	b := append16(nil, 57)
	b = append(b, 0, 0)
	b = append32(b, impersonation, 0, 0, 0, 0, readWrite, 0, shared, existing, noDirectory)
	b = append16(b, headerSize+56, uint16(len(text)))
	b = append(append32(b, 0, 0), text...)
	a, err := c.exchange(cmdCreate, b)
	if err != nil {
		return fileID{}, err
	}
	if b, err = a.fixed(88); err != nil {
		return fileID{}, err
	}
	return fileID(b[64:80]), nil
}

// ioctl makes a control with at most limit bytes of output.
func (c *conn) ioctl(code uint32, file fileID, in []byte, limit uint32) ([]byte, error) {
	const isFSCTL = 1
	b := append32(append16(nil, 57, 0), code)
	b = append(b, file[:]...)
	b = append32(b, headerSize+56, uint32(len(in)), 0, 0, 0, limit, isFSCTL, 0)
	a, err := c.exchange(cmdIoctl, append(b, in...), statusBufferOverflow)
	if err != nil {
		return nil, err
	}
	if b, err = a.fixed(48); err != nil {
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
	b := append16(nil, 49, headerSize+48)
	b = append32(b, uint32(len(p.pending)), 0, 0)
	b = append(b, p.file[:]...)
	b = append(append32(b, 0, 0, 0, 0), p.pending...)
	p.pending = p.pending[:0]
	id, err := p.c.send(cmdWrite, b)
	if err != nil {
		return err
	}
	a, err := p.c.receive(id, cmdWrite, p.ahead...)
	if err == nil && a.status != statusOK {
		err = a.status
	}
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

func (p *Pipe) receive() ([]byte, error) {
	switch {
	case len(p.ahead) > 0:
		if err := p.flush(); err != nil { // what these reads wait for may be its answer
			return nil, err
		}
		id := p.ahead[0]
		p.ahead = p.ahead[1:]
		return p.dataOf(p.c.receive(id, cmdRead))
	case len(p.pending) > 0:
		msg, err := p.c.ioctl(fsctlTransceive, p.file, p.pending, maxPayload)
		p.pending = p.pending[:0]
		if err == nil && len(msg) == 0 {
			err = fmt.Errorf("%w: empty message", errDamaged)
		}
		return msg, err
	}
	id, err := p.ask()
	if err != nil {
		return nil, err
	}
	return p.dataOf(p.c.receive(id, cmdRead))
}

// maxAhead bounds the reads under way: 5 MB of the smallest fragments that hosts
// send.
const maxAhead = 1024

// Expect tells that at least n messages follow the last that was read: they are
// asked for at once, as far as the host lets us, and not one by one.
func (p *Pipe) Expect(n int) error {
	for n = min(n, maxAhead) - len(p.ahead); n > 0 && p.c.credits > 1; n-- {
		id, err := p.ask()
		if err != nil {
			return err
		}
		p.ahead = append(p.ahead, id)
	}
	return nil
}

// ask sends a read.
func (p *Pipe) ask() (uint64, error) {
	b := append16(nil, 49, 0x50)
	b = append32(b, maxPayload, 0, 0)
	b = append(b, p.file[:]...)
	b = append32(b, 0, 0, 0, 0)
	return p.c.send(cmdRead, append(b, 0))
}

// dataOf is the data of the answer to a read.
func (p *Pipe) dataOf(a *answer, err error) ([]byte, error) {
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
	msg, err := a.part(uint32(b[2]), binary.LittleEndian.Uint32(b[4:]))
	if err == nil && len(msg) == 0 {
		err = fmt.Errorf("%w: empty message", errDamaged)
	}
	return msg, err
}

// Close closes the connection, by which the host ends session and pipe; it ends
// what is under way.
func (p *Pipe) Close() error { return p.c.nc.Close() }

// The rest of net.Conn.

// LocalAddr is the address of this end of the connection.
func (p *Pipe) LocalAddr() net.Addr { return p.c.nc.LocalAddr() }

// RemoteAddr is the address of the host.
func (p *Pipe) RemoteAddr() net.Addr { return p.c.nc.RemoteAddr() }

// SetDeadline bounds reads and writes from now on.
func (p *Pipe) SetDeadline(t time.Time) error { return p.c.nc.SetDeadline(t) }

// SetReadDeadline bounds reads from now on.
func (p *Pipe) SetReadDeadline(t time.Time) error { return p.c.nc.SetReadDeadline(t) }

// SetWriteDeadline bounds writes from now on.
func (p *Pipe) SetWriteDeadline(t time.Time) error { return p.c.nc.SetWriteDeadline(t) }

var _ net.Conn = (*Pipe)(nil)
