package local

import (
	_ "embed" // the sheets
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/sheet"
)

// listedSet is a counterset as a sheet lists it.
type listedSet struct {
	*session.Counterset

	origins []string // of counters; empty: it has none
}

//go:embed countersets.txt
var machineText string

//go:embed protocols.txt
var protocolText string

// machineSets are the countersets of the machine and what runs on it, protocolSets those of its
// protocols, each time anew.
func machineSets() []listedSet  { return readSheet(machineText) }
func protocolSets() []listedSet { return readSheet(protocolText) }

var instanceWords = map[string]session.InstanceType{"single": session.SingleInstance, "multiple": session.MultipleInstances}

// readSheet reads a sheet of countersets; what its words are, countersets.txt tells.
func readSheet(text string) (out []listedSet) {
	var set *listedSet
	rows := map[string]sheet.Row{} // by name: the last row that had words
	for r := range sheet.Rows(text) {
		if set == nil || set.Name != r.Part {
			out = append(out, listedSet{Counterset: &session.Counterset{
				Name: r.Part, Instances: instanceWords[r.Of[0]], V1Index: uint32(numberIn(r.Of[1])), GUID: strings.Trim(r.Of[2], "-"),
				Description: strings.Join(r.Of[3:], " "), Provider: "local", Facts: textFacts[r.Part],
			}})
			set = &out[len(out)-1]
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
		Quantity: cooker.QuantityIn(kind, s.Name, r.Name), Aggregate: aggregate,
		DefaultScale: numberIn(r.Words[2]), Detail: session.DetailNovice,
		Companions: session.NoCompanions,
	}
	info, _ := kind.Info()
	if info.Base != cooker.BaseNone {
		c.BaseID = c.ID + baseOffset
	}
	s.Counters, s.origins = append(s.Counters, c), append(s.origins, origin)
	if info.Base == cooker.BaseNone {
		return
	}
	c.ID, c.BaseID, c.Name, c.Type = c.BaseID, session.NoID, r.Name+"_Base", info.BaseType
	c.Description, c.DefaultScale, c.Attributes = "Base of "+r.Name, 0, cooker.NoDisplay
	c.Quantity = cooker.QuantityIn(c.Type, s.Name, c.Name)
	s.Counters, s.origins = append(s.Counters, c), append(s.origins, "")
}

// numberIn is a number of a sheet.
func numberIn(word string) int {
	n, _ := strconv.Atoi(word)
	return n
}

// withOrigins puts what of the kernel each counter comes from behind its description.
func (s *listedSet) withOrigins() *session.Counterset {
	for i, origin := range s.origins {
		if origin != "" {
			s.Counters[i].Description += ". From " + origin
		}
	}
	return s.Counterset
}

// textFacts are the facts that instances of countersets may have.
var textFacts = map[string][]string{
	"Process":       {factUser, factCommand, factState, factNice, factCgroup, factContainer, factExecutable},
	"Process Exits": {factCommand},
}
