package winhost

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"

	"perfdeck/session/hosts/pcq"
	"perfdeck/session/wire/rpc"
)

// perflib reads V2 countersets of this computer by the consumer functions of
// perflib.h. They are in advapi32.dll and return a Win32 code.
type perflib struct {
	calls     *calls
	functions [len(perflibFunctions)]*windows.LazyProc
	queries   map[rpc.Handle]bool // open ones
	buf       []byte
	lost      error // why no more calls are made
}

// function is a place in perflibFunctions.
type function int

const (
	enumerateCounterSet function = iota
	queryRegistrationInfo
	enumerateInstances
	openQueryHandle
	closeQueryHandle
	queryCounterInfo
	queryCounterData
	addCounters
	deleteCounters
)

var perflibFunctions = [...]string{
	enumerateCounterSet:   "PerfEnumerateCounterSet",
	queryRegistrationInfo: "PerfQueryCounterSetRegistrationInfo",
	enumerateInstances:    "PerfEnumerateCounterSetInstances",
	openQueryHandle:       "PerfOpenQueryHandle",
	closeQueryHandle:      "PerfCloseQueryHandle",
	queryCounterInfo:      "PerfQueryCounterInfo",
	queryCounterData:      "PerfQueryCounterData",
	addCounters:           "PerfAddCounters",
	deleteCounters:        "PerfDeleteCounters",
}

func dialPerflib(c *calls) (pcq.Conn, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	p := &perflib{calls: c, queries: map[rpc.Handle]bool{}}
	advapi32 := windows.NewLazySystemDLL("advapi32.dll")
	for i, name := range perflibFunctions {
		p.functions[i] = advapi32.NewProc(name)
		if err := p.functions[i].Find(); err != nil {
			return nil, &OwnError{Op: "read V2 countersets", Err: fmt.Errorf("advapi32.dll has no %s", name), Advice: adviceAbsent}
		}
	}
	return p, nil
}

// call runs a function. What its arguments point at must stay the call's own.
func (p *perflib) call(ctx context.Context, f function, do func(f *windows.LazyProc) uintptr) (rpc.Code, error) {
	if p.lost != nil {
		return 0, p.lost
	}
	proc := p.functions[f]
	code, err := p.calls.call(ctx, perflibFunctions[f], func() rpc.Code { return rpc.Code(uint32(do(proc))) })
	if err != nil {
		p.lost = err
	}
	return code, err
}

// answer is a buffer that a function fills.
type answer struct {
	buf    []byte
	actual uint32 // units written, or needed where they do not fit
}

func (a *answer) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(a.buf)) }

// fill runs a function that fills a buffer of inSize units of unit bytes.
func (p *perflib) fill(ctx context.Context, f function, inSize, unit uint32, dst []byte, do func(f *windows.LazyProc, a *answer) uintptr) (rpc.Array, error) {
	if n := int(inSize * unit); len(p.buf) < n || p.buf == nil {
		p.buf = make([]byte, max(n, 16))
	}
	a := &answer{buf: p.buf}
	code, err := p.call(ctx, f, func(proc *windows.LazyProc) uintptr { return do(proc, a) })
	if err != nil {
		p.buf = nil
		return rpc.Array{}, err
	}
	out := rpc.Array{Code: code, Needed: a.actual}
	if code == rpc.CodeOK {
		out.Data = append(dst[:0], a.buf[:min(a.actual, inSize)*unit]...)
	}
	return out, nil
}

// mostCountersets bounds what is taken of a list of countersets.
const mostCountersets = 1 << 16

// EnumerateCounterSet implements rpc.PerflibV2. It gives all, more than were asked
// for where there are: the limit of 256 is that of the protocol.
func (p *perflib) EnumerateCounterSet(ctx context.Context, inSize uint32) (rpc.Array, error) {
	for {
		a, err := p.fill(ctx, enumerateCounterSet, inSize, 16, nil, func(f *windows.LazyProc, a *answer) uintptr {
			code, _, _ := f.Call(0, uintptr(a.pointer()), uintptr(inSize), uintptr(unsafe.Pointer(&a.actual)))
			return code
		})
		if err != nil {
			return a, err
		}
		if a.Code != rpc.CodeNotEnoughMemory || inSize >= mostCountersets {
			return a, refusal("list countersets", a.Code)
		}
		inSize = min(max(2*inSize, a.Needed), mostCountersets)
	}
}

