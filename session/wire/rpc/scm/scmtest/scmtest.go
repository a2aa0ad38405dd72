// Package scmtest is a service manager for tests, as a Windows host has one, on our own server.
package scmtest

import (
	"context"
	"encoding/binary"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/oiweiwei/go-msrpc/msrpc/dtyp"
	scmr "github.com/oiweiwei/go-msrpc/msrpc/scmr/svcctl/v2"
	"github.com/oiweiwei/go-msrpc/ndr"

	"perfdeck/session/wire/rpc"
)

// Service is one of a host's.
type Service struct {
	Name, Title                string
	Type, State                uint32
	ExitCode, OwnCode, Process uint32
	Start                      uint32
	IsDelayed                  bool
	Triggers                   int
	IsSecret                   bool // its configuration is denied
}

// Host is a host. What is set may be changed between calls, under Change.
type Host struct {
	Services   []Service
	Denies     bool // listing
	IsOld      bool // it has no REnumServicesStatusExW
	NoTriggers bool // nor RQueryServiceConfigEx
	Hangs      bool
	// Alter changes the stub of a reply; nil: nothing does.
	Alter func(op uint16, stub []byte) []byte

	mu    sync.Mutex
	calls map[uint16]int
}

// User and Password log on.
const (
	User     = "any"
	Password = "any"
)

// Change changes the host between calls.
func (h *Host) Change(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
}

// Calls is how often methods were called; none: all.
func (h *Host) Calls(ops ...uint16) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for op, times := range h.calls {
		if len(ops) == 0 || slices.Contains(ops, op) {
			n += times
		}
	}
	return n
}

// Start serves the host until the test ends.
func Start(t testing.TB, h *Host) (port int) {
	t.Helper()
	server := rpc.NewServer(rpc.ServerOptions{
		Go: func(f func()) { go f() }, LogonDelay: time.Millisecond,
		Accounts:  func(string) ([16]byte, bool) { return rpc.NTHash([]byte(Password)), true },
		Interface: h.Interface,
	})
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed with the test
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() { _ = server.Serve(ctx, l) }()
	return l.Addr().(*net.TCPAddr).Port
}

// Options log on to a host that was started.
func Options(port int) rpc.Options {
	return rpc.Options{
		Address: rpc.Address{Host: "127.0.0.1", Port: port},
		Account: rpc.Account{User: User, Password: func(context.Context) ([]byte, error) { return []byte(Password), nil }},
		Calls:   rpc.Calls{Interfaces: []rpc.Interface{rpc.MSSCMR}, CallTimeout: 10 * time.Second},
	}
}

// Interface is rpc.ServerOptions's.
func (h *Host) Interface(id [16]byte, _ uint32) rpc.Handler {
	if id != rpc.MSSCMR.ID() {
		return nil
	}
	return h.answer
}

func (h *Host) answer(ctx context.Context, c *rpc.Call) ([]byte, error) {
	h.mu.Lock()
	hangs := h.Hangs
	h.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls == nil {
		h.calls = map[uint16]int{}
	}
	h.calls[c.Op]++
	method := methods[c.Op]
	if method == nil || h.IsOld && c.Op == 42 || h.NoTriggers && c.Op == 56 {
		return nil, rpc.Fault(rpc.FaultOpRange)
	}
	reply, err := method(h, c.Stub)
	if err != nil {
		return nil, rpc.Fault(rpc.CodeBadStubData)
	}
	stub, err := ndr.Marshal(reply)
	if err == nil && h.Alter != nil {
		stub = h.Alter(c.Op, stub)
	}
	return stub, err
}

// Handles: that of the manager, and those of services by their place in the list.
const firstService = 2

func handle(k uint32) *scmr.Handle {
	return &scmr.Handle{UUID: &dtyp.GUID{Data1: k, Data4: []byte{1, 2, 3, 4, 5, 6, 7, 8}}}
}

// Codes, MS-ERREF 2.2.
const (
	denied    = 5
	level     = 124
	more      = 234
	noService = 1060
)

