package perflib

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// RequestCode says what PerflibV2QueryCounterSetRegistrationInfo shall answer
// (MS-PCQ 3.1.4.1.2; PERF_REG_* of perflib.h).
type RequestCode uint32

// The request codes, with the decoder of their answers.
const (
	CountersetStruct    RequestCode = 1  // PERF_REG_COUNTERSET_STRUCT: DecodeCounterset
	CounterStruct       RequestCode = 2  // PERF_REG_COUNTER_STRUCT, the counter's number as LCID: DecodeCounter
	CountersetName      RequestCode = 3  // PERF_REG_COUNTERSET_NAME_STRING: DecodeString
	CountersetHelp      RequestCode = 4  // PERF_REG_COUNTERSET_HELP_STRING: DecodeString
	CounterNames        RequestCode = 5  // PERF_REG_COUNTER_NAME_STRINGS: DecodeStrings
	CounterHelps        RequestCode = 6  // PERF_REG_COUNTER_HELP_STRINGS: DecodeStrings
	ProviderName        RequestCode = 7  // PERF_REG_PROVIDER_NAME: DecodeString
	ProviderGUID        RequestCode = 8  // PERF_REG_PROVIDER_GUID: DecodeGUID
	EnglishName         RequestCode = 9  // PERF_REG_COUNTERSET_ENGLISH_NAME: DecodeString
	EnglishCounterNames RequestCode = 10 // PERF_REG_COUNTER_ENGLISH_NAMES: DecodeStrings
)

const (
	countersetInfoSize = 32 // _PERF_COUNTERSET_REG_INFO
	counterInfoSize    = 48 // _PERF_COUNTER_REG_INFO
)

// CountersetInfo is a counterset as registered: _PERF_COUNTERSET_REG_INFO and
// its counters (MS-PCQ 2.2.4.1).
type CountersetInfo struct {
	GUID      GUID
	Detail    session.DetailLevel
	Instances session.InstanceType
	Counters  []CounterInfo
}

// CounterInfo is a counter as registered: _PERF_COUNTER_REG_INFO (MS-PCQ
// 2.2.4.2). Nothing is checked here: hosts send combinations that the
// specification forbids.
type CounterInfo struct {
	session.Companions

	ID           uint32
	Type         cooker.CounterType
	Attributes   cooker.Attributes
	Detail       session.DetailLevel
	DefaultScale int32 // power of ten
	Aggregate    cooker.AggregateFunc
}

// DecodeCounterset reads the answer to CountersetStruct. After damage the
// counters before it are returned.
func DecodeCounterset(buf []byte) (CountersetInfo, error) {
	const structure = "PERF_COUNTERSET_REG_INFO"
	if len(buf) < countersetInfoSize {
		return CountersetInfo{}, damage(structure, 0, Truncated, len(buf), countersetInfoSize)
	}
	set := CountersetInfo{
		GUID:      GUID(buf[:16]),
		Detail:    session.DetailLevel(u32(buf, 20)),
		Instances: session.InstanceType(u32(buf, 28)),
	}
	announced, room := u32(buf, 24), (len(buf)-countersetInfoSize)/counterInfoSize
	count := int(min(uint64(announced), uint64(room)))
	set.Counters = make([]CounterInfo, count)
	for i := range set.Counters {
		set.Counters[i] = counterInfoAt(buf, countersetInfoSize+i*counterInfoSize)
	}
	if exceeds(announced, room) {
		return set, damage(structure, 24, CountExceedsSize, announced, room)
	}
	return set, checkRest(structure, buf, countersetInfoSize+count*counterInfoSize).asError()
}

// DecodeCounter reads the answer to CounterStruct.
func DecodeCounter(buf []byte) (CounterInfo, error) {
	const structure = "PERF_COUNTER_REG_INFO"
	if len(buf) < counterInfoSize {
		return CounterInfo{}, damage(structure, 0, Truncated, len(buf), counterInfoSize)
	}
	return counterInfoAt(buf, 0), checkRest(structure, buf, counterInfoSize).asError()
}

// AppendCounterset appends the answer to CountersetStruct.
func AppendCounterset(dst []byte, set *CountersetInfo) []byte {
	dst = append(dst, set.GUID[:]...)
	dst = appendU32(dst, 0) // CounterSetType: unused
	dst = appendU32(dst, uint32(set.Detail))
	dst = appendU32(dst, uint32(len(set.Counters)))
	dst = appendU32(dst, uint32(set.Instances))
	for i := range set.Counters {
		dst = AppendCounter(dst, &set.Counters[i])
	}
	return dst
}

// AppendCounter appends the answer to CounterStruct.
func AppendCounter(dst []byte, c *CounterInfo) []byte {
	dst = appendU32(dst, c.ID)
	dst = appendU32(dst, uint32(c.Type))
	dst = appendU64(dst, uint64(c.Attributes))
	dst = appendU32(dst, uint32(c.Detail))
	dst = appendU32(dst, uint32(c.DefaultScale))
	dst = appendU32(dst, c.BaseID)
	dst = appendU32(dst, c.PerfTimeID)
	dst = appendU32(dst, c.PerfFreqID)
	dst = appendU32(dst, c.MultiID)
	dst = appendU32(dst, uint32(c.Aggregate))
	return appendU32(dst, 0) // Reserved
}

func counterInfoAt(buf []byte, o int) CounterInfo {
	b := buf[o : o+counterInfoSize]
	return CounterInfo{
		ID:           u32(b, 0),
		Type:         cooker.TypeOf(u32(b, 4)),
		Attributes:   cooker.Attributes(u64(b, 8)),
		Detail:       session.DetailLevel(u32(b, 16)),
		DefaultScale: int32(u32(b, 20)),
		Companions:   session.Companions{BaseID: u32(b, 24), PerfTimeID: u32(b, 28), PerfFreqID: u32(b, 32), MultiID: u32(b, 36)},
		Aggregate:    cooker.AggregateFunc(u32(b, 40)),
	}
}

// PrimaryLanguage masks the language of an LCID, without its region (MS-LCID 2.2).
const PrimaryLanguage = 0x3FF

// IsEnglish tells the LCIDs of English, of any region.
func IsEnglish(lcid uint32) bool { return lcid&PrimaryLanguage == 0x009 }
