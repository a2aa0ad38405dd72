package top

import (
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

// refresh chooses and arranges the rows of the newest view.
func (t *Top) refresh() {
	if t.host == nil {
		return
	}
	t.snap = t.newest()
	view := t.snap.Set(t.set)
	if view == nil {
		if t.table != nil {
			t.table.Restart()
		}
		return
	}
	there := len(t.present)
	if t.total, t.ended, t.present = 0, 0, t.made.in(view); len(t.present) != there {
		t.table.Forget()
	}
	now := t.desk.Now()
	m := t.desk.TableMoment(t.host.Snap, view)
	t.table.Arrange(m, table.Arranging{
		Now: now, Anew: t.isFilling(now) || !t.shown.Equal(t.desk.At), Hold: now.Sub(t.at.touched) < table.SortEvery,
		Keeps: func(in *session.Row) bool { return in.Key == t.at.key && (t.at.follow || t.isPicked() || t.desk.Held) },
		Lists: func(at int) bool {
			if !t.lists(&view.Rows[at].Instance) {
				return false
			}
			if t.total++; m.IsGone(&view.Rows[at]) || view.Rows[at].Flags&session.FlagEnded != 0 {
				t.ended++
			}
			return t.filter.Matches(line{view, at})
		},
	})
	t.shown = t.desk.At
	t.keepSelection(view)
}

// factsCome is how long the facts of all rows may take to come after a table was
// sorted by them: meanwhile it is sorted anew with each sample.
const factsCome = 4 * time.Second

// isFilling tells that what rows are sorted by is still coming.
func (t *Top) isFilling(now time.Time) bool {
	return t.table.IsByFact() && now.Sub(t.chosen) < factsCome
}

// lists tells whether an instance has a row: one that was made, instead of those that
// it is made of, and what stands for all where the counterset means that.
func (t *Top) lists(in *session.Instance) bool {
	switch {
	case t.all:
		return in.Flags&session.FlagCombined == 0 || t.stands(in)
	case in.Flags&session.FlagTotal != 0:
		return t.stands(in)
	}
	return in.Flags&session.FlagIdle == 0 && !isKernel(in) && !t.present.include(in)
}

// isKernel tells a thread of the kernel from what is in the background otherwise, as a
// bridge, which people look for.
func isKernel(in *session.Instance) bool {
	return in.Flags&session.FlagBackground != 0 && !in.CountsAgain()
}

// stands tells whether an instance stands for others of which the user wants one row.
func (t *Top) stands(in *session.Instance) bool {
	return t.made.has(in.Key.Name) || in.Flags&session.FlagTogether != 0 ||
		t.set.Instances.IsWhole() && in.Key.Name == cooker.AggregateInstance
}

// pickedFor is how long a row that the user chose stays selected, wherever it
// goes: long enough to read it and to act on it. Then its line does, so that a
// table nobody touches shows who is on top.
const pickedFor = 30 * time.Second

// isPicked tells whether the selection is of the instance that the user chose.
func (t *Top) isPicked() bool { return !t.at.picked.IsZero() }

// letGo ends what the user chose a while ago. Only time in which the table is
// seen counts: behind another screen it stays.
func (t *Top) letGo(now time.Time) {
	if now.Sub(t.at.picked) >= pickedFor {
		t.at.picked = time.Time{}
	}
}

// keepSelection keeps the selected line; but the selected instance while it is
// followed, or was chosen a short while ago, or below a dialog, which may be about
// it.
func (t *Top) keepSelection(view *session.SetView) {
	for key := range t.marks {
		if view.Find(key, -1) < 0 {
			delete(t.marks, key)
		}
	}
	if t.at.awaited != "" && t.present.has(t.at.awaited) {
		t.at.key, t.at.picked, t.at.awaited = session.InstanceKey{Name: t.at.awaited}, t.desk.Now(), ""
	}
	if t.at.follow || t.desk.Held || t.isPicked() {
		if at := t.table.Find(view, t.at.key); at >= 0 {
			t.list.Resize(len(t.rows()))
			t.list.Select(at)
			return
		}
		t.at.follow, t.at.picked = false, time.Time{}
	}
	t.choose(view, t.list.Line())
}

// touch notes that the user does something with the table.
func (t *Top) touch() {
	t.at.touched = t.desk.Now()
	if !t.at.picked.IsZero() {
		t.at.picked = t.at.touched
	}
}

// pick selects a line because the user chose it.
func (t *Top) pick(i int) {
	t.at.picked = t.desk.Now()
	t.touch()
	t.at.follow = false
	t.selectRow(i)
}

// selectRow selects a line, or the nearest there is.
func (t *Top) selectRow(i int) {
	if view := t.view(); view != nil {
		t.choose(view, i)
	}
}

func (t *Top) choose(view *session.SetView, i int) {
	t.list.Resize(len(t.rows()))
	t.list.Select(i)
	if t.list.Has() {
		t.at.key = t.selected(view).Key
	}
}

// WhyNoProcesses says why a host has no processes to show, "" if it has some.
func WhyNoProcesses(h *pane.Host) string {
	if h == nil {
		return "no host is shown"
	}
	cat := h.Sampler.Catalogue()
	switch {
	case cat == nil:
		return "the host has not told its counters yet"
	case cat.Processes() != nil:
		return ""
	case isServed(h, cat):
		return "this host does not publish Process: serve --expose Process"
	}
	return "this host has no Process counterset"
}

// isServed tells whether a host is one of `perfdeck serve`, which publishes no
// processes unasked: its countersets are all of version 2, where Windows has
// processes among those of version 1.
func isServed(h *pane.Host, cat *session.Catalogue) bool {
	return !h.Local && len(cat.Sets) > 0 && !slices.ContainsFunc(cat.Sets, func(s *session.Counterset) bool { return s.GUID == "" })
}

// Processes are those that something is done to: the marked ones, or without any the
// selected one. left is how many marked ones are left out: they ended, or the filter
// hides them.
func (t *Top) Processes() (list []pane.Process, left int) {
	view := t.view()
	if view == nil || t.set != t.host.Sampler.Catalogue().Processes() {
		return nil, 0
	}
	if len(t.marks) == 0 {
		if in := t.selected(view); in != nil && pane.IsProcess(in) {
			list = append(list, pane.ProcessAt(view, t.rows()[t.list.Line()].At))
		}
		return list, 0
	}
	for _, r := range t.rows() {
		if in := &view.Rows[r.At]; t.marks[in.Key] && pane.IsProcess(in) {
			list = append(list, pane.ProcessAt(view, r.At))
		}
	}
	return list, len(t.marks) - len(list)
}
