// Package blg reads and writes recordings as binary logs of Windows.
package blg

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/osfile"
	"perfdeck/session/wire/perflib"
)

// reader reads a binary log of Windows. It decodes raw values, and cooks them with those
// of the sample before. Columns of instances are added as they appear.
type reader struct {
	ctx    context.Context
	name   string
	size   func() (int64, error)
	close  func() error
	stream *trace.Stream
	header logs.Header
	zone   *time.Location
	faults logs.Faults

	names     map[string]trace.Names // by computer
	layouts   []*blgLayout           // in the order of their places
	layout    *blgLayout             // in force at the place
	places    map[string]int         // of columns, by folded path
	pathBytes int
	isWhole   bool // no more columns come

	wanted logs.Chosen
	only   []int          // the same, as columns
	absent []cooker.Value // of the columns that are not wanted
	cells  []logs.Raw     // of the sample that is read. Not Known: the status says why
	before []logs.Raw     // of the sample before
	primed bool           // before is that of the sample before the place
	event  trace.Event
	v1     perflib.V1Reader
	key    []byte

	first trace.Event // of the samples, without its payload
	index trace.Index // Samples 0: there is none, or it does not fit
	told  struct {    // the furthest record that was told to be damaged
		place  trace.Place
		record int
	}
	rows  int64 // read since the first without a jump; -1: there was one
	ended bool
}

// Is tells binary logs, and other event traces, by their first event.
func Is(head []byte) bool { return trace.IsTrace(head) }

// Open opens a log.
func Open(ctx context.Context, name string, o logs.OpenOptions) (logs.FileRows, error) {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	r, err := newReader(ctx, name, file, func() (int64, error) { return logs.FileSize(file) }, o)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	r.close = file.Close
	return r, nil
}

func newReader(ctx context.Context, name string, file io.ReaderAt, size func() (int64, error), o logs.OpenOptions) (*reader, error) {
	stream, err := trace.NewStream(file, size)
	if err != nil {
		if errors.Is(err, trace.ErrNotTrace) {
			err = &logs.FileError{File: name, Err: err}
		}
		return nil, err
	}
	r := &reader{
		ctx: ctx, name: name, size: size, stream: stream, faults: logs.Faults{Most: o.Faults},
		names: map[string]trace.Names{}, places: map[string]int{},
	}
	stream.Lost = func(at int64, err error) { r.faults.NoteRow(r.fault(at, err)) }
	return r, r.begin()
}

func (r *reader) fault(at int64, err error) *logs.FileError {
	return &logs.FileError{File: r.name, Offset: at, Err: err}
}

const (
	headBLGSamples = 100     // that are looked at for instances, where no index names them
	headBLGBytes   = 4 << 20 // of them
)

// begin reads up to the first sample, and finds the columns.
func (r *reader) begin() error {
	r.stream.Begin()
	known := false
	for r.first.Kind == 0 {
		err := r.stream.Next(&r.event)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		known = true
		if r.event.Kind == trace.KindSample {
			r.first = r.event
			r.first.Payload = nil
		} else {
			r.dispatch()
		}
	}
	if !known {
		return &logs.FileError{File: r.name, Err: trace.ErrOtherTrace, Advice: etlAdvice}
	}
	name, bias := r.stream.Header.Zone.At(trace.Time(r.first.Time))
	r.header.Zone = logs.Zone{Name: name, Bias: bias, Known: true}
	r.zone = r.header.Zone.Location()
	if err := r.readIndex(); err != nil {
		return err
	}
	if err := r.findColumns(); err != nil {
		return err
	}
	r.restart()
	return nil
}

// restart lets the first sample come next.
func (r *reader) restart() { r.seek(r.first.Place) }

// seek goes to a place.
func (r *reader) seek(p trace.Place) {
	r.stream.Seek(p)
	r.primed, r.ended, r.rows = false, false, -1
	if p == r.first.Place {
		r.rows = 0
	}
	for _, l := range r.layouts {
		if l == r.layouts[0] || p >= l.place {
			r.layout = l
		}
	}
}

func (r *reader) Position() int64 { return int64(r.stream.Place()) }

func (r *reader) GoTo(place int64) error {
	r.seek(trace.Place(place))
	return nil
}

func (r *reader) Bounds() (first, end, near int64, err error) {
	if r.first.Kind == 0 {
		return -1, 0, 0, nil
	}
	p, err := r.stream.End()
	return int64(r.first.Place), int64(p), 0, err
}

func (r *reader) RowAt(place, before int64) (at int64, t time.Time, err error) {
	e, ok, err := r.stream.First(trace.Place(place), trace.Place(before), trace.KindSample)
	if !ok || err != nil {
		return -1, t, err
	}
	return int64(e.Place), r.timeOf(e.Time), nil
}

