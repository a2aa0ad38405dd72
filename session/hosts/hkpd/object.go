package hkpd

import (
	"bytes"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// object is what is collected of one object.
type object struct {
	index   uint32 // title index
	parent  uint32 // title index of the object that instances are named by; 0: none
	parents int    // times that this was learned
	wants   []*want
	due     []*want // of this collection

	// Of the newest answer.
	present   bool
	updated   bool // layout and table are of it
	raw       perflib.V1Object
	size      uint32 // bytes
	described []byte // the definitions that counters were made of
	counters  []perflib.V1Counter
	table     table
	texts     perflib.CounterTexts

	// Why its answer cannot be used, and when it is tried again; nil: it can.
	failure error
	failed  int // times in a row
	retryAt time.Time

	// How long it takes.
	alone bool // it is read by a call of its own
	reads int
	cost  time.Duration // of such a call, smoothed
	quick int           // such calls in a row that took next to nothing
}

// want adds a want.
func (o *object) want(w *want) {
	w.object = o
	o.wants = append(o.wants, w)
	if o.described != nil {
		w.place(o.counters)
	}
	o.table.identify(o, w.Set)
}

// begin makes ready for an answer.
func (o *object) begin() {
	o.present, o.updated = false, false
}

// retryFailed is how long an object is not asked for that spoils the answer: its
// provider may have started by then.
const retryFailed = 30 * time.Second

// fail tells those that wait why there are no values. The object is asked for by a
// call of its own from now on, after the second time in a row when a while has passed.
func (o *object) fail(b *session.Batch, why error) {
	o.part()
	if o.failure = why; o.failed > 0 {
		o.retryAt = b.Time.Add(retryFailed)
	}
	o.failed++
	for _, w := range o.due {
		b.Sets[w.index].Err = why
	}
}

// rests tells whether it is not asked for. A retry that is far ahead is of before a step of
// the clock.
func (o *object) rests(now time.Time) bool {
	return o.failure != nil && now.Before(o.retryAt) && o.retryAt.Sub(now) <= retryFailed
}

func (o *object) name() string {
	if len(o.wants) > 0 {
		return o.wants[0].Set.Name
	}
	return fmt.Sprintf("object %d", o.index)
}

// layout takes over how the host describes the object now.
func (o *object) layout() {
	if definitions := o.raw.Definitions(); o.described == nil || !bytes.Equal(o.described, definitions) {
		o.described = append(o.described[:0:0], definitions...)
		if o.described == nil {
			o.described = []byte{}
		}
		o.counters = o.raw.AppendCounters(o.counters[:0])
		for _, w := range o.wants {
			w.place(o.counters)
			o.table.identify(o, w.Set)
		}
	}
}

// maxParents is how often an object may name another object of parents: each is
// kept.
const maxParents = 4

// parentIndex is the title index of the object of the instances' parents, 0 for
// none. A total may have none where the others have one.
func (o *object) parentIndex() uint32 {
	it := o.raw.Instances()
	for n := 0; n < 4 && it.Next(); n++ {
		if it.ParentObject != 0 {
			return it.ParentObject
		}
	}
	return 0
}
