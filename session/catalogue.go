// Package session is the model of what is watched: the catalogue of a host's
// countersets, the sources that read them, the sampler that keeps their beat,
// and the immutable snapshots that screens, recorders and scripts look at.
package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// InstanceType tells how many instances a counterset has and how they are
// meant to be combined (MS-PCQ 2.2.4.1, InstanceType).
type InstanceType uint32

// The instance types of MS-PCQ 2.2.4.1.
const (
	SingleInstance         InstanceType = 0x00
	MultipleInstances      InstanceType = 0x02
	GlobalAggregate        InstanceType = 0x04
	MultipleAggregate      InstanceType = 0x06
	GlobalAggregateHistory InstanceType = 0x0C
)

// Multiple reports whether a counterset of this type has named instances.
func (t InstanceType) Multiple() bool { return t != SingleInstance }

// IsWhole reports whether all instances of a counterset of this type are meant as one:
// _Aggregate, which a path without an instance means.
func (t InstanceType) IsWhole() bool { return t == GlobalAggregate || t == GlobalAggregateHistory }

// DetailLevel tells for whom a counter is meant (winperf.h PERF_DETAIL_*).
type DetailLevel uint32

// The detail levels of winperf.h.
const (
	DetailNovice   DetailLevel = 100 // PERF_DETAIL_NOVICE
	DetailAdvanced DetailLevel = 200 // PERF_DETAIL_ADVANCED
	DetailExpert   DetailLevel = 300 // PERF_DETAIL_EXPERT
	DetailWizard   DetailLevel = 400 // PERF_DETAIL_WIZARD
)

var detailWords = map[DetailLevel]string{DetailNovice: "novice", DetailAdvanced: "advanced", DetailExpert: "expert", DetailWizard: "wizard"}

// String is the word for it.
func (d DetailLevel) String() string {
	if word, ok := detailWords[d]; ok {
		return word
	}
	return fmt.Sprintf("detail level %d", uint32(d))
}

// NoID stands for "no companion counter" (MS-PCQ 2.2.4.2: 0xFFFFFFFF).
const NoID uint32 = 0xFFFFFFFF

// Counter is one counter of a counterset's catalogue entry.
type Counter struct {
	ID           uint32 // number of the counter in its set
	Name         string // English, save in recordings; the key of paths
	English      string `json:",omitempty"` // of a recording in another language; empty: Name
	Label        string // name in the host's language; empty: Name
	Description  string
	Type         cooker.CounterType
	Quantity     cooker.Quantity // what it measures; decided once, when the catalogue is built
	DefaultScale int             // power of ten for charts, -10..10
	Detail       DetailLevel
	Attributes   cooker.Attributes
	Aggregate    cooker.AggregateFunc
	WeighedAs    cooker.CounterType `json:"-"` // as which averages take it, where Type does not tell; else 0

	Companions

	// Absent says why this host cannot give the counter ("not on this
	// system"); empty when it can.
	Absent string
}

// Companions are numbers of other counters of the same set that a counter is computed with, or NoID.
type Companions struct{ BaseID, PerfTimeID, PerfFreqID, MultiID uint32 }

// NoCompanions are those of a counter that needs no other one.
var NoCompanions = Companions{NoID, NoID, NoID, NoID}

// InEnglish is the English name, by which rules, decks and packs know it.
func (c *Counter) InEnglish() string { return cmp.Or(c.English, c.Name) }

// InEnglish is the English name, by which rules, decks and packs know it.
func (s *Counterset) InEnglish() string { return cmp.Or(s.English, s.Name) }

// SummedAs is the type by which values over time become one.
func (c *Counter) SummedAs() cooker.CounterType { return cmp.Or(c.WeighedAs, c.Type) }

// Counterset is one counterset (perfmon's "object") of a host.
type Counterset struct {
	GUID        string // with braces, lower case; empty for sets known by index only
	V1Index     uint32 // index in HKEY_PERFORMANCE_DATA; 0: none
	Name        string // English, save in recordings
	English     string `json:",omitempty"` // of a recording in another language; empty: Name
	Label       string // name in the host's language; empty: Name
	Description string
	Provider    string
	Protocol    string // that reads it, as "MS-PCQ"; empty: the source has only one way
	From        string // where its values are, as db:9090; empty: on the host itself
	Instances   InstanceType
	Counters    []Counter
	Facts       []string // text facts an instance may carry beside its counters
	Told        bool     // somebody tells its values: they are of when that was, and not of when they are read

	once   sync.Once
	byName map[string]int
}

// Counter returns the index in Counters of the counter of this name, compared
// without case: of its English one, else of the one that it is shown by.
func (s *Counterset) Counter(name string) (int, bool) {
	s.once.Do(func() {
		s.byName = make(map[string]int, len(s.Counters))
		add := func(i int, name string) {
			key := paths.Fold(name)
			if _, dup := s.byName[key]; !dup {
				s.byName[key] = i
			}
		}
		for i := range s.Counters {
			add(i, s.Counters[i].InEnglish())
		}
		for i := range s.Counters {
			add(i, s.Counters[i].Name)
		}
	})
	i, ok := s.byName[paths.Fold(name)]
	return i, ok
}

