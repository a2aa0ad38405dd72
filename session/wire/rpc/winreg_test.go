package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// valueStub is the reply to QueryValue of a host with this to say.
func valueStub(kind, size, offset, n uint32, data []byte, needed, length, code uint32) []byte {
	b := appendU32(nil, referent, kind, referent, size, offset, n)
	b = appendAlign(append(b, data...))
	return appendU32(b, referent, needed, referent, length, code)
}

// Both interfaces are called on one connection, each in its own presentation
// context.
func TestTwoInterfacesOnOneConnection(t *testing.T) {
	const reg, pcq = 0, 1 // contexts, in the order in which hostile binds
	key := Handle{4: 9}
	c := hostile(t, func(c *serverConn, k *call) {
		switch {
		case k.context == pcq && k.op == opEnumerateCounterSet:
			r := &reply{op: k.op, inSize: 4, array: Array{Needed: 1, Data: testSet[:]}}
			_ = c.write(response(c, k, flagFirst|flagLast, r.append(nil)))
		case k.context == reg && k.op == opOpenPerformanceText:
			_ = c.write(response(c, k, flagFirst|flagLast, appendU32(key[:len(key):len(key)], 0)))
		case k.context == reg && k.op == opQueryValue:
			_ = c.write(response(c, k, flagFirst|flagLast, valueStub(7, 64, 0, 5, []byte("value"), 5, 5, 0)))
		case k.context == reg && k.op == opCloseKey:
			_ = c.write(response(c, k, flagFirst|flagLast, make([]byte, 24)))
		}
	})
	if !c.Serves(MSPCQ) || !c.Serves(MSRRP) {
		t.Fatal("an interface was not accepted")
	}
	for range 2 {
		if a, err := c.EnumerateCounterSet(t.Context(), 4); err != nil || !bytes.Equal(a.Data, testSet[:]) {
			t.Errorf("MS-PCQ: %+v, %v", a, err)
		}
		h, code, err := c.OpenPerformanceText(t.Context())
		if err != nil || code != CodeOK || h != key {
			t.Errorf("MS-RRP: %v, %v, %v", h, code, err)
		}
		v, err := c.QueryValue(t.Context(), h, "Counter 009", 64, []byte("old"))
		if err != nil || v.Code != CodeOK || v.Type != 7 || v.Needed != 5 || string(v.Data) != "value" {
			t.Errorf("value: %+v, %v", v, err)
		}
		if h, code, err := c.CloseKey(t.Context(), h); err != nil || code != CodeOK || !h.IsNull() {
			t.Errorf("close: %v, %v, %v", h, code, err)
		}
	}
}

// A host that does not grant all rights is asked for those that are needed.
func TestRightsToRead(t *testing.T) {
	for _, v := range []struct {
		all, read Code
		want      Code
		asked     int
	}{
		{CodeOK, CodeOK, CodeOK, 1}, {CodeAccessDenied, CodeOK, CodeOK, 2}, {CodeInvalidParameter, CodeOK, CodeOK, 2},
		{CodeAccessDenied, CodeAccessDenied, CodeAccessDenied, 2}, {CodeNotFound, CodeOK, CodeNotFound, 1},
	} {
		var asked []uint32
		c := hostileStubs(t, func(c *serverConn, k *call, stub []byte) {
			access := binary.LittleEndian.Uint32(stub[4:])
			asked = append(asked, access)
			code := map[uint32]Code{maximumAllowed: v.all, keyRead: v.read}[access]
			_ = c.write(response(c, k, flagFirst|flagLast, appendU32(make([]byte, 20), uint32(code))))
		})
		for what, open := range map[string]func(context.Context) (Handle, Code, error){
			"data": c.OpenPerformanceData, "text": c.OpenPerformanceText, "language": c.OpenPerformanceNLSText,
		} {
			asked = nil
			if _, code, err := open(t.Context()); err != nil || code != v.want || len(asked) != v.asked {
				t.Errorf("%+v: %s: %v, %v, asked for %x", v, what, code, err, asked)
			}
		}
	}
}

