package rpc

import (
	"bytes"
	"errors"
	"testing"

	"perfdeck/session/wire/krb"
	"perfdeck/session/wire/smb"
)

// Tokens of every length of a length are read as they were written.
func TestTokenLengths(t *testing.T) {
	for _, size := range []int{0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000, 70_000} {
		r := spnegoResponse{State: spnegoUntold, Token: bytes.Repeat([]byte{7}, size)}
		if got, err := parseSPNEGOResponse(marshalled(t, &r)); err != nil || !bytes.Equal(got.Token, r.Token) || got.State != r.State || got.MIC != nil || got.Mechanism != nil {
			t.Errorf("%d bytes became %+v, %v", size, got, err)
		}
	}
}

func marshalled(t testing.TB, r *spnegoResponse) []byte {
	t.Helper()
	b, err := r.marshal()
	if err != nil {
		t.Fatal(err)
	}
	return b
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
	early := marshalled(t, &spnegoResponse{State: spnegoCompleted, MIC: make([]byte, 28)})
	if _, done, err := n.Step(early); done || !errors.Is(err, errDamaged) {
		t.Errorf("done %v, %v", done, err)
	}
}