var methods = map[uint16]func(h *Host, stub []byte) (ndr.Marshaler, error){
	0: func(*Host, []byte) (ndr.Marshaler, error) {
		return &scmr.CloseServiceResponse{ServiceObject: &scmr.Handle{}}, nil
	},
	14: func(h *Host, stub []byte) (ndr.Marshaler, error) {
		var in scmr.EnumServicesStatusWRequest
		err := rpc.ReadGenerated(stub, &in)
		l := h.list(in.BufferLength, in.ResumeIndex, false)
		return &scmr.EnumServicesStatusWResponse{BufferLength: in.BufferLength, Buffer: l.buffer, BytesNeededLength: l.needed, ServicesReturned: l.n, ResumeIndex: l.resume, Return: l.code}, err
	},
	15: func(h *Host, stub []byte) (ndr.Marshaler, error) {
		var in scmr.OpenSCMWRequest
		err := rpc.ReadGenerated(stub, &in)
		if h.Denies || in.DesiredAccess&^5 != 0 {
			return &scmr.OpenSCMWResponse{SCM: &scmr.Handle{}, Return: denied}, err
		}
		return &scmr.OpenSCMWResponse{SCM: handle(1)}, err
	},
	16: func(h *Host, stub []byte) (ndr.Marshaler, error) {
		var in scmr.OpenServiceWRequest
		err := rpc.ReadGenerated(stub, &in)
		at := slices.IndexFunc(h.Services, func(s Service) bool { return s.Name == in.ServiceName })
		switch {
		case at < 0:
			return &scmr.OpenServiceWResponse{Service: &scmr.Handle{}, Return: noService}, err
		case h.Services[at].IsSecret || in.DesiredAccess&^5 != 0:
			return &scmr.OpenServiceWResponse{Service: &scmr.Handle{}, Return: denied}, err
		}
		return &scmr.OpenServiceWResponse{Service: handle(firstService + uint32(at))}, err
	},
	17: func(h *Host, stub []byte) (ndr.Marshaler, error) {
		var in scmr.QueryServiceConfigWRequest
		err := rpc.ReadGenerated(stub, &in)
		s := h.of(in.Service)
		return &scmr.QueryServiceConfigWResponse{ServiceConfig: &scmr.QueryServiceConfigW{
			ServiceType: s.Type, StartType: s.Start, ErrorControl: 1, BinaryPathName: `C:\Windows\system32\svchost.exe -k netsvcs`, ServiceStartName: "LocalSystem", DisplayName: s.Name, // the library writes titles beyond 16 bits wrong
		}, BytesNeededLength: 300}, err
	},
	39: func(h *Host, stub []byte) (ndr.Marshaler, error) {
		var in scmr.QueryServiceConfig2WRequest
		err := rpc.ReadGenerated(stub, &in)
		out := &scmr.QueryServiceConfig2WResponse{BufferLength: in.BufferLength, Buffer: make([]byte, in.BufferLength), BytesNeededLength: 4}
		if in.InfoLevel != 3 {
			out.Return = level
		} else if h.of(in.Service).IsDelayed && len(out.Buffer) > 0 {
			out.Buffer[0] = 1
		}
		return out, err
	},
	42: func(h *Host, stub []byte) (ndr.Marshaler, error) {
		var in scmr.EnumServicesStatusExWRequest
		err := rpc.ReadGenerated(stub, &in)
		if in.InfoLevel != 0 {
			return &scmr.EnumServicesStatusExWResponse{Return: level}, err
		}
		l := h.list(in.BufferLength, in.ResumeIndex, true)
		return &scmr.EnumServicesStatusExWResponse{BufferLength: in.BufferLength, Buffer: l.buffer, BytesNeededLength: l.needed, ServicesReturned: l.n, ResumeIndex: l.resume, Return: l.code}, err
	},
	56: func(h *Host, stub []byte) (ndr.Marshaler, error) {
		var in scmr.QueryServiceConfigExRequest
		err := rpc.ReadGenerated(stub, &in)
		info := &scmr.ServiceTriggerInfo{}
		for range h.of(in.Service).Triggers {
			info.Triggers = append(info.Triggers, &scmr.ServiceTrigger{TriggerType: 1, Action: 1, TriggerSubtype: &dtyp.GUID{Data4: make([]byte, 8)}})
		}
		info.TriggersCount = uint32(len(info.Triggers))
		return &scmr.QueryServiceConfigExResponse{Info: &scmr.ConfigInfoW{
			InfoLevel: 8, ConfigInfoW: &scmr.ConfigInfoW_ConfigInfoW{Value: &scmr.ConfigInfoW_TriggerInfo{TriggerInfo: info}},
		}}, err
	},
}

func (h *Host) of(of *scmr.Handle) Service {
	if of == nil || of.UUID == nil || int(of.UUID.Data1)-firstService >= len(h.Services) || of.UUID.Data1 < firstService {
		return Service{}
	}
	return h.Services[of.UUID.Data1-firstService]
}

// listed is a part of the list.
type listed struct {
	buffer                  []byte
	n, needed, resume, code uint32
}

// list fills a buffer: heads from its begin, texts from its end on, as hosts are said to.
func (h *Host) list(size, resume uint32, isNew bool) (l listed) {
	head := 36
	if isNew {
		head = 44
	}
	if h.Denies {
		l.code = denied
		return l
	}
	units := func(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }
	need := func(s *Service) int { return head + 2*(len(units(s.Name))+len(units(s.Title))) }
	l.buffer = make([]byte, size)
	at, used := len(l.buffer), 0
	put := func(text string) uint32 {
		u := units(text)
		at -= 2 * len(u)
		for i, unit := range u {
			binary.LittleEndian.PutUint16(l.buffer[at+2*i:], unit)
		}
		return uint32(at)
	}
	for i := int(resume); i < len(h.Services); i++ {
		s := &h.Services[i]
		if n := need(s); l.code != 0 || used+n > int(size) {
			l.code = more
			l.needed += uint32(n)
			continue
		} else {
			used += n
		}
		for k, v := range []uint32{put(s.Name), put(s.Title), s.Type, s.State, 1, s.ExitCode, s.OwnCode, 0, 0, s.Process, 0}[:head/4] {
			binary.LittleEndian.PutUint32(l.buffer[int(l.n)*head+4*k:], v)
		}
		l.n++
	}
	if l.code == more {
		l.resume = resume + l.n
	}
	return l
}
