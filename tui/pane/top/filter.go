package top

import (
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/kit/table"
)

// line is a row of a view that a filter is asked about.
type line struct {
	view *session.SetView
	at   int
}

func (l line) row() *session.Row { return &l.view.Rows[l.at] }

// texts are the texts of the row's counters.
func (l line) texts() (out []string) {
	for col, counter := range l.view.Counters {
		if l.view.Set.Counters[counter].Type.IsText() {
			out = append(out, l.text(col))
		}
	}
	return out
}

// fact is a text fact of the row; empty if there is none.
func (l line) fact(key string) string { return l.view.Fact(l.at, key) }

// text is the text of a counter; empty if there is none.
func (l line) text(col int) string {
	if col < 0 {
		return ""
	}
	text, _ := l.view.Value(l.at, col).Text()
	return text
}

// fields are what the rows of a counterset can be asked for: names, numbers of
// processes, facts, and all counters, the usual ones by short names.
func (t *Top) fields() *filter.Fields[line] {
	set := t.set
	if set == nil {
		return nil
	}
	fs := &filter.Fields[line]{
		List: []filter.Field[line]{
			{Name: "name", Also: []string{"instance"}, Texts: filter.One(func(l line) string { return l.row().Key.Name })},
		},
		More: t.fieldOf,
		Plain: func(l line, fits func(string) bool) bool {
			return fits(l.row().Key.Name) || slices.ContainsFunc(searched(set), func(k string) bool { return fits(l.fact(k)) }) || slices.ContainsFunc(l.texts(), fits)
		},
	}
	if table.IsProcesses(set) {
		fs.List = append(fs.List,
			filter.Field[line]{Name: "pid", Number: func(l line) filter.Number { return filter.Number{Value: float64(l.row().Number)} }},
			filter.Field[line]{Name: "ppid", Number: func(l line) filter.Number { return filter.Number{Value: float64(l.row().Owner)} }})
	}
	for _, w := range table.Words(set) {
		fs.List = append(fs.List, t.counterField(w.Name, w.Counter, w.Example))
	}
	if !table.IsProcesses(set) {
		fs.List = append(fs.List, t.shownFields()...)
	}
	for _, k := range set.Facts {
		name, _, _ := strings.Cut(k, " ")
		fs.List = append(fs.List, factField(name, k))
	}
	return fs
}

// shownFields are the counters of the columns, by their own names.
func (t *Top) shownFields() (out []filter.Field[line]) {
	for _, i := range t.table.Counters() {
		out = append(out, t.counterField(printable.Text(t.set.Counters[i].Name), i, ""))
	}
	return out
}

// fieldOf finds a counter by its whole name or by the head of its column, a fact by how it begins.
func (t *Top) fieldOf(name string) (filter.Field[line], bool) {
	if i, ok := t.counterNamed(name); ok {
		return t.counterField(t.set.Counters[i].Name, i, ""), true
	}
	for _, k := range t.set.Facts {
		if strings.HasPrefix(k, strings.ToLower(name)) {
			return factField(name, k), true
		}
	}
	return filter.Field[line]{}, false
}

func (t *Top) counterNamed(name string) (int, bool) {
	if i, ok := t.set.Counter(name); ok {
		return i, true
	}
	for _, w := range table.Words(t.set) {
		if w.Name == name {
			return w.Counter, true
		}
	}
	for i := range t.table.Columns {
		if c := &t.table.Columns[i]; c.Kind == table.Counter && strings.EqualFold(c.Head, name) {
			return c.Counter, true
		}
	}
	return 0, false
}

func factField(name, key string) filter.Field[line] {
	f := filter.Field[line]{Name: name, Texts: filter.One(func(l line) string { return l.fact(key) })}
	if key == "user" {
		f.Example = "user=root"
	}
	return f
}

func (t *Top) counterField(name string, counter int, example string) filter.Field[line] {
	if t.set.Counters[counter].Type.IsText() {
		return filter.Field[line]{Name: name, Texts: filter.One(func(l line) string { return l.text(l.view.Column(counter)) })}
	}
	unit := 0.0
	if i := t.table.ColumnOf(counter); i >= 0 {
		unit = t.table.Columns[i].One()
	}
	return filter.Field[line]{
		Name: name, Quantity: t.set.Counters[counter].Quantity, Example: example, Unit: unit,
		Number: func(l line) filter.Number {
			n := t.number(l, counter)
			return filter.Number{Value: n, Step: t.step(counter, n)}
		},
	}
}

// number is the value of a row at the moment that is shown, NaN when there is none.
func (t *Top) number(l line, counter int) float64 {
	m := t.desk.TableMoment(t.host.Snap, l.view)
	return m.Number(l.at, l.view.Column(counter))
}

// step is one in the last place of a number that the column of a counter shows.
func (t *Top) step(counter int, n float64) float64 {
	if i := t.table.ColumnOf(counter); i >= 0 && t.table.Has(i) {
		return t.table.Columns[i].Step(n)
	}
	return 0
}

// filteredCounters are the counters that the filter needs beside those shown.
func (t *Top) filteredCounters() (out []int) {
	for _, name := range t.filter.Used() {
		if i, ok := t.counterNamed(name); ok {
			out = append(out, i)
		}
	}
	return out
}

// filteredFacts are the facts that the filter needs of all rows.
func (t *Top) filteredFacts() (out []string) {
	if t.filter.LooksInPlain() {
		out = searched(t.set)
	}
	for _, name := range t.filter.Used() {
		for _, k := range t.set.Facts {
			if _, isCounter := t.set.Counter(name); !isCounter && strings.HasPrefix(k, name) && !slices.Contains(out, k) {
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// searched are the facts in which a plain word is looked for.
func searched(set *session.Counterset) (out []string) {
	for _, k := range set.Facts {
		if k == "user" || k == "command line" {
			out = append(out, k)
		}
	}
	return out
}
