package manifest

import (
	"fmt"
	"slices"

	"perfdeck/session/text/printable"
)

// Description is a manifest in the words of the schema, for JSON and for
// reading. Unlike the catalogue it has everything, whether it is valid or not.
type Description struct {
	File          string                `json:"file"`
	SchemaVersion string                `json:"schemaVersion"`
	Cultures      []string              `json:"cultures,omitempty"` // of the string tables
	Providers     []ProviderDescription `json:"providers"`
}

// ProviderDescription describes a provider.
type ProviderDescription struct {
	GUID                string           `json:"guid"`
	Name                string           `json:"name"`
	Type                string           `json:"type"` // userMode or kernelMode
	Symbol              string           `json:"symbol,omitempty"`
	ApplicationIdentity string           `json:"applicationIdentity"`
	Callback            string           `json:"callback"` // default or custom
	ResourceBase        *uint32          `json:"resourceBase,omitempty"`
	Sets                []SetDescription `json:"counterSets"`
}

// SetDescription describes a counterset.
type SetDescription struct {
	GUID          string               `json:"guid"`
	Name          string               `json:"name"`
	NameID        *uint32              `json:"nameID,omitempty"`
	Description   string               `json:"description"`
	DescriptionID *uint32              `json:"descriptionID,omitempty"`
	URI           string               `json:"uri"`
	Symbol        string               `json:"symbol,omitempty"`
	Instances     string               `json:"instances"`
	Structs       []Struct             `json:"structs,omitempty"`
	Counters      []CounterDescription `json:"counters"`
}

// CounterDescription describes a counter. ID is absent where it cannot be read,
// Code where the type is none of the schema.
type CounterDescription struct {
	ID             *uint32  `json:"id"`
	Name           string   `json:"name"`
	NameID         *uint32  `json:"nameID,omitempty"`
	Path           string   `json:"path,omitempty"`
	Description    string   `json:"description"`
	DescriptionID  *uint32  `json:"descriptionID,omitempty"`
	URI            string   `json:"uri"`
	Symbol         string   `json:"symbol,omitempty"`
	Type           string   `json:"type"`
	Code           string   `json:"code,omitempty"` // of the type, in hexadecimal; composite has none
	DetailLevel    string   `json:"detailLevel"`
	DefaultScale   int      `json:"defaultScale"`
	Attributes     []string `json:"attributes,omitempty"`
	Aggregate      string   `json:"aggregate,omitempty"`
	BaseID         *uint32  `json:"baseID,omitempty"`
	PerfTimeID     *uint32  `json:"perfTimeID,omitempty"`
	PerfFreqID     *uint32  `json:"perfFreqID,omitempty"`
	MultiCounterID *uint32  `json:"multiCounterID,omitempty"`
	Struct         string   `json:"struct,omitempty"`
	Field          string   `json:"field,omitempty"`
	Hidden         bool     `json:"hidden,omitempty"` // left out of lists unless asked for
}

// Describe describes the whole file.
func (f *File) Describe() Description {
	d := Description{File: f.Name, SchemaVersion: f.SchemaVersion, Cultures: f.Cultures, Providers: []ProviderDescription{}}
	for _, p := range f.Providers {
		d.Providers = append(d.Providers, p.describe())
	}
	return d
}

func (p *Provider) describe() ProviderDescription {
	d := ProviderDescription{
		GUID: p.GUID, Name: p.Name, Type: "userMode", Symbol: p.Symbol,
		ApplicationIdentity: p.ApplicationIdentity, Callback: "default",
		ResourceBase: p.ResourceBase.pointer(), Sets: []SetDescription{},
	}
	if p.Kernel {
		d.Type = "kernelMode"
	}
	if p.CustomCallback {
		d.Callback = "custom"
	}
	for _, set := range p.Sets {
		d.Sets = append(d.Sets, set.describe())
	}
	return d
}

func (s *CounterSet) describe() SetDescription {
	d := SetDescription{
		GUID: s.GUID, Name: s.Name.Value, NameID: s.NameID.pointer(),
		Description: s.Description.Value, DescriptionID: s.DescriptionID.pointer(),
		URI: s.URI, Symbol: s.Symbol, Instances: instancesWord(s.Instances),
		Structs: slices.Clone(s.Structs), Counters: []CounterDescription{},
	}
	for _, c := range s.Counters {
		d.Counters = append(d.Counters, s.describeCounter(c))
	}
	return d
}

func (s *CounterSet) describeCounter(c *Counter) CounterDescription {
	d := CounterDescription{
		ID: c.ID.pointer(), Name: c.Name.Value, NameID: c.NameID.pointer(),
		Description: c.Description.Value, DescriptionID: c.DescriptionID.pointer(),
		URI: c.URI, Symbol: c.Symbol, Type: c.TypeName,
		DetailLevel: detailWord(c.Detail), DefaultScale: c.DefaultScale,
		Attributes: c.Attributes.Names(), Aggregate: aggregateWord(c.Aggregate),
		BaseID: c.BaseID.pointer(), PerfTimeID: c.PerfTimeID.pointer(),
		PerfFreqID: c.PerfFreqID.pointer(), MultiCounterID: c.MultiCounterID.pointer(),
		Struct: c.Struct, Field: c.Field, Hidden: c.Hidden(),
	}
	if s.reachable(c) {
		d.Path = s.path(c).String()
	}
	if c.hasCode() {
		d.Code = fmt.Sprintf("0x%08X", uint32(c.Type))
	}
	return d
}

// NotDone says in one line what ctrpp would make of the file and perfdeck does
// not, and who registers it on Windows.
func (f *File) NotDone() string {
	texts := 0
	code := "a header with the code of the provider"
	for _, p := range f.Providers {
		if p.Kernel {
			code = "a header with the kernel-mode registration code"
		}
		for _, set := range p.Sets {
			texts += texted(set.Name, set.Description)
			for _, c := range set.Counters {
				texts += texted(c.Name, c.Description)
			}
		}
	}
	return fmt.Sprintf("%s: ctrpp would also generate %s and a resource script with %d strings; perfdeck registers nothing on Windows, lodctr /m does",
		printable.Text(f.Name), code, texts)
}

func texted(texts ...Text) int {
	n := 0
	for _, t := range texts {
		if t.Value != "" {
			n++
		}
	}
	return n
}
