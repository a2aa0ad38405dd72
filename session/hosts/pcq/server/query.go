package server

import (
	"context"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// query is one query handle: the identifiers that were added to it, and a query
// of the source that reads what they need.
type query struct {
	handler   *Handler
	source    session.Query
	specs     []*spec // in the order of adding, which is that of the blocks
	index     map[specKey]*spec
	nameBytes int
	planned   bool       // readings and the source's selection fit specs
	readings  []*reading // one for each want
	batch     session.Batch
}

func newQuery(h *Handler, source session.Query) *query {
	return &query{handler: h, source: source, index: map[specKey]*spec{}}
}

// plan finds out what to read for all identifiers and selects it.
func (q *query) plan(ctx context.Context) error {
	if q.planned {
		return nil
	}
	old := make(map[*counterset]*reading, len(q.readings))
	for _, r := range q.readings {
		old[r.set] = r
	}
	q.readings = nil
	begun := map[*counterset]*reading{}
	for _, s := range q.specs {
		r := begun[s.set]
		if r == nil {
			if r = old[s.set]; r == nil {
				r = &reading{}
			}
			r.begin(s.set)
			begun[s.set] = r
			q.readings = append(q.readings, r)
		}
		s.reading, s.round = r, 0
		for _, c := range s.counters {
			r.use(s.set.byID[c.id])
		}
		if s.together() {
			r.useWhole()
		}
	}
	wants := make([]session.Want, len(q.readings))
	for i, r := range q.readings {
		wants[i] = r.want()
	}
	err := q.source.Select(ctx, wants)
	q.planned = err == nil
	return err
}

// collect makes the answer of PerflibV2QueryCounterData (MS-PCQ 3.1.4.1.6) at
// the end of dst. It always succeeds, but for a reply that is too large: what
// cannot be read has a block that says so.
func (q *query) collect(ctx context.Context, dst []byte) ([]byte, rpc.Code) {
	err := q.read(ctx)
	if err != nil {
		q.batch.Time, q.batch.Sets = time.Now(), q.batch.Sets[:0]
	}
	failed := codeOf(err, rpc.CodeNoData)
	for i := range q.batch.Sets {
		q.readings[i].copyRows(&q.batch.Sets[i])
	}
	h := q.header()
	w := perflib.NewDataWriter(dst, &h)
	for _, s := range q.specs {
		switch {
		case err != nil:
			w.Failed(uint32(failed))
		case s.reading.batch.Err != nil:
			w.Failed(uint32(codeOf(s.reading.batch.Err, rpc.CodeNoData)))
		default:
			s.reading.find(s)
			s.write(&w)
		}
		if w.Len() > maxReply || ctx.Err() != nil {
			return nil, rpc.CodeOutOfMemory
		}
	}
	out, err := w.Finish()
	if err != nil {
		return nil, rpc.CodeOutOfMemory
	}
	return out, rpc.CodeOK
}

// read fills the batch.
func (q *query) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if err := q.plan(ctx); err != nil {
		return err
	}
	const mostReadings = 3
	for range mostReadings {
		if err := q.source.Collect(ctx, &q.batch); err != nil || !q.spread() {
			return err
		}
	}
	return nil
}

// spread tells that sets were read at moments apart, since the source was held
// up in between: a reply has one clock for all of them (MS-PCQ 2.2.4.7). Of values
// that are told the clocks go along with them.
func (q *query) spread() bool {
	const most = 100 * time.Millisecond / 100 // in 100 ns; a walk through many processes takes a part of it
	var first, last uint64
	for i := range q.batch.Sets {
		if b := &q.batch.Sets[i]; isRead(b) {
			if first == 0 {
				first = b.Clocks.Time100ns
			}
			first, last = min(first, b.Clocks.Time100ns), max(last, b.Clocks.Time100ns)
		}
	}
	return last-first > uint64(most)
}

// isRead tells whether the clocks of a set are those of when it was read.
func isRead(b *session.SetBatch) bool { return b.Err == nil && b.Clocks.PerfFreqHz > 0 && !b.Set.Told }

// header tells the clocks of the reply: those of the first set that was read, or of now
// where all that there is was told.
func (q *query) header() perflib.DataHeader {
	var c cooker.Clocks
	for i := range q.batch.Sets {
		if b := &q.batch.Sets[i]; isRead(b) {
			c = b.Clocks
			break
		}
	}
	if now, ok := q.handler.source.(session.Timed); ok && c.PerfFreqHz == 0 {
		c = now.Clocks()
	}
	if c.PerfFreqHz == 0 {
		h := perflib.NewDataHeader(q.batch.Time, 0, ticksPerSecond)
		h.PerfTime = h.Time100ns
		return h
	}
	return perflib.NewDataHeader(cooker.TimeOf(c.Time100ns), c.PerfTime, c.PerfFreqHz)
}

// ticksPerSecond is the frequency of clocks in units of 100 ns.
const ticksPerSecond = 10_000_000

// write writes the block of an identifier.
func (s *spec) write(w *perflib.DataWriter) {
	switch {
	case s.kind == perflib.KindInstances:
		w.Instances()
	case s.kind == perflib.KindCounterset:
		w.Counterset(s.ids)
	case len(s.rows) == 0:
		w.Failed(uint32(rpc.CodeNoData))
		return
	case s.kind == perflib.KindCounters:
		w.Counters(s.ids)
		s.writeValues(w, s.rows[0])
		return
	default:
		s.writeValue(w)
		return
	}
	for _, row := range s.rows {
		in := &s.reading.rows[row]
		w.Instance(in.id, in.text)
		s.writeValues(w, row)
		if w.Len() > maxReply {
			return
		}
	}
}

func (s *spec) writeValues(w *perflib.DataWriter, row int) {
	for _, c := range s.counters {
		s.reading.value(c, row).write(w)
	}
}

// writeValue writes a block of one value, which alone can say why it is absent.
func (s *spec) writeValue(w *perflib.DataWriter) {
	v := s.reading.value(s.counters[0], s.rows[0])
	if v.code != rpc.CodeOK {
		w.Failed(uint32(v.code))
		return
	}
	w.Counter()
	v.write(w)
}
