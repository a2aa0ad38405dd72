package cooker

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Cell is a number of a table that may be absent.
type Cell struct {
	N   uint64
	Set bool
}

// Row is a counter and its raw samples as tables write them, with one pair of
// clock columns: T0, T1 and Freq are those of whatever clock the type uses,
// save that types of the 100 ns clock use Perf100ns0 and Perf100ns1.
type Row struct {
	Type                   CounterType
	C0, C1                 Cell // counter, older and newer
	B0, B1                 Cell // base or multi count
	T0, T1, Freq           Cell
	Perf100ns0, Perf100ns1 Cell
	Text                   string // of a PERF_COUNTER_TEXT
}

// ParseCell reads a decimal number; the empty string is an absent one. A
// negative number keeps its 64-bit pattern.
func ParseCell(s string) (Cell, error) {
	if s == "" {
		return Cell{}, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Cell{N: uint64(n), Set: true}, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return Cell{}, fmt.Errorf("read %.40q as a number: %w", s, errors.Unwrap(err))
	}
	return Cell{N: n, Set: true}, nil
}

// Cook cooks the row. An absent C0, or an absent clock beside it, makes it the
// first sample. opt may be nil.
func (r Row) Cook(opt *Options) Value {
	if r.Type.IsText() {
		return TextValue(r.Text)
	}
	prev, cur, t0, t1 := r.Samples()
	return Cook(r.Type, prev, cur, &t0, &t1, opt)
}

// Samples are the readings and clocks of the row. A table has no data sizes, see SizeOf. prev
// is nil for a first sample, cur if nothing was read.
func (r Row) Samples() (prev, cur *Reading, t0, t1 Clocks) {
	info, _ := r.Type.Info()
	t0, t1 = r.clocks()
	if r.C1.Set {
		cur = reading(info, r.C1, r.B1)
	} else if r.C0.Set {
		cur = &Reading{State: Gone}
	}
	if r.C0.Set && r.olderClock(info) {
		prev = reading(info, r.C0, r.B0)
	}
	return prev, cur, t0, t1
}

func (r Row) clocks() (t0, t1 Clocks) {
	t0 = Clocks{r.T0.N, r.Freq.N, r.Perf100ns0.N, r.T0.N, r.Freq.N}
	t1 = Clocks{r.T1.N, r.Freq.N, r.Perf100ns1.N, r.T1.N, r.Freq.N}
	if !r.T1.Set {
		t1.ObjFreqHz = 0 // no elapsed time without a now
	}
	return t0, t1
}

// olderClock says that the clock of the older sample is there, if needed.
func (r Row) olderClock(info TypeInfo) bool {
	switch info.Clock {
	case ClockPerf:
		return r.T0.Set
	case Clock100ns:
		return r.Perf100ns0.Set
	case ClockObject:
		return r.T0.Set || info.Base == BaseClock && r.B0.Set
	case ClockNone, ClockFreq:
	}
	return true
}

func reading(info TypeInfo, raw, base Cell) *Reading {
	r := &Reading{Raw: raw.N, Base: base.N, Size: SizeOf(info.Type, raw.N), BaseSize: SizeOf(info.BaseType, base.N)}
	if info.Base != BaseNone && !base.Set {
		r.State = NoBase
	}
	return r
}

// SizeOf is the size of a number of a type where nothing tells it: that of the type unless it needs
// 8 bytes.
func SizeOf(t CounterType, n uint64) uint8 {
	if t.Fields().Size == 0 && n <= math.MaxUint32 {
		return 4
	}
	return 8
}
