package smb

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/text/english"
)

// Capabilities and modes, MS-SMB2 2.2.3.
const (
	capLargeMTU     = 0x04
	capEncryption   = 0x40
	capOurs         = capLargeMTU | capEncryption
	signingRequired = 0x02
)

// Negotiate contexts, MS-SMB2 2.2.3.1.
const (
	contextPreauth    = 1
	contextEncryption = 2
	hashSHA512        = 1
)

// serverTerms is what a host answered to the negotiation.
type serverTerms struct {
	mode         uint16
	capabilities uint32
	guid         [16]byte
	maxRead      int // bytes of a file at once
	time         time.Time
}

// Why the negotiation fails.
var (
	ErrDialect      = errors.New("the host speaks no SMB version that is safe enough (2.1 to 3.1.1)")
	ErrNotSMB       = errors.New("what listens there does not speak SMB 2")
	ErrNoEncryption = errors.New("the host offers no SMB encryption, which was asked for")
	errNoIntegrity  = errors.New("the host offers no integrity of the negotiation")
)

// negotiate agrees on a dialect and on how messages are protected.
func (c *conn) negotiate(o *Options) error {
	c.offer = offer(o)
	r, err := c.send(&user{}, nil, cmdNegotiate, 1, c.offer)
	if err != nil {
		return err
	}
	request := slices.Clone(c.sent[4:])
	a, err := c.answerTo(r)
	if errors.Is(err, errDamaged) {
		return fmt.Errorf("%w: %w", ErrNotSMB, err)
	}
	if err != nil {
		return err
	}
	if a.status != statusOK {
		return fmt.Errorf("%w: it answered %s", ErrDialect, a.status.Error()) // the status says no more
	}
	if err := c.readTerms(o, a); err != nil {
		return err
	}
	if c.dialect == Dialect311 {
		c.hash(request)
		c.hash(a.msg)
	}
	if o.Encrypt && c.cipher == 0 {
		return ErrNoEncryption
	}
	return nil
}

// offer is the body of the request.
func offer(o *Options) []byte {
	b := append16(nil, 36, uint16(len(o.Dialects)), signingRequired, 0)
	b = append32(b, capOurs)
	var random [16 + 32]byte
	rand.Read(random[:])
	b = append(b, random[:16]...)
	contexts := headerSize + len(b) + 8 + 2*len(o.Dialects)
	contexts += -contexts & 7
	if o.offers(Dialect311) {
		b = append16(append32(b, uint32(contexts)), 2, 0)
	} else {
		b = append(b, make([]byte, 8)...)
	}
	for _, d := range o.Dialects {
		b = append16(b, uint16(d))
	}
	if !o.offers(Dialect311) {
		return b
	}
	b = append(b, make([]byte, contexts-headerSize-len(b))...)
	b = append32(append16(b, contextPreauth, 6+32), 0)
	b = append(append16(b, 1, 32, hashSHA512), random[16:]...)
	b = append(b, make([]byte, -len(b)&7)...)
	b = append32(append16(b, contextEncryption, uint16(2+2*len(ciphers))), 0)
	b = append16(b, uint16(len(ciphers)))
	for _, row := range ciphers {
		b = append16(b, uint16(row.id))
	}
	return b
}

// readTerms reads the answer.
func (c *conn) readTerms(o *Options, a *answer) error {
	b, err := a.fixed(64)
	if err != nil {
		return err
	}
	c.dialect = Dialect(binary.LittleEndian.Uint16(b[4:]))
	if !o.offers(c.dialect) {
		return fmt.Errorf("%w: it answered 0x%04x", ErrDialect, uint16(c.dialect))
	}
	c.server = serverTerms{
		mode:         binary.LittleEndian.Uint16(b[2:]),
		capabilities: binary.LittleEndian.Uint32(b[24:]),
		guid:         [16]byte(b[8:24]),
		maxRead:      maxPayload,
		time:         fromFiletime(binary.LittleEndian.Uint64(b[40:])),
	}
	if c.server.capabilities&capLargeMTU != 0 {
		c.server.maxRead = int(min(max(binary.LittleEndian.Uint32(b[32:]), maxPayload), mostRead))
	}
	if c.dialect >= Dialect300 && c.dialect < Dialect311 && c.server.capabilities&capEncryption != 0 {
		c.cipher = cipherAES128CCM
	}
	if c.dialect == Dialect311 {
		return c.readContexts(a, binary.LittleEndian.Uint32(b[60:]), int(binary.LittleEndian.Uint16(b[6:])))
	}
	return nil
}

// readContexts reads the contexts of 3.1.1.
func (c *conn) readContexts(a *answer, offset uint32, count int) error {
	integrity := false
	for ; count > 0; count-- {
		head, err := a.part(offset, 8)
		if err != nil {
			return err
		}
		kind, n := binary.LittleEndian.Uint16(head), uint32(binary.LittleEndian.Uint16(head[2:]))
		data, err := a.part(offset+8, n)
		if err != nil {
			return err
		}
		switch {
		case kind == contextPreauth:
			integrity = n >= 6 && binary.LittleEndian.Uint16(data) == 1 && binary.LittleEndian.Uint16(data[4:]) == hashSHA512
		case kind == contextEncryption && n >= 4 && binary.LittleEndian.Uint16(data) == 1:
			c.cipher = cipherID(binary.LittleEndian.Uint16(data[2:]))
		}
		offset += 8 + n + -n&7
	}
	if !integrity {
		return errNoIntegrity
	}
	if c.cipher != 0 && cipherOf(c.cipher) == nil {
		return fmt.Errorf("%w: cipher %d was not offered", errDamaged, c.cipher)
	}
	return nil
}

// describe is the outcome for people.
func (c *conn) describe() string {
	s := c.dialect.String() + ", signing " + signerName(c.dialect)
	if c.server.mode&signingRequired != 0 {
		s += " (the host requires it)"
	}
	if row := cipherOf(c.cipher); row != nil {
		s += ", can encrypt with " + row.name
	} else {
		s += ", cannot encrypt"
	}
	if c.server.time.IsZero() {
		return s
	}
	if ahead := time.Until(c.server.time); ahead.Abs() > toldClock {
		s += ", its clock is " + english.Ahead(ahead) + " this computer's"
	}
	return s
}

// toldClock is a difference of the host's clock from ours that is worth telling:
// Kerberos bears 5 minutes.
const toldClock = time.Minute

// fromFiletime is a host's clock; zero for none.
func fromFiletime(v uint64) time.Time {
	if v < cooker.Unix100ns || v > cooker.Unix100ns+1e7<<33 {
		return time.Time{}
	}
	return cooker.TimeOf(v)
}
