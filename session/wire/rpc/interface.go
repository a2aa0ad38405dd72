package rpc

// Interface is an RPC interface that a client may call.
type Interface uint8

// The interfaces with performance counters. Windows serves the first two on
// \PIPE\winreg.
const (
	MSPCQ     Interface = iota // PerflibV2: countersets of the V2 model
	MSRRP                      // winreg: HKEY_PERFORMANCE_DATA, objects of the V1 model
	OwnBeside                  // perfdeck's own: what PerflibV2 has no room for, see Beside
)

// interfaces describes them by their numbers.
var interfaces = [...]struct {
	name   string
	syntax syntax
}{
	MSPCQ: {"MS-PCQ", syntaxPerflibV2},
	MSRRP: {"MS-RRP", syntaxWinReg},

	OwnBeside: {"facts of rows", syntaxBeside},
}

// String is the name of the protocol's specification.
func (i Interface) String() string { return interfaces[i].name }

// context is the presentation context that a client calls the interface in.
func (i Interface) context() uint16 { return uint16(i) }

// method is a call with its arguments.
type method interface {
	iface() Interface
	number() opnum
	name() string
	// append appends the request's stub to b, which must be empty: alignment
	// counts from its start.
	append(b []byte, machine string) []byte
	// maxReplyStub is the longest stub that the reply can have.
	maxReplyStub() int
}
