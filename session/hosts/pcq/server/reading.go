package server

import (
	"math"
	"strings"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// reading is what a query reads of one counterset: which counters, and the
// instances of the last time under the names and numbers of the wire.
type reading struct {
	set     *counterset
	indices []int // of set.Counters, the columns of the batch
	columns []int // of each of set.Counters, -1: not read
	batch   *session.SetBatch
	rows    []row
	named   map[string][]int // rows by folded name, for the rows of this round
	round   uint64           // counts how often rows changed
	whole   *together        // all instances as one; nil: nobody asks for it
	had     *together        // it was, before what is read was chosen anew
}

// wholeRow stands for all instances.
const wholeRow = -1

// row is an instance as it is published.
type row struct {
	key  session.InstanceKey
	id   uint32
	text perflib.Text
	name string // folded
}

// begin starts to choose counters.
func (r *reading) begin(s *counterset) {
	r.set, r.indices = s, nil
	if r.whole != nil {
		r.had, r.whole = r.whole, nil
	}
	r.columns = make([]int, len(s.set.Counters))
	for i := range r.columns {
		r.columns[i] = -1
	}
}

// use chooses counter i of the set. The clocks are read with any counter.
func (r *reading) use(i int) {
	from := r.set.counters[i].from
	if r.columns[from] < 0 {
		r.columns[from] = len(r.indices)
		r.indices = append(r.indices, from)
	}
}

// useWhole chooses all counters, of all instances together: each needs its
// companions, and all begin at the same moment.
func (r *reading) useWhole() {
	for i := range r.set.counters {
		r.use(i)
	}
	switch {
	case r.whole != nil:
	case r.had != nil:
		r.whole = r.had
	default:
		r.whole = newTogether(r.set.set)
	}
}

func (r *reading) want() session.Want {
	return session.Want{Set: r.set.set, Counters: r.indices}
}

// copyRows takes over what was collected. Rows that stay keep their names.
func (r *reading) copyRows(b *session.SetBatch) {
	r.batch = b
	if b.Err != nil {
		return
	}
	changed := len(r.rows) != len(b.Instances)
	r.rows = r.rows[:min(len(r.rows), len(b.Instances))]
	for i := range b.Instances {
		switch key := &b.Instances[i].Key; {
		case i == len(r.rows):
			r.rows = append(r.rows, r.newRow(key))
		case r.rows[i].key != *key:
			r.rows[i] = r.newRow(key)
			changed = true
		}
	}
	if changed || r.round == 0 {
		r.round++
		r.named = nil
	}
	if r.whole != nil {
		r.whole.gather(b, r.columns)
	}
}

func (r *reading) newRow(key *session.InstanceKey) row {
	if !r.set.named() {
		return row{key: *key, text: perflib.Text{}}
	}
	name := key.Name
	if key.Parent != "" {
		name = key.Parent + "/" + name
	}
	text := perflib.EncodeText(name)
	if limit := 2 * (maxNameUnits - 1); len(text) > limit {
		text = text[:limit]
	}
	return row{key: *key, id: wireID(key.ID), text: text, name: paths.Fold(text.String())}
}

// wireID is the identity of an instance in 32 bits: itself where it fits, else
// mixed (the finishing step of splitmix64), so that two instances of one name
// differ and one that returns as something new is new.
func wireID(id uint64) uint32 {
	if id < uint64(perflib.AnyInstance) {
		return uint32(id)
	}
	id = (id ^ id>>30) * 0xBF58476D1CE4E5B9
	id = (id ^ id>>27) * 0x94D049BB133111EB
	return uint32(id>>32) &^ 1 // never AnyInstance
}

// find gives the rows that an identifier means.
func (r *reading) find(s *spec) {
	if s.round == r.round && s.reading == r {
		return
	}
	s.reading, s.round, s.rows = r, r.round, s.rows[:0]
	switch {
	case s.together():
		if r.whole.isThere() {
			s.rows = append(s.rows, wholeRow)
		}
	case len(s.id.Name) == 0:
		if len(r.rows) > 0 {
			s.rows = append(s.rows, 0)
		}
	case s.kind == perflib.KindCounter || s.kind == perflib.KindCounters:
		for _, i := range r.byName()[s.pattern] {
			if r.rows[i].is(s) {
				s.rows = append(s.rows, i)
				break
			}
		}
	default:
		for i := range r.rows {
			if r.rows[i].is(s) && paths.MatchSigns(s.pattern, r.rows[i].name) {
				s.rows = append(s.rows, i)
			}
		}
	}
}

// is tells whether the row passes the identifier's filter of numbers.
func (w *row) is(s *spec) bool {
	return s.id.InstanceID == perflib.AnyInstance || s.id.InstanceID == w.id
}

func (r *reading) byName() map[string][]int {
	if r.named == nil {
		r.named = make(map[string][]int, len(r.rows))
		for i := range r.rows {
			r.named[r.rows[i].name] = append(r.named[r.rows[i].name], i)
		}
	}
	return r.named
}

// value is one value to be sent, or the code that says why there is none.
type value struct {
	n    uint64
	text cooker.Text
	form form
	code rpc.Code
}

func (r *reading) value(c *counter, row int) value {
	switch c.part {
	case partObjTime:
		return value{n: r.batch.ClocksOf(row).ObjTime}
	case partObjFreq:
		return value{n: r.batch.ClocksOf(row).ObjFreqHz}
	case partPerfTime:
		return value{n: r.batch.ClocksOf(row).PerfTime}
	case partPerfFreq:
		return value{n: r.batch.ClocksOf(row).PerfFreqHz}
	case partTime100ns:
		return value{n: r.batch.ClocksOf(row).Time100ns}
	case partRaw, partBase:
	}
	in := r.at(c, row)
	n, size := in.Raw, in.Size
	readable := in.State == cooker.OK || in.State == cooker.NoBase // the counter itself was read
	if c.part == partBase {
		n, size, readable = in.Base, in.BaseSize, in.State == cooker.OK
	}
	switch {
	case in.State == cooker.Denied:
		return value{code: rpc.CodeAccessDenied}
	case !readable:
		return value{code: rpc.CodeNoData}
	case c.form == formText || c.form == formASCII:
		if size != cooker.SizeText || n >= uint64(len(r.batch.Texts)) {
			return value{code: rpc.CodeNoData}
		}
		return value{text: r.batch.Texts[n], form: c.form}
	case size == 4 && c.form == formLarge:
		return value{n: n, form: formDword} // it wraps there
	case row == wholeRow && c.form == formDword && c.isLevel(r.set) && n > math.MaxUint32:
		return value{n: n} // a sum of what has 4 bytes each
	}
	return value{n: n, form: c.form}
}

// at is what was read of a counter of an instance, or of all together.
func (r *reading) at(c *counter, row int) *cooker.Reading {
	if row == wholeRow {
		return &r.whole.joined[c.from].out
	}
	return &r.batch.Readings[row*len(r.batch.Counters)+r.columns[c.from]]
}

// ascii is what a text in ASCII has for a character; what it has not is "?".
func ascii(r rune) rune {
	switch {
	case r == 0:
		return -1
	case r >= utf8.RuneSelf:
		return '?'
	}
	return r
}

// write sends the value. In a list there is no room for a code: what could not
// be read has no data there, and is never 0.
func (v value) write(w *perflib.DataWriter) {
	switch {
	case v.code != rpc.CodeOK || v.form == formEmpty:
		w.Bytes(nil)
	case v.form == formDword:
		w.Uint32(uint32(v.n))
	case v.form == formText:
		w.Text(perflib.EncodeText(v.text.String()))
	case v.form == formASCII:
		w.Bytes(append([]byte(strings.Map(ascii, v.text.String())), 0))
	default:
		w.Uint64(v.n)
	}
}
