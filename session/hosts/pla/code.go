package pla

import (
	_ "embed" // the codes
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"perfdeck/session/system/failure"
	"perfdeck/session/text/sheet"
	"perfdeck/session/wire/rpc"
)

// codesText has CODE = NAME CURE and a sentence, and the cures by their names.
//
//go:embed codes.txt
var codesText string

// codeInfo is what is known of a code.
type codeInfo struct{ name, says, cure string }

// codes are what is known of them.
var codes = sync.OnceValue(func() map[uint32]codeInfo {
	out, cures := map[uint32]codeInfo{}, map[string]string{}
	for r := range sheet.Rows(codesText) {
		if r.Part == "cures" {
			cures[r.Name] = r.After(0)
			continue
		}
		number, _ := strconv.ParseUint(r.Name, 0, 32)
		out[uint32(number)] = codeInfo{r.Words[0], r.After(2), r.Words[1]}
	}
	for code, info := range out {
		info.cure = cures[info.cure]
		out[code] = info
	}
	return out
})

func (s Status) String() string {
	words := [...]string{"stopped", "running", "compiling", "pending", "undefined"}
	if int(s) >= len(words) {
		return fmt.Sprintf("status %d", uint16(s))
	}
	return words[s]
}

// IsFailure tells errors from successes that say something, MS-PLA 2.2.1.
func IsFailure(code uint32) bool { return code>>31 == 1 }

// Win32 is the code of Win32 that a result carries, as faults have it by itself; others are as
// they are.
func Win32(code uint32) uint32 {
	if code>>16 == 0x8007 {
		return code & 0xFFFF
	}
	return code
}

// infoOf is what is known of a code.
func infoOf(code uint32) codeInfo {
	info, known := codes()[code]
	if !known {
		info, known = codes()[Win32(code)]
	}
	if !known {
		info.name = rpc.Code(code).String()
	}
	return info
}

// Says is a code in a sentence, with its name and number.
func Says(code uint32) string {
	info := infoOf(code)
	number := fmt.Sprintf("0x%08X", code)
	switch named := !strings.HasPrefix(info.name, "code "); {
	case info.says == "" && named:
		return info.name + " " + number
	case info.says == "":
		return "the host answers " + number
	}
	return fmt.Sprintf("%s (%s %s)", info.says, info.name, number)
}

// Cure is what can be done about a code; empty: nothing is known.
func Cure(code uint32) string { return infoOf(code).cure }

// What is tried, for Error.Op.
const (
	OpList   = "list"
	OpRead   = "read"
	OpCommit = "commit"
	OpDelete = "delete"
	OpStart  = "start"
	OpStop   = "stop"
)

func (e *Error) Error() string {
	what := "the sets"
	if e.Name.Set != "" {
		what = e.Name.String()
	}
	return fmt.Sprintf("%s %s: %s", e.Op, what, Says(e.Code))
}

// Hint says what can be done.
func (e *Error) Hint() string { return Cure(e.Code) }

// IsNotFound tells that there is no such set.
func (e *Error) IsNotFound() bool { return e.Code == 0x80300002 }

// refusals are what categories do not do, MS-PLA 3.2.1.
var refusals = []struct {
	category  Category
	ops       []string
	why, cure string
}{
	{
		System, []string{OpCommit, OpDelete}, "sets of the system are neither made nor changed nor deleted, by nobody",
		`perfdeck collect export -H HOST, and import -H HOST --name make one like it that is Service\NAME`,
	},
	{
		Autosession, []string{OpStart, OpStop}, "the host starts these itself when it boots: they are neither started nor stopped",
		`what runs of them is Session\NAME, which can be stopped`,
	},
}

// May tells why sets of the category of a name cannot do something; nil: they can.
func (n Name) May(op string) error {
	for _, r := range refusals {
		if r.category == n.Category && slices.Contains(r.ops, op) {
			return failure.Usage(fmt.Errorf("%s: %s", n, r.why), r.cure)
		}
	}
	return nil
}
