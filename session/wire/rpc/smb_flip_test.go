package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"
)

// Bits flipped on the way, of SMB's messages or of the calls within, are seen.
func TestFlippedBitsOverSMB(t *testing.T) {
	t.Parallel()
	for name, global := range map[string][]string{"signed": nil, "encrypted": {"smb encrypt = required"}} {
		s := startSMB(t, global...)
		for _, at := range []int{5, 4 + 20, 4 + 50, 4 + 64 + 20, 4 + 64 + 60, 4 + 64 + 90} { // of an answer of 200 bytes and more
			b := &bentConn{bendIn: flipAnswer(at)}
			o := smbOptions(s)
			o.dial = func(ctx context.Context, network, address string) (_ net.Conn, err error) {
				b.Conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
				return b, err
			}
			c := dialSMB(t, o)
			c.o.CallTimeout = time.Second // what is taken for another message has no answer
			b.armed.Store(true)
			if _, _, err := c.OpenPerformanceData(t.Context()); err == nil {
				t.Errorf("%s: byte %d: taken", name, at)
			}
		}
		if name == "signed" { // above the transport, which then makes no difference
			checkFlippedCalls(t, smbOptions(s))
		}
	}
}

func flip(at int) func(from int, b []byte) {
	return func(from int, b []byte) {
		if i := at - from; i >= 0 && i < len(b) {
			b[i] ^= 1
		}
	}
}

// flipAnswer passes over what a slow host sends before its answer, that this comes
// later: nothing is taken from it, so it is not checked.
func flipAnswer(at int) func(from int, b []byte) {
	const pending = 0x103
	before := 0
	return func(from int, b []byte) {
		if from == 0 && len(b) >= 4+64 && string(b[4:8]) == "\xfeSMB" && binary.LittleEndian.Uint32(b[4+8:]) == pending {
			before = 4 + int(binary.BigEndian.Uint32(b))
		}
		flip(before+at)(from, b)
	}
}

// checkFlippedCalls flips bits above the transport: what is left to find them is
// the protection of the calls.
func checkFlippedCalls(t *testing.T, o Options) {
	t.Helper()
	c := dialSMB(t, o)
	size := callHeaderSize + 32 + trailerSize + c.sec.Overhead() // a handle and a result, padded
	_ = c.Close()
	for at := range size {
		b := &bentConn{bendIn: flip(at)}
		over := o.Connect
		o := o
		o.Connect = func(ctx context.Context, o *Options) (_ net.Conn, err error) {
			b.Conn, err = over(ctx, o)
			return b, err
		}
		if at%7 != 0 && (at < 24 || at >= 24+16) { // all of the payload's begin, some of the rest
			continue
		}
		c := dialSMB(t, o)
		if at < callHeaderSize {
			c.o.CallTimeout = time.Second // a longer length waits for the rest
		}
		b.armed.Store(true)
		_, _, err := c.OpenPerformanceData(t.Context())
		if err == nil {
			t.Errorf("byte %d of a call: taken", at)
		}
		if at >= 24 && at < 24+16 && !errors.Is(err, errSignature) {
			t.Errorf("byte %d of a call: %v", at, err)
		}
		_ = c.Close()
	}
}
