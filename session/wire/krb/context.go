package krb

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/oiweiwei/gokrb5.fork/v9/crypto"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/chksumtype"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/flags"
	"github.com/oiweiwei/gokrb5.fork/v9/messages"
	"github.com/oiweiwei/gokrb5.fork/v9/types"
)

// Flags of a context, RFC 4121 4.1.1.1 and MS-KILE 2.2.5.
const (
	flagMutual   = 0x2
	flagReplay   = 0x4
	flagSequence = 0x8
	flagConceal  = 0x10
	flagProtect  = 0x20
	flagDCE      = 0x1000
)

// Context is the client's end of a security context. The host proves that it
// knows its key, too.
type Context struct {
	ticket *Ticket
	dce    bool
	sent   types.Authenticator
	subkey types.EncryptionKey
	stage  uint8 // messages that were sent
	done   bool

	key      types.EncryptionKey // of the context
	acceptor bool                // it is one that the host chose
	out, in  *direction
}

// Initiate begins a context. In DCE style there are three messages and no
// frames around them, as DCE/RPC has it.
func (t *Ticket) Initiate(dce bool) *Context { return &Context{ticket: t, dce: dce} }

// request makes an AP-REQ with a checksum of what it is for, and a subkey where
// there is one.
func (t *Ticket) request(now time.Time, sum types.Checksum, subkey types.EncryptionKey) (messages.APReq, types.Authenticator, error) {
	var seq [4]byte
	rand.Read(seq[:])
	now = t.from.stamp(now)
	a := types.Authenticator{
		AVNO: 5, CRealm: t.realm, CName: t.client, Cksum: sum, SubKey: subkey,
		CTime: now.Truncate(time.Second), Cusec: now.Nanosecond() / 1000,
		SeqNumber: int64(binary.BigEndian.Uint32(seq[:]) >> 2),
	}
	ap, err := messages.NewAPReq(t.ticket, t.key, a)
	return ap, a, err
}

// Step takes the host's token, nil at first, and makes the next one. done tells
// that the context can be used.
func (c *Context) Step(token []byte) (next []byte, done bool, err error) {
	defer shield(&err)
	switch {
	case c.stage == 0:
		next, err = c.begin()
	case c.stage == 1 && !c.done:
		next, err = c.finish(token)
	default:
		err = errContext
	}
	c.stage++
	return next, c.done, err
}

var (
	errContext  = errors.New("the host's part of the Kerberos log-on is damaged")
	errImpostor = errors.New("the host does not prove who it is")
)

// begin makes AP-REQ.
func (c *Context) begin() ([]byte, error) {
	et, err := crypto.GetEtype(c.ticket.key.KeyType)
	if err != nil {
		return nil, err
	}
	if c.subkey, err = types.GenerateEncryptionKey(et); err != nil {
		return nil, err
	}
	want := uint32(flagMutual | flagReplay | flagSequence | flagConceal | flagProtect)
	if c.dce {
		want |= flagDCE
	}
	sum := make([]byte, 24) // length of the bindings, no bindings, flags
	binary.LittleEndian.PutUint32(sum, 16)
	binary.LittleEndian.PutUint32(sum[20:], want)
	ap, sent, err := c.ticket.request(c.ticket.from.now(), types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: sum}, c.subkey)
	if err != nil {
		return nil, err
	}
	c.sent = sent
	types.SetFlag(&ap.APOptions, flags.APOptionMutualRequired)
	b, err := ap.Marshal()
	if err != nil || c.dce {
		return b, err
	}
	return frame(tokenAPReq, b)
}

