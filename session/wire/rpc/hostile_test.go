package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/wire/smbtest"
)

// hostile is a server in the test's bubble that logs clients on and then answers
// every request as it is told to.
func hostile(t *testing.T, answer func(c *serverConn, k *call)) *Client {
	t.Helper()
	return hostileStubs(t, func(c *serverConn, k *call, _ []byte) { answer(c, k) })
}

// hostileStubs is the same that hears the calls' arguments.
func hostileStubs(t *testing.T, answer func(c *serverConn, k *call, stub []byte), change ...func(*Options)) *Client {
	t.Helper()
	near, far := net.Pipe()
	s := NewServer(ServerOptions{Go: func(f func()) { f() }, Accounts: testAccounts})
	done := make(chan struct{})
	go func() {
		defer close(done)
		c := newServerConn(context.Background(), s, far, 1)
		c.serves = func(s syntax) service {
			if s.uuid[0] >= 0xdd { // of no interface of any test
				return service{}
			}
			return service{answer: (*serverConn).resultPerflib}
		}
		defer c.end(nil)
		for {
			h, pdu, err := c.read()
			if err != nil {
				return
			}
			if h.kind != pduRequest {
				if c.handle(h, pdu) != nil {
					return
				}
				continue
			}
			sec, stub, err := c.open(h, pdu)
			if err != nil {
				return
			}
			answer(c, &call{id: h.callID, context: binary.LittleEndian.Uint16(pdu[20:]), op: opnum(binary.LittleEndian.Uint16(pdu[22:])), sec: sec}, stub)
		}
	}()
	o := Options{
		Address: Address{Host: "127.0.0.1", Connect: func(context.Context, *Options) (net.Conn, error) { return near, nil }},
		Calls:   Calls{Interfaces: []Interface{MSRRP, MSPCQ}, CallTimeout: time.Second},
		Account: Account{User: testUser, Password: smbtest.FixedPassword(testPassword)},
	}
	for _, f := range change {
		f(&o)
	}
	c, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		<-done
	})
	return c
}

// response makes a sealed response with the flags.
func response(c *serverConn, k *call, flags uint8, stub []byte) []byte {
	out := appendHeader(nil, pduResponse, flags, k.id)
	out = append(append(out, 0, 0, 0, 0, 0, 0, 0, 0), stub...)
	out, _ = k.sec.protect(out)
	return out
}

func TestHostileReplies(t *testing.T) {
	good := (&reply{op: opEnumerateCounterSet, inSize: 256, array: Array{Needed: 1, Data: testSet[:]}}).append(nil)
	sealed := func(stub []byte) func(*serverConn, *call) {
		return func(c *serverConn, k *call) { _ = c.write(response(c, k, flagFirst|flagLast, stub)) }
	}
	raw := func(pdu func(c *serverConn, k *call) []byte) func(*serverConn, *call) {
		return func(c *serverConn, k *call) { _ = c.write(pdu(c, k)) }
	}
	patched := func(at int, v uint32) []byte {
		b := append([]byte(nil), good...)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for name, answer := range map[string]func(*serverConn, *call){
		"empty stub":       sealed(nil),
		"cut after sizes":  sealed(good[:20]),
		"cut result":       sealed(good[:len(good)-1]),
		"trailing bytes":   sealed(append(slices.Clip(good), make([]byte, 8)...)),
		"count huge":       sealed(patched(16, 0xfffffff0)),
		"count over max":   sealed(patched(8, 0)),
		"offset":           sealed(patched(12, 1)),
		"size not count":   sealed(patched(0, 2)),
		"more than asked":  sealed((&reply{op: opEnumerateCounterSet, inSize: 300, array: Array{Needed: 300, Data: make([]byte, 300*16)}}).append(nil)),
		"oversized":        sealed(make([]byte, 60000)),
		"first is missing": raw(func(c *serverConn, k *call) []byte { return response(c, k, flagLast, good) }),
		"first twice": raw(func(c *serverConn, k *call) []byte {
			return append(response(c, k, flagFirst, good[:16]), response(c, k, flagFirst|flagLast, good)...)
		}),
		"no protection": raw(func(c *serverConn, k *call) []byte {
			k.sec = nil
			return response(c, k, flagFirst|flagLast, good)
		}),
		"lower protection": raw(func(c *serverConn, k *call) []byte {
			low := *k.sec
			low.level = levelIntegrity
			k.sec = &low
			return response(c, k, flagFirst|flagLast, good)
		}),
		"another call": raw(func(c *serverConn, k *call) []byte {
			k.id++
			return response(c, k, flagFirst|flagLast, good)
		}),
		"wrong type": raw(func(c *serverConn, k *call) []byte {
			out := response(c, k, flagFirst|flagLast, good)
			out[2] = byte(pduBindAck)
			return out
		}),
		"request":       raw(func(c *serverConn, k *call) []byte { return appendHeaderOnly(pduRequest, k.id) }),
		"shutdown":      raw(func(c *serverConn, k *call) []byte { return appendHeaderOnly(pduShutdown, k.id) }),
		"short fault":   raw(func(c *serverConn, k *call) []byte { return appendHeaderOnly(pduFault, k.id) }),
		"short nak":     raw(func(c *serverConn, k *call) []byte { return appendHeaderOnly(pduBindNak, k.id) }),
		"fault":         raw(func(c *serverConn, k *call) []byte { return appendFault(nil, k.id, 0, FaultContextMismatch) }),
		"bare response": raw(func(c *serverConn, k *call) []byte { return appendHeaderOnly(pduResponse, k.id) }),
		"garbage":       raw(func(*serverConn, *call) []byte { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n") }),
		"length zero": raw(func(c *serverConn, k *call) []byte {
			b := appendHeaderOnly(pduResponse, k.id)
			setLengths(b, 0, 0)
			return b
		}),
		"authentication longer than PDU": raw(func(c *serverConn, k *call) []byte {
			b := appendHeaderOnly(pduResponse, k.id)
			setLengths(b, len(b), 0xffff)
			return b
		}),
		"padding longer than payload": raw(func(c *serverConn, k *call) []byte {
			out := response(c, k, flagFirst|flagLast, good)
			out[len(out)-signatureSize-trailerSize+2] = 255
			return out
		}),
		"empty fragments without end": func(c *serverConn, k *call) {
			for range 100000 {
				if c.write(response(c, k, flagFirst, nil)) != nil {
					return
				}
			}
		},
		"fragments without end": func(c *serverConn, k *call) {
			flags := uint8(flagFirst)
			for range 100000 {
				if c.write(response(c, k, flags, make([]byte, 16))) != nil {
					return
				}
				flags = 0
			}
		},
		"a byte now and then": func(c *serverConn, k *call) {
			for _, b := range response(c, k, flagFirst|flagLast, good) {
				if _, err := c.nc.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := hostile(t, answer)
				a, err := c.EnumerateCounterSet(t.Context(), 256)
				var e *Error
				if !errors.As(err, &e) || len(a.Data) != 0 {
					t.Fatalf("taken: %+v, %v", a, err)
				}
				if c.Err() == nil {
					t.Error("the connection is kept")
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		a, err := hostile(t, sealed(good)).EnumerateCounterSet(t.Context(), 256)
		if err != nil || len(a.Data) != 16 {
			t.Errorf("good reply: %+v, %v", a, err)
		}
	})
}

func appendHeaderOnly(kind pduType, id uint32) []byte {
	b := appendHeader(nil, kind, flagFirst|flagLast, id)
	setLengths(b, len(b), 0)
	return b
}
