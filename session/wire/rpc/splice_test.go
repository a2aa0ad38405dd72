package rpc

import (
	"encoding/binary"
	"testing"
)

// A call begun without protection is not finished with it, nor the other way
// round.
func TestFragmentsOfOneProtection(t *testing.T) {
	stub := allRequests()[0].args("")
	for _, protectedFirst := range []bool{false, true} {
		ts := startServer(t, nil)
		c := ts.dial(t, nil)
		c.callID++
		r := &rawClient{t: t, Conn: c.nc, wire: c.wire, id: c.callID}
		for i, part := range [][]byte{stub[:16], stub[16:]} {
			pdu := r.requestPDU([]uint8{flagFirst, flagLast}[i], opEnumerateCounterSet, part)
			if (i == 0) == protectedFirst {
				var err error
				if pdu, err = c.seal(pdu); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.nc.Write(pdu); err != nil {
				t.Fatal(err)
			}
		}
		h, err := c.wire.readHeader()
		if err == nil && h.kind != pduFault {
			t.Errorf("protected first %v: answered by type %d", protectedFirst, h.kind)
		}
		if ts.opened.Load() != 0 {
			t.Errorf("protected first %v: a session was asked", protectedFirst)
		}
	}
}

// A challenge is good for one answer: who fails does not try again on it.
func TestOneTryForAChallenge(t *testing.T) {
	ts := startServer(t, nil)
	r := ts.raw(t)
	wrong, right := bare(newNTLM(testUser, "", NTHash([]byte("wrong")), testSPN)), bare(newNTLM(testUser, "", NTHash([]byte(testPassword)), testSPN))
	tr := right.trailer()
	token, _, _ := right.step(nil)
	_, _, _ = wrong.step(nil)
	h, b := r.exchange(r.bindPDU(pduBind, bindCall(maxFragmentSize, 0, MSPCQ), tr, token))
	_, _, challenge := h.split(b)
	for _, i := range []*initiator{wrong, right} {
		token, _, err := i.step(append([]byte(nil), challenge...))
		if err != nil {
			t.Fatal(err)
		}
		out := append(appendHeader(nil, pduAuth3, flagFirst|flagLast, r.id), 0, 0, 0, 0)
		if _, err := r.Write(appendToken(out, tr, token)); err != nil {
			t.Fatal(err)
		}
	}
	c := &Client{sec: right}
	pdu, err := c.seal(r.requestPDU(flagFirst|flagLast, opEnumerateCounterSet, allRequests()[0].args("")))
	if err != nil {
		t.Fatal(err)
	}
	h, b = r.exchange(pdu)
	if h.kind != pduFault || Code(binary.LittleEndian.Uint32(b[24:])) != CodeAccessDenied {
		t.Errorf("answered by type %d", h.kind)
	}
}
