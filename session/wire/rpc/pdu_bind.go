package rpc

import (
	"errors"

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

func (s *syntax) code(n *NDR) {
	n.GUID(&s.uuid)
	n.U32(&s.version)
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
	n := NDR{b: b}
	p.code(&n)
	return n.b
}

func (p *bind) code(n *NDR) {
	n.U16(&p.maxSend)
	n.U16(&p.maxReceive)
	n.U32(&p.group)
	Elements(n, &p.contexts, n.small(len(p.contexts), 24), func(c *presentation) {
		n.U16(&c.id)
		count := n.small(len(c.transfers), 20)
		c.abstract.code(n)
		Elements(n, &c.transfers, count, func(s *syntax) { s.code(n) })
	})
}

var errBind = errors.New("damaged bind")

// parseBind reads the body that follows the header.
func parseBind(b []byte) (*bind, error) {
	p, n := &bind{}, readNDR(b, errBind)
	p.code(n)
	return p, n.err
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
	n := NDR{b: b}
	a.code(&n)
	return n.b
}

func (a *bindAck) code(n *NDR) {
	n.U16(&a.maxSend)
	n.U16(&a.maxReceive)
	n.U32(&a.group)
	var address []byte
	if a.address != "" {
		address = append([]byte(a.address), 0)
	}
	size := uint16(len(address))
	n.U16(&size)
	n.Raw(&address, int(size))
	n.Align(4)
	Elements(n, &a.results, n.small(len(a.results), 24), func(r *bindResult) {
		n.U16(&r.result)
		n.U16(&r.reason)
		r.transfer.code(n)
	})
}

// parseBindAck reads the body of a whole PDU, but for the address.
func parseBindAck(pdu []byte) (*bindAck, error) {
	a, n := &bindAck{}, readNDR(pdu[headerSize:], errDamaged)
	a.code(n)
	return a, n.err
}