// Given is the index of such a counter that the host can give, -1 without; no counterset has any.
func (s *Counterset) Given(name string) int {
	if s != nil {
		if i, ok := s.Counter(name); ok && s.Counters[i].Absent == "" {
			return i
		}
	}
	return -1
}

// whyEmpty is what it means of countersets, in lower case, that they have no instances.
var whyEmpty = map[string]string{
	"gpu engine":               "no GPU is in use",
	"logicaldisk":              "no file system of a disk is mounted",
	"network interface":        "there is no network interface",
	"paging file":              "no swap is in use",
	"physicaldisk":             "there is no disk",
	"print queue":              "there is no printer",
	"process exits":            "no process has ended since this is looked at",
	"service":                  "there is no service",
	"thermal zone information": "no sensor tells a temperature",
}

// WhyEmpty says why it has no instances, where it answers and has none.
func (s *Counterset) WhyEmpty() string {
	return cmp.Or(whyEmpty[paths.Fold(s.InEnglish())], "it has no instances")
}

// NumberCounter is the counter that tells the numbers of instances, those of processes; -1: none
// does.
func (s *Counterset) NumberCounter() int {
	for _, name := range []string{"ID Process", "Process ID"} {
		if i, ok := s.Counter(name); ok {
			return i
		}
	}
	return -1
}

// ReadBy is the protocol that reads it, and where that is not the host; empty: the source has
// only one way.
func (s *Counterset) ReadBy() string {
	if s.From == "" {
		return s.Protocol
	}
	return s.Protocol + " at " + s.From
}

// ReadsLike tells whether two descriptions are of one counterset, and its values are
// read and cooked by either alike: they differ in texts at most.
func (s *Counterset) ReadsLike(o *Counterset) bool {
	return s == o || s.GUID == o.GUID && s.V1Index == o.V1Index && s.Name == o.Name && s.Instances == o.Instances &&
		slices.EqualFunc(s.Counters, o.Counters, func(a, b Counter) bool {
			return a.ID == b.ID && a.Type == b.Type && a.Companions == b.Companions
		})
}

// Catalogue is all that a host offers, as read at one time. It is not changed
// after it was built.
type Catalogue struct {
	Host  string
	Sets  []*Counterset
	Names map[uint32]string // the host's name table of HKEY_PERFORMANCE_DATA; may be nil
}

// NameOf gives the name behind a number of the index form of paths
// (`\238(_Total)\6`).
func (c *Catalogue) NameOf(index uint32) (string, bool) {
	if name, ok := c.Names[index]; ok {
		return name, true
	}
	for _, s := range c.Sets {
		if s.V1Index == index && index != 0 {
			return s.Name, true
		}
	}
	return "", false
}

// Processes is the counterset of the processes, nil if there is none: Process V2
// where the host has it, which tells processes of one name apart.
func (c *Catalogue) Processes() *Counterset {
	if set := c.Set("Process V2"); set != nil {
		return set
	}
	return c.Set("Process")
}

// FlagsOf are the flags of an instance as far as its name tells them: of a total, of the
// process of unused capacity (Idle, in Process V2 with its number 0), of an interface that
// counts again what others carry. A source that knows better says so.
func (s *Counterset) FlagsOf(instance string) (f InstanceFlags) {
	switch {
	case !s.Instances.Multiple():
	case instance != "" && !cooker.InAggregate(instance):
		return FlagTotal
	case instance == "Idle" && paths.EqualFold(s.InEnglish(), "Process"),
		(instance == "Idle" || instance == "Idle:0") && paths.EqualFold(s.InEnglish(), "Process V2"):
		return FlagIdle
	case instance == unattributed && paths.EqualFold(s.InEnglish(), exitsSet):
		return FlagIdle
	case s.IsOfInterfaces() && carriesAgain(instance):
		return FlagBackground
	}
	return 0
}

// Set returns the counterset of this name, compared without case, or nil: by its English one, else
// by the one that it is shown by. No catalogue has none.
func (c *Catalogue) Set(name string) *Counterset {
	if c == nil {
		return nil
	}
	var shown *Counterset
	for _, s := range c.Sets {
		if paths.EqualFold(s.InEnglish(), name) {
			return s
		}
		if shown == nil && paths.EqualFold(s.Name, name) {
			shown = s
		}
	}
	return shown
}

// Given is a counter that the host can give, and its counterset; nil and -1 without.
func (c *Catalogue) Given(set, counter string) (*Counterset, int) {
	s := c.Set(set)
	i := s.Given(counter)
	if i < 0 {
		return nil, -1
	}
	return s, i
}

// Sort puts the countersets into the order of their names.
func (c *Catalogue) Sort() {
	slices.SortStableFunc(c.Sets, func(a, b *Counterset) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
}

// Newest is the catalogue of a host, nil before the host is known, and what is closed
// as soon as there is another.
func Newest(s Catalogued) (cat *Catalogue, next <-chan struct{}) {
	next = s.Renewed() // first, so that none is missed
	if cat = s.Catalogue(); cat == nil {
		next = s.Known()
	}
	return cat, next
}
