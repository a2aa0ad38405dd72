package rpc

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/rc4"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/wire/perflib"
)

// Accounts finds the NT hash of an account by the name that a client gave. Names
// are to be compared without regard to case.
type Accounts func(name string) (hash [16]byte, ok bool)

// NTLM flags, MS-NLMP 2.2.2.5.
const (
	ntlmUnicode     = 0x00000001
	ntlmTarget      = 0x00000004
	ntlmSign        = 0x00000010
	ntlmSeal        = 0x00000020
	ntlmNTLM        = 0x00000200
	ntlmAnonymous   = 0x00000800
	ntlmAlwaysSign  = 0x00008000
	ntlmServer      = 0x00020000
	ntlmExtended    = 0x00080000
	ntlmTargetInfo  = 0x00800000
	ntlmVersion     = 0x02000000
	ntlm128         = 0x20000000
	ntlmKeyExchange = 0x40000000
	ntlm56          = 0x80000000

	// ntlmRequired is without what there is no NTLMv2 with strong sessions.
	ntlmRequired = ntlmUnicode | ntlmExtended | ntlm128
	// ntlmOffered is what the challenge may echo of a client's flags.
	ntlmOffered = ntlmSign | ntlmSeal | ntlmAlwaysSign | ntlmVersion | ntlmKeyExchange | ntlm56
)

// errLogon marks a log-on that is refused; errNTLM a damaged message of it.
var (
	errLogon = errors.New("log-on refused")
	errNTLM  = errors.New("damaged NTLM message")
)

// ntlmAcceptor is the server's part of an NTLMv2 log-on, MS-NLMP 3.2.5. LM,
// NTLMv1, anonymous and guest log-ons are refused.
//
// The service that a client names (MsvAvTargetName) may be any: a server knows
// neither the aliases nor the addresses that lead to it. It need not, as who
// passes on a log-on that was meant for another host does not learn the key,
// and no call is answered without it.
type ntlmAcceptor struct {
	*ntlmSession // once the client is logged on

	accounts             Accounts
	attempt              func(account string, check func() error) error // runs the check of a password, or does not; nil: it does
	name                 string                                         // of this server, as the challenge has it
	negotiate, challenge []byte
	nonce                [8]byte
	who                  string // after accept of the last message
}

const (
	ntlmSignature        = "NTLMSSP\x00"
	ntlmNegotiateSize    = 16
	ntlmAuthenticateSize = 64
	ntlmMICAt            = 72
	ntlmMICEnd           = 88
	ntlmProofSize        = 16
	ntlmBlobSize         = 28 // NTLMv2_CLIENT_CHALLENGE before its AvPairs
)

func (a *ntlmAcceptor) oid() string  { return oidNTLM }
func (a *ntlmAcceptor) user() string { return a.who }
func (a *ntlmAcceptor) done() bool   { return a.ntlmSession != nil }

// accept takes the client's next message. It returns the challenge after the
// first, and nothing after the second, which ends the log-on.
func (a *ntlmAcceptor) accept(token []byte) ([]byte, error) {
	if a.done() {
		return nil, fmt.Errorf("%w: log-on is over", errNTLM)
	}
	if a.negotiate == nil {
		return a.greet(token)
	}
	return nil, a.authenticate(token)
}

// greet answers NEGOTIATE_MESSAGE by CHALLENGE_MESSAGE.
func (a *ntlmAcceptor) greet(token []byte) ([]byte, error) {
	if len(token) < ntlmNegotiateSize || !bytes.HasPrefix(token, []byte(ntlmSignature+"\x01\x00\x00\x00")) {
		return nil, fmt.Errorf("%w: negotiate of %d bytes", errNTLM, len(token))
	}
	flags := binary.LittleEndian.Uint32(token[12:])
	if flags&ntlmRequired != ntlmRequired {
		return nil, fmt.Errorf("%w: session security is too weak (flags 0x%08x)", errLogon, flags)
	}
	rand.Read(a.nonce[:])
	a.negotiate = bytes.Clone(token)
	a.challenge = a.appendChallenge(nil, flags&ntlmOffered|ntlmRequired|ntlmTarget|ntlmNTLM|ntlmServer|ntlmTargetInfo)
	return a.challenge, nil
}

// Identifiers of AV_PAIR, MS-NLMP 2.2.2.1.
const (
	avEnd         = 0
	avComputer    = 1
	avDomain      = 2
	avDNSComputer = 3
	avDNSDomain   = 4
	avFlags       = 6
	avTime        = 7
	avTargetName  = 9
	avFlagMIC     = 2
	avHeaderSize  = 4
	challengeSize = 56
)

func (a *ntlmAcceptor) appendChallenge(b []byte, flags uint32) []byte {
	name := perflib.UTF16(strings.ToUpper(a.name))
	lower := perflib.UTF16(strings.ToLower(a.name))
	now := binary.LittleEndian.AppendUint64(nil, cooker.FileTime(time.Now()))
	var info []byte
	info = appendAV(info, avDomain, name)
	info = appendAV(info, avComputer, name)
	info = appendAV(info, avDNSDomain, lower)
	info = appendAV(info, avDNSComputer, lower)
	info = appendAV(info, avTime, now)
	info = appendAV(info, avEnd, nil)

	b = append(b, ntlmSignature+"\x02\x00\x00\x00"...)
	b = appendField(b, len(name), challengeSize)
	b = binary.LittleEndian.AppendUint32(b, flags)
	b = append(b, a.nonce[:]...)
	b = append(b, make([]byte, 8)...)
	b = appendField(b, len(info), challengeSize+len(name))
	b = append(b, 6, 1, 0, 0, 0, 0, 0, 15) // version 6.1, NTLM revision 15
	return append(append(b, name...), info...)
}

