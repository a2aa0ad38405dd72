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
	checkCharacters(text, &r.report)
	r.read(text)
	return r.done(text)
}

// File is one manifest as far as it could be read, in the words of the schema: as JSON it has
// everything, whether it is valid or not. Sound manifests have exactly one provider.
type File struct {
	Name          string      `json:"file"`
	SchemaVersion string      `json:"schemaVersion"`      // as written; empty: absent, read as 1.0
	Cultures      []string    `json:"cultures,omitempty"` // of the string tables, in the order of the file
	Providers     []*Provider `json:"providers"`

	strings stringTables
}

// The words for what a provider is, and for how its callback is.
const (
	userModeWord, kernelModeWord = "userMode", "kernelMode"
	defaultCallback, ownCallback = "default", "custom"
)

// Provider is a provider element.
type Provider struct {
	GUID                string        `json:"guid"` // with braces, as written
	Name                string        `json:"name"` // providerName; "Counters" when absent
	Type                string        `json:"type"`
	Symbol              string        `json:"symbol,omitempty"`    // of the generated code; empty in kernel mode
	ApplicationIdentity string        `json:"applicationIdentity"` // binary that holds the strings
	Callback            string        `json:"callback"`
	ResourceBase        Number        `json:"resourceBase,omitzero"` // before schemaVersion 2.0
	Sets                []*CounterSet `json:"counterSets"`

	guidAt Position
}

// CounterSet is a counterSet element.
type CounterSet struct {
	GUID          string     `json:"guid"` // with braces, as written
	Name          Text       `json:"name"`
	NameID        Number     `json:"nameID,omitzero"` // resource, from schemaVersion 2.0
	Description   Text       `json:"description"`
	DescriptionID Number     `json:"descriptionID,omitzero"` // resource, from schemaVersion 2.0
	URI           string     `json:"uri"`
	Symbol        string     `json:"symbol,omitempty"`
	Instances     string     `json:"instances"`
	Structs       []Struct   `json:"structs,omitempty"` // kernel mode
	Counters      []*Counter `json:"counters"`

	guidAt, nameAt Position
}

// Counter is a counter element. Path, Code, Displayed and Hidden follow from the others.
type Counter struct {
	ID            Number             `json:"id"` // null where it cannot be read
	Name          Text               `json:"name"`
	NameID        Number             `json:"nameID,omitzero"`
	Path          string             `json:"path,omitempty"`
	Description   Text               `json:"description"`
	DescriptionID Number             `json:"descriptionID,omitzero"`
	URI           string             `json:"uri"`
	Symbol        string             `json:"symbol,omitempty"`
	Type          cooker.CounterType `json:"-"`
	HasType       bool               `json:"-"`              // TypeName is a type of the schema
	TypeName      string             `json:"type"`           // as written
	Code          string             `json:"code,omitempty"` // of the type, in hexadecimal; composite has none
	Detail        string             `json:"detailLevel"`
	DefaultScale  int                `json:"defaultScale"` // power of ten, -10..10
	Attributes    cooker.Attributes  `json:"-"`
	Displayed     []string           `json:"attributes,omitempty"`
	Aggregate     string             `json:"aggregate,omitempty"`

	// Companions: ids of other counters of the set.
	BaseID         Number `json:"baseID,omitzero"`
	PerfTimeID     Number `json:"perfTimeID,omitzero"`
	PerfFreqID     Number `json:"perfFreqID,omitzero"`
	MultiCounterID Number `json:"multiCounterID,omitzero"`

	Struct string `json:"struct,omitempty"` // kernel mode: where the value stands
	Field  string `json:"field,omitempty"`
	// Hidden says that lists and wildcards leave the counter out unless asked: it has
	// noDisplay, or is a base, or has no name to be shown by.
	Hidden bool `json:"hidden,omitempty"`
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

// orNone is the number of a counter, or session.NoID.
func (n Number) orNone() uint32 {
	if n.Set {
		return n.Value
	}
	return session.NoID
}

// MarshalJSON writes the number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Set {
		return []byte("null"), nil
	}
	return []byte(n.text()), nil
}

// Text is a text that people read. StringID is the id of the string table that
// it came from; it is empty for a text that stands in the attribute itself.
type Text struct {
	Value    string
	StringID string
}

// MarshalText writes the text alone.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.Value), nil }

// settle says of all counters what follows from what was read.
func (f *File) settle() {
	for _, p := range f.Providers {
		for _, set := range p.Sets {
			for _, c := range set.Counters {
				if set.reachable(c) {
					c.Path = set.path(c).String()
				}
				if c.HasType && c.Type != cooker.CounterComposite { // of which winperf.h has no code
					c.Code = fmt.Sprintf("0x%08X", uint32(c.Type))
				}
				c.Displayed = c.Attributes.Names()
				c.Hidden = c.Attributes.Hidden() || c.HasType && !c.Type.Displayable() || c.Name.Value == ""
			}
		}
	}
}