// QueryCounterSetRegistrationInfo implements rpc.PerflibV2.
func (p *perflib) QueryCounterSetRegistrationInfo(ctx context.Context, set [16]byte, requestCode, lcid, inSize uint32) (rpc.Array, error) {
	return p.fill(ctx, queryRegistrationInfo, inSize, 1, nil, func(f *windows.LazyProc, a *answer) uintptr {
		code, _, _ := f.Call(0, uintptr(unsafe.Pointer(&set)), uintptr(requestCode), uintptr(lcid), uintptr(a.pointer()), uintptr(inSize), uintptr(unsafe.Pointer(&a.actual)))
		return code
	})
}

// EnumerateCounterSetInstances implements rpc.PerflibV2.
func (p *perflib) EnumerateCounterSetInstances(ctx context.Context, set [16]byte, inSize uint32) (rpc.Array, error) {
	return p.fill(ctx, enumerateInstances, inSize, 1, nil, func(f *windows.LazyProc, a *answer) uintptr {
		code, _, _ := f.Call(0, uintptr(unsafe.Pointer(&set)), uintptr(a.pointer()), uintptr(inSize), uintptr(unsafe.Pointer(&a.actual)))
		return code
	})
}

// OpenQueryHandle implements rpc.PerflibV2.
func (p *perflib) OpenQueryHandle(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	query := new(uintptr)
	code, err := p.call(ctx, openQueryHandle, func(f *windows.LazyProc) uintptr {
		code, _, _ := f.Call(0, uintptr(unsafe.Pointer(query)))
		return code
	})
	if err == nil {
		err = refusal("open a query", code)
	}
	if err != nil {
		return rpc.Handle{}, code, err
	}
	var h rpc.Handle
	binary.LittleEndian.PutUint64(h[4:], uint64(*query))
	p.queries[h] = true
	return h, code, nil
}

func queryOf(h rpc.Handle) uintptr { return uintptr(binary.LittleEndian.Uint64(h[4:])) }

// CloseQueryHandle implements rpc.PerflibV2.
func (p *perflib) CloseQueryHandle(ctx context.Context, h rpc.Handle) (rpc.Handle, rpc.Code, error) {
	code, err := p.call(ctx, closeQueryHandle, func(f *windows.LazyProc) uintptr {
		code, _, _ := f.Call(queryOf(h))
		return code
	})
	if err != nil || code != rpc.CodeOK {
		return h, code, err
	}
	delete(p.queries, h)
	return rpc.Handle{}, code, nil
}

// QueryCounterInfo implements rpc.PerflibV2.
func (p *perflib) QueryCounterInfo(ctx context.Context, h rpc.Handle, inSize uint32) (rpc.Array, error) {
	return p.fill(ctx, queryCounterInfo, inSize, 1, nil, func(f *windows.LazyProc, a *answer) uintptr {
		code, _, _ := f.Call(queryOf(h), uintptr(a.pointer()), uintptr(inSize), uintptr(unsafe.Pointer(&a.actual)))
		return code
	})
}

// QueryCounterData implements rpc.PerflibV2.
func (p *perflib) QueryCounterData(ctx context.Context, h rpc.Handle, inSize uint32, dst []byte) (rpc.Array, error) {
	return p.fill(ctx, queryCounterData, inSize, 1, dst, func(f *windows.LazyProc, a *answer) uintptr {
		code, _, _ := f.Call(queryOf(h), uintptr(a.pointer()), uintptr(inSize), uintptr(unsafe.Pointer(&a.actual)))
		return code
	})
}

// ValidateCounters implements rpc.PerflibV2.
func (p *perflib) ValidateCounters(ctx context.Context, h rpc.Handle, identifiers []byte, add bool) (rpc.Code, error) {
	f := deleteCounters
	if add {
		f = addCounters
	}
	if len(identifiers) == 0 {
		return rpc.CodeOK, nil
	}
	own := slices.Clone(identifiers)
	code, err := p.call(ctx, f, func(f *windows.LazyProc) uintptr {
		code, _, _ := f.Call(queryOf(h), uintptr(unsafe.Pointer(unsafe.SliceData(own))), uintptr(len(own)))
		return code
	})
	if err == nil {
		copy(identifiers, own)
	}
	return code, err
}

// Close closes the queries that are still open: no connection ends with them.
func (p *perflib) Close() error {
	for _, h := range slices.Collect(maps.Keys(p.queries)) {
		if _, _, err := p.CloseQueryHandle(context.Background(), h); err != nil {
			return err
		}
	}
	return nil
}
