package top

import (
	"slices"

	"perfdeck/session"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

// Asks are the columns that fit, the history of the sorted one, and the facts
// of the rows in view, or of all while a filter or the sort names a fact.
func (t *Top) Asks(h *pane.Host) []session.Ask {
	if h != t.host || t.set == nil {
		return nil
	}
	ask := session.Ask{Set: t.set, Combine: t.made, Counters: append(t.table.Counters(), t.filteredCounters()...)}
	rows := t.near()
	keep := session.Keep{Counters: t.table.Counters(), Rows: rows, Recent: true}
	if counter, ok := t.table.Sorted(); ok { // whatever is scrolled to or filtered
		keep.Busiest, keep.By = max(t.list.Page(), 30), counter
	}
	ask.Keep = []session.Keep{keep}
	t.askPictures(&ask, rows)
	if table.IsProcesses(t.set) && !t.all {
		ask.OnlyOf(session.Members)
	}
	ask.Facts = t.factWant()
	if !ask.Facts.All {
		ask.Facts.Rows = rows
	}
	t.led = t.lead()
	if t.led.Rows > 0 {
		ask.Leads = []session.Lead{t.led}
	}
	t.asked.Ask(rows, t.host.Snap.Next())
	t.stale = false
	return t.askGauges([]session.Ask{ask})
}

// lead is of which instances the rows in view and a page behind them are; without rows: of
// any.
func (t *Top) lead() session.Lead {
	const step = 100 // rows that are asked for more at a time
	if t.filter.Text() != "" || len(t.made) > 0 {
		return session.Lead{}
	}
	l, _ := t.table.Lead(step * (1 + (t.list.Top()+2*t.list.Page())/step))
	return l
}

// isComing tells that a fact of a row was not told because it was not asked for,
// or since the newest sample only.
func (t *Top) isComing(key session.InstanceKey, fact string) bool {
	return t.asked.IsComing(key, fact, t.newest().Set(t.set), t.host.Snap.Next())
}

// factWant are the facts that are wanted, and whether of all rows.
func (t *Top) factWant() session.FactWant {
	want := session.FactWant{All: t.table.IsByFact(), Keys: t.table.Facts()}
	for _, f := range t.filteredFacts() {
		want.All = true
		if !slices.Contains(want.Keys, f) {
			want.Keys = append(want.Keys, f)
		}
	}
	return want
}

// near are the rows in view and a page around them, so that scrolling, and an
// order that changes a little, find there what they need.
func (t *Top) near() []session.InstanceKey {
	view := t.view()
	if view == nil {
		return nil
	}
	page := max(t.list.Page(), 20)
	from, to := max(0, t.list.Top()-page), min(t.list.Top()+2*page, len(t.rows()))
	out := make([]session.InstanceKey, 0, max(0, to-from))
	for i := from; i < to; i++ {
		out = append(out, view.Rows[t.rows()[i].At].Key)
	}
	return out
}

// AskStale tells that the screen needs other columns, or facts and history of
// other rows, than it asked for.
func (t *Top) AskStale() bool {
	if t.stale || t.lacksPictures() {
		return true
	}
	view := t.view()
	if view == nil {
		return false
	}
	if t.lead() != t.led {
		return true
	}
	for i := t.list.Top(); i < min(t.list.Top()+t.list.Page(), len(t.rows())); i++ {
		if !t.asked.Has(view.Rows[t.rows()[i].At].Key) {
			return true
		}
	}
	return false
}
