package fake

import (
	"cmp"
	"context"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Host is a scripted host by its name.
type Host struct {
	Name   string
	Source session.Source
	Past   *Past // its clock, if it has a past to go by
}

// Source plays a script. It implements session.Source.
type Source struct {
	script    Script
	clock     session.Clock
	start     session.Instant // when the script began
	catalogue *session.Catalogue
	sets      []*set // as catalogue.Sets
}

// New makes a source of a script, which begins now.
func New(script Script, clock session.Clock) *Source {
	script.Up = cmp.Or(script.Up, time.Hour)
	s := &Source{script: script, clock: clock, start: clock.Now()}
	s.catalogue = &session.Catalogue{Host: script.Name}
	for i := range s.script.Sets {
		one := newSet(&s.script, &s.script.Sets[i])
		s.sets = append(s.sets, one)
		s.catalogue.Sets = append(s.catalogue.Sets, one.offer)
	}
	return s
}

// now is the script's time.
func (s *Source) now() time.Duration { return s.clock.Now().Mono - s.start.Mono }

// Catalogue gives the script's countersets.
func (s *Source) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	return s.catalogue, nil
}

// Offer is the catalogue, whatever goes wrong with the host.
func (s *Source) Offer() *session.Catalogue { return s.catalogue }

// Open makes a query. It lives until the host restarts.
func (s *Source) Open(ctx context.Context) (session.Query, error) {
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	boots, _ := s.restarts("", s.now())
	return &query{source: s, boots: boots}, nil
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// newOffer is the catalogue entry of a set, and its columns in the same order.
func newOffer(script *Set) (*session.Counterset, []column) {
	offer := &session.Counterset{
		Name: script.Name, GUID: script.GUID, V1Index: script.V1Index, Description: script.Description,
		Provider: "perfdeck demo", Instances: script.Instances, Facts: script.Facts,
	}
	var columns []column
	for i := range script.Counters {
		c := &script.Counters[i]
		col := newColumn(c)
		offer.Counters = append(offer.Counters, offered(script.Name, c, uint32(len(columns))))
		columns = append(columns, col)
		if info, _ := c.Type.Info(); info.Base != cooker.BaseNone {
			base := Counter{Name: c.Name + " Base", Type: info.BaseType, Detail: c.Detail, Absent: c.Absent}
			companion := &offer.Counters[len(columns)-1].BaseID
			if info.Base == cooker.BaseMulti {
				companion = &offer.Counters[len(columns)-1].MultiID
			}
			*companion = uint32(len(columns))
			baseCol := newColumn(&base)
			baseCol.baseOf = len(columns) - 1
			hidden := offered(script.Name, &base, uint32(len(columns)))
			hidden.Attributes = cooker.NoDisplay
			offer.Counters = append(offer.Counters, hidden)
			columns = append(columns, baseCol)
		}
	}
	return offer, columns
}

// offered is the catalogue entry of a counter.
func offered(object string, c *Counter, id uint32) session.Counter {
	out := session.Counter{
		ID: id, Name: c.Name, Description: c.Description, Type: c.Type,
		Quantity: cooker.QuantityIn(c.Type, object, c.Name), DefaultScale: c.Scale, Detail: cmp.Or(c.Detail, session.DetailNovice), Attributes: c.Attributes,
		Companions: session.NoCompanions,
		Absent:     c.Absent, Aggregate: cooker.AggregateTotal,
	}
	switch {
	case c.Loose:
		out.Aggregate = cooker.AggregateNone
	case c.Mean:
		out.Aggregate = cooker.AggregateAverage
	}
	return out
}
