package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/oiweiwei/go-msrpc/ssp/credential"
	"github.com/oiweiwei/go-msrpc/ssp/gssapi"
	"github.com/oiweiwei/go-msrpc/ssp/ntlm"
)

// ntlmInitiator is the library's NTLM with the checks that it lacks.
type ntlmInitiator struct {
	*ntlmSession // once it is done

	ctx context.Context // holds the library's state; it never ends
	spn string
	// await is called before the message that proves the password.
	await func() error
}

// newNTLM prepares the log-on of an account by its NT hash. The name of the host
// as the user gave it is sent as a service's, under the proof of the password
// (MsvAvTargetName, MS-NLMP 3.1.5.1.2), so that a host that checks it refuses a
// log-on that was meant for another.
func newNTLM(user, domain string, hash [16]byte, spn string) *ntlmInitiator {
	i := &ntlmInitiator{spn: spn, await: func() error { return nil }}
	who := credential.NewFromNTHashBytes(user, hash[:], credential.Domain(domain))
	i.ctx = gssapi.NewSecurityContext(context.Background(), gssapi.WithCredential(who), gssapi.WithMechanismFactory(ntlm.Mechanism{}))
	return i
}

var errLibrary = errors.New("the security library failed")

// shield turns a panic of the library into an error. What it says may hold
// secrets and is dropped.
func shield(err *error) {
	if recover() != nil {
		*err = errLibrary
	}
}

func (i *ntlmInitiator) oid() string { return oidNTLM }

// challengeFlagsAt is where CHALLENGE_MESSAGE has its flags, MS-NLMP 2.2.1.2.
const challengeFlagsAt = 20

// Step refuses a challenge whose flags would weaken the session, and never lets
// out an answer that is not NTLMv2.
func (i *ntlmInitiator) Step(token []byte) (next []byte, done bool, err error) {
	defer shield(&err)
	const wanted = ntlmRequired | ntlmSign | ntlmSeal | ntlmKeyExchange
	if token != nil {
		if len(token) < challengeFlagsAt+4 {
			return nil, false, fmt.Errorf("%w: challenge of %d bytes", errDamaged, len(token))
		}
		if flags := binary.LittleEndian.Uint32(token[challengeFlagsAt:]); flags&wanted != wanted {
			return nil, false, fmt.Errorf("%w (flags 0x%08x)", errNoPrivacy, flags)
		}
		if err := i.await(); err != nil {
			return nil, false, err
		}
	}
	t, err := gssapi.InitSecurityContext(i.ctx, &gssapi.Token{Payload: token}, gssapi.WithMechanismType(ntlm.MechanismType), gssapi.WithTargetName(i.spn),
		gssapi.WithRequest(gssapi.Confidentiality|gssapi.Integrity|gssapi.ReplayDetection|gssapi.Sequencing))
	if err != nil {
		return nil, false, err
	}
	if !gssapi.IsComplete(i.ctx) {
		return t.Payload, false, nil
	}
	if !isNTLMv2(t.Payload) {
		return nil, false, errOldNTLM
	}
	key, _ := gssapi.GetAttribute(i.ctx, gssapi.AttributeSessionKey)
	if key, ok := key.([]byte); ok {
		i.ntlmSession, err = newNTLMSession(key, true, true)
		return t.Payload, true, err
	}
	return nil, false, errLibrary
}

var errOldNTLM = errors.New("the answer would not be NTLMv2: it is not sent")

// isNTLMv2 tells whether an AUTHENTICATE_MESSAGE holds an NTLMv2 response, and
// of LM nothing or as many zeros.
func isNTLMv2(token []byte) bool {
	m, err := parseAuthenticate(token)
	if err != nil || len(m.response) < ntlmProofSize+ntlmBlobSize || m.response[ntlmProofSize] != 1 {
		return false
	}
	lm := binary.LittleEndian.Uint16(token[12:])
	at := binary.LittleEndian.Uint32(token[16:])
	if uint64(at)+uint64(lm) > uint64(len(token)) {
		return false
	}
	for _, b := range token[at : at+uint32(lm)] {
		if b != 0 {
			return false
		}
	}
	return true
}
