// Package records is the screen of data collector sets and recordings: how things stand
// with each, how far it came, and what to do about it.
package records

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session/record/listing"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Screen is the screen.
type Screen struct {
	pane.Face
	pane.Known

	desk    *pane.Desk
	offered func() []pane.RecordHost // what a new set may collect

	all     []listing.Record // as they were looked at last
	looked  bool
	rows    []*listing.Record // that the filter takes, in the order of the list
	list    list.Keyed[string]
	filter  pane.Filter[*listing.Record]
	urgent  bool // what runs or is in trouble comes first
	details pane.Details
}

// New returns the screen.
func New(desk *pane.Desk) *Screen {
	s := &Screen{desk: desk}
	s.filter = pane.Filter[*listing.Record]{Desk: desk, Title: "Filter records", Fields: fields()}
	s.Face = pane.Face{Name: "Records", About: "records", Keys: s.bindings()}
	return s
}

// Offer tells what a new set may collect: what a deck shows.
func (s *Screen) Offer(what func() []pane.RecordHost) { s.offered = what }

// record is the selected one, nil without one.
func (s *Screen) record() *listing.Record {
	id, ok := s.list.Selected()
	i := slices.IndexFunc(s.rows, func(r *listing.Record) bool { return r.ID == id })
	if !ok || i < 0 {
		return nil
	}
	return s.rows[i]
}

// refresh makes the rows anew.
func (s *Screen) refresh() {
	if s.desk.Records != nil {
		s.all, s.looked = s.desk.Records.List()
	}
	s.rows = s.rows[:0]
	for i := range s.all {
		if r := &s.all[i]; s.filter.Matches(r) {
			s.rows = append(s.rows, r)
		}
	}
	if s.urgent {
		slices.SortStableFunc(s.rows, func(a, b *listing.Record) int { return urgency(b.State) - urgency(a.State) })
	}
	ids := make([]string, len(s.rows))
	for i, r := range s.rows {
		ids[i] = r.ID
	}
	s.list.Set(ids)
}

// urgency is how much a state matters to who looks.
func urgency(s listing.State) int {
	switch s {
	case listing.Failed, listing.Died, listing.Damaged:
		return 2
	case listing.Running, listing.Tidying:
		return 1
	case listing.Stopped, listing.Ended:
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

// What can be hit.
const (
	hitRow pane.HitKind = iota + 1 // A: its place
	hitDetail
)

// Click selects a record; on the selected one it opens its newest output.
func (s *Screen) Click(hit pane.Hit, button tea.MouseButton) {
	if hit.Kind != hitRow || !pane.Pressed(&s.list, hit.A, button) {
		return
	}
	if why := s.whyNoOutput(); why != "" {
		s.desk.Send(pane.Say{Text: why})
		return
	}
	s.open()
}

// Wheel scrolls the table, or the details.
func (s *Screen) Wheel(hit pane.Hit, lines int) {
	if hit.Kind == hitDetail {
		s.details.Scroll(lines)
		return
	}
	s.list.Scroll(lines)
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

var _ pane.Screen = (*Screen)(nil)
