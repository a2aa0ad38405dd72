package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// manyObjects is an interface of a host's objects, which takes whatever it is sent.
var manyObjects = NewInterface("objects", [16]byte{1, 2, 3, 4})

// withObjects asks for calls side by side, which the host grants.
func withObjects(granted bool) func(*Options) {
	return func(o *Options) {
		o.Interfaces, o.SideBySide, o.Go, o.CallTimeout, o.Traffic = []Interface{manyObjects}, true, func(f func()) { go f() }, time.Minute, &Traffic{}
		if connect := o.Connect; granted {
			o.Connect = func(ctx context.Context, o *Options) (net.Conn, error) {
				nc, err := connect(ctx, o)
				return readsGranted{nc}, err
			}
		}
	}
}

// readsGranted is the client's end of a connection whose calls may be side by side.
type readsGranted struct{ net.Conn }

func (c readsGranted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n >= headerSize && b[0] == 5 && pduType(b[2]) == pduBindAck {
		b[3] |= flagMultiplex
	}
	return n, err
}

// numberedCalls are calls whose arguments are their numbers, and what came back of each.
func numberedCalls(n, size int) (calls []*Outgoing, got []uint32) {
	got = make([]uint32, n)
	for i := range n {
		args := make([]byte, size)
		binary.LittleEndian.PutUint32(args, uint32(i+1))
		calls = append(calls, &Outgoing{Interface: manyObjects, Object: [16]byte{9, byte(i)}, Op: 7, Name: "call an object", Args: args, MaxReply: 1 << 20,
			Take: func(stub []byte) error {
				got[i] = binary.LittleEndian.Uint32(stub)
				return nil
			}})
	}
	return calls, got
}

// checkNumbers checks that each call got its own answer.
func checkNumbers(t *testing.T, got []uint32) {
	t.Helper()
	for i, n := range got {
		if n != uint32(i+1) {
			t.Errorf("call %d got the answer of %d", i+1, n)
		}
	}
}

func TestRequestOfAnObject(t *testing.T) {
	// A request with an object, after C706 12.6.4.9: context 2, opnum 33.
	want, err := hex.DecodeString("050000831000000048000000090000002000000002002100d3c2b1a001000200030405060708090a" +
		"05000700000000000000000033221100554477668899aabbccddeeff00000000")
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	f := fragments{kind: pduRequest, callID: 9, context: 2, op: 33, object: [16]byte(want[24:40]), max: maxFragmentSize,
		protect: unprotected, write: func(pdu []byte) error { got = append(got, pdu...); return nil }}
	if err := f.send(nil, want[40:]); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v\n%x\n%x", err, got, want)
	}
}

// Calls that are not side by side, and those that are: each gets its own answer, whole,
// whatever the order and the size.
func TestManyCalls(t *testing.T) {
	for _, size := range []int{4, 40, 3000, 150_000} { // the last in several fragments, with the object in each
		for _, granted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, side by side %v", size, granted), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const n = 150
					most := 0
					type waiting struct {
						*call

						stub []byte
					}
					var held []waiting
					var args []byte
					var c *Client
					c = hostileStubs(t, func(s *serverConn, k *call, stub []byte) {
						if args = append(args, stub...); len(args) < size {
							return
						}
						held, args = append(held, waiting{k, args}), nil
						most = max(most, len(held))
						together := 1 // the host waits for so many, and answers the last first
						if granted {
							together = MostUnderWay
						}
						if first := binary.LittleEndian.Uint32(held[0].stub); len(held) < min(together, n-int(first)+1) {
							return
						}
						for i := len(held) - 1; i >= 0; i-- {
							f := fragments{kind: pduResponse, callID: held[i].id, context: held[i].context, max: s.sendMax, around: trailerSize + signatureSize,
								protect: held[i].sec.protect, write: s.write}
							if err := f.send(nil, held[i].stub); err != nil {
								return
							}
						}
						held = nil
					}, withObjects(granted))
					calls, got := numberedCalls(n, size)
					if err := c.Do(t.Context(), calls...); err != nil {
						t.Fatal(err)
					}
					checkNumbers(t, got)
					waits, want := c.o.Traffic.Waits(), uint64(n)
					if granted {
						want = 3
					}
					if waits != want {
						t.Errorf("%d waits, %d wanted", waits, want)
					}
					if granted != (most > 1) || most > MostUnderWay {
						t.Errorf("%d calls were under way", most)
					}
					if c.Err() != nil {
						t.Errorf("the connection is broken: %v", c.Err())
					}
				})
			})
		}
	}
}

// answered answers a call of numberedCalls.
func answered(s *serverConn, k *call, stub []byte) []byte {
	return response(s, k, flagFirst|flagLast, append([]byte(nil), stub...))
}

func TestFaultsOfMany(t *testing.T) {
	for _, granted := range []bool{false, true} {
		for code, whole := range map[Code]bool{FaultOpRange: true, FaultUnknownInterface: true, 0x80010108: true, 0x80010110: true,
			FaultProtocol: false, CodeAccessDenied: false, FaultContextMismatch: false, CodeBadStubData: true, 0x80070005: false} {
			t.Run(fmt.Sprintf("%X, side by side %v", uint32(code), granted), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := hostileStubs(t, func(s *serverConn, k *call, stub []byte) {
						if stub[0] == 5 {
							_ = s.fault(k.id, k.context, code)
						} else {
							_ = s.write(answered(s, k, stub))
						}
					}, withObjects(granted))
					calls, got := numberedCalls(10, 8)
					err := c.Do(t.Context(), calls...)
					if !whole {
						if e, ok := errors.AsType[*Error](err); !ok || e.Code != code || c.Err() == nil {
							t.Errorf("%v, the connection: %v", err, c.Err())
						}
						return
					}
					if e, ok := errors.AsType[*Error](calls[4].Err); err != nil || !ok || e.Code != code || c.Err() != nil {
						t.Fatalf("%v, of the call %v, the connection: %v", err, calls[4].Err, c.Err())
					}
					got[4] = 5
					checkNumbers(t, got)
					calls, got = numberedCalls(4, 8)
					if err := c.Do(t.Context(), calls...); err != nil {
						t.Errorf("after the fault: %v", err)
					}
					checkNumbers(t, got)
				})
			})
		}
	}
}

