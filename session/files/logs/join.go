package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// joined reads several recordings as one, merged in time.
type joined struct {
	header Header
	parts  []*part
	within time.Duration
	ctx    context.Context   // nil: a part that cannot be read is an error
	row    []*part           // that give the row that is read
	shared map[[2]*part]bool // whether two parts have a column in common
}

// part is one of the recordings.
type part struct {
	Reader

	place  []int // of its columns among those of all
	head   Row   // the row that comes next
	ready  bool  // head was read
	over   bool  // it cannot be read any further, as faults tell
	faults Faults
}

// Join makes one recording of several. Columns of the same path are one; the zone
// is that of the first. Rows of the same time are one row; so are rows up to
// within apart, as of recorders on several computers, if they have no column in
// common. A column that two rows have takes its value from the recording that
// stands first. Closing the result closes them all.
func Join(readers []Reader, within time.Duration) Reader {
	if len(readers) == 1 {
		return readers[0]
	}
	return newJoined(readers, within)
}

// Salvage is Join of recordings that end with a fault where Next would fail: the rows up to there
// are of use. What ends with the context fails all the same.
func Salvage(ctx context.Context, readers []Reader, within time.Duration) Reader {
	j := newJoined(readers, within)
	j.ctx = ctx
	return j
}

func newJoined(readers []Reader, within time.Duration) *joined {
	j := &joined{within: within}
	for _, r := range readers {
		j.parts = append(j.parts, &part{Reader: r})
	}
	if len(readers) > 0 {
		j.header.Zone, j.header.Caption = readers[0].Header().Zone, readers[0].Header().Caption
	}
	j.unite()
	return j
}

// unite gives columns that are new a place among all.
func (j *joined) unite() {
	j.shared = map[[2]*part]bool{}
	known := make(map[string]int, len(j.header.Columns))
	all := Ordinals{}
	for i := range j.header.Columns {
		known[all.Key(j.header.Columns[i].InEnglish())] = i
	}
	j.header.Taken = nil
	for _, p := range j.parts {
		mine := Ordinals{}
		columns := p.Header().Columns
		j.header.Taken = append(j.header.Taken, p.Header().Taken...)
		for i := range columns {
			key := mine.Key(columns[i].InEnglish())
			if i < len(p.place) {
				continue
			}
			at, ok := known[key]
			if !ok {
				at = len(j.header.Columns)
				known[key] = at
				j.header.Columns = append(j.header.Columns, columns[i])
			}
			p.place = append(p.place, at)
		}
	}
}

// Ordinals tell columns of the same path apart.
type Ordinals map[string]int

// Key is a key for the next column of a path.
func (o Ordinals) Key(path string) string {
	key := paths.Fold(path)
	o[key]++
	if n := o[key]; n > 1 {
		return fmt.Sprint(key, "\x00", n)
	}
	return key
}

func (j *joined) Header() *Header { return &j.header }

func (j *joined) Only(columns []int) {
	for _, p := range j.parts {
		if p.ready { // it was read with other columns
			_, _ = p.Back(1)
			p.ready = false
		}
		p.limit(columns)
	}
}

// limit limits a part to those of its columns that are wanted.
func (p *part) limit(wanted []int) {
	if wanted == nil {
		p.Only(nil)
		return
	}
	mine := []int{}
	for i, at := range p.place {
		if _, ok := slices.BinarySearch(wanted, at); ok {
			mine = append(mine, i)
		}
	}
	p.Only(mine)
}

