package replay

import (
	"time"

	"perfdeck/session"
	"perfdeck/session/record/logs"
)

// Recording is one of those that a player has, for who reads it whole on his own: files
// with hosts in common, read as one.
type Recording struct {
	Files       []string
	Columns     []Column // by index in the rows of its reader
	Zone        logs.Zone
	First, Last time.Time
	Interval    time.Duration // the usual one; 0: not known
	Inferred    logs.Inferred

	source *source
}

// Column is what a column of a recording holds.
type Column struct {
	Host     *Host
	Set      *session.Counterset
	Counter  int
	Instance *session.Instance
	Path     string // as the recording has it
}

// Open opens the files anew, at their first row.
func (r *Recording) Open() (logs.Reader, error) { return r.source.reader() }

// Recordings are all of them.
func (p *Player) Recordings() []Recording {
	var out []Recording
	for _, t := range p.tapes {
		s := t.source
		r := Recording{
			Files: s.files, Columns: make([]Column, len(s.columns)), Zone: s.zone,
			First: s.first, Last: s.last, Interval: s.interval, Inferred: s.inferred, source: s,
		}
		for _, h := range p.hosts {
			if h.tape == t {
				h.columns(r.Columns, s.columns)
			}
		}
		out = append(out, r)
	}
	return out
}

// columns tells which columns are of the host.
func (h *Host) columns(to []Column, recorded []logs.Column) {
	for set, cols := range h.track.columns.sets {
		for i, cells := range cols.cells {
			for _, c := range cells {
				to[c.column] = Column{Host: h, Set: set, Counter: int(c.counter), Instance: &cols.instances[i], Path: recorded[c.column].Path}
			}
		}
	}
}