// What does not belong to a call under way ends the connection and all calls, at once.
func TestHostileAnswersToMany(t *testing.T) {
	for name, answer := range map[string]func(s *serverConn, k *call, stub []byte){
		"twice": func(s *serverConn, k *call, stub []byte) {
			_ = s.write(answered(s, k, stub))
			_ = s.write(answered(s, k, stub))
		},
		"of no call": func(s *serverConn, k *call, stub []byte) {
			k.id += 1000
			_ = s.write(answered(s, k, stub))
		},
		"of a call before": func(s *serverConn, k *call, stub []byte) {
			k.id -= 1000
			_ = s.write(answered(s, k, stub))
		},
		"a fault of no call": func(s *serverConn, k *call, _ []byte) { _ = s.fault(k.id+1000, k.context, FaultOpRange) },
		"changed": func(s *serverConn, k *call, stub []byte) {
			b := answered(s, k, stub)
			b[callHeaderSize] ^= 1
			_ = s.write(b)
		},
		"unprotected": func(s *serverConn, k *call, stub []byte) {
			k.sec = nil
			_ = s.write(answered(s, k, stub))
		},
		"the end":      func(s *serverConn, _ *call, _ []byte) { _ = s.nc.Close() },
		"another kind": func(s *serverConn, k *call, _ []byte) { _ = s.write(appendHeaderOnly(pduOrphaned, k.id)) },
		"too long": func(s *serverConn, k *call, _ []byte) {
			for flags := uint8(flagFirst); s.write(response(s, k, flags, make([]byte, 60000))) == nil; flags = 0 {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := hostileStubs(t, answer, withObjects(true))
				calls, _ := numberedCalls(200, 8)
				began := time.Now()
				if err := c.Do(t.Context(), calls...); err == nil || c.Err() == nil {
					t.Errorf("%v, the connection: %v", err, c.Err())
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// Each call has its own time, from when it is sent: one that gets no answer ends at its end,
// while others are answered.
func TestDeadlinesOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := hostileStubs(t, func(s *serverConn, k *call, stub []byte) {
			if stub[0] != 3 {
				time.Sleep(time.Second)
				_ = s.write(answered(s, k, stub))
			}
		}, withObjects(true))
		calls, _ := numberedCalls(200, 8)
		calls[2].Timeout = 7 * time.Second
		began := time.Now() // this host takes the third call when it has answered the first
		err := c.Do(t.Context(), calls...)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 8*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
	synctest.Test(t, func(t *testing.T) { // a long one needs no more than it says
		c := hostileStubs(t, func(s *serverConn, k *call, stub []byte) {
			time.Sleep(20 * time.Minute)
			_ = s.write(answered(s, k, stub))
		}, withObjects(true))
		calls, got := numberedCalls(1, 8)
		calls[0].Timeout = 30 * time.Minute
		if err := c.Do(t.Context(), calls...); err != nil {
			t.Error(err)
		}
		checkNumbers(t, got)
	})
	synctest.Test(t, func(t *testing.T) {
		c := hostileStubs(t, func(*serverConn, *call, []byte) {}, withObjects(true))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		calls, _ := numberedCalls(200, 8)
		if err := c.Do(ctx, calls...); !errors.Is(err, context.Canceled) || c.Err() == nil {
			t.Error(err)
		}
	})
}

// Interfaces may be bound to after the log-on, whether the host takes them or not.
func TestBindAfterTheLogOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		echo := func(s *serverConn, k *call, stub []byte) { _ = s.write(answered(s, k, stub)) }
		c := hostileStubs(t, echo, func(o *Options) { o.Interfaces = []Interface{MSRRP} })
		strange := NewInterface("strange", [16]byte{0xee})
		calls, got := numberedCalls(3, 8)
		if err := c.Do(t.Context(), calls...); !errors.Is(err, ErrNotServed) || c.Err() != nil {
			t.Errorf("before it is bound to: %v", err)
		}
		if err := c.Bind(t.Context(), manyObjects, MSRRP, strange, manyObjects); err != nil {
			t.Fatal(err)
		}
		if len(c.contexts()) != 3 || !c.Serves(manyObjects) || c.Serves(strange) || !c.Serves(MSRRP) {
			t.Errorf("%+v", c.contexts())
		}
		if err := c.Do(t.Context(), calls...); err != nil {
			t.Error(err)
		}
		checkNumbers(t, got)
		var reads sync.WaitGroup // others ask what is served meanwhile
		defer reads.Wait()
		reads.Go(func() {
			for range 100 {
				if c.Serves(strange) || !c.Serves(manyObjects) {
					t.Error("what was bound to changes")
				}
			}
		})
		for i := range 100 { // no end of them
			_ = c.Bind(t.Context(), NewInterface("another", [16]byte{0xdd, byte(i)}))
		}
		if len(c.contexts()) > mostBound {
			t.Errorf("%d interfaces", len(c.contexts()))
		}
	})
}
