package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
	"unicode/utf16"

	even "github.com/oiweiwei/go-msrpc/msrpc/even/eventlog/v0"
	scmr "github.com/oiweiwei/go-msrpc/msrpc/scmr/svcctl/v2"
	"github.com/oiweiwei/go-msrpc/ndr"
)

// generatedReplies are all that are read of hosts.
var generatedReplies = []func() ndr.Unmarshaler{
	func() ndr.Unmarshaler { return &scmr.OpenSCMWResponse{} },
	func() ndr.Unmarshaler { return &scmr.EnumServicesStatusExWResponse{} },
	func() ndr.Unmarshaler { return &scmr.EnumServicesStatusWResponse{} },
	func() ndr.Unmarshaler { return &scmr.OpenServiceWResponse{} },
	func() ndr.Unmarshaler { return &scmr.QueryServiceConfigWResponse{} },
	func() ndr.Unmarshaler { return &scmr.QueryServiceConfig2WResponse{} },
	func() ndr.Unmarshaler { return &scmr.QueryServiceStatusExResponse{} },
	func() ndr.Unmarshaler { return &scmr.QueryServiceConfigExResponse{} },
	func() ndr.Unmarshaler { return &scmr.CloseServiceResponse{} },
	func() ndr.Unmarshaler { return &even.OpenEventLogWResponse{} },
	func() ndr.Unmarshaler { return &even.NumberOfRecordsResponse{} },
	func() ndr.Unmarshaler { return &even.OldestRecordResponse{} },
	func() ndr.Unmarshaler { return &even.ReadEventLogWResponse{} },
	func() ndr.Unmarshaler { return &even.CloseEventLogResponse{} },
}

// servicesReply is the stub of a list of n services, as a host answers REnumServicesStatusExW.
func servicesReply(n int) []byte {
	var heads, texts []byte
	text := func(s string) uint32 {
		at := uint32(n*44 + len(texts))
		for _, u := range utf16.Encode([]rune(s + "\x00")) {
			texts = binary.LittleEndian.AppendUint16(texts, u)
		}
		return at
	}
	for i := range n {
		name, title := text(fmt.Sprintf("Service%03d", i)), text(fmt.Sprintf("A service with a name for people %03d", i))
		heads = appendU32(heads, name, title, 0x20, 4, 1, 0, 0, 0, 0, uint32(1000+i), 0)
	}
	buffer := append(heads, texts...)
	b := appendAlign(append(appendU32(nil, uint32(len(buffer))), buffer...))
	return appendU32(b, uint32(len(buffer)), uint32(n), referent, 0, 0)
}

// configReply is the stub of a service's configuration, whose pointers all have one number.
func configReply(texts ...string) []byte {
	b := appendU32(nil, 0x20, 2, 1, referent, referent, 0, referent, referent, referent)
	for _, s := range texts {
		b = appendMachine(b, s)
	}
	return appendU32(b, 123, 0)
}

// Pointers of one number are two: a host numbers them as it likes.
func TestGeneratedPointersOfOneNumber(t *testing.T) {
	var r scmr.QueryServiceConfigWResponse
	if err := ReadGenerated(configReply("path", "group", "needs", "account", "title"), &r); err != nil {
		t.Fatal(err)
	}
	if c := r.ServiceConfig; c.BinaryPathName != "path" || c.ServiceStartName != "account" || c.DisplayName != "title" || r.BytesNeededLength != 123 {
		t.Errorf("%+v, %d", *c, r.BytesNeededLength)
	}
}

// A reply that is cut anywhere is damaged, and one with something behind it, too.
func TestGeneratedReplyCut(t *testing.T) {
	for name, whole := range map[string][]byte{"list": servicesReply(2), "configuration": configReply("a", "b", "c", "d", "e")} {
		read := func(stub []byte) error {
			if name == "list" {
				return ReadGenerated(stub, &scmr.EnumServicesStatusExWResponse{})
			}
			return ReadGenerated(stub, &scmr.QueryServiceConfigWResponse{})
		}
		if err := read(whole); err != nil {
			t.Fatal(err)
		}
		if err := read(append(whole[:len(whole):len(whole)], make([]byte, maxTrailing+1)...)); !errors.Is(err, errDamaged) {
			t.Errorf("%s with more behind it: %v", name, err)
		}
		for n := range whole {
			if err := read(whole[:n]); !errors.Is(err, errDamaged) {
				t.Fatalf("%s of %d bytes: %v", name, n, err)
			}
		}
	}
}

// FuzzGenerated reads all replies with whatever bytes: nothing of them costs more than they are
// long allows.
func FuzzGenerated(f *testing.F) {
	f.Add(1, servicesReply(3))
	f.Add(4, configReply("a", "b", "c", "d", "e"))
	for i := range generatedReplies {
		f.Add(i, make([]byte, 200))
		f.Add(i, appendU32(nil, referent, 4, 4, referent, 4, 8, referent, 4, 1, 0, referent, 4, 0))
		f.Add(i, appendU32(nil, 1<<31, 1<<31, referent, 1<<31, 0, 1<<31))
	}
	f.Fuzz(func(t *testing.T, which int, b []byte) {
		out := generatedReplies[uint(which)%uint(len(generatedReplies))]()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		_ = ReadGenerated(b, out)
		if took := time.Since(begin); took > 5*time.Second {
			t.Fatalf("%T: %v for %d bytes", out, took, len(b))
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20+uint64(len(b))*200 {
			t.Fatalf("%T: %d bytes taken for %d", out, n, len(b))
		}
	})
}
