package dcom

import (
	"fmt"

	"perfdeck/session/wire/rpc"
)

// Result is HRESULT, what a method ends with.
type Result uint32 //nolint:recvcheck // Code reads into it

// Failed tells whether the method failed: bit 31 says so, and nothing else does.
func (r Result) Failed() bool { return int32(r) < 0 }

func (r Result) Error() string { return fmt.Sprintf("result 0x%08X", uint32(r)) }

// Code codes a result after what the method answers.
func (r *Result) Code(n *NDR) { n.U32((*uint32)(r)) }

// Extent is a piece of data beside a call, MS-DCOM 2.2.13.1.
type Extent struct {
	ID   GUID
	Data []byte
}

// maxExtents bounds the extents of a call.
const maxExtents = 64

// extents codes a unique pointer to ORPC_EXTENT_ARRAY, MS-DCOM 2.2.13.2: an even number of
// pointers, of which those that are set count.
func (n *NDR) extents(v *[]Extent) {
	if !n.Pointer(len(*v) > 0) {
		*v = nil
		return
	}
	n.Ignored(uint32(len(*v)), 0)
	if !n.Pointer(true) {
		*v = nil
		return
	}
	count := n.Count(len(*v)+len(*v)&1, 4, maxExtents)
	there := make([]bool, count)
	for i := range there {
		there[i] = n.Pointer(i < len(*v))
	}
	if n.Reading() {
		*v = make([]Extent, 0, count)
	}
	for i, set := range there {
		switch {
		case n.Err() != nil || !set:
		case n.Reading():
			var e Extent
			e.Code(n)
			*v = append(*v, e)
		default:
			(*v)[i].Code(n)
		}
	}
}

// Code codes ORPC_EXTENT, whose data are filled up to a multiple of 8.
func (e *Extent) Code(n *NDR) {
	room := n.Count((len(e.Data)+7)&^7, 1, maxMessage)
	size := uint32(len(e.Data))
	n.GUID(&e.ID)
	n.U32(&size)
	if int64(size) > int64(room) {
		n.Fail("extent of %d bytes in %d", size, room)
	}
	if n.Err() == nil {
		n.Raw(&e.Data, room)
	}
	if n.Reading() && n.Err() == nil {
		e.Data = e.Data[:size:size]
	}
}

// This is ORPCTHIS, what all calls of objects begin with, MS-DCOM 2.2.13.3.
type This struct {
	Version   Version
	Flags     uint32
	Causality GUID // of calls that come of one another
	Extents   []Extent
}

// Code codes ORPCTHIS.
func (t *This) Code(n *NDR) {
	t.Version.Code(n)
	n.U32(&t.Flags)
	n.Ignored(0)
	n.GUID(&t.Causality)
	n.extents(&t.Extents)
}

// That is ORPCTHAT, what all answers of objects begin with, MS-DCOM 2.2.13.4.
type That struct {
	Flags   uint32
	Extents []Extent
}

// Code codes ORPCTHAT.
func (t *That) Code(n *NDR) {
	n.U32(&t.Flags)
	n.extents(&t.Extents)
}

// Interfaces of COM itself. IRemUnknown and IRemUnknown2 are version 0.0 as all are.
var (
	IObjectExporter  = rpc.ParseUUID("99fcfec4-5260-101b-bbcb-00aa0021347a")
	IRemoteActivator = comGUID(0x1a0)
	IRemUnknown      = comGUID(0x131)
	IRemUnknown2     = comGUID(0x143)
)

// OpServerAlive2 is IObjectExporter's, MS-DCOM 3.1.2.5.1.6.
const OpServerAlive2 = 5

// OpRemoteCreateInstance is IRemoteSCMActivator's, MS-DCOM 3.1.2.5.2.3.3.
const OpRemoteCreateInstance = 4

// Methods of IRemUnknown, MS-DCOM 3.1.1.5.6.
const (
	OpRemAddRef  = 4
	OpRemRelease = 5
)

// Alive is what ServerAlive2 answers.
type Alive struct {
	Version  Version
	Resolver Bindings
	Status   uint32
}

// Code codes the whole answer, MS-DCOM 3.1.2.5.1.6.
func (a *Alive) Code(n *NDR) {
	a.Version.Code(n)
	if n.Pointer(true) {
		a.Resolver.conformant(n)
	}
	n.Ignored(0)
	n.U32(&a.Status)
}

// Counted is REMINTERFACEREF: references to add to an interface, or to give back.
type Counted struct {
	IPID            GUID
	Public, Private uint32
}

// CountedList is the arguments of RemAddRef and RemRelease, MS-DCOM 3.1.1.5.6.1.2 and .3.
type CountedList []Counted

// Code codes the arguments.
func (l *CountedList) Code(n *NDR) {
	count := uint16(len(*l))
	n.U16(&count)
	Array(n, (*[]Counted)(l), 24, maxElements, func(c *Counted) {
		n.GUID(&c.IPID)
		n.U32(&c.Public)
		n.U32(&c.Private)
	})
	if len(*l) != int(count) {
		n.Fail("%d references, %d announced", len(*l), count)
	}
}

// Results is what RemAddRef answers for each, without the result of the call.
type Results []Result

// Code codes a conformant array.
func (r *Results) Code(n *NDR) {
	Array(n, (*[]Result)(r), 4, maxElements, func(v *Result) { v.Code(n) })
}
