package krb

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"

	"github.com/oiweiwei/gokrb5.fork/v9/crypto"
	"github.com/oiweiwei/gokrb5.fork/v9/crypto/common"
	"github.com/oiweiwei/gokrb5.fork/v9/crypto/etype"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/keyusage"

	"perfdeck/session/system/failure"
)

// Sizes of the parts of a protected message, in bytes.
const (
	blockSize     = 16
	tokenSize     = 16 // of the header of a token
	sumSize       = 12 // of HMAC-SHA1-96
	fillerSize    = 16 // EC in DCE style
	rotated       = tokenSize + sumSize
	signatureSize = tokenSize + fillerSize + rotated + blockSize
)

// Overhead is the size of the signature that Seal returns.
func (c *Context) Overhead() int { return signatureSize }

// Flags of a token, RFC 4121 4.2.2.
const (
	byAcceptor     = 0x1
	sealed         = 0x2
	acceptorSubkey = 0x4
)

// direction is the state of one direction: RFC 4121 with the keys of RFC 3962.
type direction struct {
	et      etype.EType
	encrypt []byte    // Ke
	whole   hash.Hash // with Ki
	mic     hash.Hash // with Kc
	flags   byte
	seq     uint64
}

// directions makes those of the context's key.
func (c *Context) directions(outSeq, inSeq uint64) (out, in *direction, err error) {
	et, err := crypto.GetEtype(c.key.KeyType)
	if err != nil {
		return nil, nil, err
	}
	flags := byte(0)
	if c.acceptor {
		flags = acceptorSubkey
	}
	make1 := func(seal, sign uint32, flags byte, seq uint64) *direction {
		d := &direction{et: et, flags: flags, seq: seq}
		key := func(usage []byte) []byte {
			k, e := et.DeriveKey(c.key.KeyValue, usage)
			err = errors.Join(err, e)
			return k
		}
		d.encrypt = key(common.GetUsageKe(seal))
		d.whole = hmac.New(et.GetHashFunc(), key(common.GetUsageKi(seal)))
		d.mic = hmac.New(et.GetHashFunc(), key(common.GetUsageKc(sign)))
		return d
	}
	out = make1(keyusage.GSSAPI_INITIATOR_SEAL, keyusage.GSSAPI_INITIATOR_SIGN, flags, outSeq)
	in = make1(keyusage.GSSAPI_ACCEPTOR_SEAL, keyusage.GSSAPI_ACCEPTOR_SIGN, flags|byAcceptor, inSeq)
	return out, in, err
}

// header is that of the next token, and counts it.
func (d *direction) header(kind uint16, flags byte) []byte {
	b := binary.BigEndian.AppendUint16(make([]byte, 0, signatureSize), kind)
	b = append(b, d.flags|flags, 0xff, 0xff, 0xff, 0xff, 0xff)
	b = binary.BigEndian.AppendUint64(b, d.seq)
	d.seq++
	return b
}

// The kinds of tokens.
const (
	kindMIC  = 0x0404
	kindWrap = 0x0504
)

// sum is the checksum of the parts.
func sum(h hash.Hash, parts ...[]byte) []byte {
	h.Reset()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)[:sumSize]
}

// Sign makes the signature of a message.
func (c *Context) Sign(msg []byte) ([]byte, error) {
	h := c.out.header(kindMIC, 0)
	return append(h, sum(c.out.mic, msg, h)...), nil
}

// ErrForged says that a message was changed, repeated or left out on its way.
var (
	ErrForged = errors.New("the signature does not match")
	errOrder  = failure.Worded("a message was repeated or left out", ErrForged)
)

// Verify checks the signature of a message.
func (c *Context) Verify(msg, signature []byte) error {
	want := c.in.header(kindMIC, 0)
	if len(signature) != tokenSize+sumSize {
		return ErrForged
	}
	if !hmac.Equal(signature[tokenSize:], sum(c.in.mic, msg, signature[:tokenSize])) {
		return ErrForged
	}
	if string(signature[:tokenSize]) != string(want) {
		return errOrder
	}
	return nil
}

// Seal enciphers secret in place and returns a signature of before, secret and
// after, MS-KILE 3.4.5.4.1.
func (c *Context) Seal(before, secret, after []byte) (signature []byte, err error) {
	defer shield(&err)
	h := c.out.header(kindWrap, sealed)
	binary.BigEndian.PutUint16(h[4:], fillerSize)
	binary.BigEndian.PutUint16(h[6:], 0)
	text := make([]byte, blockSize, blockSize+len(secret)+fillerSize+tokenSize+sumSize)
	rand.Read(text)
	confounder := [blockSize]byte(text)
	text = append(text, secret...)
	var filler [fillerSize]byte
	text = append(append(text, filler[:]...), h...)
	check := sum(c.out.whole, confounder[:], before, secret, after, filler[:], h)
	_, text, err = c.out.et.EncryptData(c.out.encrypt, text)
	if err != nil {
		return nil, err
	}
	// The token is rotated right, so that secret stays in its place.
	text = append(text, check...)
	cut := len(text) - fillerSize - rotated
	binary.BigEndian.PutUint16(h[6:], rotated)
	signature = append(append(h, text[cut:]...), text[:blockSize]...)
	copy(secret, text[blockSize:cut])
	return signature, nil
}

// Unseal deciphers secret in place and checks the signature of before, secret
// and after, and that no message was repeated or left out.
func (c *Context) Unseal(before, secret, after, signature []byte) (err error) {
	defer shield(&err)
	want := c.in.header(kindWrap, sealed)
	if len(signature) < tokenSize {
		return ErrForged
	}
	filler, turn := int(binary.BigEndian.Uint16(signature[4:])), int(binary.BigEndian.Uint16(signature[6:]))
	if turn != rotated || filler > 4*blockSize || len(signature) != tokenSize+filler+rotated+blockSize {
		return fmt.Errorf("%w: its layout is unknown", ErrForged)
	}
	tail, confounder := signature[tokenSize:tokenSize+filler+rotated], signature[tokenSize+filler+rotated:]
	text := make([]byte, 0, len(confounder)+len(secret)+len(tail))
	text = append(append(append(text, confounder...), secret...), tail[:filler+tokenSize]...)
	text, err = c.in.et.DecryptData(c.in.encrypt, text)
	if err != nil || len(text) != blockSize+len(secret)+filler+tokenSize {
		return ErrForged
	}
	copy(secret, text[blockSize:])
	rest := text[blockSize+len(secret):]
	if !hmac.Equal(tail[filler+tokenSize:], sum(c.in.whole, text[:blockSize], before, secret, after, rest)) {
		return ErrForged
	}
	// What the header says counts as it was enciphered.
	inner := rest[filler:]
	binary.BigEndian.PutUint16(want[4:], uint16(filler))
	binary.BigEndian.PutUint16(want[6:], 0)
	if string(inner[:6]) != string(want[:6]) || string(inner[8:]) != string(want[8:]) ||
		string(signature[:6]) != string(want[:6]) || string(signature[8:tokenSize]) != string(want[8:]) {
		return errOrder
	}
	return nil
}
