package rpc

import (
	"encoding/binary"
	"fmt"
)

// request is the arguments of any of the methods: those it has are set.
type request struct {
	op          opnum
	set         [16]byte
	requestCode uint32
	lcid        uint32
	inSize      uint32
	handle      Handle
	identifiers []byte // in the stub's memory
	add         bool
}

func (r *request) append(b []byte, machine string) []byte {
	switch r.op {
	case opEnumerateCounterSet:
		b = appendU32(appendMachine(b, machine), r.inSize)
	case opQueryCounterSetRegistrationInfo:
		b = append(appendMachine(b, machine), r.set[:]...)
		b = appendU32(b, r.requestCode, r.lcid, r.inSize)
	case opEnumerateCounterSetInstances:
		b = append(appendMachine(b, machine), r.set[:]...)
		b = appendU32(b, r.inSize)
	case opOpenQueryHandle:
		b = appendMachine(b, machine)
	case opCloseQueryHandle:
		b = append(b, r.handle[:]...)
	case opQueryCounterInfo, opQueryCounterData:
		b = appendU32(append(b, r.handle[:]...), r.inSize)
	case opValidateCounters:
		b = appendU32(append(b, r.handle[:]...), uint32(len(r.identifiers)), uint32(len(r.identifiers)))
		b = appendAlign(append(b, r.identifiers...))
		add := uint32(0)
		if r.add {
			add = 1
		}
		b = appendU32(b, add)
	}
	return b
}

// parseRequest reads the stub of a request, strictly.
func parseRequest(op opnum, stub []byte) (*request, error) {
	d := &decoder{b: stub}
	r := &request{op: op}
	switch op {
	case opEnumerateCounterSet:
		d.machine()
		r.inSize = d.inSize(op)
	case opQueryCounterSetRegistrationInfo:
		d.machine()
		r.set = d.guid()
		r.requestCode, r.lcid = d.u32(), d.u32()
		r.inSize = d.inSize(op)
	case opEnumerateCounterSetInstances:
		d.machine()
		r.set = d.guid()
		r.inSize = d.inSize(op)
	case opOpenQueryHandle:
		d.machine()
	case opCloseQueryHandle:
		r.handle = d.handle()
	case opQueryCounterInfo, opQueryCounterData:
		r.handle = d.handle()
		r.inSize = d.inSize(op)
	case opValidateCounters:
		r.handle = d.handle()
		r.inSize = d.inSize(op)
		if n := d.u32(); n != r.inSize {
			d.fail("array of %d for a size of %d", n, r.inSize)
		}
		r.identifiers = d.take(int(r.inSize))
		r.add = d.u32() != 0
	}
	return r, d.end()
}

// reply is the results of any of the methods: those it has are set.
type reply struct {
	op          opnum
	inSize      uint32 // of the request
	array       Array
	handle      Handle
	identifiers []byte
	code        Code // of the methods without an Array
}

// Sizes of the parts of an array reply.
const (
	arrayPrefixSize = 20 // sizes and counts before the elements
	arraySuffixSize = 7  // alignment and result after them
)

func (r *request) maxReplyStub() int {
	switch r.op {
	case opOpenQueryHandle, opCloseQueryHandle:
		return len(Handle{}) + 4 + maxTrailing
	case opValidateCounters:
		return 4 + len(r.identifiers) + arraySuffixSize + maxTrailing
	}
	return arrayPrefixSize + int(r.inSize)*r.op.elementSize() + arraySuffixSize + maxTrailing
}

// append appends the reply's stub to b, which must be empty.
func (r *reply) append(b []byte) []byte {
	switch r.op {
	case opOpenQueryHandle, opCloseQueryHandle:
		return appendU32(append(b, r.handle[:]...), uint32(r.code))
	case opValidateCounters:
		b = appendU32(b, uint32(len(r.identifiers)))
		b = appendAlign(append(b, r.identifiers...))
		return appendU32(b, uint32(r.code))
	}
	n := uint32(len(r.array.Data) / r.op.elementSize())
	b = appendU32(b, n, r.array.Needed, r.inSize, 0, n)
	b = appendAlign(append(b, r.array.Data...))
	return appendU32(b, uint32(r.array.Code))
}

// parseReply reads the stub of the reply to r. The data of an array, or the
// identifiers, are in the stub's memory.
func parseReply(r *request, stub []byte) (*reply, error) {
	d := &decoder{b: stub}
	p := &reply{op: r.op, inSize: r.inSize}
	switch r.op {
	case opOpenQueryHandle, opCloseQueryHandle:
		p.handle = d.handle()
		p.code = Code(d.u32())
	case opValidateCounters:
		if n := d.u32(); int(n) != len(r.identifiers) {
			d.fail("%d bytes of identifiers for %d", n, len(r.identifiers))
		}
		p.identifiers = d.take(len(r.identifiers))
		p.code = Code(d.u32())
	default:
		p.array = d.array(r)
	}
	return p, d.replyEnd()
}

// replyEnd checks that nothing but alignment follows the results.
func (d *decoder) replyEnd() error {
	if rest := len(d.b) - d.at; d.err == nil && rest > maxTrailing {
		d.fail("%d bytes too many", rest)
	}
	if d.err != nil {
		return fmt.Errorf("%w: %w", errDamaged, d.err)
	}
	return nil
}

// array reads the sizes, the elements in one piece, and the result.
func (d *decoder) array(r *request) Array {
	b := d.take(arrayPrefixSize)
	if b == nil {
		return Array{}
	}
	out := binary.LittleEndian.Uint32(b)
	a := Array{Needed: binary.LittleEndian.Uint32(b[4:])}
	size, offset, n := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	if offset != 0 || n > size || n > r.inSize || n != out {
		d.fail("array of %d at %d in %d, said to be %d, of %d asked for", n, offset, size, out, r.inSize)
		return Array{}
	}
	a.Data = d.take(int(n) * r.op.elementSize())
	a.Code = Code(d.u32())
	return a
}

// Interface is an RPC interface that a client may call.
type Interface struct {
	name string
	syntax
	pipe string // that serves it over SMB; empty: none does
}

// NewInterface is an interface of version 0.0, as those of DCOM are, by its UUID as it
// travels, and its name for people.
func NewInterface(name string, uuid [16]byte) Interface {
	return Interface{name: name, syntax: syntax{uuid: uuid}}
}

// The interfaces that are called. Windows serves the first two on one pipe; what else has a pipe
// of its own is a matter of another process there.
var (
	MSPCQ          = Interface{"MS-PCQ", syntaxPerflibV2, "winreg"}                                                 // PerflibV2: countersets of the V2 model
	MSRRP          = Interface{"MS-RRP", syntax{ParseUUID("338cd001-2244-31f1-aaaa-900038001003"), 1}, "winreg"}    // winreg: HKEY_PERFORMANCE_DATA, objects of the V1 model
	MSSCMR         = Interface{"MS-SCMR", syntax{ParseUUID("367abb81-9844-35f1-ad32-98f038001003"), 2}, "svcctl"}   // the service manager
	MSEVEN         = Interface{"MS-EVEN", syntax{ParseUUID("82273fdc-e32a-18c3-3f78-827929dc23ea"), 0}, "eventlog"} // classic event logs
	OwnSideChannel = Interface{"facts of rows", syntaxBeside, ""}                                                   // perfdeck's own: what PerflibV2 has no room for, see Beside
)

// ID is the UUID of the interface as it travels.
func (i Interface) ID() [16]byte { return i.uuid }

// String is the name of the protocol's specification.
func (i Interface) String() string { return i.name }
