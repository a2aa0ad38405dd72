package krb

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"

	"github.com/oiweiwei/gokrb5.fork/v9/crypto"
	"github.com/oiweiwei/gokrb5.fork/v9/keytab"
	"github.com/oiweiwei/gokrb5.fork/v9/messages"
	"github.com/oiweiwei/gokrb5.fork/v9/types"
)

// Service has the keys by which a host takes tickets.
type Service struct{ keys *keytab.Keytab }

// NewService reads the keys from a keytab.
func NewService(path string) (*Service, error) {
	keys, err := loadKeytab(path)
	return &Service{keys}, err
}

// Acceptor is the host's end of a security context in DCE style. It chooses a key of its
// own, so that a request that is sent once more opens nothing.
type Acceptor struct {
	Context

	service *Service
	request messages.APReq
	seq     int64 // of what this end sends
}

// Accept begins a context.
func (s *Service) Accept() *Acceptor { return &Acceptor{service: s} }

// Ready tells whether the context can be used.
func (a *Acceptor) Ready() bool { return a.done }

// errRefused is why a ticket is not taken.
var errRefused = errors.New("the ticket is not taken")

// maxServiceSkew is how far the clock of a client may be from the host's, RFC 4120 8.2.
const maxServiceSkew = 5 * time.Minute

// Account is whose ticket was shown, as user@REALM.
func (a *Acceptor) Account() string {
	part := a.request.Ticket.DecryptedEncPart
	if part.CRealm == "" {
		return ""
	}
	return part.CName.PrincipalNameString() + "@" + part.CRealm
}

// Step takes the client's token and makes the answer. done tells that the context can be used.
func (a *Acceptor) Step(token []byte) (next []byte, done bool, err error) {
	defer shield(&err)
	switch a.stage++; a.stage {
	case 1:
		next, err = a.answer(token)
	case 2:
		err = a.confirm(token)
		a.done = err == nil
	default:
		err = errContext
	}
	return next, a.done, err
}

// answer checks AP-REQ and makes AP-REP.
func (a *Acceptor) answer(token []byte) ([]byte, error) {
	if err := a.request.Unmarshal(token); err != nil {
		return nil, errContext
	}
	if ok, err := a.request.Verify(a.service.keys, maxServiceSkew, types.HostAddress{}, nil); err != nil || !ok {
		return nil, errors.Join(errRefused, err)
	}
	ticket, sent := a.request.Ticket.DecryptedEncPart, a.request.Authenticator
	et, err := crypto.GetEtype(ticket.Key.KeyType)
	if err != nil {
		return nil, err
	}
	if a.key, err = types.GenerateEncryptionKey(et); err != nil {
		return nil, err
	}
	var seq [4]byte
	rand.Read(seq[:])
	a.acceptor, a.seq = true, int64(binary.BigEndian.Uint32(seq[:])>>2)
	if a.in, a.out, err = a.directions(uint64(uint32(sent.SeqNumber)), uint64(a.seq)); err != nil {
		return nil, err
	}
	rep, err := messages.NewAPRep(ticket.Key, messages.EncAPRepPart{CTime: sent.CTime, Cusec: sent.Cusec, Subkey: a.key, SequenceNumber: a.seq})
	if err != nil {
		return nil, err
	}
	return marshalAPRep(&rep)
}

// confirm checks the client's answer to AP-REP, which repeats its number.
func (a *Acceptor) confirm(token []byte) error {
	var rep messages.APRep
	if err := rep.Unmarshal(token); err != nil {
		return errContext
	}
	if err := rep.DecryptEncPart(a.request.Ticket.DecryptedEncPart.Key); err != nil || rep.DecryptedEncPart.SequenceNumber != a.seq {
		return errRefused
	}
	return nil
}
