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
	CodeMoreData          Code = 0xEA   // the buffer is too small for the value
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
	FaultServerTooBusy    Code = 0x1C010014 // passwords are not looked at for a while
	FaultProtocol         Code = 0x1C01000B

	CodeTooManySessions      Code = 0x45  // fault: as many connections of the address as it may have
	CodeRequestNotAccepted   Code = 0x47  // fault: as many as there may be
	CodeConnectionCountLimit Code = 0x4D6 // fault: as many as the account may have
	CodeServerTooBusy        Code = 0x6BB

	codeLogonFailure Code = 0x52E

	statusAccessDenied Code = 0xC0000022
	statusNameNotFound Code = 0xC0000034
	statusLogonFailure Code = 0xC000006D
)

// krbBase is where the errors of Kerberos begin, so that they overlap with no
// others: what com_err adds to the numbers of RFC 4120 7.5.9 in MIT's krb5.h.
const krbBase Code = 0x96C73A00

// krbCode is an error of Kerberos by its number.
func krbCode(n int32) Code {
	if n <= 0 || n > 0xff {
		return krbBase + 60 // KRB_ERR_GENERIC
	}
	return krbBase + Code(n)
}

// String is the code's name, or its number where it has none here.
func (c Code) String() string {
	if row, ok := codes[c]; ok {
		return row.name
	}
	return fmt.Sprintf("code 0x%X", uint32(c))
}

// IsDenied tells whether the code says that a log-on or an access was refused.
func (c Code) IsDenied() bool { return codes[c].denied }

// Hints that several codes share.
const (
	hintAccount  = "check user, domain and password"
	hintDisabled = "the account is disabled or locked: unlock it on the host or its domain, and wait before the next try"
	hintExpired  = "the password has expired: change it"
	hintLimited  = "a policy limits where and when the account may log on; members of Protected Users need --kerberos"
	hintNetwork  = "the account lacks the right to access the host from the network"
	hintNTLM     = "NTLM is disabled on the host or in its domain: use --kerberos"
	hintService  = "the host's Remote Registry service is stopped or disabled: start it, and allow it to start by itself"
	hintBusy     = "the host has too many connections: close some, or try later"
	hintGone     = "the host ended the connection: it may have restarted"
	hintClock    = "set the clocks: that of this computer, the domain controllers' and the host's may differ by 5 minutes at most"
	hintSPN      = "the realm does not know the host by this name: use its full name as the domain has it, or give --spn cifs/NAME"
	hintTicket   = "get a new ticket with kinit"
	hintChanged  = "something between here and the host changes the traffic"
	hintLost     = "the host lost the query, it is asked anew"
	hintAES      = "allow AES for the account and for the host: RC4 is not spoken"
)

