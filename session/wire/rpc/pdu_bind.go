package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"perfdeck/session/wire/perflib"
)

// syntax names an interface or a transfer syntax: a UUID as it travels, and a
// version, major in the low half.
type syntax struct {
	uuid    [16]byte
	version uint32
}

// ParseUUID is a UUID as it travels; it is for constants, so what is none is a panic.
func ParseUUID(text string) [16]byte {
	u, err := perflib.ParseGUID(text)
	if err != nil {
		panic(err)
	}
	return u
}

var (
	// syntaxPerflibV2 is that of MS-PCQ 1.9.
	syntaxPerflibV2 = syntax{ParseUUID("da5a86c5-12c2-4943-ab30-7f74a813d853"), 1}
	// syntaxBeside is perfdeck's own. Another major version is another interface: who does not
	// know it does not bind to it.
	syntaxBeside = syntax{ParseUUID("6d1f0c52-93b7-4e0a-a6f1-58c2b07d94e3"), 1}
	// syntaxNDR is of C706 appendix I.
	syntaxNDR = syntax{ParseUUID("8a885d04-1ceb-11c9-9fe8-08002b104860"), 2}
	// featurePrefix begins the UUID of bind time feature negotiation; its last 8 bytes are the
	// features, MS-RPCE 3.3.1.5.3.
	featurePrefix = ParseUUID("6cb71c2c-9812-4540-0000-000000000000")
)

// featureMultiplexing is several security contexts on one connection.
const featureMultiplexing = 1

func (s syntax) append(b []byte) []byte {
	b = append(b, s.uuid[:]...)
	return binary.LittleEndian.AppendUint32(b, s.version)
}

func parseSyntax(b []byte) syntax {
	return syntax{uuid: [16]byte(b[:16]), version: binary.LittleEndian.Uint32(b[16:20])}
}

// bind is the body of bind and alter_context, C706 12.6.4.3.
type bind struct {
	maxSend, maxReceive uint16 // fragment sizes, as the sender of the bind has them
	group               uint32
	contexts            []presentation
}

// presentation proposes an interface and the encodings it may be called in.
type presentation struct {
	id        uint16
	abstract  syntax
	transfers []syntax
}

const syntaxSize = 20

// bindCall binds to interfaces in NDR, each in a presentation context of its own, from 0 on.
func bindCall(fragment int, group uint32, wanted ...Interface) bind {
	p := bind{maxSend: uint16(fragment), maxReceive: uint16(fragment), group: group}
	p.add(0, wanted)
	return p
}

// add adds presentation contexts whose numbers begin with first.
func (p *bind) add(first int, wanted []Interface) {
	for k, i := range wanted {
		p.contexts = append(p.contexts, presentation{id: uint16(first + k), abstract: i.syntax, transfers: []syntax{syntaxNDR}})
	}
}

func (p *bind) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, p.maxSend)
	b = binary.LittleEndian.AppendUint16(b, p.maxReceive)
	b = binary.LittleEndian.AppendUint32(b, p.group)
	b = append(b, byte(len(p.contexts)), 0, 0, 0)
	for _, c := range p.contexts {
		b = binary.LittleEndian.AppendUint16(b, c.id)
		b = append(b, byte(len(c.transfers)), 0)
		b = c.abstract.append(b)
		for _, t := range c.transfers {
			b = t.append(b)
		}
	}
	return b
}

var errBind = errors.New("damaged bind")

// parseBind reads the body that follows the header.
func parseBind(b []byte) (*bind, error) {
	if len(b) < 12 {
		return nil, fmt.Errorf("%w: %d bytes", errBind, len(b))
	}
	p := &bind{
		maxSend:    binary.LittleEndian.Uint16(b),
		maxReceive: binary.LittleEndian.Uint16(b[2:]),
		group:      binary.LittleEndian.Uint32(b[4:]),
	}
	count := int(b[8])
	b = b[12:]
	for range count {
		if len(b) < 4+syntaxSize {
			return nil, fmt.Errorf("%w: contexts are cut off", errBind)
		}
		c := presentation{id: binary.LittleEndian.Uint16(b), abstract: parseSyntax(b[4:])}
		n := int(b[2])
		b = b[4+syntaxSize:]
		if len(b) < n*syntaxSize {
			return nil, fmt.Errorf("%w: transfer syntaxes are cut off", errBind)
		}
		for range n {
			c.transfers = append(c.transfers, parseSyntax(b))
			b = b[syntaxSize:]
		}
		p.contexts = append(p.contexts, c)
	}
	return p, nil
}

// Results of a presentation context, C706 12.6.3.1 and MS-RPCE 2.2.2.4.
const (
	resultAccepted  = 0
	resultRejected  = 2
	resultFeatures  = 3
	reasonInterface = 1
	reasonTransfer  = 2
)

// bindResult answers one presentation context.
type bindResult struct {
	result, reason uint16
	transfer       syntax
}

// bindAck is the body of bind_ack and alter_context_resp, C706 12.6.4.4.
type bindAck struct {
	maxSend, maxReceive uint16
	group               uint32
	address             string // secondary address; empty in alter_context_resp
	results             []bindResult
}

// append appends the body to b, which begins with the header.
func (a *bindAck) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, a.maxSend)
	b = binary.LittleEndian.AppendUint16(b, a.maxReceive)
	b = binary.LittleEndian.AppendUint32(b, a.group)
	if a.address == "" {
		b = append(b, 0, 0)
	} else {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(a.address)+1))
		b = append(append(b, a.address...), 0)
	}
	b = append(b, make([]byte, -len(b)&3)...)
	b = append(b, byte(len(a.results)), 0, 0, 0)
	for _, r := range a.results {
		b = binary.LittleEndian.AppendUint16(b, r.result)
		b = binary.LittleEndian.AppendUint16(b, r.reason)
		b = r.transfer.append(b)
	}
	return b
}

// parseBindAck reads the body of a whole PDU.
func parseBindAck(pdu []byte) (*bindAck, error) {
	if len(pdu) < headerSize+10 {
		return nil, fmt.Errorf("%w: bind_ack of %d bytes", errDamaged, len(pdu))
	}
	b := pdu[headerSize:]
	a := &bindAck{
		maxSend:    binary.LittleEndian.Uint16(b),
		maxReceive: binary.LittleEndian.Uint16(b[2:]),
		group:      binary.LittleEndian.Uint32(b[4:]),
	}
	n := int(binary.LittleEndian.Uint16(b[8:]))
	at := headerSize + 10 + n
	at += -at & 3
	if at+4 > len(pdu) {
		return nil, fmt.Errorf("%w: bind_ack is cut off", errDamaged)
	}
	count := int(pdu[at])
	b = pdu[at+4:]
	if len(b) < count*(4+syntaxSize) {
		return nil, fmt.Errorf("%w: bind results are cut off", errDamaged)
	}
	for range count {
		a.results = append(a.results, bindResult{
			result:   binary.LittleEndian.Uint16(b),
			reason:   binary.LittleEndian.Uint16(b[2:]),
			transfer: parseSyntax(b[4:]),
		})
		b = b[4+syntaxSize:]
	}
	return a, nil
}