func appendAV(b []byte, id uint16, value []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, id)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return append(b, value...)
}

// appendField appends length, allocated length and offset of a payload.
func appendField(b []byte, length, offset int) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(length))
	b = binary.LittleEndian.AppendUint16(b, uint16(length))
	return binary.LittleEndian.AppendUint32(b, uint32(offset))
}

// ntlmAuthenticate is AUTHENTICATE_MESSAGE, MS-NLMP 2.2.1.3.
type ntlmAuthenticate struct {
	response, domain, user, key []byte
	flags                       uint32
}

func parseAuthenticate(b []byte) (m ntlmAuthenticate, err error) {
	if len(b) < ntlmAuthenticateSize || !bytes.HasPrefix(b, []byte(ntlmSignature+"\x03\x00\x00\x00")) {
		return m, fmt.Errorf("%w: authenticate of %d bytes", errNTLM, len(b))
	}
	field := func(at int) []byte {
		n, offset := uint64(binary.LittleEndian.Uint16(b[at:])), uint64(binary.LittleEndian.Uint32(b[at+4:]))
		if offset+n > uint64(len(b)) {
			err = fmt.Errorf("%w: payload of %d at %d", errNTLM, n, offset)
			return nil
		}
		return b[offset : offset+n]
	}
	m.response, m.domain, m.user, m.key = field(20), field(28), field(36), field(52)
	m.flags = binary.LittleEndian.Uint32(b[60:])
	return m, err
}

// authenticate checks AUTHENTICATE_MESSAGE and makes the session.
func (a *ntlmAcceptor) authenticate(token []byte) error {
	m, err := parseAuthenticate(token)
	if err != nil {
		return err
	}
	a.who = perflib.Text(m.user).String()
	switch {
	case m.flags&ntlmAnonymous != 0 || a.who == "":
		return fmt.Errorf("%w: anonymous", errLogon)
	case m.flags&ntlmRequired != ntlmRequired:
		return fmt.Errorf("%w: session security is too weak (flags 0x%08x)", errLogon, m.flags)
	case len(m.response) < ntlmProofSize+ntlmBlobSize || m.response[ntlmProofSize] != 1:
		return fmt.Errorf("%w: not NTLMv2", errLogon)
	}
	if a.attempt == nil {
		return a.check(token, m)
	}
	return a.attempt(a.who, func() error { return a.check(token, m) })
}

// check checks the proof of the password.
func (a *ntlmAcceptor) check(token []byte, m ntlmAuthenticate) error {
	hash, known := a.account(a.who)
	response := hmacMD5(hash[:], perflib.UTF16(strings.ToUpper(a.who)), m.domain)
	proof := hmacMD5(response, a.nonce[:], m.response[ntlmProofSize:])
	if !hmac.Equal(proof, m.response[:ntlmProofSize]) || !known {
		return fmt.Errorf("%w: wrong name or password", errLogon)
	}
	key, err := sessionKey(hmacMD5(response, proof), m)
	if err != nil {
		return err
	}
	if !a.checkMIC(key, token, m.response) {
		return fmt.Errorf("%w: messages were changed on their way", errLogon)
	}
	a.ntlmSession, err = newNTLMSession(key, m.flags&ntlmKeyExchange != 0, false)
	return err
}

// account finds the hash of a name; an unknown one gets a hash that fits no
// password, so that it takes as long.
func (a *ntlmAcceptor) account(name string) (hash [16]byte, ok bool) {
	if !strings.EqualFold(name, "guest") {
		hash, ok = a.accounts(name)
	}
	if !ok {
		rand.Read(hash[:])
	}
	return hash, ok
}

// sessionKey deciphers the key that the client chose, if it did.
func sessionKey(base []byte, m ntlmAuthenticate) ([]byte, error) {
	if m.flags&ntlmKeyExchange == 0 {
		return base, nil
	}
	if len(m.key) != len(base) {
		return nil, fmt.Errorf("%w: session key of %d bytes", errNTLM, len(m.key))
	}
	c, err := rc4.NewCipher(base)
	if err != nil {
		return nil, err
	}
	key := make([]byte, len(m.key))
	c.XORKeyStream(key, m.key)
	return key, nil
}

// checkMIC checks the code over all three messages where the client says that
// it sent one; the flag for it is under the proof of the password.
func (a *ntlmAcceptor) checkMIC(key, token, response []byte) bool {
	flags := findAV(response[ntlmProofSize+ntlmBlobSize:], avFlags)
	if len(flags) != 4 || binary.LittleEndian.Uint32(flags)&avFlagMIC == 0 {
		return true
	}
	if len(token) < ntlmMICEnd {
		return false
	}
	zeroed := slices.Clone(token)
	clear(zeroed[ntlmMICAt:ntlmMICEnd])
	return hmac.Equal(hmacMD5(key, a.negotiate, a.challenge, zeroed), token[ntlmMICAt:ntlmMICEnd])
}

// findAV is the value of an AV_PAIR of a list, nil where there is none.
func findAV(list []byte, wanted uint16) []byte {
	for len(list) >= avHeaderSize {
		id, n := binary.LittleEndian.Uint16(list), int(binary.LittleEndian.Uint16(list[2:]))
		list = list[avHeaderSize:]
		if id == avEnd || n > len(list) {
			return nil
		}
		if id == wanted {
			return list[:n]
		}
		list = list[n:]
	}
	return nil
}

func hmacMD5(key []byte, parts ...[]byte) []byte {
	h := hmac.New(md5.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
