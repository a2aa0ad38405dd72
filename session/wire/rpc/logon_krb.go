package rpc

import (
	"perfdeck/session/wire/krb"
)

// krbInitiator is a Kerberos context as a mechanism.
type krbInitiator struct{ *krb.Context }

func (krbInitiator) oid() string { return krb.OID }

// restart: no signature of Kerberos depends on those before it.
func (krbInitiator) restart() error { return nil }

// Unseal tells a changed message as all mechanisms do.
func (i krbInitiator) Unseal(before, secret, after, signature []byte) error {
	err := i.Context.Unseal(before, secret, after, signature)
	if krb.IsForged(err) {
		return errSignature
	}
	return err
}
