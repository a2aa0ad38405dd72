package rpc

import (
	"cmp"
	_ "embed" // the codes
	"fmt"
	"strconv"
	"sync"

	"perfdeck/session/text/sheet"
)

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
	if name := c.info().name; name != "" {
		return name
	}
	return fmt.Sprintf("code 0x%X", uint32(c))
}

// IsDenied tells whether the code says that a log-on or an access was refused.
func (c Code) IsDenied() bool { return c.info().denied }

// codeInfo is what is known of a code.
type codeInfo struct {
	name   string
	denied bool   // a log-on or an access was refused
	wrong  bool   // refused for the account or its password: one more may lock the account
	hint   string // what can be done about it
}

// codesText has CODE = NAME and words, and the hints by their names.
//
//go:embed codes.txt
var codesText string

// codeSheet has what is known of codes, and the hints by their names.
var codeSheet = sync.OnceValues(func() (codes map[Code]codeInfo, advice map[string]string) {
	codes, advice = map[Code]codeInfo{}, map[string]string{}
	for r := range sheet.Rows(codesText) {
		if r.Part == "hints" {
			advice[r.Name] = r.After(0)
			continue
		}
		number, _ := strconv.ParseUint(r.Name, 0, 32)
		info := codeInfo{name: r.Words[0]}
		for _, word := range r.Words[1:] {
			switch word {
			case "denied":
				info.denied = true
			case "wrong":
				info.wrong = true
			default:
				info.hint = word
			}
		}
		codes[Code(number)] = info
	}
	for code, info := range codes {
		info.hint = advice[info.hint]
		codes[code] = info
	}
	return codes, advice
})

// info is what is known of the code.
func (c Code) info() codeInfo {
	codes, _ := codeSheet()
	return codes[c]
}

// advice is a hint by its name, or as it is.
func advice(hint string) string {
	_, hints := codeSheet()
	return cmp.Or(hints[hint], hint)
}

// whys are codes in words, where their names say too little.
var whys = map[Code]error{
	CodeTooManySessions: errAddressCrowded, CodeRequestNotAccepted: errHostCrowded, CodeConnectionCountLimit: errAccountCrowded,
	CodeServerTooBusy: ErrBusy, FaultServerTooBusy: ErrBusy,
}

// Fault is an error that a Session returns to have the call answered by a fault.
type Fault Code

func (f Fault) Error() string { return "fault " + Code(f).String() }
