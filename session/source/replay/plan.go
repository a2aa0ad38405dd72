package replay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// plan is what is asked of one counterset.
type plan struct {
	ask      session.Ask
	cols     *setColumns
	rows     []planRow
	combined []combined
	lives    []life // in the window, that ended, in their order
}

// life is one of the times that an instance was there.
type life struct {
	row int // of the plan
	session.Row
}

// planRow is an instance of which the recording has any of the counters.
type planRow struct {
	session.Instance

	index int      // among the instances of the set
	cells [][]cell // by column of the view
	// tells are the columns that have a value at every sample as long as the
	// instance is there. Without any it is always there.
	tells []int
	// number and owner are the columns that tell the numbers of a process.
	number, owner []cell

	slots     [][]*slot  // of cells, in the window
	tellSlots []*slot    // of tells
	numbers   [2][]*slot // of number and owner

	there   bool
	assumed bool                // it is there for all that is known
	since   time.Time           // when it came, or went; zero: before the window
	last    float64             // its value that ranks it, when it was there last
	ranked  bool                // there is one
	series  []session.RowSeries // scratch of addDeparted
}

// combined is an instance that is made of others.
type combined struct {
	session.Combine
	session.Instance

	parts   []bool // by row of the plan
	members []int  // scratch: rows that are there
	values  []cooker.Value
	kept    []*session.History // by column; nil: nobody asks
}

// mergeWants sorts wants and joins those of the same column.
func mergeWants(wants []want) []want {
	slices.SortFunc(wants, func(a, b want) int { return cmp.Compare(a.column, b.column) })
	out := wants[:0]
	for _, w := range wants {
		if n := len(out); n > 0 && out[n-1].column == w.column {
			if w.of != nil {
				out[n-1] = w
			}
			continue
		}
		out = append(out, w)
	}
	return out
}

// mostCells bounds the cells of a view: a counterset of a recording may be a
// hundred thousand instances with as many counters, each of them with one.
const mostCells = 4 << 20

func newPlan(ask session.Ask, cols *setColumns) *plan {
	ask.Counters = slices.DeleteFunc(slices.Clone(ask.Counters), func(c int) bool { return c < 0 || c >= len(cols.set.Counters) })
	if most := max(mostCells/max(len(cols.instances), 1), 1); len(ask.Counters) > most {
		ask.Counters = ask.Counters[:most]
	}
	p := &plan{ask: ask, cols: cols}
	for i := range cols.instances {
		r := planRow{Instance: cols.instances[i], index: i}
		found := false
		for _, c := range ask.Counters {
			cells := cols.of(i, c)
			r.cells = append(r.cells, cells)
			found = found || len(cells) > 0
			if isSteady(&cols.set.Counters[c]) {
				for _, cell := range cells {
					r.tells = append(r.tells, int(cell.column))
				}
			}
		}
		if !found {
			continue
		}
		if len(r.tells) == 0 && cols.set.Instances.Multiple() {
			r.tells = cols.teller(i)
		}
		if cols.number >= 0 {
			r.number = cols.of(i, cols.number)
		}
		if cols.owner >= 0 {
			r.owner = cols.of(i, cols.owner)
		}
		p.rows = append(p.rows, r)
	}
	for _, c := range ask.Combine {
		if slices.ContainsFunc(p.rows, func(r planRow) bool { return c.Makes(&r.Instance) }) {
			continue // it was recorded
		}
		if !slices.ContainsFunc(p.combined, func(o combined) bool { return o.Name == c.Name }) {
			p.combined = append(p.combined, p.combine(c))
		}
	}
	return p
}

// teller is a column of an instance that tells whether it is there, if it has
// one.
func (s *setColumns) teller(instance int) []int {
	for _, c := range s.cells[instance] {
		if isSteady(&s.set.Counters[c.counter]) {
			return []int{int(c.column)}
		}
	}
	return nil
}

// isSteady tells whether a counter has a value at every sample: averages have
// none while nothing happens.
func isSteady(c *session.Counter) bool {
	if c.Description == "" { // its type is known
		info, _ := c.Type.Info()
		return info.Base != cooker.BaseDivisor
	}
	name := strings.ToLower(c.Name)
	for _, word := range []string{"avg", "average", "sec/", "ratio", "hit", "/read", "/write", "/transfer", "/op"} {
		if strings.Contains(name, word) {
			return false
		}
	}
	return true
}

func (p *plan) combine(c session.Combine) combined {
	out := combined{Combine: c, Instance: c.Instance(), values: make([]cooker.Value, len(p.ask.Counters)), kept: make([]*session.History, len(p.ask.Counters))}
	for i := range p.rows {
		out.parts = append(out.parts, c.Includes(&p.rows[i].Instance))
	}
	return out
}

// wants adds the columns that the plan needs.
func (p *plan) wants(wants []want) []want {
	for i := range p.rows {
		r := &p.rows[i]
		for col, cells := range r.cells {
			kept := p.keeps(&r.Instance, p.ask.Counters[col])
			for _, c := range cells {
				w := want{column: int(c.column)}
				if kept {
					w.of, w.counter = p.cols, p.ask.Counters[col]
				}
				wants = append(wants, w)
			}
		}
		for _, c := range r.tells {
			wants = append(wants, want{column: c})
		}
		for _, c := range slices.Concat(r.number, r.owner) {
			wants = append(wants, want{column: int(c.column)})
		}
	}
	return wants
}

// keeps tells whether the history of a counter of an instance may be asked for.
func (p *plan) keeps(in *session.Instance, counter int) bool {
	for i := range p.ask.Keep {
		k := &p.ask.Keep[i]
		if slices.Contains(k.Counters, counter) && (k.Busiest > 0 || k.Recent || k.Match != nil && k.Match(in) || slices.Contains(k.Rows, in.Key)) {
			return true
		}
	}
	return false
}
