package smb

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// command is what a message asks for, MS-SMB2 2.2.1.
type command uint16

const (
	cmdNegotiate    command = 0
	cmdSessionSetup command = 1
	cmdTreeConnect  command = 3
	cmdCreate       command = 5
	cmdClose        command = 6
	cmdRead         command = 8
	cmdWrite        command = 9
	cmdIoctl        command = 11
	cmdCancel       command = 12
	cmdEcho         command = 13
	cmdQueryFolder  command = 14
)

// Flags of a message, MS-SMB2 2.2.1.1.
const (
	flagResponse = 0x1
	flagAsync    = 0x2
	flagSigned   = 0x8
)

// Sizes and bounds, in bytes.
const (
	headerSize    = 64
	transformSize = 52
	signatureAt   = 48
	signatureSize = 16
	maxPayload    = 64 << 10                  // of a request or an answer, for one credit
	mostRead      = 1 << 20                   // of a file at once
	maxMessage    = maxPayload + 4*headerSize // of one that is read
)

// noMessage is the id of messages that answer no request.
const noMessage = 1<<64 - 1

// header is what all messages begin with.
type header struct {
	command command
	charge  int // credits that it takes
	status  Status
	credits int // asked for, or granted
	flags   uint32
	id      uint64
	async   uint64 // in place of the tree
	tree    uint32
	session uint64
}

// appendHeader appends the header of a request.
func (h *header) append(b []byte) []byte {
	b = append16(append(b, 0xfe, 'S', 'M', 'B'), headerSize, uint16(h.charge))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.command))
	b = binary.LittleEndian.AppendUint16(b, uint16(h.credits))
	b = binary.LittleEndian.AppendUint32(b, h.flags)
	b = binary.LittleEndian.AppendUint32(b, 0) // not compounded
	b = binary.LittleEndian.AppendUint64(b, h.id)
	if h.flags&flagAsync != 0 {
		b = binary.LittleEndian.AppendUint64(b, h.async)
	} else {
		b = append32(b, 0, h.tree)
	}
	b = binary.LittleEndian.AppendUint64(b, h.session)
	return append(b, make([]byte, signatureSize)...)
}

// errDamaged marks what no host that keeps to the protocol sends.
var errDamaged = errors.New("the host's answer is damaged")

// parseHeader reads the header of an answer.
func parseHeader(b []byte) (header, error) {
	if len(b) < headerSize || string(b[:4]) != "\xfeSMB" || b[4] != headerSize || b[5] != 0 {
		return header{}, fmt.Errorf("%w: SMB header", errDamaged)
	}
	h := header{
		status:  Status(binary.LittleEndian.Uint32(b[8:])),
		command: command(binary.LittleEndian.Uint16(b[12:])),
		credits: int(binary.LittleEndian.Uint16(b[14:])),
		flags:   binary.LittleEndian.Uint32(b[16:]),
		id:      binary.LittleEndian.Uint64(b[24:]),
		async:   binary.LittleEndian.Uint64(b[32:]),
		tree:    binary.LittleEndian.Uint32(b[36:]),
		session: binary.LittleEndian.Uint64(b[40:]),
	}
	if h.flags&flagResponse == 0 || binary.LittleEndian.Uint32(b[20:]) != 0 {
		return h, fmt.Errorf("%w: SMB flags", errDamaged)
	}
	return h, nil
}

// answer is a whole message that answers a request.
type answer struct {
	header
	msg []byte
}

// isInterim tells whether it answers nothing, or says that its answer comes later.
func (h *header) isInterim() bool {
	return h.id == noMessage || h.status == statusPending && h.flags&flagAsync != 0
}

// fixed returns the fixed part of an answer, of n bytes.
func (a *answer) fixed(n int) ([]byte, error) {
	body := a.msg[headerSize:]
	if len(body) < n {
		return nil, fmt.Errorf("%w: %d bytes for command %d", errDamaged, len(body), a.command)
	}
	return body[:n], nil
}

// part returns what is at an offset from the message's begin.
func (a *answer) part(offset, n uint32) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if end := uint64(offset) + uint64(n); offset < headerSize || end > uint64(len(a.msg)) {
		return nil, fmt.Errorf("%w: %d bytes at %d of %d", errDamaged, n, offset, len(a.msg))
	}
	return a.msg[offset : offset+n], nil
}

func append16(b []byte, values ...uint16) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}

func append32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
