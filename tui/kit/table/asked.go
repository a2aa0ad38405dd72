package table

import "perfdeck/session"

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

// Since is the sample from which on the facts of a row are asked for.
func (a *Asked) Since(key session.InstanceKey) (sample uint64, asked bool) {
	if sample, asked = a.rows[key]; !asked && a.all {
		return a.allSince, true
	}
	return sample, asked
}
