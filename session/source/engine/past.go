package engine

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/query"
)

// Span is what is read of the past.
type Span struct {
	From, To time.Time
	Hosts    []Host
	Sets     []string // countersets; those that hosts do not have are passed over
}

// A chunk is asked for at once: the first is short, to see how much there is.
const (
	firstChunk  = 2 * time.Minute
	longChunk   = 6 * time.Hour
	chunkPoints = 400_000 // that it is to have, about
)

// Past reads what hosts had in a span, in the order of time: each gets a host and the raw
// readings of a counterset at one moment, which are only valid during the call. It tells how
// far it came before each part.
func (h *Hub) Past(ctx context.Context, s Span, each func(host string, b *session.SetBatch) error, tick func(at time.Time)) error {
	hosts := make([]*past, len(s.Hosts))
	for i := range s.Hosts {
		l, err := h.listOf(ctx, s.Hosts[i].kinds())
		if err != nil {
			return err
		}
		hosts[i] = newPast(&s.Hosts[i], l, s.Sets)
	}
	chunk := firstChunk
	for from := s.From; from.Before(s.To); {
		to := from.Add(chunk)
		if to.After(s.To) {
			to = s.To
		}
		tick(from)
		points, err := h.chunk(ctx, hosts, from, to)
		if err != nil {
			return err
		}
		if err := tell(hosts, each); err != nil {
			return err
		}
		from = to
		switch {
		case points > chunkPoints*2:
			chunk = max(chunk/2, time.Second)
		case points < chunkPoints/2:
			chunk = min(chunk*2, longChunk)
		}
	}
	return nil
}

// past is a host while its past is read.
type past struct {
	host    *Host
	list    *list
	wants   []wanted
	metrics []string
	samples []pastSample
	heard   []heard // of a moment
	batch   session.SetBatch
}

// at are samples of a moment, by what gave them.
func (p *past) at(from, to int) []heard {
	p.heard = p.heard[:0]
	for _, s := range p.samples[from:to] {
		i := slices.IndexFunc(p.heard, func(h heard) bool { return h.kinds == s.of })
		if i < 0 {
			i = len(p.heard)
			p.heard = append(p.heard, heard{kinds: s.of})
		}
		p.heard[i].samples = append(p.heard[i].samples, s.sample)
	}
	return p.heard
}

func newPast(host *Host, l *list, sets []string) *past {
	p := &past{host: host, list: l}
	all := map[string]bool{}
	for _, set := range l.catalogue.Sets {
		if !slices.ContainsFunc(sets, func(name string) bool { return paths.EqualFold(name, set.Name) }) {
			continue
		}
		w := session.Want{Set: set}
		for i := range set.Counters {
			if set.Counters[i].Absent == "" {
				w.Counters = append(w.Counters, i)
			}
		}
		for _, name := range l.metricsOf(set, w.Counters) {
			all[name] = true
		}
		p.wants = append(p.wants, newWanted(w))
	}
	p.metrics = slices.Sorted(maps.Keys(all))
	return p
}

// chunk reads the samples of a part, those of hosts with the same metrics together.
func (h *Hub) chunk(ctx context.Context, hosts []*past, from, to time.Time) (points int, err error) {
	type together struct{ label, metrics string }
	type member struct {
		of *past
		part
	}
	groups := map[together][]member{}
	for _, p := range hosts {
		p.samples = p.samples[:0]
		if len(p.metrics) == 0 {
			continue
		}
		for _, part := range p.host.parts {
			key := together{part.label.Name, strings.Join(p.metrics, "|")}
			groups[key] = append(groups[key], member{p, part})
		}
	}
	for key, members := range groups {
		for some := range slices.Chunk(members, mostNamed) {
			byValue := map[string]member{}
			names := make([]string, len(some))
			for i, m := range some {
				names[i], byValue[m.label.Value] = m.label.Value, m
			}
			selector := "{" + metricsMatcher(key.metrics) + "," + hostsMatcher(key.label, names) + "}" + window(to.Sub(from))
			_, err := h.engine.Instant(ctx, selector, to, func(s query.Series) error {
				if m, ok := byValue[s.Labels.Get(key.label)]; ok {
					points += m.of.add(s, m.kinds, from)
				}
				return nil
			})
			if err != nil {
				return points, err
			}
		}
	}
	return points, nil
}

// pastSample is one of a past, and of which part it is.
type pastSample struct {
	sample

	of kinds
}

// add adds what a series had since a moment.
func (p *past) add(s query.Series, of kinds, from time.Time) (points int) {
	labels := slices.Clone(s.Labels)
	for _, one := range s.Points {
		if one.At <= from.UnixMilli() || math.IsNaN(one.Value) { // its beginning was in the part before
			continue
		}
		points++
		p.samples = append(p.samples, pastSample{sample{labels: labels, at: one.At, value: one.Value}, of})
	}
	return points
}

// tell gives the samples of a part in the order of time.
func tell(hosts []*past, each func(string, *session.SetBatch) error) error {
	type moment struct {
		at   int64
		of   *past
		from int // in its samples
		to   int
	}
	var moments []moment
	for _, p := range hosts {
		slices.SortStableFunc(p.samples, func(a, b pastSample) int { return cmp.Compare(a.at, b.at) })
		for i := 0; i < len(p.samples); {
			j := i + 1
			for j < len(p.samples) && p.samples[j].at == p.samples[i].at {
				j++
			}
			moments = append(moments, moment{p.samples[i].at, p, i, j})
			i = j
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	for _, m := range moments {
		parts := m.of.at(m.from, m.to)
		for i := range m.of.wants {
			w := &m.of.wants[i]
			m.of.batch.Reset(&w.Want)
			if newest, _ := w.seek(parts, &m.of.list.index); newest == 0 {
				continue
			}
			w.fill(&m.of.batch, parts, m.at, &m.of.list.index, false)
			if err := each(m.of.host.Name, &m.of.batch); err != nil {
				return err
			}
		}
	}
	return nil
}
