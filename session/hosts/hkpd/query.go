package hkpd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// query is a session.Query. A collection reads the objects that are due by one
// call, and by one of their own those that are slow.
type query struct {
	source  *Source
	link    *link // nil: it failed, or the query is closed
	wanted  []session.Want
	wants   []*want
	objects map[uint32]*object // by title index: those wanted, and their parents
	due     []*object
	noted   string // what the source was last told
}

var (
	errClosed = errors.New("the query is closed")
	errGone   = errors.New("the host gave no data of the object: its provider may have stopped, or been switched off after an error (see the host's event log, or lodctr /Q)")
	errStale  = errors.New("the host describes the object otherwise than the catalogue: reopen the host")
	errNoSet  = errors.New("select: no counterset given")
)

// Select replaces what is collected. Objects that stay keep their instances.
func (q *query) Select(_ context.Context, wants []session.Want) error {
	if q.link == nil {
		return q.source.failure("select counters", errClosed)
	}
	before := q.wants
	q.wanted = slices.Clone(wants)
	q.wants = make([]*want, len(wants))
	used := map[uint32]*object{}
	for i := range q.wanted {
		w := newWant(i, &q.wanted[i])
		q.wants[i] = w
		if w.err != nil {
			continue
		}
		for _, old := range before {
			if old.Set == w.Set && old.Every == w.Every {
				w.pace = old.pace
			}
		}
		o := used[w.Set.V1Index]
		if o == nil {
			o = q.objects[w.Set.V1Index]
			if o == nil {
				o = &object{index: w.Set.V1Index}
			}
			o.wants = nil
			used[o.index] = o
		}
		o.want(w)
	}
	for _, o := range used {
		if o.parent != 0 && used[o.parent] == nil {
			if p := q.objects[o.parent]; p != nil {
				p.wants = nil
				used[p.index] = p
			}
		}
	}
	q.objects = used
	return nil
}

// Collect reads what is due.
func (q *query) Collect(ctx context.Context, b *session.Batch) error {
	if q.link == nil {
		return q.source.failure("collect", errClosed)
	}
	b.Time = q.source.options.Now()
	b.Fit(q.wanted)
	together, alone := q.plan(b)
	if err := q.collect(ctx, together, b); err != nil {
		return q.fail(err)
	}
	for i := range alone {
		if err := q.collect(ctx, alone[i:i+1], b); err != nil {
			return q.fail(err)
		}
	}
	q.tell()
	return nil
}

// plan takes those out of b.Due that are too slow to be read every time, and
// gives the objects to read: by one call, and by one each.
func (q *query) plan(b *session.Batch) (together, alone []*object) {
	for _, o := range q.objects {
		o.due = o.due[:0]
	}
	q.due = q.due[:0]
	for _, w := range q.wants {
		switch {
		case !b.IsDue(w.index):
			continue
		case w.err != nil:
			b.Sets[w.index].Err = w.err
			continue
		case b.Due != nil && !w.pace.due():
			b.Due[w.index] = false
			continue
		case w.object.rests(b.Time):
			b.Sets[w.index].Err = w.object.failure
			continue
		}
		if len(w.object.due) == 0 {
			q.due = append(q.due, w.object)
		}
		w.object.due = append(w.object.due, w)
	}
	slices.SortFunc(q.due, func(x, y *object) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.index, y.index))
	})
	n := 0
	for n < len(q.due) && !q.due[n].alone {
		n++
	}
	return q.due[:n], q.due[n:]
}

// rank lets objects that are read alone come last.
func rank(o *object) int {
	if o.alone {
		return 1
	}
	return 0
}

// collect reads objects by one call. If it turns out that parents of theirs are
// missing, which their instances are named by, it reads again with these. If one of
// them spoils the answer it is found, by calls for parts of them, and rests.
func (q *query) collect(ctx context.Context, objects []*object, b *session.Batch) error {
	if len(objects) == 0 {
		return nil
	}
	began := q.source.options.Now()
	clocks, err := q.read(ctx, objects)
	if err == nil && q.learnParents(objects) {
		began = q.source.options.Now()
		clocks, err = q.read(ctx, objects)
	}
	if bad, ok := errors.AsType[*rpc.AnswerError](err); ok {
		if half := len(objects) / 2; half > 0 {
			return cmp.Or(q.collect(ctx, objects[:half], b), q.collect(ctx, objects[half:], b))
		}
		objects[0].fail(b, bad.Why)
		return nil
	}
	if err != nil {
		return err
	}
	took := q.source.options.Now().Sub(began)
	q.answer(objects, b, clocks)
	judge(objects, took)
	return nil
}

