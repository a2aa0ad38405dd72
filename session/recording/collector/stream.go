package collector

import (
	"cmp"
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// Stream is what takes the rows of a recording that is in no file.
type Stream struct {
	Fixed    bool                   // the columns are those of the first row
	Evidence bool                   // cells keep what their values were made from
	Write    func(*logs.Beat) error // an error ends the recording
}

// evidenceOf copies what a value was made from; nil where that is not known.
func evidenceOf(view *session.SetView, row, column int) *logs.Evidence {
	older, newer, olderClocks, newerClocks, ok := view.Raw(row, column)
	if !ok {
		return nil
	}
	c := &view.Set.Counters[view.Counters[column]]
	textBefore, text := view.Texts(row, column)
	return &logs.Evidence{Evidence: cooker.Evidence{
		Type: c.Type, Prev: clone(older), Cur: clone(newer),
		PrevClocks: clone(olderClocks), CurClocks: clone(newerClocks), PrevText: textBefore, CurText: text,
		Attributes: c.Attributes, Scale: c.DefaultScale,
	}, Interval: view.Rate.Interval}
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

// pour gives a row to the stream.
func (l *output) pour(r *row) error {
	switch {
	case l.layout == nil, l.files.o.grows() && l.isCrowded(crowded):
		l.layOut(r)
		l.leaveOut(r)
	default:
		l.layout.now++
		for place := range l.hosts {
			l.layout.look(place, r.samples[place])
			n := l.layout.settle(place, r.samples[place], l.files.o.grows())
			if l.layout.placeExplicit(place, l.files.o.grows()); n > 0 && n == len(r.samples[place].Cells) {
				l.r.lacks.Store(true)
			}
		}
	}
	l.fill(r, false)
	out := logs.Beat{Time: r.at, Several: len(l.hosts) > 1, Values: l.out.Values}
	for i := range l.layout.list {
		out.Columns = append(out.Columns, l.layout.series(i))
	}
	for place := range l.hosts {
		if s, ok := l.sampleOf(place, r); ok {
			out.Samples = append(out.Samples, s)
		}
	}
	l.rows++
	return l.r.o.Stream.Write(&out)
}

// sampleOf is the part of one host. ok is false where it is late, or asked nothing.
func (l *output) sampleOf(place int, r *row) (out logs.Sample, ok bool) {
	from, p := r.samples[place], l.assembler.hosts[place].phase
	out = logs.Sample{Host: l.hosts[place].host.Name, Time: r.at}
	switch {
	case from != nil:
		out.Time = from.Time
		l.newest[place] = append(l.newest[place][:0], from.Cells...) // for when it fails
	case p == failed && l.failing[place] != nil:
		from = l.failing[place]
	default:
		return out, false
	}
	cells := from.Cells
	if from.Err != nil {
		cells = l.newest[place]
	}
	type asked struct {
		logs.Cell

		question int
	}
	all := make([]asked, 0, len(cells)+len(from.Unmet))
	for i, c := range cells {
		column := l.layout.targets[place][c.Number].column
		if column < 0 {
			continue
		}
		item := l.hosts[place].known[c.Number]
		cell := logs.Cell{Named: l.layout.series(int(column)), Value: c.Value}
		cell.Found, cell.Key, cell.Number = true, item.Owner.Key, item.Owner.Number // it was asked for by name at first
		if from.Err != nil {
			cell.Value = cooker.Absent(l.absent[place])
		} else if i < len(from.made) {
			cell.From = from.made[i]
		}
		all = append(all, asked{cell, item.Question})
	}
	if len(from.Unmet) > 0 { // what is not there stands in the order of what was asked for
		for _, u := range from.Unmet {
			all = append(all, asked{logs.Cell{Named: newShown(out.Host, u.Item, u.Path), Value: cooker.Absent(u.Status)}, u.Question})
		}
		slices.SortStableFunc(all, func(a, b asked) int { return cmp.Compare(a.question, b.question) })
	}
	for _, a := range all {
		out.Cells = append(out.Cells, a.Cell)
	}
	return out, true
}

// crowded is from how many columns on a stream looks for those of instances that are
// gone.
const crowded = 4096

// series is a column as streams have it.
func (s *layout) series(i int) *logs.Named {
	c := &s.list[i]
	if c.shown == nil {
		c.shown = newShown(s.hosts[c.place].host.Name, c.first.Item, c.first.pathOn("", c.instance.n))
	}
	return c.shown
}

func newShown(host string, it *session.Item, path paths.Path) *logs.Named {
	n, _ := path.Index.Number()
	s := &logs.Named{Host: host, Path: path, Text: path.String(), Set: it.Set, Index: uint32(n), Wild: it.Wild}
	s.Key = session.InstanceKey{Parent: path.Parent, Name: path.Instance}
	if s.Set == nil { // the host is not known
		s.Set = &session.Counterset{Name: path.Object, Counters: []session.Counter{{Name: path.Counter}}}
	}
	s.Counter = &s.Set.Counters[it.Counter]
	return s
}
