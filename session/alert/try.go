package alert

import (
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Past is the history of one value, and when its samples were.
type Past struct {
	session.Timeline
	session.Series
}

// Number is that at Nanos[i], NaN where there is none.
func (p *Past) Number(i int) float64 { return p.Series.At(p.Timeline.First + uint64(i)) }

// History is a host with the histories that its newest snapshot keeps.
type History struct {
	*session.Snapshot

	Catalogue *session.Catalogue
}

// mostTried bounds the instances whose histories Try judges: forms try with every key.
const mostTried = 256

// Try judges a rule over what is kept of hosts, as a Backtest judges it over a recording that
// has these moments and values.
func Try(r Rule, o BacktestOptions, hosts []History) Outcome {
	r.Disabled = false
	o.Rules = []Rule{r}
	b := NewBacktest(o)
	room := mostTried
	tapes := make([]*tape, len(hosts))
	for i := range hosts {
		tapes[i] = hosts[i].tapeOf(&r, &room)
		b.Ask(hosts[i].recorded())
	}
	for {
		var next *tape
		for _, t := range tapes {
			if t.next < t.Timeline.Next() && (next == nil || t.time().Before(next.time())) {
				next = t
			}
		}
		if next == nil {
			return b.Outcomes()[0]
		}
		if s := next.take(); next.begun {
			b.Observe(next.Host, s)
		}
	}
}

// recorded is the host as one of a recording.
func (k *History) recorded() Recorded {
	return Recorded{Name: k.Host, Catalogue: k.Catalogue, Last: k.Timeline.At(k.Timeline.Next() - 1), Every: k.Timeline.Every}
}

// tape is what is kept of a host, moment by moment.
type tape struct {
	*History

	sets  []*historySet
	next  uint64 // sample
	begun bool   // something was there
	out   session.Snapshot
}

// historySet is what is kept of a counterset.
type historySet struct {
	rows    []session.Row
	series  []session.Series // row by row, a column each
	combine []session.Combine
	members []int
	view    session.SetView
}

// tapeOf is what is kept of what a rule follows: the rows that it means, or those that make the
// one that it means.
func (k *History) tapeOf(r *Rule, room *int) *tape {
	t := &tape{History: k, next: k.Timeline.First}
	found, _ := r.Meanings(k.Catalogue) // the backtest tells why nothing is meant
	for i := range found {
		m := &found[i]
		now := k.Set(m.Set)
		if now == nil {
			continue
		}
		s := &historySet{view: session.SetView{Set: m.Set, Counters: m.Ask().Counters}}
		var rows []int
		made := m.Combination()
		if made != nil && slices.ContainsFunc(now.Rows, func(r session.Row) bool { return r.Flags&session.FlagCombined == 0 && made.Makes(&r.Instance) }) {
			made = nil // the host has it
		}
		if made != nil {
			if rows = made.Members(now, nil); len(rows) > *room {
				continue // what some of them make is none of what is judged
			}
			s.combine = []session.Combine{*made}
		} else {
			for row := range now.Rows {
				if m.Includes(&now.Rows[row].Instance) {
					rows = append(rows, row)
				}
			}
		}
		for _, row := range rows {
			if *room > 0 && s.add(now, row, made != nil) {
				*room--
			}
		}
		t.sets = append(t.sets, s)
	}
	return t
}

// add adds a row of which something is kept, or any.
func (s *historySet) add(now *session.SetView, row int, anyway bool) (added bool) {
	first := len(s.series)
	for _, c := range s.view.Counters {
		one := now.Series(row, now.Column(c))
		s.series, anyway = append(s.series, one), anyway || len(one.Values) > 0
	}
	if !anyway {
		s.series = s.series[:first]
		return false
	}
	s.rows = append(s.rows, now.Rows[row])
	s.rows[len(s.rows)-1].Gone = false
	return true
}

func (t *tape) time() time.Time { return t.Timeline.At(t.next) }

// take is the host at the next moment, until the next call.
func (t *tape) take() *session.Snapshot {
	t.out = session.Snapshot{Host: t.Host, Time: t.time(), Sets: t.out.Sets[:0]}
	for _, s := range t.sets {
		t.out.Sets = append(t.out.Sets, s.at(t.next, t.out.Time))
		t.begun = t.begun || len(s.view.Rows) > 0
	}
	t.next++
	return &t.out
}

// at is the counterset at a sample: with the rows that had begun, and not ended.
func (s *historySet) at(n uint64, at time.Time) *session.SetView {
	o, w := &s.view, len(s.view.Counters)
	o.Time, o.Rows, o.Values = at, o.Rows[:0], o.Values[:0]
	for i, row := range s.rows {
		there := false
		for j := i * w; j < (i+1)*w; j++ {
			one := &s.series[j]
			value := cooker.Absent(cooker.Gap)
			if f := one.At(n); f == f {
				value = cooker.FloatValue(f)
			}
			o.Values = append(o.Values, value)
			there = there || n >= one.First && n < one.First+uint64(len(one.Values))
		}
		if !there {
			o.Values = o.Values[:len(o.Rows)*w]
			continue
		}
		o.Rows = append(o.Rows, row)
	}
	for i := range s.combine {
		c := &s.combine[i]
		if s.members = c.Members(o, s.members); len(s.members) < len(s.rows) {
			continue
		}
		o.Rows = append(o.Rows, session.Row{Instance: c.Instance()})
		for col, counter := range o.Counters {
			o.Values = append(o.Values, c.Value(o, s.members, col, counter))
		}
	}
	return o
}
