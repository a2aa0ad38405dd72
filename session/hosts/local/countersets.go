package local

import (
	_ "embed" // the sheets
	"slices"
	"strconv"
	"strings"
	"sync"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/sheet"
)

// listedSet is a counterset as a sheet lists it.
type listedSet struct {
	name, about, guid string
	v1                uint32
	instances         session.InstanceType
	counters          []session.Counter
	origins           []string // of counters; empty: it has none
}

//go:embed countersets.txt
var machineText string

//go:embed protocols.txt
var protocolText string

// machineSets are the countersets of the machine and what runs on it, protocolSets those of its
// protocols.
var (
	machineSets  = sync.OnceValue(func() []*listedSet { return readSheet(machineText) })
	protocolSets = sync.OnceValue(func() []*listedSet { return readSheet(protocolText) })
)

// listed is the counterset of the machine that has a name.
func listed(name string) *listedSet {
	all := machineSets()
	return all[slices.IndexFunc(all, func(s *listedSet) bool { return s.name == name })]
}

var instanceWords = map[string]session.InstanceType{"single": session.SingleInstance, "multiple": session.MultipleInstances}

// readSheet reads a sheet of countersets; what its words are, countersets.txt tells.
func readSheet(text string) (out []*listedSet) {
	var set *listedSet
	rows := map[string]sheet.Row{} // by name: the last row that had words
	for r := range sheet.Rows(text) {
		if set == nil || set.name != r.Part {
			set = &listedSet{
				name: r.Part, instances: instanceWords[r.Of[0]], v1: uint32(numberIn(r.Of[1])),
				guid: strings.Trim(r.Of[2], "-"), about: strings.Join(r.Of[3:], " "),
			}
			out = append(out, set)
		}
		if len(r.Words) > 0 {
			rows[r.Name] = r
		}
		set.add(rows[r.Name])
	}
	return out
}

// baseOffset is added to a counter's id for the id of its base.
const baseOffset = 100_000

// add adds the counter of a row. Its base follows it, as in the registry of Windows.
func (s *listedSet) add(r sheet.Row) {
	kind, _ := cooker.LookupType(r.Words[1])
	aggregate, _ := cooker.ParseAggregate(r.Words[3])
	about, origin, _ := strings.Cut(r.After(4), " | ")
	c := session.Counter{
		ID: uint32(numberIn(r.Words[0])), Name: r.Name, Description: about, Type: kind,
		Quantity: cooker.QuantityIn(kind, s.name, r.Name), Aggregate: aggregate,
		DefaultScale: numberIn(r.Words[2]), Detail: session.DetailNovice,
		Companions: session.NoCompanions,
	}
	info, _ := kind.Info()
	if info.Base != cooker.BaseNone {
		c.BaseID = c.ID + baseOffset
	}
	s.counters, s.origins = append(s.counters, c), append(s.origins, origin)
	if info.Base == cooker.BaseNone {
		return
	}
	c.ID, c.BaseID, c.Name, c.Type = c.BaseID, session.NoID, r.Name+"_Base", info.BaseType
	c.Description, c.DefaultScale, c.Attributes = "Base of "+r.Name, 0, cooker.NoDisplay
	c.Quantity = cooker.QuantityIn(c.Type, s.name, c.Name)
	s.counters, s.origins = append(s.counters, c), append(s.origins, "")
}

// numberIn is a number of a sheet.
func numberIn(word string) int {
	n, _ := strconv.Atoi(word)
	return n
}

// plain is a counterset of a catalogue, its own one at each call.
func (s *listedSet) plain() *session.Counterset {
	return &session.Counterset{
		GUID: s.guid, V1Index: s.v1, Name: s.name, Description: s.about, Provider: "local", Instances: s.instances,
		Counters: slices.Clone(s.counters), Facts: textFacts[s.name],
	}
}

// withOrigins is the same, with what of the kernel each counter comes from behind its description.
func (s *listedSet) withOrigins() *session.Counterset {
	set := s.plain()
	for i, origin := range s.origins {
		if origin != "" {
			set.Counters[i].Description += ". From " + origin
		}
	}
	return set
}

// textFacts are the facts that instances of countersets may have.
var textFacts = map[string][]string{
	"Process":       {factUser, factCommand, factState, factNice, factCgroup, factContainer, factExecutable},
	"Process Exits": {factCommand},
}
