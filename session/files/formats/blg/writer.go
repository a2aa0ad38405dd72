package blg

import (
	"cmp"
	"errors"
	"math"
	"os"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/logs"
)

// writer writes a binary log: a list of counters, and a value of each in every sample.
// Where the frequency of a clock is found out, or changes, another list follows.
type writer struct {
	file    *os.File
	out     *trace.Writer // nil: nothing is in the file yet
	lazy    bool
	zone    logs.Zone
	columns []logs.Column
	list    []trace.Counter
	listed  bool // the list is in the file, as it is
	holds   bool // a list is
	payload []byte
	raws    []trace.Raw
	before  []logs.Raw // of the row before
	err     error      // the first that the file gave
}

var (
	// ErrExperimental is told to who writes a log.
	ErrExperimental = errors.New("writing binary logs is experimental: none was ever tried on Windows")

	errNoRawSample = errors.New("a value without a raw sample: a binary log consists of those")
	errNoPath      = errors.New("the name of a column is no counter path, which a binary log consists of")
)

// Create begins a log. The list of counters is written with the first row.
func Create(file *os.File, h *logs.Header, o logs.WriteOptions) (logs.Writer, error) {
	w, err := newWriter(file, h, o)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func newWriter(file *os.File, h *logs.Header, o logs.WriteOptions) (*writer, error) {
	w := &writer{file: file, lazy: o.Buffered, zone: h.Zone, columns: h.Columns, raws: make([]trace.Raw, len(h.Columns)), before: make([]logs.Raw, len(h.Columns))}
	for i := range h.Columns {
		c, ok := listedAs(&h.Columns[i])
		if !ok {
			return nil, &logs.FileError{File: file.Name(), Cell: i + 1, Err: errNoPath, Advice: "--counter chooses the others; " + rawAdvice}
		}
		w.list = append(w.list, c)
	}
	return w, nil
}

const rawAdvice = "csv and tsv, which perfmon opens too, keep values as they are"

// listedAs takes the path of a column apart, so that the parts make the same path.
func listedAs(column *logs.Column) (trace.Counter, bool) {
	path := strings.ToValidUTF8(strings.ReplaceAll(column.Path, "\x00", "?"), "\uFFFD")
	c := trace.Counter{Type: column.StoredType(), Scale: column.DefaultScale}
	is := func() bool {
		e := blgEntry{Counter: c}
		return e.columnFor(e.listed(), c.Counter).Path == path && e.isOne()
	}
	if p, err := paths.Parse(path); err == nil {
		n, _ := p.Index.Number()
		c.Object, c.Counter, c.HasInstance = p.Object, p.Counter, p.HasInstance
		c.Instance, c.Parent, c.HasParent, c.Index = p.Instance, p.Parent, p.Parent != "", uint32(n)
		if p.Computer != "" {
			c.Machine = `\\` + p.Computer
		}
		if is() {
			return c, true
		}
		c.Instance, c.Parent, c.HasParent, c.Index = p.InstanceText(), "", false, 0
		return c, is()
	}
	at := strings.LastIndexByte(path, '\\')
	if at < 0 {
		return c, false
	}
	c.Object, c.Counter = path[:at], path[at+1:]
	if rest, has := strings.CutPrefix(c.Object, `\\`); has {
		machine, object, _ := strings.Cut(rest, `\`)
		c.Machine, c.Object = `\\`+machine, object
	} else {
		c.Object = strings.TrimPrefix(c.Object, `\`)
	}
	return c, is()
}

// pdhStatus is why a value is missing (pdhmsg.h): the inverse of statusOfPDH.
func pdhStatus(s cooker.Status) uint32 {
	switch s {
	case cooker.Gone:
		return 0x800007D1 // PDH_CSTATUS_NO_INSTANCE
	case cooker.Gap:
		return 0x800007D0 // PDH_CSTATUS_NO_MACHINE
	case cooker.Unavailable:
		return 0xC0000BB9 // PDH_CSTATUS_NO_COUNTER
	case cooker.Denied:
		return 0xC0000BDB // PDH_ACCESS_DENIED
	}
	return 0x800007D5 // PDH_NO_DATA
}

// invalid is a record that a reader makes no value of (PDH_CSTATUS_INVALID_DATA), nor of the one
// behind it.
var invalid = trace.Raw{Status: 0xC0000BBA}

// raw is the record of a value. A text has none. A reader makes the value of two records: it
// gets none that would make one across a restart, and of a value that was made of more rows.
func (w *writer) raw(i int, v cooker.Value, from *logs.Raw) (trace.Raw, error) {
	c, before := &w.columns[i], w.before[i]
	w.before[i] = logs.Raw{}
	if c.TypeKnown && from != nil && from.Known && from.Reading.State.Good() {
		p := logs.PackRaw(c.Type, from)
		info, _ := c.Type.Info()
		now := p.Unsized(c.Type, &info) // as it is read
		if !v.Valid() && before.Known && cookBLG(c.Type, &before, &now).Valid() {
			return invalid, nil
		}
		w.before[i] = now
		if p.TimeBase != 0 && p.TimeBase != w.list[i].FreqHz {
			w.list[i].FreqHz, w.listed = p.TimeBase, false
		}
		return trace.Raw{First: p.First, Second: p.Second, Multi: uint32(p.Multi)}, nil
	}
	n, isNumber := v.Float()
	switch {
	case from != nil && (from.IsMean || from.Known && from.Reading.State == cooker.NoBase):
		return invalid, nil
	case !isNumber:
		return trace.Raw{Status: pdhStatus(v.Status())}, nil
	case n >= 0 && n <= 1<<53 && n == math.Trunc(n) && isPlainCount(w.list[i].Type):
		return trace.Raw{First: uint64(n)}, nil
	}
	return trace.Raw{}, &logs.FileError{File: w.file.Name(), Cell: i + 1, Err: errNoRawSample, Advice: rawAdvice}
}

// isPlainCount tells types whose values are their raw values.
func isPlainCount(t cooker.CounterType) bool {
	return t == cooker.CounterRawCount || t == cooker.CounterLargeRawCount || t == cooker.CounterRawCountHex || t == cooker.CounterLargeRawCountHex
}

func (w *writer) WriteRow(row *logs.Row) error {
	if w.err != nil {
		return w.err
	}
	if len(row.Values) != len(w.columns) {
		return logs.ErrRowWidth
	}
	for i := range row.Values {
		var from *logs.Raw
		if i < len(row.Raw) {
			from = &row.Raw[i]
		}
		var err error
		if w.raws[i], err = w.raw(i, row.Values[i], from); err != nil {
			return err
		}
	}
	utc := int64(cooker.FileTime(row.Recorded().Truncate(time.Millisecond)))
	local := utc - int64(w.zone.Bias)*ticksPerMinute
	if err := w.begin(local, utc); err != nil {
		return err
	}
	b := trace.BeginSample(w.payload[:0])
	for i := range w.raws {
		b = trace.AppendRaw(b, local, &w.raws[i])
	}
	return w.write(trace.KindSample, local, utc, trace.EndSample(b))
}

const ticksPerMinute = 600_000_000

// begin writes what stands before a sample: the header, and the list where it is another.
func (w *writer) begin(local, utc int64) error {
	const before = 10 // ticks that a list is before its first sample
	if w.out == nil {
		// A conversion has its own name only when it is complete.
		season := trace.Season{Name: strings.ToValidUTF8(w.zone.Name, "?")}
		w.out, w.err = trace.NewWriter(w.file, &trace.Start{
			Time: utc, Session: logs.NewGUID(), Name: strings.TrimSuffix(w.file.Name(), ".part"), PerfFreqHz: logs.HundredNanosHz,
			Zone: trace.Zone{Bias: w.zone.Bias, Standard: season, Daylight: season},
		}, w.lazy)
	}
	if w.listed || w.err != nil {
		return w.err
	}
	w.shareClocks()
	w.listed = true
	err := w.write(trace.KindList, local-before, utc, trace.AppendList(w.payload[:0], w.list))
	w.holds = w.holds || err == nil
	return err
}

// clockKey is what counters have in common whose samples were read by one clock.
type clockKey struct {
	machine, object string
	clock           cooker.Clock
}

// shareClocks gives counters that had no value yet the frequency of those that are read by
// the same clock: then most logs have one list.
func (w *writer) shareClocks() {
	known := map[clockKey]uint64{}
	keys := func(i int) [2]clockKey {
		info, _ := w.list[i].Type.Info()
		machine, object, clock := paths.Fold(w.list[i].Machine), paths.Fold(w.list[i].Object), info.Clock
		if clock == cooker.ClockObject {
			return [2]clockKey{{machine, object, clock}, {machine, object, clock}}
		}
		if clock != cooker.Clock100ns {
			clock = cooker.ClockPerf // it is what Windows lists for counters without a clock
		}
		return [2]clockKey{{machine, "", clock}, {"", "", clock}}
	}
	for i := range w.list {
		if f := w.list[i].FreqHz; f != 0 {
			for _, key := range keys(i) {
				known[key] = f
			}
		}
	}
	for i := range w.list {
		if w.list[i].FreqHz != 0 {
			continue
		}
		for _, key := range keys(i) {
			if w.list[i].FreqHz == 0 {
				w.list[i].FreqHz = known[key]
			}
		}
	}
}

// beginEmpty lets a log without samples have its counters.
func (w *writer) beginEmpty() error {
	if w.err != nil || w.out != nil {
		return w.err
	}
	utc := int64(cooker.FileTime(time.Now()))
	return w.begin(utc-int64(w.zone.Bias)*ticksPerMinute, utc)
}

func (w *writer) write(kind trace.Kind, local, utc int64, payload []byte) error {
	w.payload = payload[:0]
	err := w.out.Write(kind, local, utc, payload)
	if err != nil && !errors.Is(err, trace.ErrTooLong) {
		w.err = err
	}
	return err
}

func (w *writer) Sync() error {
	if err := w.beginEmpty(); err != nil {
		return err
	}
	if w.err = cmp.Or(w.out.Flush(), logs.StillThere(w.file)); w.err == nil {
		w.err = w.file.Sync()
	}
	return w.err
}

func (w *writer) Size() (int64, error) {
	if w.out == nil {
		return 0, nil
	}
	return w.out.Bytes(), nil
}

// Close closes the file. One that has no list of counters, as on a disk that was full by
// then, is no log: it is removed.
func (w *writer) Close() error {
	if errors.Is(w.err, logs.ErrClosed) {
		return logs.ErrClosed
	}
	err := w.beginEmpty()
	if err == nil {
		err = w.out.Flush()
	}
	w.err = logs.ErrClosed
	isMine := logs.StillThere(w.file) == nil
	err = cmp.Or(err, w.file.Close())
	if !w.holds && isMine {
		_ = os.Remove(w.file.Name())
	}
	return err
}
