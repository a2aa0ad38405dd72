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

import (
	"fmt"

	"perfdeck/cooker"
	"perfdeck/session"
)

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

// File is one manifest as far as it could be read. Sound manifests have exactly
// one provider.
type File struct {
	Name          string
	SchemaVersion string // as written; empty: absent, read as 1.0
	Providers     []*Provider
	Cultures      []string // of the string tables, in the order of the file

	strings stringTables
}

// Provider is a provider element.
type Provider struct {
	GUID                string // with braces, as written
	Name                string // providerName; "Counters" when absent
	Symbol              string // of the generated code; empty in kernel mode
	ApplicationIdentity string // binary that holds the strings
	Kernel              bool   // providerType kernelMode
	CustomCallback      bool   // callback custom
	ResourceBase        Number // before schemaVersion 2.0
	Sets                []*CounterSet

	guidAt Position
}

// CounterSet is a counterSet element.
type CounterSet struct {
	GUID          string // with braces, as written
	URI           string
	Symbol        string
	Name          Text
	NameID        Number // resource, from schemaVersion 2.0
	Description   Text
	DescriptionID Number // resource, from schemaVersion 2.0
	Instances     session.InstanceType
	Structs       []Struct // kernel mode
	Counters      []*Counter

	guidAt, nameAt Position
}

// Counter is a counter element.
type Counter struct {
	ID            Number
	URI           string
	Symbol        string
	Name          Text
	NameID        Number
	Description   Text
	DescriptionID Number
	TypeName      string // as written
	Type          cooker.CounterType
	HasType       bool // TypeName is a type of the schema
	Detail        session.DetailLevel
	DefaultScale  int // power of ten, -10..10
	Attributes    cooker.Attributes
	Aggregate     cooker.AggregateFunc

	// Companions: ids of other counters of the set.
	BaseID, PerfTimeID, PerfFreqID, MultiCounterID Number

	Struct, Field string // kernel mode: where the value stands
}

// Struct is a struct element: a C structure that a kernel-mode provider hands
// over.
type Struct struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Number is a number that may be absent or unreadable.
type Number struct {
	Value uint32
	Set   bool
}

// Or returns the number, or another one when it is not set.
func (n Number) Or(other uint32) uint32 {
	if n.Set {
		return n.Value
	}
	return other
}

func (n Number) pointer() *uint32 {
	if !n.Set {
		return nil
	}
	return &n.Value
}

// Text is a text that people read. StringID is the id of the string table that
// it came from; it is empty for a text that stands in the attribute itself.
type Text struct {
	Value    string
	StringID string
}

// hasCode says that winperf.h has a code for the type.
func (c *Counter) hasCode() bool { return c.HasType && c.Type != cooker.CounterComposite }

// Hidden says that lists and wildcards leave the counter out unless asked: it
// has noDisplay, or is a base, or has no name to be shown by.
func (c *Counter) Hidden() bool {
	return c.Attributes.Hidden() || c.HasType && !c.Type.Displayable() || c.Name.Value == ""
}
