package rpc

import (
	"bufio"
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
	return w.pdu, nil
}

func (w *wire) write(pdu []byte) error {
	w.out = pdu[:0]
	_, err := w.rw.Write(pdu)
	return err
}
