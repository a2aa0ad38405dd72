package table

import (
	"slices"

	"perfdeck/session"
)

// Asked is of which rows facts were asked for, and since which sample. The zero value is none.
type Asked struct {
	all      bool
	allSince uint64
	rows     map[session.InstanceKey]uint64
}

// Ask notes that facts of these rows are asked for, from a sample on.
func (a *Asked) Ask(rows []session.InstanceKey, sample uint64) {
	before := a.rows
	a.all, a.allSince, a.rows = false, 0, make(map[session.InstanceKey]uint64, len(rows))
	for _, key := range rows {
		since, asked := before[key]
		if !asked {
			since = sample
		}
		a.rows[key] = since
	}
}

// AskAll notes that facts of all rows are asked for, from a sample on. Those that were asked
// for before are so since then.
func (a *Asked) AskAll(sample uint64) {
	if !a.all || a.allSince == 0 {
		a.all, a.allSince = true, sample
	}
}

// All tells that facts of all rows are asked for.
func (a *Asked) All() bool { return a.all }

// None tells that no facts are asked for.
func (a *Asked) None() bool { return !a.all && len(a.rows) == 0 }

// Has tells that a row is one of those that were asked for by their names.
func (a *Asked) Has(key session.InstanceKey) bool {
	_, has := a.rows[key]
	return has
}

// IsComing tells that a fact of a row is not in a view, after which the given sample comes,
// because it was not asked for, or since the newest sample only.
func (a *Asked) IsComing(key session.InstanceKey, fact string, view *session.SetView, next uint64) bool {
	since, asked := a.rows[key]
	if !asked && a.all {
		since, asked = a.allSince, true
	}
	return !asked || since >= next || view == nil || !slices.Contains(view.FactKeys, fact)
}
