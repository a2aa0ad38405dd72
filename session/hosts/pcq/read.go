package pcq

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// fetch asks for the values of what the query on the host holds; nothing where it
// holds nothing. An rpc.AnswerError is one that any of its sets may be the reason of.
func (h *handle) fetch(ctx context.Context) ([]byte, error) {
	if !slices.ContainsFunc(h.asked, (*asked).isIn) {
		return nil, nil
	}
	a, err := grow(&h.dataSize, maxData, func(inSize uint32) (rpc.Array, error) {
		a, err := h.conn.QueryCounterData(ctx, h.id, inSize, h.data)
		if a.Data != nil {
			h.data = a.Data
		}
		return a, err
	})
	if tooLarge, ok := errors.AsType[*sizeError](err); ok {
		h.dataSize = startSize
		return nil, &rpc.AnswerError{Why: tooLarge}
	}
	switch {
	case err != nil:
		return nil, err
	case a.Code != rpc.CodeOK:
		return nil, &rpc.AnswerError{Why: codeError(a.Code)}
	}
	if r := perflib.ReadData(a.Data); r.Header().TotalSize < headerSize {
		r.Next()
		return nil, &rpc.AnswerError{Why: r.Err()}
	}
	return a.Data, nil
}

// read takes the blocks of a reply apart. A damaged block costs its own
// counters; one that cannot be assigned is passed over.
func (h *handle) read(data []byte) cooker.Clocks {
	for _, a := range h.asked {
		a.begin()
		a.back = false
	}
	if h.refused {
		for _, s := range h.specs {
			if !s.added {
				s.asked.fail(s.at, s.code)
			}
		}
	}
	r := perflib.ReadData(data)
	for r.Next() {
		b := r.Block()
		if b.Index < len(h.order) && h.order[b.Index] != nil {
			h.order[b.Index].decode(b)
		}
	}
	for _, a := range h.asked {
		a.finish(r.Err())
	}
	return r.Header().Clocks()
}

const headerSize = 48 // of _PERF_DATA_HEADER, bytes

// begin empties the set for a reply.
func (a *asked) begin() {
	a.table.begin()
	a.kept.Forget(cap(a.text))
	a.cells, a.text, a.err, a.good = a.cells[:0], a.text[:0], nil, false
	if a.out != nil {
		a.err = a.out.why
	}
	for i := range a.why {
		a.why[i] = cooker.Unavailable
	}
}

// fail notes why a counter, or all of them where at is -1, has no values. Only
// the lack of instances is no error of the set.
func (a *asked) fail(at int, code rpc.Code) {
	a.deny(at, statusOf(code))
	if isAbsence(code) && a.kind.Multiple() {
		a.good = true
		return
	}
	if a.err == nil {
		a.err = fmt.Errorf("read counters: %s", code.Text())
	}
}

func (a *asked) deny(at int, status cooker.Status) {
	if at >= 0 {
		a.why[at] = status
		return
	}
	for i := range a.why {
		a.why[i] = status
	}
}

// decode reads the block that answers an identifier. What it holds is told by its
// kind, never by the type of the set.
func (s *spec) decode(b *perflib.Block) {
	a := s.asked
	s.lost = rpc.Code(b.Status)
	switch {
	case b.Status != 0:
		a.fail(s.at, rpc.Code(b.Status))
		return
	case b.Err != nil:
		a.spoil(s.at, b.Err)
		return
	}
	switch b.Kind {
	case perflib.KindError: // with status 0: the instance is gone, as some hosts say it
		a.fail(s.at, rpc.CodeNoData)
	case perflib.KindCounter:
		a.single(s, b, nil)
	case perflib.KindCounters:
		a.single(s, b, a.placesOf(b.IDs))
	case perflib.KindInstances:
		a.instances(s, b, nil)
	case perflib.KindCounterset:
		a.instances(s, b, a.placesOf(b.IDs))
	default:
		a.spoil(s.at, fmt.Errorf("block %d: unknown kind %d", b.Index, b.Kind))
	}
}

