// Package manifest reads counter manifests (.man): it parses them, checks them
// by the rules of the counter manifest schema and of MS-PCQ 2.2.4, and gives
// them as a catalogue and as counter paths.
//
// Where the schema page contradicts itself the files of real products decide:
// what all of them do is no error here. Every finding has a line, a column and
// the id of its rule.
//
// The package does no I/O and keeps no state.
package manifest

import "fmt"

// Namespace is the XML namespace of the counters element (counterman.xsd).
const Namespace = "http://schemas.microsoft.com/win/2005/12/counters"

// What Parse accepts at most. A file beyond a limit is an error of rule
// xml-limit; what stands before is kept.
const (
	MaxBytes      = 16 << 20
	MaxElements   = 1_000_000
	MaxDepth      = 128
	MaxAttributes = 64       // of one element
	MaxValueBytes = 64 << 10 // of one attribute
	MaxNamespaces = 256      // declared at one place
	MaxStrings    = 200_000  // in all string tables together
	MaxCultures   = 100
	MaxProblems   = 500 // of each severity
)

// Parse reads and checks one manifest. The name is used in problems alone. The
// data may be UTF-8, with or without BOM, UTF-16 of either byte order, or what
// the XML declaration says of windows-1252, ISO-8859-1 and ASCII.
//
// All that could be read is in the file, whatever the problems are; the file is
// never nil. Problems come in the order of the text. The manifest is valid when
// none of them is an error, see [Valid].
func Parse(name string, data []byte) (*File, []Problem) {
	r := newReader(name)
	if len(data) > MaxBytes {
		r.fail(0, finding{RuleLimit, fmt.Sprintf("the file has %d bytes, more than %d", len(data), MaxBytes), ""})
		return r.done("")
	}
	text := decode(data, &r.report)
	r.read(text)
	return r.done(text)
}
