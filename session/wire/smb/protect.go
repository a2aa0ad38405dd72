package smb

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
)

// signer makes the signature of a message whose signature field is zero.
type signer func(msg []byte) []byte

// verify checks the signature of a message, whose field it clears.
func verify(sign signer, msg []byte) bool {
	field := msg[signatureAt : signatureAt+signatureSize]
	got := [signatureSize]byte(field)
	clear(field)
	return subtle.ConstantTimeCompare(sign(msg), got[:]) == 1
}

// hmacSigner signs for SMB 2.1, one direction.
func hmacSigner(key []byte) signer {
	h := hmac.New(sha256.New, key)
	return func(msg []byte) []byte {
		h.Reset()
		h.Write(msg)
		return h.Sum(nil)[:signatureSize]
	}
}

// cmacSigner signs for SMB 3. It keeps no state: both directions may use it at once.
func cmacSigner(block cipher.Block) signer {
	m := newCMAC(block)
	return func(msg []byte) []byte {
		sum := m.sum(msg)
		return sum[:]
	}
}

func signerName(d Dialect) string {
	if d < Dialect300 {
		return "HMAC-SHA256"
	}
	return "AES-CMAC"
}

// cipherID is an encryption algorithm, MS-SMB2 2.2.3.1.2.
type cipherID uint16

const (
	cipherAES128CCM cipherID = 1
	cipherAES128GCM cipherID = 2
	cipherAES256CCM cipherID = 3
	cipherAES256GCM cipherID = 4
)

// cipherRow describes an algorithm.
type cipherRow struct {
	id      cipherID
	name    string
	keySize int
	make    func(cipher.Block) (cipher.AEAD, error)
}

// ciphers are the algorithms in the order they are preferred.
var ciphers = []cipherRow{
	{cipherAES128GCM, "AES-128-GCM", 16, cipher.NewGCM},
	{cipherAES256GCM, "AES-256-GCM", 32, cipher.NewGCM},
	{cipherAES128CCM, "AES-128-CCM", 16, newCCM},
	{cipherAES256CCM, "AES-256-CCM", 32, newCCM},
}

func cipherOf(id cipherID) *cipherRow {
	for i := range ciphers {
		if ciphers[i].id == id {
			return &ciphers[i]
		}
	}
	return nil
}

// sealer encrypts the messages of a session, each direction with its own key.
type sealer struct {
	out, in cipher.AEAD
	nonce   uint64 // of the last message: a key is never used with one twice
}

// seal encrypts what follows the transform header, which begins at start.
func (s *sealer) seal(b []byte, start int, session uint64) []byte {
	t := b[start : start+transformSize]
	size := len(b) - start - transformSize
	clear(t)
	copy(t, "\xfdSMB")
	s.nonce++
	binary.LittleEndian.PutUint64(t[20:], s.nonce)
	binary.LittleEndian.PutUint32(t[36:], uint32(size))
	binary.LittleEndian.PutUint16(t[42:], 1) // encrypted
	binary.LittleEndian.PutUint64(t[44:], session)
	text := b[start+transformSize:]
	b = append(b[:start+transformSize], s.out.Seal(text[:0], t[20:20+s.out.NonceSize()], text, t[20:])...)
	copy(b[start+4:start+20], b[len(b)-signatureSize:])
	return b[:len(b)-signatureSize]
}

// errForged is why an encrypted answer is refused.
var errForged = errors.New("an answer cannot be decrypted: something between here and the host changes the traffic")

// open decrypts a message in its place, behind which there is room for the signature.
func (s *sealer) open(msg []byte, session uint64) ([]byte, error) {
	t := msg[:transformSize]
	size := binary.LittleEndian.Uint32(t[36:])
	if binary.LittleEndian.Uint16(t[42:]) != 1 || binary.LittleEndian.Uint64(t[44:]) != session || int(size) != len(msg)-transformSize {
		return nil, fmt.Errorf("%w: encrypted message", errDamaged)
	}
	text := append(msg[transformSize:], t[4:4+signatureSize]...)
	out, err := s.in.Open(text[:0], t[20:20+s.in.NonceSize()], text, t[20:])
	if err != nil {
		return nil, errForged
	}
	return out, nil
}

// deriveKey is the key derivation of MS-SMB2 3.1.4.2: SP 800-108 in counter mode
// with HMAC-SHA256. size is in bytes.
func deriveKey(key []byte, label, context string, size int) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte{0, 0, 0, 1})
	h.Write([]byte(label))
	h.Write([]byte{0})
	h.Write([]byte(context))
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(size*8)))
	return h.Sum(nil)[:size]
}

// sessionKeySize is what SMB uses of a log-on's key, but for keys of 256 bits.
const sessionKeySize = 16

// protection is how the messages of a session are protected.
type protection struct {
	dialect  Dialect
	cipher   cipherID          // 0: none
	preauth  [sha512.Size]byte // hash of the messages before the session, 3.1.1
	signing  signer            // what is sent; nil until the session is there
	checking signer            // what comes
	sealing  *sealer
	sealed   bool // everything is encrypted
}

// hash adds a message to what the keys of 3.1.1 are bound to, MS-SMB2 3.2.5.2.
func (c *protection) hash(msg []byte) {
	h := sha512.New()
	h.Write(c.preauth[:])
	h.Write(msg)
	h.Sum(c.preauth[:0])
}

// deriveKeys makes signers and sealer of the session, MS-SMB2 3.2.5.3.
func (c *protection) deriveKeys(full []byte) error {
	key := make([]byte, sessionKeySize)
	copy(key, full)
	if c.dialect < Dialect300 {
		c.signing, c.checking = hmacSigner(key), hmacSigner(key)
		return nil
	}
	sign, in, out := []string{"SMB2AESCMAC\x00", "SmbSign\x00"}, []string{"SMB2AESCCM\x00", "ServerOut\x00"}, []string{"SMB2AESCCM\x00", "ServerIn \x00"}
	if c.dialect == Dialect311 {
		bound := string(c.preauth[:])
		sign, in, out = []string{"SMBSigningKey\x00", bound}, []string{"SMBS2CCipherKey\x00", bound}, []string{"SMBC2SCipherKey\x00", bound}
	}
	block, err := aes.NewCipher(deriveKey(key, sign[0], sign[1], sessionKeySize))
	if err != nil {
		return err
	}
	c.signing = cmacSigner(block)
	c.checking = c.signing
	row := cipherOf(c.cipher)
	if row == nil {
		return nil
	}
	if row.keySize > sessionKeySize {
		key = full
	}
	s := &sealer{}
	for _, way := range []struct {
		to   *cipher.AEAD
		from []string
	}{{&s.in, in}, {&s.out, out}} {
		block, err := aes.NewCipher(deriveKey(key, way.from[0], way.from[1], row.keySize))
		if err != nil {
			return err
		}
		if *way.to, err = row.make(block); err != nil {
			return err
		}
	}
	c.sealing = s
	return nil
}

// protected is how messages are protected, for people.
func (c *protection) protected() string {
	if c.sealed {
		return "encrypted with " + cipherOf(c.cipher).name
	}
	return "signed with " + signerName(c.dialect)
}