// read asks for objects and finds them in the answer. The host may give more
// than it was asked for, and less.
func (q *query) read(ctx context.Context, objects []*object) (clocks cooker.Clocks, err error) {
	for _, o := range q.objects {
		o.begin()
	}
	name, size := q.valueName(objects)
	data, code, err := q.link.read(ctx, q.link.key, name, size, cutData)
	if err != nil {
		return clocks, err
	}
	if code != rpc.CodeOK {
		if code.IsDenied() {
			return clocks, q.link.refused("read objects", code)
		}
		return clocks, &rpc.AnswerError{Why: q.source.failure("", q.link.refused("read "+objects[0].name(), code))}
	}
	r := perflib.ReadV1(data)
	for r.Next() {
		o := q.objects[r.Object().NameIndex]
		if o != nil && !o.present {
			o.present, o.raw = true, *r.Object()
			o.size = o.raw.TotalSize
		}
	}
	if r.Header().NumObjects == 0 && r.Err() != nil {
		return clocks, &rpc.AnswerError{Why: fmt.Errorf("read %s: %w", objects[0].name(), r.Err())}
	}
	return r.Header().Clocks(), nil
}

// valueName is the value to ask for: title indexes with blanks between, and one
// after the last, as Windows' own clients have it. size is about what the answer
// takes.
func (q *query) valueName(objects []*object) (name string, size uint32) {
	indexes := make([]uint32, 0, 2*len(objects))
	for _, o := range objects {
		indexes = append(indexes, o.index)
		if o.parent != 0 {
			indexes = append(indexes, o.parent)
		}
	}
	slices.Sort(indexes)
	var s strings.Builder
	sum := uint64(0)
	for _, i := range slices.Compact(indexes) {
		s.WriteString(strconv.FormatUint(uint64(i), 10))
		s.WriteByte(' ')
		if o := q.objects[i]; o != nil {
			sum += uint64(o.size)
		}
	}
	return s.String(), uint32(min(max(startData, sum+sum/4), maxAnswer))
}

// learnParents finds objects whose instances name parents of another object that
// was not read with them. It tells whether reading again helps.
func (q *query) learnParents(objects []*object) (again bool) {
	for _, o := range objects {
		if !o.present {
			continue
		}
		parent := o.parentIndex()
		if parent == 0 || parent == o.parent || parent == o.index || o.parents == maxParents {
			continue
		}
		o.parent = parent
		o.parents++
		if q.objects[parent] == nil {
			q.objects[parent] = &object{index: parent}
		}
		again = again || !q.objects[parent].present
	}
	return again
}

// answer fills what is due of the objects that were read.
func (q *query) answer(objects []*object, b *session.Batch, clocks cooker.Clocks) {
	for _, o := range objects {
		o.failure, o.failed = nil, 0
		q.update(o)
		for _, w := range o.due {
			set := &b.Sets[w.index]
			switch {
			case !o.present:
				set.Err = errGone
			case !w.placed:
				set.Err = errStale
			default:
				set.Err = w.fill(o, set, clocks)
			}
		}
	}
}

// update brings the instances of an object, and before them those of its parent,
// to what was read.
func (q *query) update(o *object) {
	if !o.present || o.updated {
		return
	}
	o.updated = true
	parent := q.objects[o.parent]
	if parent != nil {
		q.update(parent)
	}
	o.layout()
	o.table.update(o, parent)
}

// tell gives the source what is to be said of objects that are read less often.
func (q *query) tell() {
	var notes []error
	var text strings.Builder
	for _, w := range q.wants {
		if note := w.note(); note != nil {
			notes = append(notes, note)
			text.WriteString(note.Error())
		}
	}
	if s := text.String(); s != q.noted {
		q.noted = s
		q.source.note(q, notes)
	}
}

// fail ends the connection: after a failed call nothing about it is certain.
func (q *query) fail(err error) error {
	q.source.drop(q.link)
	_ = q.Close()
	return q.source.failure("collect", err)
}

// Close forgets what was asked. The key stays open: it is that of the
// connection.
func (q *query) Close() error {
	q.link, q.objects, q.wants = nil, nil, nil
	q.source.note(q, nil)
	return nil
}