func (r *reader) BackFrom(place int64, n int) (at int64, went int, err error) {
	return logs.BackBy(place, n, func(place int64) (int64, error) {
		at, ok, err := r.sampleBefore(trace.Place(place))
		if !ok {
			return -1, err
		}
		return int64(at), err
	})
}

// dispatch does what an event says that is no sample.
func (r *reader) dispatch() {
	switch r.event.Kind {
	case trace.KindNames:
		if err := trace.ReadNames(r.event.Payload, r.names); err != nil {
			r.lose(err)
		}
	case trace.KindList:
		r.switchList()
	case trace.KindIndex: // read when the log was opened
	default:
		r.lose(errKind)
	}
}

// switchList lets another list be in force, as in a log that was appended to.
func (r *reader) switchList() {
	at, known := slices.BinarySearchFunc(r.layouts, r.event.Place, func(l *blgLayout, p trace.Place) int { return cmp.Compare(l.place, p) })
	if !known {
		list, err := trace.ReadList(r.event.Payload)
		if err != nil {
			r.lose(err)
		}
		if len(list) == 0 {
			return
		}
		r.layouts = slices.Insert(r.layouts, at, newBLGLayout(r.event.Place, list))
	}
	r.layout = r.layouts[at]
}

// lose notes that the event cannot be read.
func (r *reader) lose(err error) {
	r.stream.Lose(r.stream.At(r.event.Place), err)
}

// readIndex looks for an index at the end, and believes it if it is of what there is.
func (r *reader) readIndex() error {
	end, err := r.stream.End()
	if err != nil || r.first.Kind == 0 {
		return err
	}
	last, ok, err := r.stream.Before(end, trace.KindSample)
	if err != nil || !ok {
		return err
	}
	at, ok, err := r.stream.Before(end, trace.KindIndex)
	if err != nil || !ok || at.Place < last.Place {
		return err
	}
	r.stream.Seek(at.Place)
	if err := r.stream.Next(&r.event); err != nil || r.event.Kind != trace.KindIndex {
		return trace.IgnoreEOF(err)
	}
	index, err := trace.ReadIndex(r.event.Payload)
	if err != nil {
		r.lose(err)
	} else if index.First == r.first.Time && index.Last == last.Time {
		r.index = index
	}
	return nil
}

// findColumns finds the columns of many instances: in the index, else in the first samples.
func (r *reader) findColumns() error {
	most := headBLGSamples
	if r.isWhole = len(r.layouts) == 1 && r.isIndexed(r.layouts[0]); r.isWhole {
		most = 1
	}
	if err := r.look(r.ctx, most, headBLGBytes); err != nil {
		return err
	}
	many := false
	for _, l := range r.layouts {
		for i := range l.entries {
			if e := &l.entries[i]; e.isOne() {
				r.one(e)
			} else {
				many = true
			}
		}
	}
	r.isWhole = r.isWhole || !many
	return nil
}

// isIndexed takes the columns of objects out of the index.
func (r *reader) isIndexed(l *blgLayout) bool {
	if r.index.Samples == 0 || len(r.index.Objects) != len(l.entries) {
		return false
	}
	for i := range l.entries {
		e, o := &l.entries[i], &r.index.Objects[i]
		if !e.WholeObject {
			return false
		}
		names := r.namesOf(e.Machine)
		instances := o.Instances
		if !o.HasInstances {
			instances = []trace.IndexInstance{{}}
		}
		for _, in := range instances {
			instance := ""
			if o.HasInstances {
				instance = bracketed(in.Parent, in.HasParent, in.Name, int(in.Number))
			}
			for _, c := range o.Counters {
				if column, ok := e.shows(nameAt(names, c.NameIndex), c.Type, c.Scale); ok {
					r.columnOfShown(e, column, instance)
				}
			}
		}
	}
	return true
}