// peek reads the row of a part that comes next.
func (j *joined) peek(p *part) error {
	if p.ready || p.over {
		return nil
	}
	err := p.Next(&p.head)
	if err != nil && !errors.Is(err, io.EOF) && j.ctx != nil && j.ctx.Err() == nil {
		e, ok := errors.AsType[*FileError](err)
		if !ok {
			e = &FileError{Err: err}
		}
		p.faults.NoteRow(e)
		p.over, err = true, io.EOF
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	p.ready = err == nil
	if len(p.Header().Columns) > len(p.place) {
		j.unite()
	}
	return err
}

func (j *joined) Next(row *Row) error {
	var first *part
	for _, p := range j.parts {
		if err := j.peek(p); err != nil {
			return err
		}
		if p.ready && (first == nil || p.head.Time.Before(first.head.Time)) {
			first = p
		}
	}
	if first == nil {
		return io.EOF
	}
	j.row = j.row[:0]
	began := first.head.Time
	j.row = append(j.row, first)
	for _, p := range j.parts {
		if p != first && p.ready && j.belongs(p, p.head.Time.Sub(began)) {
			j.row = append(j.row, p)
		}
	}
	j.fill(row, began)
	return nil
}

// belongs tells whether the row of a part, so long after the first, is of the same
// row as those that were taken.
func (j *joined) belongs(p *part, after time.Duration) bool {
	if after == 0 {
		return true
	}
	return after <= j.within && !slices.ContainsFunc(j.row, func(q *part) bool { return j.share(p, q) })
}

// share tells whether two parts have a column in common.
func (j *joined) share(p, q *part) bool {
	key := [2]*part{p, q}
	share, known := j.shared[key]
	if !known {
		places := slices.Clone(q.place)
		slices.Sort(places)
		share = slices.ContainsFunc(p.place, func(at int) bool { _, found := slices.BinarySearch(places, at); return found })
		j.shared[key] = share
	}
	return share
}

// fill makes a row of the heads that belong to it.
func (j *joined) fill(row *Row, began time.Time) {
	n := len(j.header.Columns)
	row.Time, row.Shift = began.In(j.header.Zone.Location()), 0
	if shift := j.row[0].head.Shift; shift != 0 && LineOf(j).Falls() {
		row.Time, row.Shift = began, shift
	}
	row.Values, row.Raw = row.Values[:0], row.Raw[:0]
	for range n {
		row.Values = append(row.Values, cooker.Absent(cooker.Gap))
	}
	for _, p := range j.parts {
		if !slices.Contains(j.row, p) {
			continue
		}
		p.ready = false
		if len(p.head.Raw) > 0 && len(row.Raw) == 0 {
			row.Raw = append(row.Raw, make([]Raw, n)...)
		}
		for i := range p.head.Values {
			at := p.place[i]
			if row.Values[at].Valid() {
				continue
			}
			row.Values[at] = p.head.Values[i]
			if i < len(p.head.Raw) {
				row.Raw[at] = p.head.Raw[i]
			}
		}
	}
}

func (j *joined) Complete(ctx context.Context) error {
	for _, p := range j.parts {
		p.ready = false
		if err := p.Complete(ctx); err != nil {
			return err
		}
	}
	j.unite()
	return nil
}

func (j *joined) IsComplete() (bool, error) {
	for _, p := range j.parts {
		if is, err := p.IsComplete(); !is || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (j *joined) SeekTime(t time.Time) error {
	for _, p := range j.parts {
		p.ready, p.over = false, false
		if err := p.SeekTime(t); err != nil {
			return err
		}
	}
	return nil
}

// Back looks at the rows before of all parts to know which of them are one.
func (j *joined) Back(n int) (int, error) {
	type moment struct {
		at   time.Time
		part *part
	}
	var moments []moment
	var row Row
	for _, p := range j.parts {
		if p.ready {
			if _, err := p.Back(1); err != nil {
				return 0, err
			}
			p.ready = false
		}
		p.over = false
		went, err := p.Back(n)
		for i := 0; i < went && err == nil; i++ {
			err = p.Next(&row)
			moments = append(moments, moment{row.Time, p})
		}
		if err != nil {
			return 0, err
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	var starts []int // of rows, among the moments
	for i, m := range moments {
		same := len(starts) > 0 && j.belongs(m.part, m.at.Sub(moments[starts[len(starts)-1]].at)) && !slices.Contains(j.row, m.part)
		if !same {
			starts, j.row = append(starts, i), j.row[:0]
		}
		j.row = append(j.row, m.part)
	}
	went := min(n, len(starts))
	if went == 0 {
		return 0, nil
	}
	back := map[*part]int{}
	for _, m := range moments[starts[len(starts)-went]:] {
		back[m.part]++
	}
	for p, n := range back {
		if _, err := p.Back(n); err != nil {
			return 0, err
		}
	}
	return went, nil
}

func (j *joined) Span() (Span, error) {
	var all Span
	for _, p := range j.parts {
		s, err := p.Span()
		if err != nil {
			return all, err
		}
		if !s.First.IsZero() && (all.First.IsZero() || s.First.Before(all.First)) {
			all.First = s.First
		}
		all.Last = session.Later(s.Last, all.Last)
		all.Rows, all.Bytes, all.At = all.Rows+s.Rows, all.Bytes+s.Bytes, all.At+s.At
		all.Inferred |= s.Inferred
	}
	return all, nil
}

func (j *joined) Faults() Faults {
	var all Faults
	for _, p := range j.parts {
		all.Join(p.Faults())
		all.Join(p.faults)
	}
	return all
}

func (j *joined) Lines() (all []*Line) {
	for _, p := range j.parts {
		all = append(all, p.Lines()...)
	}
	return all
}

func (j *joined) Close() error {
	var first error
	for _, p := range j.parts {
		first = cmp.Or(first, p.Close())
	}
	return first
}
