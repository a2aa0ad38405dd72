package server

import (
	"crypto/sha1" //nolint:gosec // what RFC 9562 5.5 asks for, and no secret
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// Companions that a source keeps inside the readings of its counters are
// published as counters of their own, under these numbers or the next free
// ones. The base of counter n is baseIDs + n.
const (
	baseIDs    uint32 = 0x4000_0000
	perfTimeID uint32 = 0x7000_0000 // the clock of counters of object time
	perfFreqID uint32 = 0x7000_0001 // and its frequency
	momentID   uint32 = 0x7000_0002 // the clocks of values that are told
)

// counterset is a counterset as it is published.
type counterset struct {
	set      *session.Counterset
	info     perflib.CountersetInfo
	provider perflib.GUID
	counters []counter // as info.Counters
	byID     map[uint32]int
}

// counter is a counter as it is published.
type counter struct {
	id         uint32
	name, help string
	from       int // index in set.Counters of the reading that holds it
	part       part
	form       form
}

// part is what of a reading, or of the clocks beside it, a counter shows.
type part uint8

const (
	partRaw part = iota
	partBase
	partObjTime
	partObjFreq
	partPerfTime // and the next two, as perflib.MomentCounters
	partPerfFreq
	partTime100ns
)

// form is how a value is written.
type form uint8

const (
	formLarge form = iota // 8 bytes, unless it was read with 4
	formDword             // 4 bytes
	formText              // UTF-16
	formASCII             // a text in bytes
	formEmpty             // no data at all
)

// formOf is the form of the values of a type. A client takes the width from the
// data and not from the type, so fractions, average timers and their bases have
// 8 bytes although their type codes say 4: limits and times outgrow those.
func formOf(t cooker.CounterType) form {
	const dword, zero = 0, 2 // Fields.Size
	f := t.Fields()
	info, _ := t.Info()
	switch {
	case t.IsASCII():
		return formASCII
	case t.IsText():
		return formText
	case f.Size == zero:
		return formEmpty
	case f.Size == dword && info.Base == cooker.BaseNone && f.Subtype != cooker.SubtypeBase:
		return formDword
	}
	return formLarge
}

func newCounterset(set *session.Counterset) *counterset {
	guid, err := perflib.ParseGUID(set.GUID)
	if err != nil { // known by name and index only
		guid = CountersetGUID(set.Name)
	}
	s := &counterset{set: set, byID: map[uint32]int{}, provider: ProviderGUID(set.Provider)}
	s.info = perflib.CountersetInfo{GUID: guid, Detail: session.DetailNovice, Instances: set.Instances}
	for i := range set.Counters {
		s.addOffered(i)
	}
	for i := range s.info.Counters {
		s.complete(i)
	}
	for i, name := range perflib.MomentCounters {
		if set.Told {
			s.clock(session.NoID, momentID, counter{name: name, part: partPerfTime + part(i)})
		}
	}
	if len(s.info.Counters) > 0 {
		s.info.Detail = s.info.Counters[0].Detail
	}
	for i := range s.info.Counters {
		s.info.Detail = min(s.info.Detail, s.info.Counters[i].Detail)
	}
	return s
}

// addOffered publishes a counter of the catalogue. What this host cannot give,
// and a number that is given again, is left out.
func (s *counterset) addOffered(index int) {
	c := &s.set.Counters[index]
	if _, twice := s.byID[c.ID]; twice || c.Absent != "" || c.ID == session.NoID {
		return
	}
	s.add(perflib.CounterInfo{
		ID: c.ID, Type: c.Type, Attributes: c.Attributes, Detail: c.Detail,
		DefaultScale: int32(cooker.ClampScale(c.DefaultScale)), Aggregate: c.Aggregate,
		Companions: c.Companions,
	}, counter{name: c.Name, help: c.Description, from: index, part: partRaw})
}

func (s *counterset) add(info perflib.CounterInfo, c counter) {
	c.id, c.form = info.ID, formOf(info.Type)
	s.byID[info.ID] = len(s.counters)
	s.info.Counters = append(s.info.Counters, info)
	s.counters = append(s.counters, c)
}

// complete publishes the companions that a counter needs and the catalogue
// lacks.
func (s *counterset) complete(index int) {
	info, _ := s.info.Counters[index].Type.Info()
	owner := s.counters[index]
	switch info.Base {
	case cooker.BaseDivisor, cooker.BaseClock:
		id := s.companion(s.info.Counters[index].BaseID, baseIDs+owner.id, info.BaseType,
			counter{name: owner.name + " Base", from: owner.from, part: partBase})
		s.info.Counters[index].BaseID = id
	case cooker.BaseMulti:
		// MS-PCQ 2.2.4.2, MultiId, wants a plain count.
		id := s.companion(s.info.Counters[index].MultiID, baseIDs+owner.id, cooker.CounterRawCount,
			counter{name: owner.name + " Base", from: owner.from, part: partBase})
		s.info.Counters[index].MultiID = id
	case cooker.BaseNone:
	}
	if info.Clock == cooker.ClockObject {
		s.completeClock(index)
	}
}

// completeClock names the clock of a counter of object time. One of the host's
// serves all counters that have none of their own.
func (s *counterset) completeClock(index int) {
	c := s.info.Counters[index]
	time := s.clock(c.PerfTimeID, perfTimeID, counter{name: "Object Time", part: partObjTime})
	freq := s.clock(c.PerfFreqID, perfFreqID, counter{name: "Object Frequency", part: partObjFreq})
	s.info.Counters[index].PerfTimeID, s.info.Counters[index].PerfFreqID = time, freq
}

func (s *counterset) clock(declared, wanted uint32, c counter) uint32 {
	return s.companion(declared, wanted, cooker.CounterLargeRawCount, c)
}

// companion gives the number of a companion: declared, if there is such a
// counter; otherwise one like c is published under the number wanted, or the
// next free one, unless a clock of that kind is there already.
func (s *counterset) companion(declared, wanted uint32, t cooker.CounterType, c counter) uint32 {
	if _, there := s.byID[declared]; there && declared != session.NoID {
		return declared
	}
	if c.part != partBase {
		for i := range s.counters {
			if s.counters[i].part == c.part {
				return s.counters[i].id
			}
		}
	}
	for s.isUsed(wanted) {
		wanted++
	}
	s.add(perflib.CounterInfo{
		ID: wanted, Type: t, Attributes: cooker.NoDisplay, Detail: session.DetailNovice,
		Companions: session.NoCompanions,
	}, c)
	return wanted
}

func (s *counterset) isUsed(id uint32) bool {
	_, there := s.byID[id]
	return there || id == session.NoID
}

// named and nameless tell which identifiers fit: those of single-instance
// countersets have no name, those of countersets with instances must. A global
// aggregate takes both: its instances, or all of them together.
func (s *counterset) named() bool { return s.info.Instances != session.SingleInstance }

func (s *counterset) nameless() bool {
	const multiple = 2 // PERF_COUNTERSET_FLAG_MULTIPLE of perflib.h
	return s.info.Instances&multiple == 0
}

// isLevel tells whether the counter is shown as it is read, so that its width may
// differ from sample to sample.
func (c *counter) isLevel(s *counterset) bool {
	info, _ := s.set.Counters[c.from].Type.Info()
	return c.part == partRaw && info.Samples < 2
}

// register makes the answer of PerflibV2QueryCounterSetRegistrationInfo
// (MS-PCQ 3.1.4.1.2). All texts are English.
func (s *counterset) register(request perflib.RequestCode, lcid uint32) ([]byte, rpc.Code) {
	if localized(request) && !installed(lcid) {
		return nil, rpc.CodeLanguageNotFound
	}
	switch request {
	case perflib.CountersetStruct:
		return perflib.AppendCounterset(nil, &s.info), rpc.CodeOK
	case perflib.CounterStruct:
		i, ok := s.byID[lcid] // RequestLCID is the counter here
		if !ok {
			return nil, rpc.CodeItemNotFound
		}
		return perflib.AppendCounter(nil, &s.info.Counters[i]), rpc.CodeOK
	case perflib.CountersetName, perflib.EnglishName:
		return text(s.set.Name)
	case perflib.CountersetHelp:
		return text(s.set.Description)
	case perflib.ProviderName:
		return text(s.set.Provider)
	case perflib.ProviderGUID:
		return perflib.AppendGUID(nil, s.provider), rpc.CodeOK
	case perflib.CounterNames, perflib.EnglishCounterNames:
		return s.texts(func(c *counter) string { return c.name }), rpc.CodeOK
	default: // CounterHelps: others were refused
		return s.texts(func(c *counter) string { return c.help }), rpc.CodeOK
	}
}

// localized tells whether RequestLCID is a language.
func localized(request perflib.RequestCode) bool {
	return request >= perflib.CountersetName && request <= perflib.CounterHelps
}

// installed tells whether RequestLCID means English, of any country, or what
// the host speaks: neutral, the default of user or system, invariant (MS-LCID
// 2.2).
func installed(lcid uint32) bool {
	switch lcid {
	case 0, 0x7F, 0x400, 0x800:
		return true
	}
	return perflib.IsEnglish(lcid)
}

func text(s string) ([]byte, rpc.Code) {
	if s == "" {
		return nil, rpc.CodeNotFound
	}
	return perflib.AppendString(nil, perflib.EncodeText(s)), rpc.CodeOK
}

func (s *counterset) texts(of func(*counter) string) []byte {
	list := make([]perflib.CounterString, len(s.counters))
	for i := range s.counters {
		list[i].ID = s.counters[i].id
		if t := of(&s.counters[i]); t != "" {
			list[i].Text = perflib.EncodeText(t)
		}
	}
	return perflib.AppendStrings(nil, list)
}

// namespace is the name space of the GUIDs given here:
// 3f5be0a6-92c7-4d1e-8f0b-6a7c41d95e28, in the order of RFC 9562.
var namespace = [16]byte{0x3f, 0x5b, 0xe0, 0xa6, 0x92, 0xc7, 0x4d, 0x1e, 0x8f, 0x0b, 0x6a, 0x7c, 0x41, 0xd9, 0x5e, 0x28}

// CountersetGUID is the GUID under which a counterset without one is published:
// a UUID of version 5 (RFC 9562 5.5) of "counterset/" and its folded name. It
// is the same on every host.
func CountersetGUID(name string) perflib.GUID { return nameGUID("counterset/" + paths.Fold(name)) }

// ProviderGUID is the GUID of a provider that has none, of "provider/" and its
// folded name.
func ProviderGUID(name string) perflib.GUID { return nameGUID("provider/" + paths.Fold(name)) }

func nameGUID(name string) perflib.GUID {
	sum := sha1.Sum(append(namespace[:], name...)) //nolint:gosec // as above
	g := perflib.GUID(sum[:16])
	g[6] = g[6]&0x0F | 0x50                                 // version
	g[8] = g[8]&0x3F | 0x80                                 // variant
	for _, field := range [][]byte{g[:4], g[4:6], g[6:8]} { // little-endian on the wire
		slices.Reverse(field)
	}
	return g
}
