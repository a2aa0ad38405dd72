package smb

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
)

// blockSize is AES's, in bytes.
const blockSize = 16

// cmac is AES-CMAC, RFC 4493.
type cmac struct {
	block          cipher.Block
	whole, partial [blockSize]byte // subkeys K1 and K2
}

func newCMAC(block cipher.Block) *cmac {
	m := &cmac{block: block}
	block.Encrypt(m.whole[:], m.whole[:])
	double(&m.whole)
	m.partial = m.whole
	double(&m.partial)
	return m
}

// double multiplies by x in GF(2^128).
func double(b *[blockSize]byte) {
	carry := b[0] >> 7
	for i := range blockSize - 1 {
		b[i] = b[i]<<1 | b[i+1]>>7
	}
	b[blockSize-1] = b[blockSize-1]<<1 ^ carry*0x87
}

func (m *cmac) sum(msg []byte) (x [blockSize]byte) {
	for len(msg) > blockSize {
		subtle.XORBytes(x[:], x[:], msg[:blockSize])
		m.block.Encrypt(x[:], x[:])
		msg = msg[blockSize:]
	}
	subtle.XORBytes(x[:], x[:], msg)
	if len(msg) == blockSize {
		subtle.XORBytes(x[:], x[:], m.whole[:])
	} else {
		x[len(msg)] ^= 0x80
		subtle.XORBytes(x[:], x[:], m.partial[:])
	}
	m.block.Encrypt(x[:], x[:])
	return x
}

// ccm is AES-CCM, RFC 3610, with nonces of 11 and tags of 16 bytes, as SMB uses
// it.
type ccm struct{ block cipher.Block }

const (
	ccmNonceSize = 11
	ccmTagSize   = 16
	ccmLengths   = blockSize - 1 - ccmNonceSize // bytes of a length field
)

func newCCM(block cipher.Block) (cipher.AEAD, error) { return &ccm{block}, nil }

func (c *ccm) NonceSize() int { return ccmNonceSize }
func (c *ccm) Overhead() int  { return ccmTagSize }

func (c *ccm) Seal(dst, nonce, text, aad []byte) []byte {
	tag := c.tag(nonce, text, aad)
	start := len(dst)
	dst = append(append(dst, text...), tag[:]...)
	c.crypt(nonce, dst[start:len(dst)-ccmTagSize], dst[len(dst)-ccmTagSize:])
	return dst
}

var errCCM = errors.New("ccm: message authentication failed")

func (c *ccm) Open(dst, nonce, sealed, aad []byte) ([]byte, error) {
	if len(sealed) < ccmTagSize {
		return nil, errCCM
	}
	start := len(dst)
	dst = append(dst, sealed...)
	text, tag := dst[start:len(dst)-ccmTagSize], dst[len(dst)-ccmTagSize:]
	c.crypt(nonce, text, tag)
	want := c.tag(nonce, text, aad)
	if subtle.ConstantTimeCompare(want[:], tag) != 1 {
		clear(text)
		return nil, errCCM
	}
	return dst[:len(dst)-ccmTagSize], nil
}

// crypt runs the key stream over the tag, which has counter 0, and the text.
func (c *ccm) crypt(nonce, text, tag []byte) {
	var counter [blockSize]byte
	counter[0] = ccmLengths - 1
	copy(counter[1:], nonce)
	stream := cipher.NewCTR(c.block, counter[:])
	var first [blockSize]byte
	copy(first[:], tag)
	stream.XORKeyStream(first[:], first[:])
	copy(tag, first[:])
	stream.XORKeyStream(text, text)
}

// tag is the CBC-MAC over lengths, aad and text, of which aad is shorter than
// 65,280 bytes.
func (c *ccm) tag(nonce, text, aad []byte) (x [blockSize]byte) {
	const hasAAD = 1 << 6
	x[0] = hasAAD | (ccmTagSize-2)/2<<3 | (ccmLengths - 1)
	copy(x[1:], nonce)
	binary.BigEndian.PutUint32(x[blockSize-ccmLengths:], uint32(len(text)))
	c.block.Encrypt(x[:], x[:])
	c.mac(&x, append(binary.BigEndian.AppendUint16(nil, uint16(len(aad))), aad...))
	c.mac(&x, text)
	return x
}

// mac adds b, padded with zeros, to the CBC-MAC.
func (c *ccm) mac(x *[blockSize]byte, b []byte) {
	for len(b) > 0 {
		n := subtle.XORBytes(x[:], x[:], b[:min(blockSize, len(b))])
		c.block.Encrypt(x[:], x[:])
		b = b[n:]
	}
}
