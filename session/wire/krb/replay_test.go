package krb

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/oiweiwei/gokrb5.fork/v9/messages"
	"github.com/oiweiwei/gokrb5.fork/v9/types"
)

// ticketFor is a ticket for a host whose key the test knows.
func ticketFor(now func() time.Time) *Ticket {
	t := &Ticket{key: types.EncryptionKey{KeyType: enctypes[0], KeyValue: bytes.Repeat([]byte{1}, 32)},
		client: types.PrincipalName{NameType: 1, NameString: []string{"ana"}}, realm: "CORP", from: &Client{o: Options{Now: now}}}
	t.ticket = messages.Ticket{TktVNO: 5, Realm: "CORP", SName: types.PrincipalName{NameType: 2, NameString: []string{"cifs", "srv1"}},
		EncPart: types.EncryptedData{EType: enctypes[0], Cipher: []byte("cipher")}}
	return t
}

// replyTo is the AP-REP of the host to what a context sent; change may be nil.
func replyTo(t *testing.T, c *Context, change func(*messages.EncAPRepPart)) []byte {
	t.Helper()
	part := messages.EncAPRepPart{CTime: c.sent.CTime, Cusec: c.sent.Cusec, SequenceNumber: 77,
		Subkey: types.EncryptionKey{KeyType: enctypes[0], KeyValue: bytes.Repeat([]byte{2}, 32)}}
	if change != nil {
		change(&part)
	}
	rep, err := messages.NewAPRep(c.ticket.key, part)
	if err != nil {
		t.Fatal(err)
	}
	b, err := marshalAPRep(&rep)
	if err == nil && !c.dce {
		b, err = frame(tokenAPRep, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A host's answer is good for the request that it answers: what was recorded of
// another log-on with the same ticket proves nothing, in either style, even if
// both were made in one tick of the clock.
func TestReplayedAPRep(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, dce := range []bool{false, true} {
		ticket := ticketFor(func() time.Time { return now })
		begin := func() *Context {
			c := ticket.Initiate(dce)
			if _, _, err := c.Step(nil); err != nil {
				t.Fatal(err)
			}
			return c
		}
		first := begin()
		recorded := replyTo(t, first, nil)
		if next, done, err := first.Step(recorded); err != nil || !done || (len(next) > 0) != dce {
			t.Fatalf("dce %v: the host's own answer: %v, %v", dce, done, err)
		}
		if _, done, err := begin().Step(recorded); done || !errors.Is(err, errImpostor) {
			t.Errorf("dce %v: a replayed answer: %v, %v", dce, done, err)
		}
		for what, change := range map[string]func(*messages.EncAPRepPart){
			"another second":      func(p *messages.EncAPRepPart) { p.CTime = p.CTime.Add(time.Second) },
			"another microsecond": func(p *messages.EncAPRepPart) { p.Cusec++ },
			"a short key":         func(p *messages.EncAPRepPart) { p.Subkey.KeyValue = p.Subkey.KeyValue[:31] },
			"a key of RC4":        func(p *messages.EncAPRepPart) { p.Subkey.KeyType, p.Subkey.KeyValue = 23, p.Subkey.KeyValue[:16] },
		} {
			c := begin()
			if _, done, err := c.Step(replyTo(t, c, change)); done || err == nil {
				t.Errorf("dce %v: %s is taken", dce, what)
			}
		}
	}
}
