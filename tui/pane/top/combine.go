package top

import (
	"fmt"
	"slices"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// combined are the rows that the user made of several instances. Those have no row of
// their own then.
type combined []session.Combine

// mostCombined bounds the rows that are made.
const mostCombined = 50

// with is c and rows of these names besides.
func (c combined) with(names ...string) combined {
	out := slices.Clone(c)
	for _, name := range names[:min(len(names), mostCombined)] {
		if made, ok := session.CombineNamed(name); ok && made.Match != nil && !out.has(name) {
			out = append(out, made)
		}
	}
	return out
}

func (c combined) names() (out []string) {
	for i := range c {
		out = append(out, c[i].Name)
	}
	return out
}

func (c combined) has(name string) bool {
	return slices.ContainsFunc(c, func(o session.Combine) bool { return o.Name == name })
}

// takes tells whether an instance is part of a row that was made.
func (c combined) include(in *session.Instance) bool {
	return slices.ContainsFunc(c, func(o session.Combine) bool { return o.Includes(in) })
}

// mergeable are the marked instances that can become one row.
func (t *Top) mergeable() []session.Instance {
	view := t.view()
	var marked []session.Instance
	for _, r := range t.rows() {
		if in := &view.Rows[r.At]; t.marks[in.Key] && !in.Gone && in.Flags&session.FlagEnded == 0 {
			marked = append(marked, in.Instance)
		}
	}
	return pane.Mergeable(marked)
}

func (t *Top) whyNotCombine() string {
	switch {
	case t.whyNoSet() != "" || t.view() == nil:
		return t.whyNoSet()
	case len(t.mergeable()) > 1:
		return keys.When(len(t.made) >= mostCombined, fmt.Sprintf("there are %d such rows", mostCombined))
	}
	isMade := len(t.rows()) > 0 && t.made.has(t.at.key.Name)
	return keys.When(!isMade, pane.ErrTooFew.Error())
}

// combine makes one row of those that are marked, or takes such a row apart.
func (t *Top) combine() {
	if instances := t.mergeable(); len(instances) > 1 {
		set := t.set
		pane.CombineMenu(t.desk, instances, t.counters(), func(name string) {
			if t.set == set {
				t.change(fmt.Sprintf("%d rows become one with the next sample", len(instances)), func() { t.made = t.made.with(name) })
				t.at.awaited = name
			}
		})
		return
	}
	name := t.at.key.Name
	t.change("took "+name+" apart", func() {
		t.made = slices.DeleteFunc(slices.Clone(t.made), func(c session.Combine) bool { return c.Name == name })
	})
}

// counters are those of the columns that are shown.
func (t *Top) counters() (out []*session.Counter) {
	for _, i := range t.table.Counters() {
		out = append(out, &t.set.Counters[i])
	}
	return out
}

// change changes which rows are made. It can be undone.
func (t *Top) change(text string, do func()) {
	before, set := t.made, t.set
	do()
	show := func() {
		clear(t.marks)
		t.keep(false)
		t.resort()
		t.desk.Reask()
	}
	show()
	t.desk.Send(pane.Did{Text: text, Lapsed: func() bool { return t.set != set }, Undo: func() {
		t.made = before
		show()
	}})
}

// in are those that have a row in a view: the others come with the next sample.
func (c combined) in(view *session.SetView) (out combined) {
	for i := range c {
		if view.Find(c[i].Instance().Key, -1) >= 0 {
			out = append(out, c[i])
		}
	}
	return out
}