// finish checks AP-REP, and in DCE style answers it.
func (c *Context) finish(token []byte) ([]byte, error) {
	b := token
	if !c.dce {
		kind, inner, err := unframe(token)
		if err != nil {
			return nil, err
		}
		if b = inner; kind == tokenError {
			return nil, refusedBy(inner)
		}
		if kind != tokenAPRep {
			return nil, errContext
		}
	} else if len(b) > 0 && b[0] == 0x60|30 {
		return nil, refusedBy(b)
	}
	var rep messages.APRep
	if err := rep.Unmarshal(b); err != nil {
		return nil, errContext
	}
	if err := rep.DecryptEncPart(c.ticket.key); err != nil {
		return nil, errImpostor
	}
	part := rep.DecryptedEncPart
	// What the host answers is new by the time of our request in it, in DCE style as
	// well: MS-KILE 3.4.5.1 has its second message made as RFC 4120 3.2.4 has it.
	if !part.CTime.Equal(c.sent.CTime) || part.Cusec != c.sent.Cusec {
		return nil, errImpostor
	}
	c.key = c.subkey
	if len(part.Subkey.KeyValue) > 0 {
		c.key, c.acceptor = part.Subkey, true
	}
	et, err := crypto.GetEtype(c.key.KeyType)
	if err != nil || !slices.Contains(enctypes, c.key.KeyType) || len(c.key.KeyValue) != et.GetKeyByteSize() {
		return nil, fmt.Errorf("%w: its key", errContext)
	}
	if c.out, c.in, err = c.directions(uint64(c.sent.SeqNumber), uint64(uint32(part.SequenceNumber))); err != nil {
		return nil, err
	}
	c.done = true
	if !c.dce {
		return nil, nil
	}
	now := c.ticket.from.now().UTC()
	answer, err := messages.NewAPRep(c.ticket.key, messages.EncAPRepPart{
		CTime: now.Truncate(time.Second), Cusec: now.Nanosecond() / 1000, SequenceNumber: part.SequenceNumber,
	})
	if err != nil {
		return nil, err
	}
	return marshalAPRep(&answer)
}

// marshalAPRep encodes an AP-REP without what gokrb5 decrypted of it.
func marshalAPRep(a *messages.APRep) ([]byte, error) {
	b, err := asn1.Marshal(struct {
		PVNO    int                 `asn1:"explicit,tag:0"`
		MsgType int                 `asn1:"explicit,tag:1"`
		EncPart types.EncryptedData `asn1:"explicit,tag:2"`
	}{a.PVNO, a.MsgType, a.EncPart})
	if err != nil {
		return nil, err
	}
	return application(15, b)
}

// refusedBy is the host's KRB-ERROR.
func refusedBy(b []byte) error {
	var e messages.KRBError
	if err := e.Unmarshal(b); err != nil {
		return errContext
	}
	return &Error{Op: "log on with the ticket", Code: e.ErrorCode}
}

// SessionKey is the context's key.
func (c *Context) SessionKey() []byte { return c.key.KeyValue }

// Kinds of framed tokens, RFC 4121 4.1.
const (
	tokenAPReq = 0x0100
	tokenAPRep = 0x0200
	tokenError = 0x0300
)

// OID is Kerberos's object identifier in DER, 1.2.840.113554.1.2.2.
const OID = "\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"

// frame puts the frame of RFC 2743 3.1 around a message.
func frame(kind uint16, msg []byte) ([]byte, error) {
	b := binary.BigEndian.AppendUint16([]byte(OID), kind)
	return application(0, append(b, msg...))
}

// application is an element of DER with a tag of the class of applications.
func application(tag int, content []byte) ([]byte, error) {
	return asn1.Marshal(asn1.RawValue{Class: asn1.ClassApplication, Tag: tag, IsCompound: true, Bytes: content})
}

func unframe(b []byte) (kind uint16, msg []byte, err error) {
	var raw asn1.RawValue
	rest, err := asn1.Unmarshal(b, &raw)
	if err != nil || len(rest) > 0 || raw.FullBytes[0] != 0x60 || len(raw.Bytes) < len(OID)+2 || string(raw.Bytes[:len(OID)]) != OID {
		return 0, nil, fmt.Errorf("%w: frame", errContext)
	}
	return binary.BigEndian.Uint16(raw.Bytes[len(OID):]), raw.Bytes[len(OID)+2:], nil
}
