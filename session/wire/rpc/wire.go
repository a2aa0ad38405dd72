package rpc

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// wire reads and writes whole PDUs. It keeps one buffer for each direction,
// grown to what passes through it.
type wire struct {
	rw    io.ReadWriter
	in    *bufio.Reader
	limit int // of a PDU read
	most  int // size of the largest PDU that was read
	pdu   []byte
	out   []byte
}

// readAhead holds the small PDUs of a quiet connection in one read.
const readAhead = 1024

func newWire(rw io.ReadWriter, limit int) *wire {
	return &wire{rw: rw, in: bufio.NewReaderSize(rw, readAhead), limit: limit}
}

// readHeader waits for a PDU and reads its header.
func (w *wire) readHeader() (header, error) {
	w.pdu = slices.Grow(w.pdu[:0], headerSize)[:headerSize]
	if _, err := io.ReadFull(w.in, w.pdu); err != nil {
		return header{}, err
	}
	return parseHeader(w.pdu, w.limit)
}

// readBody reads the rest of the PDU and returns all of it, valid until the next
// PDU is read.
func (w *wire) readBody(h header) ([]byte, error) {
	w.pdu = slices.Grow(w.pdu, h.length-len(w.pdu))[:h.length]
	if _, err := io.ReadFull(w.in, w.pdu[headerSize:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("PDU is cut off: %w", err)
	}
	w.most = max(w.most, h.length)
	return w.pdu, nil
}

func (w *wire) write(pdu []byte) error {
	w.out = pdu[:0]
	_, err := w.rw.Write(pdu)
	return err
}

// fragments are how a stub goes out: as many PDUs as it needs.
type fragments struct {
	kind    pduType // pduRequest or pduResponse
	callID  uint32
	context uint16           // presentation context
	op      opnum            // of a request
	object  [objectSize]byte // that the method of a request is of; zero: of none
	max     int              // size of a fragment that the peer takes
	around  int              // bytes of a protected fragment besides the header and its part of the stub
	// protect seals a whole PDU but its trailer, and fills in the lengths.
	protect func(pdu []byte) ([]byte, error)
	write   func(pdu []byte) error
}

// send sends a stub; the PDUs are made in buf.
func (f *fragments) send(buf, stub []byte) error {
	room := f.max - callHeaderSize - f.around
	object := uint8(0)
	if f.object != [objectSize]byte{} {
		room, object = room-objectSize, flagObject
	}
	room &^= payloadAlignment - 1
	total := len(stub)
	flags := uint8(flagFirst)
	for {
		part := stub[:min(room, len(stub))]
		stub = stub[len(part):]
		if len(stub) == 0 {
			flags |= flagLast
		}
		out := appendHeader(buf[:0], f.kind, flags|object, f.callID)
		out = binary.LittleEndian.AppendUint32(out, uint32(total))
		out = binary.LittleEndian.AppendUint16(out, f.context)
		out = binary.LittleEndian.AppendUint16(out, uint16(f.op))
		if object != 0 {
			out = append(out, f.object[:]...)
		}
		out, err := f.protect(append(out, part...))
		if err == nil {
			err = f.write(out)
		}
		if err != nil || flags&flagLast != 0 {
			return err
		}
		flags = 0
	}
}

// appendTrailer pads the payload of a call's PDU and appends the trailer, which
// it returns the position of. The lengths count the signature that follows. An object's
// UUID before the payload is as long as what is padded to.
func appendTrailer(pdu []byte, t trailer, signature int) (out []byte, at int) {
	t.pad = -(len(pdu) - callHeaderSize) & (payloadAlignment - 1)
	pdu = append(pdu, make([]byte, t.pad)...)
	at = len(pdu)
	pdu = t.append(pdu)
	setLengths(pdu, len(pdu)+signature, signature)
	return pdu, at
}
