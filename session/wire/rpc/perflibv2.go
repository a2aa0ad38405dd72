// Package rpc carries the calls of MS-PCQ (PerflibV2) and of MS-RRP (winreg, as
// far as it serves performance data) over DCE/RPC, as client over TCP or SMB's
// named pipe, and as server of the former over TCP: connections, log-on, packet
// privacy and NDR. What the bytes inside a call mean is not known here. Of other
// interfaces, as those of DCOM's objects, both ends carry calls whose stubs are
// somebody else's.
//
// Sources: C706 (connection-oriented protocol, NDR), MS-RPCE (security, bind
// features), MS-NLMP (NTLM), MS-SPNG and RFC 4178 (SPNEGO), MS-PCQ and MS-RRP
// (interfaces); for SMB and Kerberos see the packages below.
package rpc

import (
	"context"
	"crypto/rand"
)

// PerflibV2 is the interface of MS-PCQ 3.1.4.1. A Client implements it over the
// wire, the Session of a Server answers it. A method's Win32 result is a value;
// its error says that there is no result: the connection broke, or the call is
// to be answered by a fault.
//
// Sizes are in bytes, but for EnumerateCounterSet, whose sizes count GUIDs of
// 16 bytes. A size beyond its limit (MaxEnumerate and others) is never sent and
// never reaches a Session.
type PerflibV2 interface {
	// EnumerateCounterSet (opnum 0) lists the GUIDs of the countersets.
	EnumerateCounterSet(ctx context.Context, inSize uint32) (Array, error)
	// QueryCounterSetRegistrationInfo (opnum 1) reads what requestCode names; lcid
	// is a language, or the counter where requestCode is 2.
	QueryCounterSetRegistrationInfo(ctx context.Context, set [16]byte, requestCode, lcid, inSize uint32) (Array, error)
	// EnumerateCounterSetInstances (opnum 2) lists PERF_INSTANCE_HEADER blocks.
	EnumerateCounterSetInstances(ctx context.Context, set [16]byte, inSize uint32) (Array, error)
	// OpenQueryHandle (opnum 3) makes a query handle; it is null unless Code is 0.
	OpenQueryHandle(ctx context.Context) (Handle, Code, error)
	// CloseQueryHandle (opnum 4) ends a query handle and returns what became of
	// it: null, or the handle itself where it stays open.
	CloseQueryHandle(ctx context.Context, h Handle) (Handle, Code, error)
	// QueryCounterInfo (opnum 5) lists the PERF_COUNTER_IDENTIFIER of the query.
	QueryCounterInfo(ctx context.Context, h Handle, inSize uint32) (Array, error)
	// QueryCounterData (opnum 6) collects. The data are appended to dst[:0].
	QueryCounterData(ctx context.Context, h Handle, inSize uint32, dst []byte) (Array, error)
	// ValidateCounters (opnum 7) adds or removes the PERF_COUNTER_IDENTIFIER blocks
	// in identifiers and writes their statuses into them.
	ValidateCounters(ctx context.Context, h Handle, identifiers []byte, add bool) (Code, error)
}

// Array is the answer of the methods that fill a buffer.
type Array struct {
	Code   Code
	Needed uint32 // pdwRtnSize: the size that would have been enough
	Data   []byte // as many as pdwOutSize says, never more than were asked for
}

// Limits of the input sizes, as the IDL's range() has them.
const (
	MaxEnumerate        = 256 // GUIDs
	MaxRegistrationInfo = 128 << 20
	MaxInstances        = 64 << 20
	MaxCounterInfo      = 64 << 20
	MaxCounterData      = 1 << 30
	MaxValidate         = 64 << 20
)

// Handle is RPC_HQUERY or RPC_HKEY as it travels: 4 bytes of attributes and a UUID. It is
// opaque here; a Session chooses its handles and checks those it is given.
type Handle [20]byte

// NewHandle returns a handle that cannot be guessed.
func NewHandle() Handle {
	var h Handle
	rand.Read(h[4:])
	return h
}

// IsNull tells whether h stands for no handle.
func (h Handle) IsNull() bool { return h == Handle{} }

// opnum is a method's number in the interface.
type opnum uint16

const (
	opEnumerateCounterSet opnum = iota
	opQueryCounterSetRegistrationInfo
	opEnumerateCounterSetInstances
	opOpenQueryHandle
	opCloseQueryHandle
	opQueryCounterInfo
	opQueryCounterData
	opValidateCounters
)

// name is what the method is called where errors speak of it.
func (o opnum) name() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "unknown call"
}

var opNames = [...]string{
	opEnumerateCounterSet:             "enumerate countersets",
	opQueryCounterSetRegistrationInfo: "query registration info",
	opEnumerateCounterSetInstances:    "enumerate instances",
	opOpenQueryHandle:                 "open query",
	opCloseQueryHandle:                "close query",
	opQueryCounterInfo:                "query counter info",
	opQueryCounterData:                "query counter data",
	opValidateCounters:                "validate counters",
}

// maxInSize is the range() of the method's dwInSize.
func (o opnum) maxInSize() uint32 {
	switch o {
	case opEnumerateCounterSet:
		return MaxEnumerate
	case opQueryCounterSetRegistrationInfo:
		return MaxRegistrationInfo
	case opEnumerateCounterSetInstances:
		return MaxInstances
	case opQueryCounterInfo:
		return MaxCounterInfo
	case opQueryCounterData:
		return MaxCounterData
	case opValidateCounters:
		return MaxValidate
	}
	return 0
}

// elementSize is the size of one element of the method's array.
func (o opnum) elementSize() int {
	if o == opEnumerateCounterSet {
		return 16
	}
	return 1
}
