package server

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"

	"perfdeck/session/wire/rpc"
)

// A Samba server hands \PIPE\winreg to whoever listens on the socket `winreg`
// below `np` of its "ncalrpc dir", when it does not start helpers of its own
// ("rpc start on demand helpers = no"). On each connection it says first who its
// client is (librpc/idl/named_pipe_auth.idl of Samba), then come messages: PDUs,
// each behind its length.

// The level of the hand-over that is served, that of Samba 4.17.
const sambaLevel = 7

// ErrSambaLevel says that smbd is of a version whose hand-over is another one.
var ErrSambaLevel = fmt.Errorf("smbd hands the pipe over in another way than Samba 4.17, whose level is %d", sambaLevel)

var errHandOver = errors.New("what smbd says of its client cannot be read")

// ListenSambaPipe listens where smbd hands \PIPE\winreg over. The connections
// that it gives are streams of PDUs, as those of TCP are; their address is that
// of smbd's client. The socket is for its owner and root alone, who smbd is. One
// that is left from an earlier run is replaced.
func ListenSambaPipe(path string) (net.Listener, error) {
	path = filepath.Clean(path)
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		if c, err := net.Dial("unix", path); err == nil { //nolint:noctx // it is this computer's
			_ = c.Close()
			return nil, fmt.Errorf("listen on %s: %w", path, ErrPipeTaken)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("replace the socket of an earlier run: %w", err)
		}
	}
	l, err := net.Listen("unix", path) //nolint:noctx // it is this computer's
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return sambaListener{l}, nil
}

// ErrPipeTaken says that another program answers smbd already.
var ErrPipeTaken = errors.New("another program serves this pipe")

type sambaListener struct{ net.Listener }

func (l sambaListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &sambaConn{Conn: c}, nil
}

// sambaConn is a connection of smbd as a stream of PDUs. The hand-over is read
// with the first PDU, so that a silent one keeps no other waiting.
type sambaConn struct {
	net.Conn
	client atomic.Pointer[net.TCPAddr] // smbd's; nil before the hand-over
	taken  bool
	left   int // bytes of the message that is being read
	out    []byte
}

// RemoteAddr is the address of smbd's client, once it is known.
func (c *sambaConn) RemoteAddr() net.Addr {
	if a := c.client.Load(); a != nil {
		return a
	}
	return c.Conn.RemoteAddr()
}

func (c *sambaConn) Read(p []byte) (int, error) {
	if !c.taken {
		client, err := receiveHandOver(c.Conn)
		if err != nil {
			return 0, err
		}
		c.client.Store(client)
		c.taken = true
	}
	for c.left == 0 {
		var length [2]byte
		if _, err := io.ReadFull(c.Conn, length[:]); err != nil {
			return 0, err
		}
		c.left = int(binary.LittleEndian.Uint16(length[:]))
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// Write sends PDUs, each as a message.
func (c *sambaConn) Write(p []byte) (int, error) {
	const at, least = 8, 16 // frag_length and the header, C706 12.6.3.1
	sent := 0
	for rest := p; len(rest) > 0; rest = p[sent:] {
		n := len(rest)
		if n >= least {
			n = min(n, max(least, int(binary.LittleEndian.Uint16(rest[at:]))))
		}
		if n > 0xFFFF {
			return sent, fmt.Errorf("message of %d bytes: more than its length can say", n)
		}
		c.out = append(binary.LittleEndian.AppendUint16(c.out[:0], uint16(n)), rest[:n]...)
		if _, err := c.Conn.Write(c.out); err != nil {
			return sent, err
		}
		sent += n
	}
	return sent, nil
}

// Limits of what smbd says: most of it is about its client's rights, which are
// not used.
const (
	mostHandOver = 1 << 20
	readHandOver = 4096
)

// receiveHandOver reads what smbd says of its client and answers it.
func receiveHandOver(rw io.ReadWriter) (*net.TCPAddr, error) {
	var length [4]byte
	if _, err := io.ReadFull(rw, length[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(length[:]))
	if n > mostHandOver {
		return nil, fmt.Errorf("%w: it has %d bytes", errHandOver, n)
	}
	b := make([]byte, min(n, readHandOver))
	_, err := io.ReadFull(rw, b)
	if err == nil {
		_, err = io.CopyN(io.Discard, rw, n-int64(len(b)))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errHandOver, err)
	}
	level, client, err := parseHandOver(b)
	status := uint32(0)
	if err != nil {
		status = statusNotSupported
	}
	if level == 0 { // not even that is known
		return nil, err
	}
	_, failure := rw.Write(appendHandOverReply(nil, level, status))
	return client, errors.Join(err, failure)
}

// parseHandOver reads the level and the address of smbd's client:
// named_pipe_auth_req with the beginning of named_pipe_auth_req_info7, whose
// texts follow it.
func parseHandOver(b []byte) (level uint32, client *net.TCPAddr, err error) {
	n := rpc.ReadNDR(b, func(int, string) error { return errHandOver })
	var magic []byte
	n.Raw(&magic, len(handOverMagic))
	if n.U32(&level); string(magic) != handOverMagic || level == 0 {
		return 0, nil, fmt.Errorf("%w: it does not begin with %s", errHandOver, handOverMagic)
	}
	if level != sambaLevel {
		return level, nil, fmt.Errorf("%w: this one's is %d", ErrSambaLevel, level)
	}
	n.Ignored(0, 0) // the level again, and the transport
	hasName, hasAddress := n.Pointer(true), n.Pointer(true)
	var port uint16
	n.U16(&port)
	n.Ignored(0, 0, 0, 0)   // name, address and port of the server, the client's account
	text := func() string { // conformant, varying, with its NUL
		var b []byte
		n.Ignored(0, 0) // maximum and offset
		n.Raw(&b, n.Count(0, 1, readHandOver))
		return string(bytes.TrimRight(b, "\x00"))
	}
	var address string
	if hasName {
		text()
	}
	if hasAddress {
		address = text()
	}
	ip, err := netip.ParseAddr(address)
	if n.Err() != nil || err != nil {
		return level, nil, fmt.Errorf("%w: it names no address", errHandOver)
	}
	return level, net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, port)), nil
}

const (
	handOverMagic      = "NPAM"
	statusNotSupported = 0xC00000BB // STATUS_NOT_SUPPORTED of ntstatus.h
)

// appendHandOverReply appends named_pipe_auth_rep: a pipe of messages, or why
// not.
func appendHandOverReply(b []byte, level, status uint32) []byte {
	const (
		messageMode = 2      // FILE_TYPE_MESSAGE_MODE_PIPE
		deviceState = 0x05FF // as smbd's own pipes have it
		allocation  = 4096
		length      = 32
	)
	b = append(binary.BigEndian.AppendUint32(b, length), handOverMagic...)
	b = binary.LittleEndian.AppendUint32(b, level)
	b = binary.LittleEndian.AppendUint32(b, level)
	b = binary.LittleEndian.AppendUint16(b, messageMode)
	b = binary.LittleEndian.AppendUint16(b, deviceState)
	b = binary.LittleEndian.AppendUint32(b, 0) // alignment
	b = binary.LittleEndian.AppendUint64(b, allocation)
	return binary.LittleEndian.AppendUint32(b, status)
}
