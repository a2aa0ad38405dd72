package perflib

import (
	"time"

	"perfdeck/cooker"
)

const (
	dataHeaderSize    = 48 // _PERF_DATA_HEADER
	counterHeaderSize = 16 // _PERF_COUNTER_HEADER
	valueHeaderSize   = 8  // _PERF_COUNTER_DATA
	valueLeast        = 16 // smallest dwSize to send: consumers refuse less
	listHeaderSize    = 8  // _PERF_MULTI_COUNTERS, _PERF_MULTI_INSTANCES
	idSize            = 4
)

// DataHeader begins the answer of PerflibV2QueryCounterData
// (_PERF_DATA_HEADER, MS-PCQ 2.2.4.7). All of it is of one instant of the host.
type DataHeader struct {
	TotalSize   uint32 // bytes of the reply; ignored by DataWriter
	NumCounters uint32 // blocks of the reply; ignored by DataWriter
	PerfTime    uint64 // ticks of PerfFreqHz
	Time100ns   uint64 // 100 ns since 1601, UTC
	PerfFreqHz  uint64 // may be 0 in a reply
	System      SystemTime
}

// Clocks are the clocks to cook every counter of the reply with.
func (h *DataHeader) Clocks() cooker.Clocks {
	return cooker.Clocks{PerfTime: h.PerfTime, PerfFreqHz: h.PerfFreqHz, Time100ns: h.Time100ns}
}

// MomentCounters are PerfTime, PerfFreqHz and Time100ns of values that somebody told to the
// host, which are of when that was: a reply has one clock for all that is in it. Where the host
// is perfdeck, hidden counters of these names tell them, PERF_COUNTER_LARGE_RAWCOUNT, the same
// for all instances of a counterset. Who does not know them cooks by the clock of the reply.
var MomentCounters = [3]string{"perfdeck Moment Performance Time", "perfdeck Moment Performance Frequency", "perfdeck Moment System Time"}

// NewDataHeader gives the header of a reply collected at t, when the
// performance clock stood at perfTime ticks of perfFreqHz.
func NewDataHeader(t time.Time, perfTime, perfFreqHz uint64) DataHeader {
	t = t.UTC()
	return DataHeader{
		PerfTime:   perfTime,
		PerfFreqHz: perfFreqHz,
		Time100ns:  cooker.FileTime(t),
		System: SystemTime{
			uint16(t.Year()), uint16(t.Month()), uint16(t.Weekday()), uint16(t.Day()),
			uint16(t.Hour()), uint16(t.Minute()), uint16(t.Second()), uint16(t.Nanosecond() / 1e6),
		},
	}
}

// SystemTime is SYSTEMTIME in UTC (MS-DTYP 2.3.13). It informs only: hosts may
// send dates that do not exist, and Time100ns counts.
type SystemTime struct {
	Year, Month, DayOfWeek, Day, Hour, Minute, Second, Milliseconds uint16
}

// BlockKind is the kind of one block of a data reply (dwType of
// _PERF_COUNTER_HEADER, MS-PCQ 2.2.4.8). It follows from the Identifier that
// the block answers, not from its counterset.
type BlockKind uint32

// The kinds of blocks. Others are skipped by their size.
const (
	KindError      BlockKind = 0 // PERF_ERROR_RETURN: a status, no value
	KindCounter    BlockKind = 1 // PERF_SINGLE_COUNTER: one value
	KindCounters   BlockKind = 2 // PERF_MULTI_COUNTERS: a value for each of some counters
	KindInstances  BlockKind = 4 // PERF_MULTI_INSTANCES: a value for each instance
	KindCounterset BlockKind = 6 // PERF_COUNTERSET: values of some counters for each instance
)

// Value is one raw value as it came: _PERF_COUNTER_DATA without its header.
// Its length is dwDataSize, which tells how to read it; the counter type does
// not (MS-PCQ calls 64-bit types 32 bits wide).
type Value []byte

// Uint64 gives a number of 4 or 8 bytes. Other sizes are no numbers.
func (v Value) Uint64() (n uint64, ok bool) {
	switch len(v) {
	case 4:
		return uint64(u32(v, 0)), true
	case 8:
		return u64(v, 0), true
	}
	return 0, false
}

// CounterIDs are the counters of a block of KindCounters or KindCounterset, in
// the order of their values.
type CounterIDs []byte

// Len is the number of counters.
func (ids CounterIDs) Len() int { return len(ids) / idSize }

// At gives the number of counter i.
func (ids CounterIDs) At(i int) uint32 { return u32(ids, i*idSize) }

func dataHeaderAt(b []byte) DataHeader {
	return DataHeader{
		TotalSize:   u32(b, 0),
		NumCounters: u32(b, 4),
		PerfTime:    u64(b, 8),
		Time100ns:   u64(b, 16),
		PerfFreqHz:  u64(b, 24),
		System:      systemTimeAt(b, 32),
	}
}

func (s *SystemTime) append(b []byte) []byte {
	for _, v := range [...]uint16{s.Year, s.Month, s.DayOfWeek, s.Day, s.Hour, s.Minute, s.Second, s.Milliseconds} {
		b = appendU16(b, v)
	}
	return b
}

func systemTimeAt(b []byte, o int) SystemTime {
	return SystemTime{
		u16(b, o), u16(b, o+2), u16(b, o+4), u16(b, o+6), u16(b, o+8), u16(b, o+10), u16(b, o+12), u16(b, o+14),
	}
}
