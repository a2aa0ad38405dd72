package rpc

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"errors"
	"hash"
	"unicode/utf16"

	"golang.org/x/crypto/md4" // what MS-NLMP asks for
)

// ntlmSession protects messages with an NTLM session key and extended session
// security, MS-NLMP 3.4. It is the server's end.
type ntlmSession struct {
	key      []byte
	exchange bool // the key was exchanged: checksums are enciphered too
	in, out  ntlmDirection
}

// ntlmDirection is the state of one direction.
type ntlmDirection struct {
	mac    hash.Hash
	cipher *rc4.Cipher
	seq    uint32
	buf    [md5.Size]byte
}

func newNTLMSession(key []byte, exchange bool) (*ntlmSession, error) {
	s := &ntlmSession{key: key, exchange: exchange}
	s.in.mac = hmac.New(md5.New, s.derive("session key to client-to-server signing key magic constant"))
	s.out.mac = hmac.New(md5.New, s.derive("session key to server-to-client signing key magic constant"))
	return s, s.restart()
}

// restart begins the ciphers anew, as SPNEGO does after its own signatures. The
// sequence numbers go on.
func (s *ntlmSession) restart() (err error) {
	if s.in.cipher, err = rc4.NewCipher(s.derive("session key to client-to-server sealing key magic constant")); err != nil {
		return err
	}
	s.out.cipher, err = rc4.NewCipher(s.derive("session key to server-to-client sealing key magic constant"))
	return err
}

// derive is SIGNKEY and SEALKEY of MS-NLMP 3.4.5 at 128 bits.
func (s *ntlmSession) derive(magic string) []byte {
	h := md5.New()
	h.Write(s.key)
	h.Write([]byte(magic))
	h.Write([]byte{0})
	return h.Sum(nil)
}

// sign appends the signature of msg, and enciphers its part secret in place.
func (s *ntlmSession) sign(b, msg, secret []byte) []byte {
	sum := s.out.checksum(msg)
	s.out.cipher.XORKeyStream(secret, secret)
	return append(b, s.out.signature(sum, s.exchange)...)
}

var errBadSignature = errors.New("signature does not match")

// verify deciphers the part secret of msg in place and checks the signature.
func (s *ntlmSession) verify(msg, secret, signature []byte) error {
	s.in.cipher.XORKeyStream(secret, secret)
	want := s.in.signature(s.in.checksum(msg), s.exchange)
	if !hmac.Equal(want, signature) {
		return errBadSignature
	}
	return nil
}

// checksum is the first 8 bytes of the HMAC of sequence number and message.
func (d *ntlmDirection) checksum(msg []byte) []byte {
	var seq [4]byte
	binary.LittleEndian.PutUint32(seq[:], d.seq)
	d.mac.Reset()
	d.mac.Write(seq[:])
	d.mac.Write(msg)
	return d.mac.Sum(d.buf[:0])[:8]
}

// signature makes NTLMSSP_MESSAGE_SIGNATURE and counts the message.
func (d *ntlmDirection) signature(sum []byte, exchange bool) []byte {
	if exchange {
		d.cipher.XORKeyStream(sum, sum)
	}
	b := make([]byte, 4, signatureSize)
	b[0] = 1
	b = append(b, sum...)
	b = binary.LittleEndian.AppendUint32(b, d.seq)
	d.seq++
	return b
}

// NTHash is the hash by which Windows and accounts files know a password:
// NTOWFv1 of MS-NLMP 3.3.1. It is as secret as the password.
func NTHash(password []byte) [16]byte {
	text := utf16Bytes(string(password))
	h := md4.New()
	h.Write(text)
	clear(text)
	return [16]byte(h.Sum(nil))
}

// utf16Bytes is s in UTF-16LE.
func utf16Bytes(s string) []byte {
	b := make([]byte, 0, 2*len(s))
	for _, r := range s {
		for _, u := range utf16.AppendRune(nil, r) {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

// utf16String is the text of UTF-16LE bytes; a last odd byte is left out.
func utf16String(b []byte) string {
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return string(utf16.Decode(u))
}
