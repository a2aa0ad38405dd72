package reporting

import (
	"context"
	"math"
	"time"

	"perfdeck/session"
	"perfdeck/session/analysis/history"
	"perfdeck/session/analysis/report"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
)

// Live is what is kept of hosts, to be reported of as a recording is.
type Live struct {
	*history.Histories

	memory logs.Memory
	of     []int // of each column its series
	number []float32
}

// rowID tells rows of all hosts apart, those that ended, too.
type rowID struct {
	host  int
	set   *session.Counterset
	key   session.InstanceKey
	since time.Time
	ended bool
}

// NewLive takes along what is kept of hosts, the IDs of their processes, too.
func NewLive(hosts []history.Host) *Live {
	k := &Live{Histories: history.Of(hosts, func(s *history.Series) bool { return s.Row.Flags&session.FlagCombined == 0 })}
	taken, places := map[string]rowID{}, map[rowID]uint32{}
	add := func(i int, path string, c logs.Column, number float64) {
		c.Path, c.TypeKnown = path, true
		k.memory.Columns, k.of, k.number = append(k.memory.Columns, c), append(k.of, i), append(k.number, float32(number))
	}
	for i := range k.List {
		s := &k.List[i]
		id := rowID{s.Host, s.Set, s.Row.Key, s.Row.Since, s.IsEnded}
		in, host := s.Row.Instance, hosts[s.Host].Name
		at, known := places[id]
		path := func(counter string) string {
			p := session.PathOf(host, s.Set, s.Counter, &in)
			p.Counter = counter
			return p.String()
		}
		if !known { // one that ended had the place of another, perhaps
			for at = in.Index; ; at++ {
				in.Index = at
				if _, is := taken[path("")]; !is {
					break
				}
			}
			taken[path("")], places[id] = id, at
		}
		in.Index = at
		c := &s.Set.Counters[s.Counter]
		add(i, path(c.Name), logs.Column{Type: c.Type, DefaultScale: c.DefaultScale, Attributes: c.Attributes}, math.NaN())
		if n := s.Set.NumberCounter(); !known && n >= 0 && n != s.Counter && in.Number != 0 {
			add(i, path(s.Set.Counters[n].Name), logs.Column{Type: s.Set.Counters[n].Type}, float64(in.Number))
		}
	}
	return k
}

// Report makes the report of it, by rules.
func (k *Live) Report(ctx context.Context, o report.Options, rules report.Judging) (*report.Report, error) {
	m := k.memory
	err := k.Read(ctx, session.Later(k.First, o.Begin), k.Last.Add(1), func(at time.Time, values []float64) {
		m.Times = append(m.Times, at)
		for i, of := range k.of {
			v := float32(values[of])
			if n := k.number[i]; v == v && n == n {
				v = n
			}
			m.Values = append(m.Values, v)
		}
	}, func(float64) {})
	if err != nil {
		return nil, err
	}
	if len(m.Times) == 0 {
		return nil, errNoSamples
	}
	open := func(string) (logs.Reader, error) { return m.Open(ctx), nil }
	player, err := replay.Open([]string{"kept"}, replay.Options{Guard: rules.Guard, Open: open, Unwritten: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = player.Close() }()
	return report.Make(ctx, player, o, rules, func(float64) {})
}
