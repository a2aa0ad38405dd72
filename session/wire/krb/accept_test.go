package krb_test

import (
	"bytes"
	"testing"

	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smbtest"
)

// The two ends of a context log on to each other with a ticket of a realm, and read each
// other's messages; a token that was changed, or that another log-on made, is not taken.
func TestAccept(t *testing.T) {
	t.Parallel()
	k := smbtest.StartKDC(t)
	client, err := krb.New(krb.Options{User: smbtest.User, Password: smbtest.FixedPassword(smbtest.Password), Config: k.Config})
	if err != nil {
		t.Fatal(err)
	}
	ticket, err := client.Ticket(t.Context(), smbtest.Service)
	if err != nil {
		t.Fatal(err)
	}
	service, err := krb.NewService(k.Keytab())
	if err != nil {
		t.Fatal(err)
	}
	near, far := ticket.Initiate(true), service.Accept()
	request, _, err := near.Step(nil)
	if err != nil {
		t.Fatal(err)
	}
	for at := range request { // some of it is for people
		changed := bytes.Clone(request)
		changed[at] ^= 1
		other := service.Accept()
		if answer, done, err := other.Step(changed); done || err == nil && at > len(request)-100 { // its proof
			t.Fatalf("byte %d of the request changed: %d bytes, %v, %v", at, len(answer), done, err)
		}
	}
	answer, done, err := far.Step(request)
	if err != nil || done || far.Account() != smbtest.User+"@"+smbtest.Realm {
		t.Fatal(far.Account(), done, err)
	}
	last, done, err := near.Step(answer)
	if err != nil || !done {
		t.Fatal(done, err)
	}
	twice := service.Accept()
	if _, _, err := twice.Step(request); err != nil {
		t.Fatal(err)
	}
	if _, done, err := twice.Step(last); done || err == nil {
		t.Error("what was recorded of another log-on is taken")
	}
	if _, done, err := far.Step(last); err != nil || !done {
		t.Fatal(done, err)
	}
	if _, done, err := far.Step(last); !done || err == nil {
		t.Error("a log-on goes on after its end")
	}
	for from, to := range map[interface {
		Seal(before, secret, after []byte) ([]byte, error)
	}]interface {
		Unseal(before, secret, after, signature []byte) error
	}{near: far, far: near} {
		text := []byte("sixteen bytes!!!")
		signature, err := from.Seal([]byte("before"), text, []byte("after"))
		if err == nil {
			err = to.Unseal([]byte("before"), text, []byte("after"), signature)
		}
		if err != nil || string(text) != "sixteen bytes!!!" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
