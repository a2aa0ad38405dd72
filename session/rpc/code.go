package rpc

import "fmt"

// Code is a result or a fault: a Win32 error, an NTSTATUS or one of the
// protocol's own (nca_). Their ranges do not overlap.
type Code uint32

// The codes of MS-PCQ 3.1.4.1 and the faults that go with its calls.
const (
	CodeOK                Code = 0
	CodePathNotFound      Code = 3      // status: no such instance
	CodeAccessDenied      Code = 5      // below packet privacy, or no right to the counters
	CodeNotEnoughMemory   Code = 8      // the buffer is too small
	CodeOutOfMemory       Code = 0xE    // the server's memory
	CodeInvalidParameter  Code = 0x57   //
	CodeAlreadyExists     Code = 0xB7   // status: added before
	CodeNoData            Code = 0xE8   // status of a counter block: nothing to read
	CodeNotFound          Code = 0x490  // no text of this kind
	CodeNoSystemResources Code = 0x5AA  // too many handles
	CodeBadStubData       Code = 0x6F7  // fault: the arguments are damaged
	CodeLanguageNotFound  Code = 0x717  // language not installed
	CodeGUIDNotFound      Code = 0x1068 // no such counterset
	CodeInstanceNotFound  Code = 0x1069 // no active instance
	CodeItemNotFound      Code = 0x106A // no such counter
	CodeInvalidRegInfo    Code = 0x1073 // registration and provider differ

	FaultContextMismatch  Code = 0x1C00001A // the handle is unknown on this connection
	FaultRemoteNoMemory   Code = 0x1C00001B
	FaultOpRange          Code = 0x1C010002
	FaultUnknownInterface Code = 0x1C010003
	FaultProtocol         Code = 0x1C01000B

	codeLogonFailure Code = 0x52E
)

// String is the code's name, or its number where it has none here.
func (c Code) String() string {
	if row, ok := codes[c]; ok {
		return row.name
	}
	return fmt.Sprintf("code 0x%X", uint32(c))
}

// IsDenied tells whether the code says that a log-on or an access was refused.
func (c Code) IsDenied() bool { return codes[c].denied }

// codes follows winerror.h, ntstatus.h and C706 appendix E.
var codes = map[Code]struct {
	name   string
	denied bool
}{
	CodeOK:                {name: "ERROR_SUCCESS"},
	CodePathNotFound:      {name: "ERROR_PATH_NOT_FOUND"},
	CodeAccessDenied:      {name: "ERROR_ACCESS_DENIED", denied: true},
	CodeNotEnoughMemory:   {name: "ERROR_NOT_ENOUGH_MEMORY"},
	CodeOutOfMemory:       {name: "ERROR_OUTOFMEMORY"},
	0x35:                  {name: "ERROR_BAD_NETPATH"},
	CodeInvalidParameter:  {name: "ERROR_INVALID_PARAMETER"},
	CodeAlreadyExists:     {name: "ERROR_ALREADY_EXISTS"},
	CodeNoData:            {name: "ERROR_NO_DATA"},
	0xEA:                  {name: "ERROR_MORE_DATA"},
	CodeNotFound:          {name: "ERROR_NOT_FOUND"},
	codeLogonFailure:      {name: "ERROR_LOGON_FAILURE", denied: true},
	0x52F:                 {name: "ERROR_ACCOUNT_RESTRICTION", denied: true},
	0x530:                 {name: "ERROR_INVALID_LOGON_HOURS", denied: true},
	0x532:                 {name: "ERROR_PASSWORD_EXPIRED", denied: true},
	0x533:                 {name: "ERROR_ACCOUNT_DISABLED", denied: true},
	CodeNoSystemResources: {name: "ERROR_NO_SYSTEM_RESOURCES"},
	0x6BA:                 {name: "RPC_S_SERVER_UNAVAILABLE"},
	0x6BB:                 {name: "RPC_S_SERVER_TOO_BUSY"},
	0x6BE:                 {name: "RPC_S_CALL_FAILED"},
	0x6BF:                 {name: "RPC_S_CALL_FAILED_DNE"},
	0x6C0:                 {name: "RPC_S_PROTOCOL_ERROR"},
	0x6C6:                 {name: "RPC_S_INVALID_BOUND"},
	0x6D1:                 {name: "RPC_S_PROCNUM_OUT_OF_RANGE"},
	0x6D3:                 {name: "RPC_S_UNKNOWN_AUTHN_SERVICE"},
	0x6E4:                 {name: "RPC_S_CANNOT_SUPPORT"},
	0x6E6:                 {name: "RPC_X_SS_CONTEXT_MISMATCH"},
	CodeBadStubData:       {name: "RPC_X_BAD_STUB_DATA"},
	CodeLanguageNotFound:  {name: "ERROR_RESOURCE_LANG_NOT_FOUND"},
	0x721:                 {name: "RPC_S_SEC_PKG_ERROR", denied: true},
	0x775:                 {name: "ERROR_ACCOUNT_LOCKED_OUT", denied: true},
	CodeGUIDNotFound:      {name: "ERROR_WMI_GUID_NOT_FOUND"},
	CodeInstanceNotFound:  {name: "ERROR_WMI_INSTANCE_NOT_FOUND"},
	CodeItemNotFound:      {name: "ERROR_WMI_ITEMID_NOT_FOUND"},
	CodeInvalidRegInfo:    {name: "ERROR_WMI_INVALID_REGINFO"},
	0xC0000022:            {name: "STATUS_ACCESS_DENIED", denied: true},
	0xC0000064:            {name: "STATUS_NO_SUCH_USER", denied: true},
	0xC000006A:            {name: "STATUS_WRONG_PASSWORD", denied: true},
	0xC000006D:            {name: "STATUS_LOGON_FAILURE", denied: true},
	0xC000006E:            {name: "STATUS_ACCOUNT_RESTRICTION", denied: true},
	0xC000006F:            {name: "STATUS_INVALID_LOGON_HOURS", denied: true},
	0xC0000071:            {name: "STATUS_PASSWORD_EXPIRED", denied: true},
	0xC0000072:            {name: "STATUS_ACCOUNT_DISABLED", denied: true},
	0xC000015B:            {name: "STATUS_LOGON_TYPE_NOT_GRANTED", denied: true},
	0xC0000234:            {name: "STATUS_ACCOUNT_LOCKED_OUT", denied: true},
	0x1C000009:            {name: "nca_s_fault_access_denied", denied: true},
	FaultContextMismatch:  {name: "nca_s_fault_context_mismatch"},
	FaultRemoteNoMemory:   {name: "nca_s_fault_remote_no_memory"},
	FaultOpRange:          {name: "nca_op_rng_error"},
	FaultUnknownInterface: {name: "nca_unk_if"},
	FaultProtocol:         {name: "nca_proto_error"},
}

// Fault is an error that a Session returns to have the call answered by a fault.
type Fault Code

func (f Fault) Error() string { return "fault " + Code(f).String() }
