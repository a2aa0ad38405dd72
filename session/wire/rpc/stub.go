package rpc

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

// code codes the arguments.
func (r *request) code(n *NDR, machine string) {
	switch r.op {
	case opEnumerateCounterSet, opOpenQueryHandle:
		n.machine(machine)
	case opQueryCounterSetRegistrationInfo:
		n.machine(machine)
		n.GUID(&r.set)
		n.U32(&r.requestCode)
		n.U32(&r.lcid)
	case opEnumerateCounterSetInstances:
		n.machine(machine)
		n.GUID(&r.set)
	default:
		n.handle(&r.handle)
	}
	if r.op == opOpenQueryHandle || r.op == opCloseQueryHandle {
		return
	}
	if n.U32(&r.inSize); r.inSize > r.op.maxInSize() {
		n.Fail("size %d is over %d", r.inSize, r.op.maxInSize())
	}
	if r.op == opValidateCounters {
		n.Same(r.inSize)
		n.Raw(&r.identifiers, int(r.inSize))
		add := uint32(0)
		if r.add {
			add = 1
		}
		n.U32(&add)
		r.add = add != 0
	}
}

// args are the arguments as they travel.
func (r *request) args(machine string) []byte {
	var n NDR
	r.code(&n, machine)
	n.Align(4)
	return n.b
}

// parseRequest reads the stub of a request, strictly.
func parseRequest(op opnum, stub []byte) (*request, error) {
	n, r := readStub(stub), &request{op: op}
	r.code(n, "")
	return r, n.requestEnd()
}

// reply is the results of any of the methods: those it has are set.
type reply struct {
	op          opnum
	inSize      uint32 // of the request
	array       Array
	handle      Handle
	identifiers []byte
	result      Code // of the methods without an Array
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
	n := NDR{b: b}
	r.code(&n)
	return n.b
}

// parseReply reads the stub of the reply to r. The data of an array, or the
// identifiers, are in the stub's memory.
func parseReply(r *request, stub []byte) (*reply, error) {
	n, p := readStub(stub), &reply{op: r.op, inSize: r.inSize, identifiers: r.identifiers}
	p.code(n)
	return p, n.replyEnd()
}

// code codes the results.
func (r *reply) code(n *NDR) {
	switch r.op {
	case opOpenQueryHandle, opCloseQueryHandle:
		n.handle(&r.handle)
	case opValidateCounters:
		want := len(r.identifiers)
		size := uint32(want)
		if n.U32(&size); int(size) != want {
			n.Fail("%d bytes of identifiers for %d", size, want)
		}
		n.Raw(&r.identifiers, want)
	default:
		r.array.code(n, r.inSize, r.op.elementSize())
		return
	}
	n.U32((*uint32)(&r.result))
}

// code codes the sizes, the elements in one piece, and the result.
func (a *Array) code(n *NDR, inSize uint32, element int) {
	count := uint32(len(a.Data) / element)
	out, size, offset := count, inSize, uint32(0)
	for _, v := range []*uint32{&out, &a.Needed, &size, &offset, &count} {
		n.U32(v)
	}
	if offset != 0 || count > size || count > inSize || count != out {
		n.Fail("array of %d at %d in %d, said to be %d, of %d asked for", count, offset, size, out, inSize)
	}
	if n.err == nil {
		n.Raw(&a.Data, int(count)*element)
	}
	n.U32((*uint32)(&a.Code))
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