func (a *asked) spoil(at int, err error) {
	a.deny(at, cooker.Unavailable)
	if a.err == nil {
		a.err = fmt.Errorf("read counters: %w", err)
	}
}

// placesOf finds the places of the counters that a block lists, -1 for those
// that nobody wants. It is never nil. A block mostly lists the same as the one
// before.
func (a *asked) placesOf(ids perflib.CounterIDs) []int {
	if a.places != nil && slices.Equal(a.listed, ids) {
		return a.places
	}
	a.listed = append(a.listed[:0], ids...)
	a.places = make([]int, 0, ids.Len())
	for i := range ids.Len() {
		a.places = append(a.places, a.place(ids.At(i)))
	}
	return a.places
}

// single reads values without instance: one of the identifier's counter, or one
// for each of places.
func (a *asked) single(s *spec, b *perflib.Block, places []int) {
	if places == nil && s.at < 0 {
		a.spoil(-1, fmt.Errorf("block %d: one value where all counters were asked for", b.Index))
		return
	}
	a.table.together = a.kind.Multiple()
	row := a.table.place(0, 0, nil)
	a.table.endBlock()
	if !a.room() {
		return
	}
	for i, v := 0, b.Values(); v.Next(); i++ {
		if places == nil {
			a.put(row, s.at, v.Value)
		} else if i < len(places) {
			a.put(row, places[i], v.Value)
		}
	}
	a.delivered(s.at, places)
}

// instances reads the values of each instance.
func (a *asked) instances(s *spec, b *perflib.Block, places []int) {
	it := b.Instances()
	if places == nil && s.at < 0 {
		a.spoil(-1, fmt.Errorf("block %d: values of one counter where all were asked for", b.Index))
		return
	}
	if it.Len() > maxInstances {
		a.spoil(s.at, errTooLarge)
		return
	}
	for i := 0; it.Next(); i++ {
		row := a.table.place(i, it.ID, it.Name)
		if !a.room() {
			return
		}
		for k := 0; it.Values.Next(); k++ {
			if places == nil {
				a.put(row, s.at, it.Values.Value)
			} else if k < len(places) {
				a.put(row, places[k], it.Values.Value)
			}
		}
	}
	a.table.endBlock()
	a.delivered(s.at, places)
}

// room makes the cells of all rows.
func (a *asked) room() bool {
	n := len(a.table.rows) * len(a.ids)
	if !a.table.listed {
		n = a.table.seen * len(a.ids) // later rows are of the reply before
	}
	if n > maxCells {
		a.spoil(-1, errTooLarge)
		return false
	}
	if old := len(a.cells); n > old {
		a.cells = slices.Grow(a.cells, n-old)[:n]
		clear(a.cells[old:])
	}
	return true
}

// put stores a value. Counters that nobody wants have no place.
func (a *asked) put(row, at int, v perflib.Value) {
	if at < 0 {
		return
	}
	c := &a.cells[row*len(a.ids)+at]
	if kind := a.texts[at]; kind != 0 && len(v) > 0 {
		c.size, c.value = isText, uint64(len(a.text))
		a.text = append(a.text, a.kept.Value(v, kind))
		return
	}
	n, ok := v.Uint64()
	c.value, c.size = n, uint8(len(v))
	if !ok {
		c.size = isOpaque
	}
}

// delivered notes which counters came: an instance without a value of theirs
// went between two blocks.
func (a *asked) delivered(at int, places []int) {
	a.good = true
	if places == nil {
		a.why[at] = cooker.Gone
	}
	for _, p := range places {
		if p >= 0 {
			a.why[p] = cooker.Gone
		}
	}
}

// finish ends a reply; damage is what was wrong with it, if anything.
func (a *asked) finish(damage error) {
	a.table.finish()
	if a.room() && a.good {
		a.err = nil
		return
	}
	if a.err != nil {
		return
	}
	if a.err = damage; a.err == nil {
		a.err = errNoBlock
	}
}

var errNoBlock = errors.New("the host's answer has no values of this counterset")
