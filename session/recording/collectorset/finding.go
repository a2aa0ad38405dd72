package collectorset

import (
	"fmt"
	"slices"
)

// Finding is something that is wrong with a set, or worth to know.
type Finding struct {
	Property string // as PerformanceCounterDataCollector[1]/LogCircular
	Code     Code
	Text     string
	Refuses  bool // the set cannot be taken as it is
}

func (f Finding) String() string {
	if n := f.Code.Number(); n != 0 {
		return fmt.Sprintf("%s: %s (%s 0x%08X)", f.Property, f.Text, f.Code.Name(), n)
	}
	return f.Property + ": " + f.Text
}

// Code says what kind of thing it is; 0: nobody knows.
type Code uint8

// The codes of MS-PLA 2.2.2.11 and of Windows.
const (
	Ignored Code = iota + 1
	Conflict
	Invalid
	NoDuplicates
	NameTwice
	NotThere
)

// The notes, which Windows does not have.
const (
	Skipped Code = iota + NotThere + 1
	Empty
	NotRun
	NoBackslash
	DisplayOnly
	OtherType
	OtherForm
	Twice
	Unknown
	Attribute
	Never
	TooLong
	SameFile
	Nothing
	Itself
	Database
	OtherHost
	Lacking
)

var codes = map[Code]struct {
	name   string
	number uint32 // HRESULT
}{
	Ignored:      {"PLA_S_PROPERTY_IGNORED", 0x00300100},
	Conflict:     {"PLA_E_PROPERTY_CONFLICT", 0x80300101},
	Invalid:      {"E_INVALIDARG", 0x80070057},
	NoDuplicates: {"PLA_E_NO_DUPLICATES", 0x8030010D},
	NameTwice:    {"PLA_E_DC_ALREADY_EXISTS", 0x80300109},
	NotThere:     {"E_NOTIMPL", 0x80004001},
}

// Name is what Windows calls it, empty for a note.
func (c Code) Name() string { return codes[c].name }

// Number is its HRESULT, 0 for a note.
func (c Code) Number() uint32 { return codes[c].number }

// IsNote tells what only says something from what is wrong.
func (c Code) IsNote() bool { return c == Ignored || c >= Skipped }

// IsOfHere tells what is so because perfdeck runs the set: of one that Windows runs it says nothing.
func (c Code) IsOfHere() bool {
	return slices.Contains([]Code{NotThere, Skipped, NotRun, Nothing, Itself, Database, OtherHost, Lacking, Unknown, Attribute}, c)
}

// CodeOf is the code of an HRESULT; 0: it has none here.
func CodeOf(number uint32) Code {
	for code, c := range codes {
		if c.number == number {
			return code
		}
	}
	return 0
}

// findings gathers them.
type findings []Finding

func (f *findings) add(property string, code Code, format string, args ...any) {
	*f = append(*f, Finding{Property: property, Code: code, Text: fmt.Sprintf(format, args...)})
}

// refuse adds one for which the set is not taken.
func (f *findings) refuse(property string, code Code, format string, args ...any) {
	f.add(property, code, format, args...)
	(*f)[len(*f)-1].Refuses = true
}