// look reads samples for their columns, from the first on.
func (r *reader) look(ctx context.Context, samples, bytes int) error {
	if r.first.Kind == 0 {
		return nil
	}
	r.restart()
	for n, read := 0, 0; n < samples && read < bytes; {
		err := r.stream.Next(&r.event)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && n%logs.BetweenLooks == 0 {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if r.event.Kind != trace.KindSample {
			r.dispatch()
			continue
		}
		r.decode()
		n, read = n+1, read+len(r.event.Payload)
	}
	return nil
}

// IsComplete tells whether the list or the index names all columns.
func (r *reader) IsComplete() (bool, error) {
	if !r.isWhole || len(r.layouts) == 0 || r.index.Samples > 0 {
		return r.isWhole, nil
	}
	end, err := r.stream.End()
	if err != nil {
		return false, err
	}
	list, ok, err := r.stream.Before(end, trace.KindList) // of a log that was appended to
	if ok && r.layouts[len(r.layouts)-1].place < list.Place {
		r.isWhole = false
	}
	return r.isWhole, err
}

// Complete reads all samples for their columns, unless they are there.
func (r *reader) Complete(ctx context.Context) error {
	if is, err := r.IsComplete(); is || err != nil {
		return err
	}
	if err := r.look(ctx, int(^uint(0)>>1), int(^uint(0)>>1)); err != nil {
		return err
	}
	r.isWhole = true
	r.restart()
	return nil
}

func (r *reader) Header() *logs.Header { return &r.header }

func (r *reader) Only(columns []int) {
	r.wanted, r.only, r.primed = logs.ChooseColumns(columns, len(r.header.Columns)), slices.Clone(columns), false
}

// wants tells whether a column is to be read.
func (r *reader) wants(column int) bool {
	return column >= 0 && r.wanted.Has(column)
}

// cell is the cell of a column, of the sample that is read.
func (r *reader) cell(column int) *logs.Raw {
	for column >= len(r.cells) {
		r.cells = append(r.cells, logs.Raw{Reading: cooker.Reading{State: cooker.Gone}})
	}
	return &r.cells[column]
}

// decode reads the sample of the event into the cells. It reports whether it is one.
func (r *reader) decode() bool {
	if r.wanted == nil {
		for i := range r.cells {
			r.cells[i].Known, r.cells[i].Reading.State = false, cooker.Gone
		}
	}
	for _, i := range r.only {
		cell := r.cell(i)
		cell.Known, cell.Reading.State = false, cooker.Gone
	}
	if r.layout == nil {
		r.lose(errNoList)
		return false
	}
	n := 0
	records := trace.ReadSample(r.event.Payload)
	for records.Next() {
		n++
	}
	if records.Err() != nil || n != len(r.layout.entries) {
		r.lose(cmp.Or(records.Err(), errRecordCount))
		return false
	}
	records = trace.ReadSample(r.event.Payload)
	for n = 0; records.Next(); n++ {
		e, ok := &r.layout.entries[n], false
		switch {
		case records.Kind == trace.RecordRaw && e.isOne():
			var raw trace.Raw
			if raw, ok = trace.ReadRaw(records.Body); ok {
				r.put(r.one(e), e, &raw)
			}
		case records.Kind == trace.RecordItems && !e.WholeObject:
			ok = r.items(e, records.Body)
		case records.Kind == trace.RecordObject:
			ok = r.object(e, records.Body)
		}
		if !ok {
			r.loseRecord(n)
		}
	}
	return true
}

// loseRecord notes that a record cannot be read, or not to its end.
func (r *reader) loseRecord(n int) {
	if r.told.place < r.event.Place || r.told.place == r.event.Place && n > r.told.record {
		r.told.place, r.told.record = r.event.Place, n
		e := r.fault(r.stream.At(r.event.Place), errRecordKind)
		e.Cell = n + 1
		r.faults.NoteCell(e)
	}
}

func (r *reader) Next(row *logs.Row) error {
	if err := r.ctx.Err(); err != nil {
		return context.Cause(r.ctx)
	}
	if !r.primed {
		if err := r.prime(); err != nil {
			return err
		}
	}
	if err := r.nextSample(); err != nil {
		r.ended = errors.Is(err, io.EOF)
		return err
	}
	r.fill(row)
	r.cells, r.before = r.before, r.cells
	if r.rows >= 0 {
		r.rows++
	}
	return nil
}

// nextSample goes to the sample that comes next, and decodes it.
func (r *reader) nextSample() error {
	for {
		if err := r.stream.Next(&r.event); err != nil {
			return err
		}
		if r.event.Kind != trace.KindSample {
			r.dispatch()
			continue
		}
		if r.isTime() && r.decode() {
			return nil
		}
	}
}

// isTime tells whether the time of the sample is one.
func (r *reader) isTime() bool {
	year := trace.Time(r.event.Time).Year()
	if year <= 1678 || year >= 2261 {
		r.lose(logs.ErrTimeRange)
		return false
	}
	return true
}

// prime reads the sample before the place, which rates are made with.
func (r *reader) prime() error {
	place, rows := r.stream.Place(), r.rows
	r.before = r.before[:0]
	_, found, err := r.sampleBefore(place)
	if err != nil {
		return err
	}
	if found {
		r.cells, r.before = r.before, r.cells
	}
	r.seek(place)
	r.primed, r.rows = true, rows
	return nil
}

// sampleBefore decodes the last sample before a place that can be read, and tells where it is.
func (r *reader) sampleBefore(place trace.Place) (trace.Place, bool, error) {
	for {
		e, ok, err := r.stream.Before(place, trace.KindSample)
		if err != nil || !ok {
			return place, false, err
		}
		place = e.Place
		r.seek(place)
		if err := trace.IgnoreEOF(r.stream.Next(&r.event)); err != nil {
			return place, false, err
		}
		if r.event.Place == place && r.event.Kind == trace.KindSample && r.isTime() && r.decode() {
			return place, true, nil
		}
	}
}

// fill makes a row of the cells, with those of the sample before.
func (r *reader) fill(row *logs.Row) {
	row.Time = r.timeOf(r.event.Time)
	n := len(r.header.Columns)
	row.Values, row.Raw = slices.Grow(row.Values[:0], n)[:n], slices.Grow(row.Raw[:0], n)[:n]
	if r.wanted == nil {
		for i := range n {
			r.fillCell(row, i)
		}
		return
	}
	for len(r.absent) < n {
		r.absent = append(r.absent, cooker.Absent(cooker.Pending))
	}
	copy(row.Values, r.absent)
	clear(row.Raw)
	for _, i := range r.only {
		r.fillCell(row, i)
	}
}

func (r *reader) fillCell(row *logs.Row, i int) {
	cell := r.cell(i)
	var prev *logs.Raw
	if i < len(r.before) {
		prev = &r.before[i]
	}
	row.Values[i] = cookBLG(r.header.Columns[i].Type, prev, cell)
	if cell.Known {
		row.Raw[i] = *cell
	} else {
		row.Raw[i] = logs.Raw{}
	}
}

// cookBLG cooks a cell.
func cookBLG(t cooker.CounterType, prev, cell *logs.Raw) cooker.Value {
	if !cell.Known {
		return cooker.Absent(cell.Reading.State)
	}
	if prev == nil || !prev.Known {
		return cooker.Cook(t, nil, &cell.Reading, nil, &cell.Clocks, nil)
	}
	return cooker.Cook(t, &prev.Reading, &cell.Reading, &prev.Clocks, &cell.Clocks, nil)
}

// Samples are counted in so many runs of so many buffers.
const blgProbes, blgRun = 8, 8

// Span takes the number of samples out of the index, or guesses it from some buffers.
func (r *reader) Span() (s logs.Span, err error) {
	if s.Bytes, err = r.size(); err != nil {
		return s, err
	}
	s.At = r.stream.At(r.stream.Place())
	s.Inferred = r.inferred()
	s.Exact = r.first.Kind == 0
	if s.Exact {
		return s, nil
	}
	s.First = r.timeOf(r.first.Time)
	end, err := r.stream.End()
	if err != nil {
		return s, err
	}
	last, ok, err := r.stream.Before(end, trace.KindSample)
	if err != nil || !ok {
		return s, err
	}
	s.Last = r.timeOf(last.Time)
	switch {
	case r.ended && r.rows >= 0:
		s.Rows, s.Exact = r.rows, true
	case r.index.Samples > 0:
		s.Rows, s.Exact = r.index.Samples, len(r.layouts) == 1
	default:
		s.Rows, err = r.guessRows(end)
	}
	return s, err
}

// inferred is what is inferred of the log, as far as it was read.
func (r *reader) inferred() (i logs.Inferred) {
	if r.stream.Inferred {
		i |= logs.InferredOrder
	}
	if len(r.layouts) > 1 {
		i |= logs.InferredAppend
	}
	return i
}

// guessRows guesses the number of samples from runs of buffers: one alone holds few, or none.
func (r *reader) guessRows(behind trace.Place) (int64, error) {
	begin, _ := r.stream.Split(r.first.Place)
	end, _ := r.stream.Split(behind)
	step := max((end-begin)/blgProbes, blgRun)
	probed, count := int64(0), int64(0)
	for run := begin; run < end; run += step {
		for b := run; b < min(run+blgRun, end); b++ {
			n, err := r.stream.Samples(b)
			if err != nil {
				return 0, err
			}
			probed, count = probed+1, count+n
		}
	}
	return max(count*(end-begin)/max(probed, 1), 1), nil
}

// timeOf is the moment of a local time.
func (r *reader) timeOf(ticks int64) time.Time {
	return trace.Time(ticks).Add(time.Duration(r.header.Zone.Bias) * time.Minute).In(r.zone)
}

// Faults tells of what was left out; a sample that is not whole at the end may become so.
func (r *reader) Faults() logs.Faults {
	f := r.faults
	if at, torn := r.stream.Torn(); torn && r.ended {
		f.First = slices.Clone(f.First)
		f.NoteTorn(r.fault(at, logs.ErrTorn))
	}
	return f
}

func (r *reader) Close() error { return r.close() }

var (
	errNoList      = errors.New("a sample before any list of counters")
	errRecordCount = errors.New("a sample with more or fewer records than the list has counters")
	errRecordKind  = errors.New("a record that is damaged, or of a kind that is not known")
	errKind        = errors.New("an event of a kind that is not known")
)

const etlAdvice = "Windows' tracerpt reads event traces: tracerpt trace.etl -o trace.xml"
