package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// pduType is the kind of a protocol data unit, C706 12.6.
type pduType uint8

const (
	pduRequest       pduType = 0
	pduResponse      pduType = 2
	pduFault         pduType = 3
	pduBind          pduType = 11
	pduBindAck       pduType = 12
	pduBindNak       pduType = 13
	pduAlter         pduType = 14
	pduAlterResponse pduType = 15
	pduAuth3         pduType = 16
	pduShutdown      pduType = 17
	pduCancel        pduType = 18
	pduOrphaned      pduType = 19
)

// Flags of a PDU, C706 12.6.3.1 and MS-RPCE 2.2.2.3.
const (
	flagFirst      = 0x01
	flagLast       = 0x02
	flagHeaderSign = 0x04 // in bind, alter_context and their answers
	flagMultiplex  = 0x10 // in bind and its answer: calls may be under way side by side
	flagNotRun     = 0x20 // in faults: the call was not executed
	flagObject     = 0x80 // a request with an object UUID
)

// Sizes of the fixed parts, in bytes.
const (
	headerSize       = 16
	callHeaderSize   = 24 // of request and response
	objectSize       = 16 // of the object's UUID, which follows the header of a request that has one
	faultSize        = 32
	trailerSize      = 8  // sec_trailer, MS-RPCE 2.2.2.11
	signatureSize    = 16 // NTLM's
	minFragmentSize  = 1432
	maxFragmentSize  = 65528 // what a 16-bit length holds, a multiple of 8
	payloadAlignment = 16    // of protected payloads, MS-RPCE 2.2.2.11
)

// authType is the security provider, MS-RPCE 2.2.1.1.7.
type authType uint8

const (
	authSPNEGO authType = 9
	authNTLM   authType = 10
)

// authLevel is the protection of calls, MS-RPCE 2.2.1.1.8.
type authLevel uint8

const (
	levelNone      authLevel = 1
	levelConnect   authLevel = 2
	levelPacket    authLevel = 4
	levelIntegrity authLevel = 5
	levelPrivacy   authLevel = 6
)

// header is what all PDUs begin with.
type header struct {
	kind   pduType
	flags  uint8
	length int // of the whole PDU
	auth   int // of the authentication value
	callID uint32
}

var errHeader = errors.New("damaged PDU header")

// parseHeader reads a header of headerSize bytes; limit is the longest PDU
// allowed.
func parseHeader(b []byte, limit int) (header, error) {
	h := header{
		kind:   pduType(b[2]),
		flags:  b[3],
		length: int(binary.LittleEndian.Uint16(b[8:])),
		auth:   int(binary.LittleEndian.Uint16(b[10:])),
		callID: binary.LittleEndian.Uint32(b[12:]),
	}
	switch {
	case b[0] != 5 || b[1] > 1:
		return h, fmt.Errorf("%w: version %d.%d", errHeader, b[0], b[1])
	case b[4] != 0x10 || b[5] != 0:
		return h, fmt.Errorf("%w: data representation %02x %02x", errHeader, b[4], b[5])
	case h.length < headerSize || h.length > limit:
		return h, fmt.Errorf("%w: length %d", errHeader, h.length)
	case h.auth > 0 && h.auth+trailerSize+headerSize > h.length:
		return h, fmt.Errorf("%w: authentication length %d", errHeader, h.auth)
	}
	return h, nil
}

// appendHeader appends a header with lengths of 0, which finish fills in.
func appendHeader(b []byte, kind pduType, flags uint8, callID uint32) []byte {
	b = append(b, 5, 0, byte(kind), flags, 0x10, 0, 0, 0, 0, 0, 0, 0)
	return binary.LittleEndian.AppendUint32(b, callID)
}

// setLengths fills in the lengths of a PDU whose last auth bytes are its
// authentication value.
func setLengths(pdu []byte, length, auth int) {
	binary.LittleEndian.PutUint16(pdu[8:], uint16(length))
	binary.LittleEndian.PutUint16(pdu[10:], uint16(auth))
}

// payloadAt is where the payload of a call's PDU begins.
func payloadAt(pdu []byte) int {
	if pduType(pdu[2]) == pduRequest && pdu[3]&flagObject != 0 {
		return callHeaderSize + objectSize
	}
	return callHeaderSize
}

// trailer is the sec_trailer before an authentication value.
type trailer struct {
	kind    authType
	level   authLevel
	pad     int // bytes between payload and trailer
	context uint32
}

func (t trailer) append(b []byte) []byte {
	b = append(b, byte(t.kind), byte(t.level), byte(t.pad), 0)
	return binary.LittleEndian.AppendUint32(b, t.context)
}

// split takes a PDU apart: what is before the trailer, the trailer, and the
// authentication value. Without authentication the latter are zero.
func (h header) split(pdu []byte) (body []byte, t trailer, token []byte) {
	if h.auth == 0 {
		return pdu, trailer{}, nil
	}
	end := len(pdu) - h.auth - trailerSize
	b := pdu[end:]
	t = trailer{kind: authType(b[0]), level: authLevel(b[1]), pad: int(b[2]), context: binary.LittleEndian.Uint32(b[4:])}
	return pdu[:end], t, b[trailerSize:]
}

// appendToken appends trailer and token to a PDU that ends with its body, and
// fills in the lengths.
func appendToken(pdu []byte, t trailer, token []byte) []byte {
	if token == nil {
		setLengths(pdu, len(pdu), 0)
		return pdu
	}
	t.pad = -len(pdu) & 3
	pdu = append(pdu, make([]byte, t.pad)...)
	pdu = append(t.append(pdu), token...)
	setLengths(pdu, len(pdu), len(token))
	return pdu
}

// appendFault appends a whole fault PDU, C706 12.6.4.7.
func appendFault(b []byte, callID uint32, context uint16, code Code) []byte {
	start := len(b)
	b = appendHeader(b, pduFault, flagFirst|flagLast|flagNotRun, callID)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint16(b, context)
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(code))
	b = append(b, 0, 0, 0, 0)
	setLengths(b[start:], faultSize, 0)
	return b
}

// parseFault reads the code of a fault PDU.
func parseFault(pdu []byte) (Code, error) {
	if len(pdu) < faultSize-4 { // the last 4 bytes are reserved, some leave them out
		return 0, fmt.Errorf("%w: fault of %d bytes", errDamaged, len(pdu))
	}
	return Code(binary.LittleEndian.Uint32(pdu[24:])), nil
}

// appendBindNak appends a whole bind_nak PDU, C706 12.6.4.5.
func appendBindNak(b []byte, callID uint32, reason uint16) []byte {
	start := len(b)
	b = appendHeader(b, pduBindNak, flagFirst|flagLast, callID)
	b = binary.LittleEndian.AppendUint16(b, reason)
	b = append(b, 1, 5, 0) // one version: 5.0
	setLengths(b[start:], len(b)-start, 0)
	return b
}

// Reasons of a bind_nak, C706 12.6.3.1 and MS-RPCE 2.2.2.5.
const (
	nakNotSpecified    = 0
	nakCongestion      = 1 // temporary_congestion
	nakLimit           = 2 // local_limit_exceeded
	nakAuthType        = 8
	nakInvalidChecksum = 9
)

// parseBindNak reads the reason of a bind_nak PDU.
func parseBindNak(pdu []byte) (uint16, error) {
	if len(pdu) < headerSize+2 {
		return 0, fmt.Errorf("%w: bind_nak of %d bytes", errDamaged, len(pdu))
	}
	return binary.LittleEndian.Uint16(pdu[headerSize:]), nil
}
