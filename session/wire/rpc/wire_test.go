package rpc

import (
	"bytes"
	"context"
	"net"
	"testing"
)

// expecting notes what a client expects of a transport.
type expecting struct {
	net.Conn
	expected []int
}

func (c *expecting) Expect(n int) error {
	c.expected = append(c.expected, n)
	return nil
}

// A transport that has to ask for fragments hears once for each reply how many
// come at least, and never of more than come.
func TestExpectedFragments(t *testing.T) {
	ts := startServer(t, func(o *ServerOptions) { o.FragmentSize = minFragmentSize })
	for _, blocks := range []int64{0, 10, 40, 50, 80, 1000} {
		ts.blocks.Store(blocks)
		e := &expecting{}
		c := ts.dial(t, func(o *Options) {
			o.Connect = func(ctx context.Context, o *Options) (_ net.Conn, err error) {
				e.Conn, err = TCP(ctx, o)
				return e, err
			}
		})
		h := openHandle(t, c)
		e.expected = nil
		a, err := c.QueryCounterData(t.Context(), h, 1<<20, nil)
		if err != nil || len(a.Data) != int(32*blocks) {
			t.Fatal(len(a.Data), err)
		}
		payload := (minFragmentSize - callHeaderSize - trailerSize - signatureSize) &^ (payloadAlignment - 1)
		fragments := (arrayPrefixSize + len(a.Data) + 4 + payload - 1) / payload
		switch {
		case fragments == 1 && len(e.expected) != 0:
			t.Errorf("%d blocks: expected %v of one fragment", blocks, e.expected)
		case fragments > 1 && (len(e.expected) != 1 || e.expected[0] > fragments-1 || e.expected[0] < (fragments-1)*9/10):
			t.Errorf("%d blocks: expected %v, and %d came after the first", blocks, e.expected, fragments-1)
		}
	}
}

// What is sent in fragments is what was to be sent.
func TestFragmentsAreWhole(t *testing.T) {
	for _, size := range []int{0, 1, 15, 16, 100, 1000, 5000} {
		stub := bytes.Repeat([]byte{1, 2, 3}, size)
		var got []byte
		flags := byte(0)
		f := fragments{kind: pduRequest, max: 200, around: 24, protect: func(pdu []byte) ([]byte, error) { return pdu, nil },
			write: func(pdu []byte) error {
				if len(pdu) > 200-24 {
					t.Errorf("%d bytes in a fragment", len(pdu))
				}
				flags |= pdu[3]
				got = append(got, pdu[callHeaderSize:]...)
				return nil
			}}
		if err := f.send(nil, stub); err != nil || !bytes.Equal(got, stub) || flags != flagFirst|flagLast {
			t.Errorf("%d bytes became %d, flags %x, %v", len(stub), len(got), flags, err)
		}
	}
}
