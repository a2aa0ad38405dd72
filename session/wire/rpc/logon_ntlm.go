package rpc

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/oiweiwei/go-msrpc/ssp/credential"
	"github.com/oiweiwei/go-msrpc/ssp/gssapi"
	"github.com/oiweiwei/go-msrpc/ssp/ntlm"
)

// ntlmInitiator is the library's NTLM with the checks that it lacks.
type ntlmInitiator struct {
	ctx  context.Context // holds the library's state; it never ends
	mech *ntlm.Mechanism
	spn  string
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
	i.ctx = gssapi.NewSecurityContext(context.Background(), gssapi.WithCredential(who), gssapi.WithMechanismFactory(ntlmFactory{of: i}))
	return i
}

// ntlmFactory hands the mechanism that the library makes to the initiator.
type ntlmFactory struct {
	ntlm.Mechanism
	of *ntlmInitiator
}

// New makes the mechanism of one security context.
func (f ntlmFactory) New(ctx context.Context) (gssapi.Mechanism, error) {
	m, err := f.Mechanism.New(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := m.(*ntlm.Mechanism)
	if !ok {
		return nil, errLibrary
	}
	f.of.mech = plain
	return plain, nil
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
	done = gssapi.IsComplete(i.ctx)
	if done && !isNTLMv2(t.Payload) {
		return nil, false, errOldNTLM
	}
	return t.Payload, done, nil
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

func (i *ntlmInitiator) SessionKey() []byte {
	if i.mech == nil {
		return nil
	}
	return i.mech.SessionKey()
}

func (i *ntlmInitiator) Sign(msg []byte) (signature []byte, err error) {
	defer shield(&err)
	t, err := i.mech.MakeSignature(i.ctx, &gssapi.MessageToken{Payload: msg})
	if err != nil {
		return nil, err
	}
	return t.Signature, nil
}

func (i *ntlmInitiator) Verify(msg, signature []byte) (err error) {
	defer shield(&err)
	if len(signature) != signatureSize || i.mech.VerifySignature(i.ctx, &gssapi.MessageToken{Payload: msg, Signature: signature}) != nil {
		return errSignature
	}
	return nil
}

// restart begins the ciphers anew; the sequence numbers go on.
func (i *ntlmInitiator) restart() (err error) {
	defer shield(&err)
	return i.mech.ResetSecurityService(i.ctx)
}

func (i *ntlmInitiator) Overhead() int { return signatureSize }

func (i *ntlmInitiator) Seal(before, secret, after []byte) (signature []byte, err error) {
	defer shield(&err)
	t, err := gssapi.WrapEx(i.ctx, ntlmParts(before, secret, after))
	if err != nil {
		return nil, err
	}
	return t.Signature, nil
}

// Unseal compares the signature: the library only computes what it should be.
func (i *ntlmInitiator) Unseal(before, secret, after, signature []byte) (err error) {
	defer shield(&err)
	t := ntlmParts(before, secret, after)
	t.Signature = signature
	out, err := gssapi.UnwrapEx(i.ctx, t)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(signature, out.Signature) != 1 {
		return errSignature
	}
	return nil
}

// ntlmParts: NTLM signs all of them whatever is negotiated of headers.
func ntlmParts(before, secret, after []byte) *gssapi.MessageTokenEx {
	return &gssapi.MessageTokenEx{Payloads: []*gssapi.PayloadEx{
		{Payload: before, Capabilities: gssapi.Integrity},
		{Payload: secret, Capabilities: gssapi.Integrity | gssapi.Confidentiality},
		{Payload: after, Capabilities: gssapi.Integrity},
	}}
}
