// Package trace takes binary performance logs of Windows (.blg) apart. No public page
// describes them: what is known was worked out from the bytes of samples, and what is
// inferred says so.
//
// A log is an event trace: buffers of one size, with events in them. [Stream] gives the
// events of a file in order, from any place, with the fragments of long ones joined;
// [ReadList], [ReadNames], [ReadIndex] and [ReadSample] read what they carry. Nothing is
// allocated by what a file says of its sizes, only by the bytes that are there.
package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/wire/perflib"
)

// Kind is what an event of a log carries.
type Kind uint8

// The kinds of events.
const (
	KindList   Kind = 0x20 // the counters: see ReadList
	KindSample Kind = 0x22 // one sample of all of them: see ReadSample
	KindIndex  Kind = 0x23 // what there was, at the end: see ReadIndex
	KindNames  Kind = 0x24 // names of counters by their title indexes: see ReadNames
)

// What may be wrong with a log.
var (
	ErrNotTrace    = errors.New("not a binary log of Windows")
	ErrOtherTrace  = errors.New("an event trace of Windows (.etl) without counters")
	errBuffer      = errors.New("the head of a buffer is damaged")
	errEvent       = errors.New("an event is damaged: the rest of its buffer is left out")
	errFragment    = errors.New("a fragment of a sample is missing")
	errLong        = errors.New("a sample is too long")
	errRecord      = errors.New("a record is damaged")
	errList        = errors.New("the list of counters is damaged")
	errIndex       = errors.New("the index is damaged")
	errNoSuchNames = errors.New("the names of counters are damaged")
)

// providerGUID is that of the events of logs, 933f3bb3-943e-490d-9ced-3cbb14c14479.
const providerGUID = "\xb3\x3b\x3f\x93\x3e\x94\x0d\x49\x9c\xed\x3c\xbb\x14\xc1\x44\x79"

const (
	bufferHeaderBytes = 72 // of each buffer
	systemHeaderBytes = 32 // of the first event, and of others of the system
	eventHeaderBytes  = 72 // EVENT_TRACE_HEADER, GUID of the session, fragment, fragments
	traceHeaderBytes  = 56 // TRACE_LOGFILE_HEADER up to its two pointers
	zoneBytes         = 172

	leastBuffer = 1 << 10
	mostBuffer  = 16 << 20
)

var order = binary.LittleEndian

// Header is what the first buffer says.
type Header struct {
	BufferBytes  int
	PointerBytes int
	Mode         uint32 // LogFileMode
	Zone         Zone
}

// circularMode is EVENT_TRACE_FILE_MODE_CIRCULAR of LogFileMode.
const circularMode = 0x2

// IsWritten tells that a log is of the kind that [Writer] writes.
func (h *Header) IsWritten() bool {
	return h.BufferBytes == writtenBuffer && 2*h.PointerBytes == writtenPointers && h.Mode&circularMode == 0
}

// IsTrace tells an event trace from the first bytes of a file. Logs are some of them.
func IsTrace(head []byte) bool {
	if len(head) < bufferHeaderBytes+systemHeaderBytes {
		return false
	}
	size := order.Uint32(head)
	event := head[bufferHeaderBytes:]
	return size >= leastBuffer && size <= mostBuffer && size%8 == 0 &&
		event[3] == 0xC0 && (event[2] == 1 || event[2] == 2)
}

// ReadHeader reads the first buffer, as far as it is there.
func ReadHeader(b []byte) (h Header, err error) {
	if !IsTrace(b) {
		return h, ErrNotTrace
	}
	pointer := 4
	if b[bufferHeaderBytes+2] == 2 {
		pointer = 8
	}
	h.BufferBytes = int(order.Uint32(b))
	b = b[bufferHeaderBytes+systemHeaderBytes:]
	zone := traceHeaderBytes + 2*pointer
	times := (zone + zoneBytes + 7) &^ 7
	if len(b) < times+24 {
		return h, fmt.Errorf("%w: its first buffer is cut off", ErrNotTrace)
	}
	h.PointerBytes = pointer
	h.Mode = order.Uint32(b[32:])
	h.Zone = readZone(b[zone:])
	return h, nil
}

// fragment is an event as it stands in a buffer, perhaps one of several that make one.
type fragment struct {
	kind       Kind
	time       int64 // local, FILETIME
	number, of uint32
	payload    []byte
}

// readEvent reads the event at the beginning of b and tells how many bytes it takes.
// ours is false for events that are none of logs.
func readEvent(b []byte) (f fragment, size int, ours bool, err error) {
	if len(b) < systemHeaderBytes || b[3]&0x80 == 0 {
		return f, 0, false, errEvent
	}
	switch b[2] {
	case 1, 2: // of the system
		size = int(order.Uint16(b[4:]))
		if size < systemHeaderBytes || size > len(b) {
			return f, 0, false, errEvent
		}
		return f, size, false, nil
	case 0x0A, 0x14: // EVENT_TRACE_HEADER of 32 and 64 bits
		size = int(order.Uint16(b))
		if size < 48 || size > len(b) {
			return f, 0, false, errEvent
		}
	default:
		return f, 0, false, errEvent
	}
	if size < eventHeaderBytes || string(b[24:40]) != providerGUID {
		return f, size, false, nil
	}
	f = fragment{Kind(b[4]), int64(order.Uint64(b[16:])), order.Uint32(b[64:]), order.Uint32(b[68:]), b[eventHeaderBytes:size:size]}
	return f, size, true, nil
}

// Time is the moment of a local FILETIME.
func Time(ticks int64) time.Time { return cooker.TimeOf(uint64(ticks)).UTC() }

// textAt is the text that begins at a place and ends with its NUL, or with the bytes.
func textAt(b []byte, at uint32) perflib.Text {
	if uint64(at) >= uint64(len(b)) {
		return nil
	}
	b = b[at:]
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return perflib.Text(b[:i:i])
		}
	}
	return perflib.Text(b[: len(b)&^1 : len(b)&^1])
}
