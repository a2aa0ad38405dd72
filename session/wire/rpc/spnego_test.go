package rpc

import (
	"bytes"
	"errors"
	"testing"

	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smb"
)

// Elements of every length of a length are read as they were written.
func TestDER(t *testing.T) {
	for _, size := range []int{0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000, 70_000} {
		content := bytes.Repeat([]byte{7}, size)
		b := appendDER(nil, derOctets, content)
		if got, err := derOne(b, derOctets); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes became %d, %v", size, len(got), err)
		}
	}
}

// What appliances write is read: lengths of more octets than they need, and mechanisms whose identifiers
// nobody knows, of any size.
func TestTokensOfOthers(t *testing.T) {
	if r, err := parseSPNEGOResponse(unhex(t, "a1 81 07 30 05 a0 03 0a 01 01")); err != nil || r.state != spnegoIncomplete {
		t.Errorf("%+v, %v", r, err)
	}
	unknown := string(unhex(t, "06 0a 69 ff ff ff ff ff ff ff ff 7f"))
	list := appendDER(nil, derContext, appendDER(nil, derSequence, []byte(oidNTLM+unknown)))
	init := appendDER([]byte(oidSPNEGO), derContext, appendDER(nil, derSequence, list))
	a := &spnegoAcceptor{acceptor: &ntlmAcceptor{accounts: testAccounts, name: "HOST"}}
	if _, err := a.accept(appendDER(nil, derApplication, init)); err != nil {
		t.Error(err)
	}
	for _, damaged := range []string{"a10b3009a0030a010104020102", "a1123010a0030a0101a20904020102a303040155"} {
		if r, err := parseSPNEGOResponse(unhex(t, damaged)); err == nil {
			t.Errorf("%s is %+v", damaged, r)
		}
	}
}

// A log-on whose message no PDU can hold is not tried.
func TestLongLogOn(t *testing.T) {
	ts := startServer(t, nil)
	o := ts.options()
	o.setDefaults()
	nc, err := ts.connect(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sec := bare(newNTLM(testUser, "", NTHash([]byte(testPassword)), testSPN))
	c := &Client{o: o, nc: nc, wire: newWire(nc, o.FragmentSize), sendMax: o.FragmentSize, sec: sec}
	sec.step = func([]byte) ([]byte, bool, error) { return make([]byte, maxFragmentSize), false, nil }
	if err := c.bind(); !errors.Is(err, smb.ErrLongToken) {
		t.Errorf("%v", err)
	}
}

// unfinished is a log-on whose host has proven nothing yet.
type unfinished struct{ krbMechanism }

func (unfinished) Step([]byte) ([]byte, bool, error) { return []byte("token"), false, nil }

// A host that ends the negotiation, and signs it, before it has proven who it is breaks the protocol.
func TestEarlySignature(t *testing.T) {
	n := &spnegoInitiator{mech: unfinished{krbMechanism{&krb.Context{}}}}
	if _, _, err := n.Step(nil); err != nil {
		t.Fatal(err)
	}
	early := (&spnegoResponse{state: spnegoCompleted, mic: make([]byte, 28)}).marshal("")
	if _, done, err := n.Step(early); done || !errors.Is(err, errDamaged) {
		t.Errorf("done %v, %v", done, err)
	}
}
