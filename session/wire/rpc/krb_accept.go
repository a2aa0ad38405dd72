package rpc

import (
	"errors"
	"fmt"

	"perfdeck/session/wire/krb"
)

// krbAcceptor is the server's part of a log-on by Kerberos.
type krbAcceptor struct {
	accounts Accounts // that may log on
	context  *krb.Acceptor
	headers  bool // the client signs headers too
}

func (a *krbAcceptor) oid() string   { return krb.OID }
func (a *krbAcceptor) user() string  { return a.context.Account() }
func (a *krbAcceptor) overhead() int { return a.context.Overhead() }
func (a *krbAcceptor) done() bool    { return a.context.Ready() }

func (a *krbAcceptor) accept(token []byte) ([]byte, error) {
	answer, done, err := a.context.Step(token)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLogon, err)
	}
	if _, known := a.accounts(a.user()); done && !known {
		return nil, fmt.Errorf("%w: no such account", errLogon)
	}
	return answer, nil
}

// parts are what is protected in each way.
func (a *krbAcceptor) parts(pdu []byte, from, to int) (before, secret, after []byte) {
	if !a.headers {
		return nil, pdu[from:to], nil
	}
	return pdu[:from], pdu[from:to], pdu[to:]
}

func (a *krbAcceptor) seal(pdu []byte, from, to int) ([]byte, error) {
	signature, err := a.context.Seal(a.parts(pdu, from, to))
	return append(pdu, signature...), err
}

func (a *krbAcceptor) unseal(pdu []byte, from, to int, signature []byte) error {
	before, secret, after := a.parts(pdu, from, to)
	return a.context.Unseal(before, secret, after, signature)
}

func (a *krbAcceptor) exchangeMIC(list, mic []byte) ([]byte, error) {
	if err := a.context.Verify(list, mic); err != nil {
		return nil, errors.Join(errLogon, err)
	}
	return a.context.Sign(list)
}
