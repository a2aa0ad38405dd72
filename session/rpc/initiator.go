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
	"github.com/oiweiwei/go-msrpc/ssp/spnego"
)

// initiator is the client's end of a security context: its log-on, and the
// protection of PDUs at packet privacy.
type initiator struct {
	ctx        context.Context // holds the library's state; it never ends
	kind       authType
	mechanism  gssapi.OID
	headerSign bool // the host signs headers too
}

// newInitiator prepares the log-on of an account by its NT hash.
func newInitiator(a Authentication, user, domain string, hash [16]byte) *initiator {
	who := credential.NewFromNTHashBytes(user, hash[:], credential.Domain(domain))
	i := &initiator{kind: authSPNEGO, mechanism: spnego.Mechanism{}.Type()}
	if a == NTLM {
		i.kind, i.mechanism = authNTLM, ntlm.MechanismType
	}
	i.ctx = gssapi.NewSecurityContext(context.Background(), gssapi.WithCredential(who),
		gssapi.WithMechanismFactory(spnego.Mechanism{}), gssapi.WithMechanismFactory(checkedNTLM{}))
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

// step takes the host's token, nil at first, and makes the next one. done tells
// that the log-on is over once that token, if any, is sent.
func (i *initiator) step(token []byte) (next []byte, done bool, err error) {
	defer shield(&err)
	t, err := gssapi.InitSecurityContext(i.ctx, &gssapi.Token{Payload: token}, gssapi.WithMechanismType(i.mechanism),
		gssapi.WithRequest(gssapi.Confidentiality|gssapi.Integrity|gssapi.ReplayDetection|gssapi.Sequencing))
	if errors.Is(err, spnego.ErrReject) {
		return nil, false, Fault(codeLogonFailure)
	}
	if err != nil {
		return nil, false, err
	}
	return t.Payload, gssapi.IsComplete(i.ctx), nil
}

// trailer is what stands before this context's signatures.
func (i *initiator) trailer() trailer { return trailer{kind: i.kind, level: levelPrivacy} }

// seal protects the PDU: body is enciphered in place, the signature returned.
// The PDU ends with its trailer.
func (i *initiator) seal(pdu []byte, end int) (signature []byte, err error) {
	defer shield(&err)
	t, err := gssapi.WrapEx(i.ctx, i.parts(pdu, end))
	if err != nil {
		return nil, err
	}
	return t.Signature, nil
}

// unseal deciphers a PDU in place and checks its signature.
func (i *initiator) unseal(pdu []byte, end int, signature []byte) (err error) {
	defer shield(&err)
	t := i.parts(pdu, end)
	t.Signature = signature
	_, err = gssapi.UnwrapEx(i.ctx, t)
	return err
}

// parts is a PDU without its signature in the three pieces that are protected
// differently: header, payload up to end, trailer.
func (i *initiator) parts(pdu []byte, end int) *gssapi.MessageTokenEx {
	around := gssapi.Cap(0)
	if i.headerSign {
		around = gssapi.Integrity
	}
	return &gssapi.MessageTokenEx{Payloads: []*gssapi.PayloadEx{
		{Payload: pdu[:callHeaderSize], Capabilities: around},
		{Payload: pdu[callHeaderSize:end], Capabilities: gssapi.Integrity | gssapi.Confidentiality},
		{Payload: pdu[end:], Capabilities: around},
	}}
}

// checkedNTLM is the library's NTLM mechanism with the checks that it lacks.
type checkedNTLM struct{ ntlm.Mechanism }

// New makes the mechanism of one security context.
func (f checkedNTLM) New(ctx context.Context) (gssapi.Mechanism, error) {
	m, err := f.Mechanism.New(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := m.(*ntlm.Mechanism)
	if !ok {
		return nil, errLibrary
	}
	return &checkedMechanism{plain}, nil
}

type checkedMechanism struct{ *ntlm.Mechanism }

// challengeFlagsAt is where CHALLENGE_MESSAGE has its flags, MS-NLMP 2.2.1.2.
const challengeFlagsAt = 20

// Init refuses a challenge whose flags would weaken the session.
func (m *checkedMechanism) Init(ctx context.Context, t *gssapi.Token) (*gssapi.Token, error) {
	const wanted = ntlmRequired | ntlmSign | ntlmSeal | ntlmKeyExchange
	if t.Payload != nil {
		if len(t.Payload) < challengeFlagsAt+4 {
			return nil, fmt.Errorf("%w: challenge of %d bytes", errDamaged, len(t.Payload))
		}
		if flags := binary.LittleEndian.Uint32(t.Payload[challengeFlagsAt:]); flags&wanted != wanted {
			return nil, fmt.Errorf("%w (flags 0x%08x)", errNoPrivacy, flags)
		}
	}
	return m.Mechanism.Init(ctx, t)
}

// UnwrapEx compares the signature: the library only computes what it should be.
func (m *checkedMechanism) UnwrapEx(ctx context.Context, t *gssapi.MessageTokenEx) (*gssapi.MessageTokenEx, error) {
	got := t.Signature
	out, err := m.Mechanism.UnwrapEx(ctx, t)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(got, out.Signature) != 1 {
		return nil, errSignature
	}
	return out, nil
}
