package rpc

import (
	"fmt"

	"perfdeck/session/wire/krb"
)

// krbMechanism is a Kerberos context as a mechanism: the client's end, and what is alike at
// the server's.
type krbMechanism struct{ *krb.Context }

func (krbMechanism) oid() string { return krb.OID }

// restart: no signature of Kerberos depends on those before it.
func (krbMechanism) restart() error { return nil }

// krbAcceptor is the server's part of a log-on by Kerberos.
type krbAcceptor struct {
	krbMechanism

	accounts Accounts // that may log on
	taking   *krb.Acceptor
}

func (a *krbAcceptor) user() string { return a.taking.Account() }
func (a *krbAcceptor) done() bool   { return a.taking.Ready() }

func (a *krbAcceptor) accept(token []byte) ([]byte, error) {
	answer, done, err := a.taking.Step(token)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLogon, err)
	}
	if _, known := a.accounts(a.user()); done && !known {
		return nil, fmt.Errorf("%w: no such account", errLogon)
	}
	return answer, nil
}
