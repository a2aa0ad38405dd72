package rpc

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"errors"
	"hash"

	"golang.org/x/crypto/md4" // what MS-NLMP asks for

	"perfdeck/session/wire/perflib"
)

// protection protects messages with the keys of a log-on, at either end.
type protection interface {
	// Sign and Verify are for SPNEGO, after whose signatures restart is called.
	Sign(msg []byte) (signature []byte, err error)
	Verify(msg, signature []byte) error
	restart() error
	// Seal enciphers secret in place and signs all three parts; Unseal deciphers it
	// and checks the signature.
	Seal(before, secret, after []byte) (signature []byte, err error)
	Unseal(before, secret, after, signature []byte) error
	// Overhead is the size of Seal's signatures.
	Overhead() int
}

// ntlmSession protects messages with an NTLM session key and extended session
// security, MS-NLMP 3.4.
type ntlmSession struct {
	key      []byte
	exchange bool // the key was exchanged: checksums are enciphered too
	in, out  ntlmDirection
}

// ntlmDirection is the state of one direction.
type ntlmDirection struct {
	way    string
	mac    hash.Hash
	cipher *rc4.Cipher
	seq    uint32
	buf    [md5.Size]byte
}

func newNTLMSession(key []byte, exchange, isClient bool) (*ntlmSession, error) {
	s := &ntlmSession{key: key, exchange: exchange}
	s.in.way, s.out.way = "client-to-server", "server-to-client"
	if isClient {
		s.in.way, s.out.way = s.out.way, s.in.way
	}
	for _, d := range []*ntlmDirection{&s.in, &s.out} {
		d.mac = hmac.New(md5.New, s.derive(d.way, "signing"))
	}
	return s, s.restart()
}

// restart begins the ciphers anew, as SPNEGO does after its own signatures. The
// sequence numbers go on.
func (s *ntlmSession) restart() (err error) {
	for _, d := range []*ntlmDirection{&s.in, &s.out} {
		if d.cipher, err = rc4.NewCipher(s.derive(d.way, "sealing")); err != nil {
			return err
		}
	}
	return nil
}

// derive is SIGNKEY and SEALKEY of MS-NLMP 3.4.5 at 128 bits.
func (s *ntlmSession) derive(way, use string) []byte {
	h := md5.New()
	h.Write(s.key)
	h.Write([]byte("session key to " + way + " " + use + " key magic constant\x00"))
	return h.Sum(nil)
}

// SessionKey is the key itself, for SMB.
func (s *ntlmSession) SessionKey() []byte { return s.key }

func (s *ntlmSession) Overhead() int { return signatureSize }

func (s *ntlmSession) Sign(msg []byte) ([]byte, error) { return s.Seal(msg, nil, nil) }

func (s *ntlmSession) Verify(msg, signature []byte) error { return s.Unseal(msg, nil, nil, signature) }

func (s *ntlmSession) Seal(before, secret, after []byte) ([]byte, error) {
	sum := s.out.checksum(before, secret, after)
	s.out.cipher.XORKeyStream(secret, secret)
	return s.out.signature(sum, s.exchange), nil
}

var errBadSignature = errors.New("signature does not match")

func (s *ntlmSession) Unseal(before, secret, after, signature []byte) error {
	s.in.cipher.XORKeyStream(secret, secret)
	want := s.in.signature(s.in.checksum(before, secret, after), s.exchange)
	if !hmac.Equal(want, signature) {
		return errBadSignature
	}
	return nil
}

// checksum is the first 8 bytes of the HMAC of sequence number and message.
func (d *ntlmDirection) checksum(parts ...[]byte) []byte {
	var seq [4]byte
	binary.LittleEndian.PutUint32(seq[:], d.seq)
	d.mac.Reset()
	d.mac.Write(seq[:])
	for _, p := range parts {
		d.mac.Write(p)
	}
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
	text := perflib.UTF16(string(password))
	h := md4.New()
	h.Write(text)
	clear(text)
	return [16]byte(h.Sum(nil))
}
