package rpc

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vector reads one of the byte vectors, which were written by hand from MS-PCQ
// and C706.
func vector(t testing.TB, name string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", name+"_*.hex"))
	if err != nil || len(names) != 1 {
		t.Fatalf("vector %s: %v, %v", name, names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		part, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, part...)
	}
	return b
}

var (
	vectorSet    = [16]byte{0x1a, 0x72, 0xfc, 0xb4, 0x78, 0x03, 0x6f, 0x47, 0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0x0b, 0x36}
	vectorHandle = Handle{7: 1, 12: 9, 13: 9, 14: 9, 15: 9, 16: 9, 17: 9, 18: 9, 19: 9}
)

// requestVectors are the requests of the vectors, with their szMachine.
func requestVectors(t testing.TB) map[string]struct {
	machine string
	request
} {
	ids := vector(t, "st16")[28 : 28+48]
	return map[string]struct {
		machine string
		request
	}{
		"st10": {"", request{op: opEnumerateCounterSet, inSize: 256}},
		"st11": {"srv", request{op: opQueryCounterSetRegistrationInfo, set: vectorSet, requestCode: 2, lcid: 26, inSize: 48}},
		"st12": {"a", request{op: opEnumerateCounterSetInstances, set: vectorSet}},
		"st15": {"", request{op: opQueryCounterData, handle: vectorHandle, inSize: 4096}},
		"st16": {"", request{op: opValidateCounters, handle: vectorHandle, inSize: 48, identifiers: ids, add: true}},
	}
}

func TestRequestVectors(t *testing.T) {
	for name, v := range requestVectors(t) {
		stub := vector(t, name)
		if got := v.args(v.machine); string(got) != string(stub) {
			t.Errorf("%s: made %x, want %x", name, got, stub)
		}
		r, err := parseRequest(v.op, stub)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := r.args(v.machine); string(got) != string(stub) {
			t.Errorf("%s: read and made again %x, want %x", name, got, stub)
		}
	}
}

func TestReplyVectors(t *testing.T) {
	for name, v := range map[string]struct {
		request
		want reply
	}{
		"st01": {request{op: opEnumerateCounterSet, inSize: 256}, reply{}},
		"st02": {request{op: opEnumerateCounterSet, inSize: 256}, reply{array: Array{Needed: 1, Data: vectorSet[:]}}},
		"st03": {request{op: opEnumerateCounterSet, inSize: 256}, reply{array: Array{Needed: 256, Data: vector(t, "st03")[20 : 20+256*16]}}},
		"st04": {request{op: opEnumerateCounterSet, inSize: 0}, reply{array: Array{Code: CodeNotEnoughMemory, Needed: 256}}},
		"st05": {request{op: opEnumerateCounterSet, inSize: 256}, reply{array: Array{Code: CodeNotEnoughMemory, Needed: 257}}},
		"st13": {request{op: opOpenQueryHandle}, reply{handle: vectorHandle}},
		"st14": {request{op: opCloseQueryHandle}, reply{}},
		"st17": {request{op: opValidateCounters, inSize: 48, identifiers: make([]byte, 48)}, reply{identifiers: vector(t, "st17")[4 : 4+48]}},
		"st18": {request{op: opQueryCounterData, inSize: 4096}, reply{array: Array{Needed: 80, Data: vector(t, "st18")[20 : 20+80]}}},
		"st19": {request{op: opQueryCounterSetRegistrationInfo, inSize: 64}, reply{array: Array{Needed: 6, Data: []byte("a\x00b\x00\x00\x00")}}},
		"st20": {request{op: opQueryCounterData}, reply{array: Array{Code: CodeNotEnoughMemory, Needed: 80}}},
	} {
		stub := vector(t, name)
		v.want.op, v.want.inSize = v.op, v.inSize
		if got := v.want.append(nil); string(got) != string(stub) {
			t.Errorf("%s: made %x, want %x", name, got, stub)
		}
		p, err := parseReply(&v.request, stub)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := p.append(nil); string(got) != string(stub) {
			t.Errorf("%s: read and made again %x, want %x", name, got, stub)
		}
		if len(stub) > v.maxReplyStub() {
			t.Errorf("%s: %d bytes are over the limit of %d", name, len(stub), v.maxReplyStub())
		}
		for n := range stub {
			if _, err := parseReply(&v.request, stub[:n]); !errors.Is(err, errStub) {
				t.Fatalf("%s: cut at %d is taken: %v", name, n, err)
			}
		}
	}
}

func TestBadVectors(t *testing.T) {
	for name, op := range map[string]opnum{
		"st21": opEnumerateCounterSet, "st22": opEnumerateCounterSet, "st23": opEnumerateCounterSet,
		"st24": opValidateCounters, "st25": opEnumerateCounterSet,
	} {
		if _, err := parseRequest(op, vector(t, name)); !errors.Is(err, errStub) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"st06", "st07", "st08"} {
		if _, err := parseReply(&request{op: opEnumerateCounterSet, inSize: 256}, vector(t, name)); !errors.Is(err, errStub) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequestsAreStrict(t *testing.T) {
	for name, v := range requestVectors(t) {
		stub := vector(t, name)
		for n := range stub {
			if _, err := parseRequest(v.op, stub[:n]); !errors.Is(err, errStub) {
				t.Errorf("%s: cut at %d is taken: %v", name, n, err)
			}
		}
		for n := range 40 {
			_, err := parseRequest(v.op, append(slices.Clip(stub), make([]byte, n)...))
			if ok := err == nil; ok != (n <= maxTrailing) {
				t.Errorf("%s: %d trailing bytes: %v", name, n, err)
			}
		}
		verified := append(slices.Clip(stub), verificationMark+"\x01\x40\x04\x00\x01\x00\x00\x00"...)
		if _, err := parseRequest(v.op, verified); err != nil {
			t.Errorf("%s: verification trailer: %v", name, err)
		}
	}
	text := func(size, offset, n uint32, text string) []byte {
		return appendU32(appendAlign(append(appendU32(nil, size, offset, n), text...)), 1)
	}
	for name, stub := range map[string][]byte{
		"referent before the string": append(appendU32(nil, 0x20000), text(1, 0, 1, "\x00\x00")...),
		"offset":                     text(2, 1, 2, "a\x00\x00\x00"),
		"no characters":              text(0, 0, 0, ""),
		"huge":                       text(0x7fffffff, 0, 0x7fffffff, "\x00\x00"),
		"wraps":                      text(0x80000001, 0, 0x80000001, "\x00\x00"),
		"no end":                     text(2, 0, 2, "a\x00b\x00"),
	} {
		if _, err := parseRequest(opEnumerateCounterSet, stub); !errors.Is(err, errStub) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for op := range opValidateCounters + 1 {
		if op.maxInSize() == 0 {
			continue
		}
		r := request{op: op, inSize: op.maxInSize()}
		if op == opValidateCounters {
			continue // its size is its array's
		}
		if _, err := parseRequest(op, r.args("")); err != nil {
			t.Errorf("%s at its limit: %v", op.name(), err)
		}
		r.inSize++
		if _, err := parseRequest(op, r.args("")); !errors.Is(err, errStub) {
			t.Errorf("%s over its limit: %v", op.name(), err)
		}
	}
}