// A value's reply is read as far as it is consistent with itself and with what
// was asked for.
func TestParseValue(t *testing.T) {
	good := valueStub(3, 64, 0, 5, []byte("value"), 5, 5, 0)
	for name, v := range map[string]struct {
		stub []byte
		want string
		code Code
		ok   bool
	}{
		"good":                   {good, "value", CodeOK, true},
		"more data":              {valueStub(3, 64, 0, 0, nil, 4096, 0, 234), "", CodeMoreData, true},
		"a part, and more":       {valueStub(3, 64, 0, 5, []byte("value"), 4096, 5, 234), "value", CodeMoreData, true},
		"shorter than the array": {valueStub(3, 64, 0, 5, []byte("value"), 5, 3, 0), "val", CodeOK, true},
		"nothing":                {appendU32(nil, 0, 0, 0, 0, 2), "", 2, true},
		"array over its size":    {valueStub(3, 4, 0, 5, []byte("value"), 5, 5, 0), "", 0, false},
		"array over the asked":   {valueStub(3, 128, 0, 65, bytes.Repeat([]byte{1}, 65), 65, 65, 0), "", 0, false},
		"array with an offset":   {valueStub(3, 64, 1, 5, []byte("value"), 5, 5, 0), "", 0, false},
		"array cut off":          {valueStub(3, 64, 0, 50, []byte("value"), 5, 5, 0), "", 0, false},
		"empty":                  {nil, "", 0, false},
		"too long":               {append(slices.Clone(good), make([]byte, 9)...), "", 0, false},
	} {
		got, err := parseValue(v.stub, 64)
		if (err == nil) != v.ok || v.ok && (string(got.Data) != v.want || got.Code != v.code) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if !v.ok && !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range good {
		if _, err := parseValue(good[:n], 64); err == nil {
			t.Errorf("%d of %d bytes are taken", n, len(good))
		}
	}
}

// The request is what MS-RRP 3.1.5.17 has, and uploads nothing.
func TestQueryValueRequest(t *testing.T) {
	key := Handle{4: 1}
	b := valueArgs(key, "238", 1<<20)
	want := append(key[:], 8, 0, 8, 0)
	want = appendU32(want, referent, 4, 0, 4)
	want = append(want, '2', 0, '3', 0, '8', 0, 0, 0)
	want = appendU32(want, referent, 0, referent, 1<<20, 0, 0, referent, 1<<20, referent, 0)
	if !bytes.Equal(b, want) {
		t.Errorf("%x, want %x", b, want)
	}
}

func TestValuesTooLargeAreNotAskedFor(t *testing.T) {
	c := hostile(t, func(*serverConn, *call) { t.Error("it was asked") })
	for _, v := range []struct {
		name string
		size uint32
	}{{"Global", MaxValue + 1}, {string(make([]byte, maxValueName)), 10}} {
		if _, err := c.QueryValue(t.Context(), Handle{}, v.name, v.size, nil); err == nil || c.Err() != nil {
			t.Errorf("%d bytes, a name of %d: %v, %v", v.size, len(v.name), err, c.Err())
		}
	}
}

// FuzzValue reads any stub as the reply to QueryValue.
func FuzzValue(f *testing.F) {
	f.Add(valueStub(3, 64, 0, 5, []byte("value"), 5, 5, 0), uint32(64))
	f.Add(valueStub(3, 64, 0, 0, nil, 4096, 0, 234), uint32(0))
	f.Fuzz(func(t *testing.T, stub []byte, inSize uint32) {
		v, err := parseValue(stub, inSize)
		if err == nil && (len(v.Data) > int(inSize) || len(v.Data) > len(stub)) {
			t.Fatalf("%d bytes of %d", len(v.Data), inSize)
		}
	})
}

func TestInterfaceNames(t *testing.T) {
	if MSPCQ.String() != "MS-PCQ" || MSRRP.String() != "MS-RRP" {
		t.Errorf("%v and %v", MSPCQ, MSRRP)
	}
	var n NDR
	MSRRP.syntax.code(&n)
	b := n.b // 338cd001-2244-31f1-aaaa-900038001003
	if binary.LittleEndian.Uint32(b) != 0x338cd001 || b[8] != 0xaa {
		t.Errorf("%x", b)
	}
}
