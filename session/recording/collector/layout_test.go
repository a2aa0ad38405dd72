package collector

import (
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// people is a counterset whose instances share a name.
var people = &session.Counterset{Name: "People", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "Age", Companions: session.Companions{BaseID: session.NoID}}}}

// crowd is a host's samples of instances that tests name by their identity.
type crowd struct {
	layout *layout
	number map[uint64]int32
}

func newCrowd(columns ...string) *crowd {
	c := &crowd{layout: newLayout([]*member{{host: Host{Name: "a"}}}), number: map[uint64]int32{}}
	var header []logs.Column
	for _, path := range columns {
		header = append(header, logs.Column{Path: path})
	}
	c.layout.adopt(header)
	return c
}

// person is an instance: who it is, and its #n.
type person struct {
	id uint64
	n  uint32
}

// row places a row in which these are there, each with its identity as value, and
// returns the columns.
func (c *crowd) row(grow bool, there ...person) []float64 {
	s := c.layout
	h := s.hosts[0]
	from := &sample{}
	for _, p := range there {
		number, known := c.number[p.id]
		if !known {
			number = int32(len(h.known))
			c.number[p.id] = number
			in := &session.Instance{Key: session.InstanceKey{Name: "p", ID: p.id}, Index: p.n}
			h.known = append(h.known, h.seriesOf([]*session.Item{{Path: session.PathOf("", people, 0, in), Set: people, Owner: &session.Owner{Key: in.Key}}})[0])
		}
		from.Cells = append(from.Cells, session.Cell{Number: number, Value: cooker.WholeValue(p.id)})
	}
	s.now++
	s.look(0, from)
	s.settle(0, from, grow)
	var out logs.Row
	s.fill(&row{at: time.Unix(0, 0), samples: []*sample{from}}, []cooker.Status{cooker.Gap}, &out, false)
	var values []float64
	for _, v := range out.Values {
		f, ok := v.Float()
		if !ok {
			f = -1
		}
		values = append(values, f)
	}
	return values
}

func (c *crowd) want(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
}

// TestSeats: who sits where when instances of one name come, go and come back.
func TestSeats(t *testing.T) {
	t.Run("a file that is continued", func(t *testing.T) {
		c := newCrowd(`\\a\People(p)\Age`, `\\a\People(p#1)\Age`)
		c.want(t, c.row(false, person{30, 2}, person{10, 0}, person{20, 1}), 10, 20)
		c.want(t, c.row(false, person{30, 1}, person{10, 0}), 10, 30) // the second went
		c.want(t, c.row(false, person{20, 1}, person{10, 0}, person{30, 2}), 10, 30)
	})
	t.Run("a file that grows", func(t *testing.T) {
		c := newCrowd()
		c.want(t, c.row(true, person{10, 0}, person{20, 1}), 10, 20)
		c.want(t, c.row(true, person{20, 0}), -1, 20)                // its #n changed, its column does not
		c.want(t, c.row(true, person{20, 0}, person{30, 1}), 30, 20) // the free one
		c.want(t, c.row(true, person{20, 0}, person{30, 1}, person{10, 2}), 30, 20, 10)
		if got := c.layout.list[2].Path; got != `\\a\People(p#2)\Age` {
			t.Errorf("the new column is %s", got)
		}
		next := c.layout.follower()
		if len(next.list) != 3 {
			t.Errorf("%d columns go on", len(next.list))
		}
		c.row(true, person{20, 0})
		if next := c.layout.follower(); len(next.list) != 1 || next.list[0].Path != `\\a\People(p#1)\Age` {
			t.Errorf("these go on: %+v", next.list)
		}
	})
	t.Run("names that look like an index", func(t *testing.T) {
		c := newCrowd(`\\a\People(adapter #2)\Age`)
		h := c.layout.hosts[0]
		in := &session.Instance{Key: session.InstanceKey{Name: "adapter #2", ID: 7}}
		h.known = append(h.known, h.seriesOf([]*session.Item{{Path: session.PathOf("", people, 0, in), Set: people, Owner: &session.Owner{Key: in.Key}}})[0])
		c.number[7] = 0
		c.want(t, c.row(false, person{7, 0}), 7)
	})
}

// FuzzAdopt: whatever columns a file has, its rows have a value for each.
func FuzzAdopt(f *testing.F) {
	f.Add(`\\a\People(p)\Age`, `\\b\Memory\X`, uint32(1))
	f.Add(`caption`, `\\a\People(p#7)\Age`, uint32(7))
	f.Fuzz(func(t *testing.T, one, two string, n uint32) {
		c := newCrowd(one, two, one)
		for range 3 {
			if got := c.row(n%2 == 0, person{1, n % 100}, person{2, n/2%100 + 100}); len(got) < 3 || len(got) > 5 {
				t.Errorf("%d values", len(got))
			}
		}
	})
}
