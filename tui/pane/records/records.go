// Package records is the screen of data collector sets and recordings: how things stand
// with each, how far it came, and what to do about it.
package records

import (
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/listing"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/pane"
)

// Screen is the screen.
type Screen struct {
	pane.ListScreen[string, *listing.Record]

	Offered func() []pane.RecordHost // what a new set may collect: what a deck shows; nil: nothing
	all     []listing.Record         // as they were looked at last
	looked  bool
}

// New returns the screen.
func New(desk *pane.Desk) *Screen {
	s := &Screen{ListScreen: pane.ListScreen[string, *listing.Record]{
		Desk: desk, Filter: pane.Filter[*listing.Record]{Desk: desk, Title: "Filter records", Fields: fields}, None: "Nothing",
		List:  pane.List[string, *listing.Record]{Columns: table, KeyOf: func(r *listing.Record) string { return r.ID }, Sign: signOf},
		Worst: func(a, b *listing.Record) int { return urgency(b.State) - urgency(a.State) }, WorstText: "urgent first",
		Counts: func(r *listing.Record) (on, bad bool) { return isOn(r), urgency(r.State) > 1 },
		Facts: func(f pane.Frame, r *listing.Record) (string, []pane.Fact) {
			if r.Kind == listing.HostSet && desk.HostSets != nil {
				desk.HostSets.Tell(r)
			}
			return r.Name, facts(r, f)
		},
	}}
	s.All, s.Lesson = s.records, s.lesson
	s.bind()
	return s
}

// records are the sets and recordings there are.
func (s *Screen) records() []*listing.Record {
	if s.Desk.Records != nil {
		s.all, s.looked = s.Desk.Records.List()
	}
	out := make([]*listing.Record, len(s.all))
	for i := range s.all {
		out[i] = &s.all[i]
	}
	return out
}

// urgency is how much a state matters to who looks.
func urgency(s listing.State) int {
	switch s {
	case listing.Failed, listing.Died, listing.Damaged, listing.Silent:
		return 2
	case listing.Running, listing.Tidying:
		return 1
	}
	return 0
}

// isOn tells that a record is at work.
func isOn(r *listing.Record) bool { return urgency(r.State) == 1 }

// fields are what records can be asked for.
func fields() *filter.Fields[*listing.Record] {
	name := func(r *listing.Record) string { return r.Name }
	state := func(r *listing.Record) string { return r.State.String() }
	kind := func(r *listing.Record) string { return r.Kind.String() }
	finding := func(r *listing.Record, fits func(string) bool) bool {
		return slices.ContainsFunc(r.Findings, func(f listing.Finding) bool { return fits(f.Text) })
	}
	return &filter.Fields[*listing.Record]{
		List: []filter.Field[*listing.Record]{
			{Name: "name", Texts: filter.One(name)},
			{Name: "host", Texts: filter.One(func(r *listing.Record) string { return r.Host })},
			{Name: "state", Texts: filter.One(state), Example: "state:running"},
			{Name: "kind", Texts: filter.One(kind), Example: "kind:set"},
			{Name: "finding", Texts: finding},
			{Name: "size", Quantity: cooker.Quantity{Kind: cooker.Bytes}, Number: func(r *listing.Record) filter.Number {
				return filter.Number{Value: float64(r.Bytes)}
			}, Example: "size>1GB"},
		},
		Plain: func(r *listing.Record, fits func(string) bool) bool {
			return fits(name(r)) || fits(state(r)) || fits(kind(r)) || finding(r, fits)
		},
	}
}

// when writes a moment in few cells, in the zone of now: the time of today, the day of
// the week and the time of the next and last days, else the day. The zero one is nothing.
func when(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(now.Location())
	const days = 6 * 24 * time.Hour
	switch distance := at.Sub(now).Abs(); {
	case at.YearDay() == now.YearDay() && distance < days:
		return at.Format(time.TimeOnly)
	case distance < days:
		return at.Format("Mon 15:04")
	}
	return at.Format(time.DateOnly)
}