// codes follows winerror.h, ntstatus.h, C706 appendix E and RFC 4120 7.5.9.
var codes = map[Code]struct {
	name   string
	denied bool   // a log-on or an access was refused
	wrong  bool   // refused for the account or its password: one more may lock the account
	why    error  // in words, where the name says too little
	hint   string // what can be done about it
}{
	CodeOK:              {name: "ERROR_SUCCESS"},
	CodePathNotFound:    {name: "ERROR_PATH_NOT_FOUND"},
	CodeAccessDenied:    {name: "ERROR_ACCESS_DENIED", denied: true, hint: "check user and password; " + hintRights},
	CodeNotEnoughMemory: {name: "ERROR_NOT_ENOUGH_MEMORY"},
	CodeOutOfMemory:     {name: "ERROR_OUTOFMEMORY"},
	0x35:                {name: "ERROR_BAD_NETPATH"},
	CodeTooManySessions: {name: "ERROR_TOO_MANY_SESS", why: errAddressCrowded,
		hint: "close some, or let the host take more: perfdeck serve --max-per-address"},
	CodeRequestNotAccepted: {name: "ERROR_REQ_NOT_ACCEP", why: errHostCrowded,
		hint: "close some, or let the host take more: perfdeck serve --max-connections"},
	CodeConnectionCountLimit: {name: "ERROR_CONNECTION_COUNT_LIMIT", why: errAccountCrowded,
		hint: "close some, use another account, or let the host take more: perfdeck serve --max-per-account"},
	CodeInvalidParameter:  {name: "ERROR_INVALID_PARAMETER"},
	CodeAlreadyExists:     {name: "ERROR_ALREADY_EXISTS"},
	CodeNoData:            {name: "ERROR_NO_DATA"},
	CodeMoreData:          {name: "ERROR_MORE_DATA"},
	CodeNotFound:          {name: "ERROR_NOT_FOUND"},
	codeLogonFailure:      {name: "ERROR_LOGON_FAILURE", denied: true, wrong: true, hint: hintAccount},
	0x52F:                 {name: "ERROR_ACCOUNT_RESTRICTION", denied: true, hint: hintLimited},
	0x530:                 {name: "ERROR_INVALID_LOGON_HOURS", denied: true, hint: hintLimited},
	0x569:                 {name: "ERROR_LOGON_TYPE_NOT_GRANTED", denied: true, hint: hintNetwork},
	0x532:                 {name: "ERROR_PASSWORD_EXPIRED", denied: true, hint: hintExpired},
	0x533:                 {name: "ERROR_ACCOUNT_DISABLED", denied: true, hint: hintDisabled},
	CodeNoSystemResources: {name: "ERROR_NO_SYSTEM_RESOURCES"},
	0x6BA:                 {name: "RPC_S_SERVER_UNAVAILABLE"},
	CodeServerTooBusy:     {name: "RPC_S_SERVER_TOO_BUSY", why: ErrBusy, hint: hintBusy},
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
	0x721:                 {name: "RPC_S_SEC_PKG_ERROR", denied: true, wrong: true, hint: hintAccount},
	0x775:                 {name: "ERROR_ACCOUNT_LOCKED_OUT", denied: true, wrong: true, hint: hintDisabled},
	CodeGUIDNotFound:      {name: "ERROR_WMI_GUID_NOT_FOUND"},
	CodeInstanceNotFound:  {name: "ERROR_WMI_INSTANCE_NOT_FOUND"},
	CodeItemNotFound:      {name: "ERROR_WMI_ITEMID_NOT_FOUND"},
	CodeInvalidRegInfo:    {name: "ERROR_WMI_INVALID_REGINFO"},

	statusAccessDenied: {name: "STATUS_ACCESS_DENIED", denied: true, hint: hintRights},
	statusNameNotFound: {name: "STATUS_OBJECT_NAME_NOT_FOUND", hint: hintService},
	statusLogonFailure: {name: "STATUS_LOGON_FAILURE", denied: true, wrong: true, hint: hintAccount},
	0xC000000D:         {name: "STATUS_INVALID_PARAMETER"},
	0xC000005E:         {name: "STATUS_NO_LOGON_SERVERS", hint: "the host reaches no domain controller that could check the account"},
	0xC0000064:         {name: "STATUS_NO_SUCH_USER", denied: true, wrong: true, hint: hintAccount},
	0xC000006A:         {name: "STATUS_WRONG_PASSWORD", denied: true, wrong: true, hint: hintAccount},
	0xC000006E:         {name: "STATUS_ACCOUNT_RESTRICTION", denied: true, hint: hintLimited},
	0xC000006F:         {name: "STATUS_INVALID_LOGON_HOURS", denied: true, hint: hintLimited},
	0xC0000070:         {name: "STATUS_INVALID_WORKSTATION", denied: true, hint: hintLimited},
	0xC0000071:         {name: "STATUS_PASSWORD_EXPIRED", denied: true, hint: hintExpired},
	0xC0000072:         {name: "STATUS_ACCOUNT_DISABLED", denied: true, hint: hintDisabled},
	0xC000009A:         {name: "STATUS_INSUFFICIENT_RESOURCES", hint: hintBusy},
	0xC00000AC:         {name: "STATUS_PIPE_NOT_AVAILABLE", hint: hintService},
	0xC00000AE:         {name: "STATUS_PIPE_BUSY", hint: hintBusy},
	0xC00000B0:         {name: "STATUS_PIPE_DISCONNECTED", hint: hintGone},
	0xC00000B1:         {name: "STATUS_PIPE_CLOSING", hint: hintGone},
	0xC00000BB:         {name: "STATUS_NOT_SUPPORTED", hint: hintNTLM},
	0xC00000CC:         {name: "STATUS_BAD_NETWORK_NAME", hint: "the host shares no named pipes: is its Server service running?"},
	0xC00000D0:         {name: "STATUS_REQUEST_NOT_ACCEPTED", hint: hintBusy},
	0xC0000133:         {name: "STATUS_TIME_DIFFERENCE_AT_DC", hint: hintClock},
	0xC000014B:         {name: "STATUS_PIPE_BROKEN", hint: hintGone},
	0xC000015B:         {name: "STATUS_LOGON_TYPE_NOT_GRANTED", denied: true, hint: hintNetwork},
	0xC000018B:         {name: "STATUS_NO_TRUST_SAM_ACCOUNT", hint: "the host's own account in the domain is missing: join it anew"},
	0xC000018D:         {name: "STATUS_TRUSTED_RELATIONSHIP_FAILURE", hint: "the host and its domain do not trust each other: join it anew"},
	0xC0000193:         {name: "STATUS_ACCOUNT_EXPIRED", denied: true, hint: hintDisabled},
	0xC0000203:         {name: "STATUS_USER_SESSION_DELETED", hint: hintGone},
	0xC0000224:         {name: "STATUS_PASSWORD_MUST_CHANGE", denied: true, hint: hintExpired},
	0xC0000234:         {name: "STATUS_ACCOUNT_LOCKED_OUT", denied: true, wrong: true, hint: hintDisabled},
	0xC000035C:         {name: "STATUS_NETWORK_SESSION_EXPIRED", hint: "the ticket has expired, another is got"},
	0xC0000413:         {name: "STATUS_AUTHENTICATION_FIREWALL_FAILED", denied: true, hint: "the account's domain may not log on to this host: see selective authentication of the trust"},
	0xC0000418:         {name: "STATUS_NTLM_BLOCKED", denied: true, hint: hintNTLM},

	0x1C000009:            {name: "nca_s_fault_access_denied", denied: true, hint: hintRights},
	FaultContextMismatch:  {name: "nca_s_fault_context_mismatch", hint: hintLost},
	FaultRemoteNoMemory:   {name: "nca_s_fault_remote_no_memory"},
	FaultOpRange:          {name: "nca_op_rng_error"},
	FaultUnknownInterface: {name: "nca_unk_if", hint: hintLost},
	FaultProtocol:         {name: "nca_proto_error"},
	FaultServerTooBusy: {name: "nca_server_too_busy", why: ErrBusy,
		hint: "wait: it is tried again soon. Was there a flood of wrong passwords for the account from this address?"},

	krbBase + 6:  {name: "KDC_ERR_C_PRINCIPAL_UNKNOWN", denied: true, wrong: true, hint: "the realm does not know the account: check user and realm"},
	krbBase + 7:  {name: "KDC_ERR_S_PRINCIPAL_UNKNOWN", hint: hintSPN},
	krbBase + 12: {name: "KDC_ERR_POLICY", denied: true, hint: hintLimited},
	krbBase + 14: {name: "KDC_ERR_ETYPE_NOSUPP", hint: hintAES},
	krbBase + 18: {name: "KDC_ERR_CLIENT_REVOKED", denied: true, wrong: true, hint: hintDisabled},
	krbBase + 23: {name: "KDC_ERR_KEY_EXPIRED", denied: true, hint: hintExpired},
	krbBase + 24: {name: "KDC_ERR_PREAUTH_FAILED", denied: true, wrong: true, hint: hintAccount},
	krbBase + 31: {name: "KRB_AP_ERR_BAD_INTEGRITY", hint: hintChanged},
	krbBase + 32: {name: "KRB_AP_ERR_TKT_EXPIRED", hint: hintTicket},
	krbBase + 33: {name: "KRB_AP_ERR_TKT_NYV", hint: hintClock},
	krbBase + 34: {name: "KRB_AP_ERR_REPEAT", hint: hintChanged},
	krbBase + 35: {name: "KRB_AP_ERR_NOT_US", hint: hintSPN},
	krbBase + 37: {name: "KRB_AP_ERR_SKEW", hint: hintClock},
	krbBase + 41: {name: "KRB_AP_ERR_MODIFIED", hint: hintSPN},
	krbBase + 60: {name: "KRB_ERR_GENERIC"},
	krbBase + 68: {name: "KDC_ERR_WRONG_REALM", hint: "the account is of another realm: name it as user@REALM"},
}

const hintRights = "on Windows the account must be an administrator or in Performance Monitor Users, " +
	`and the key HKLM\SYSTEM\CurrentControlSet\Control\SecurePipeServers\winreg must let it in; ` +
	"on a computer with perfdeck serve it must be one of its --accounts"

// Fault is an error that a Session returns to have the call answered by a fault.
type Fault Code

func (f Fault) Error() string { return "fault " + Code(f).String() }
