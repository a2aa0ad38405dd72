package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
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
		l, _, err := h.list(ctx, s.Hosts[i].kinds(), everything)
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
	host *Host

	wants   []wanted
	metrics string // joined by |
	batch   session.SetBatch

	// Of a part: its series, what they had, and, while a moment is told, that by want.
	series  []pastSeries
	points  []pastPoint
	samples [][]heard // by part
}

// pastSeries is a series with those of the wants that it says something of.
type pastSeries struct {
	labels query.Labels
	part   int // of the host
	wants  []int
}

// pastPoint is a sample of a series.
type pastPoint struct {
	at     int64
	value  float64
	series int
}

// add takes the samples of a series that are later than a moment, and tells how many there are.
func (p *past) add(s query.Series, part int, after int64) (n int) {
	wants := p.wantsOf(s.Labels, p.host.parts[part].kinds)
	for _, one := range s.Points {
		if one.At <= after || math.IsNaN(one.Value) { // its beginning was in the part before
			continue
		}
		n++
		if len(wants) > 0 {
			p.points = append(p.points, pastPoint{one.At, one.Value, len(p.series)})
		}
	}
	if n > 0 && len(wants) > 0 {
		p.series = append(p.series, pastSeries{slices.Clone(s.Labels), part, wants})
	}
	return n
}

// wantsOf are the wants that a series says something of. Clocks are those of one counterset.
func (p *past) wantsOf(l query.Labels, of kinds) (out []int) {
	metric := l.Get(query.NameLabel)
	clock := metric == clockTicks || metric == clockHertz
	for i := range p.wants {
		w := &p.wants[i]
		if clock && paths.EqualFold(l.Get(prom.SetLabel), w.Set.Name) || slices.ContainsFunc(w.index.byMetric[metric], func(m *meaning) bool {
			return m.set == w.Set.Name && m.isOf(of) && m.matches(l)
		}) {
			out = append(out, i)
		}
	}
	return out
}

// deal deals the samples of a moment out to the wants.
func (p *past) deal(points []pastPoint) {
	for _, parts := range p.samples {
		for i := range parts {
			parts[i].samples = parts[i].samples[:0]
		}
	}
	for _, one := range points {
		s := &p.series[one.series]
		for _, i := range s.wants {
			of := &p.samples[i][s.part]
			of.samples = append(of.samples, sample{labels: s.labels, at: one.at, value: one.value})
		}
	}
}

func newPast(host *Host, l *list, sets []string) *past {
	p := &past{host: host}
	var metrics []string
	for _, set := range l.catalogue.Sets {
		if !paths.ContainsFold(sets, set.Name) {
			continue
		}
		w := session.Want{Set: set}
		for i := range set.Counters {
			if set.Counters[i].Absent == "" {
				w.Counters = append(w.Counters, i)
			}
		}
		one := l.wanted(w)
		p.wants, metrics = append(p.wants, one), append(metrics, one.metrics...)
	}
	slices.Sort(metrics)
	p.metrics = strings.Join(slices.Compact(metrics), "|")
	p.samples = make([][]heard, len(p.wants))
	for i := range p.samples {
		for _, part := range host.parts {
			p.samples[i] = append(p.samples[i], heard{kinds: part.kinds})
		}
	}
	return p
}

// chunk reads the samples of a part, those of hosts with the same metrics together.
func (h *Hub) chunk(ctx context.Context, hosts []*past, from, to time.Time) (points int, err error) {
	type together struct{ label, metrics string }
	type member struct {
		of   *past
		part int
	}
	groups := map[together][]member{}
	for _, p := range hosts {
		p.series, p.points = p.series[:0], p.points[:0]
		if p.metrics == "" {
			continue
		}
		for i, part := range p.host.parts {
			key := together{part.label.Name, p.metrics}
			groups[key] = append(groups[key], member{p, i})
		}
	}
	for key, members := range groups {
		for some := range slices.Chunk(members, mostNamed) {
			byValue := map[string]member{}
			names := make([]string, len(some))
			for i, m := range some {
				names[i] = m.of.host.parts[m.part].label.Value
				byValue[names[i]] = m
			}
			selector := "{" + metricsMatcher(key.metrics) + "," + hostsMatcher(key.label, names) + "}" + window(to.Sub(from))
			_, err := h.engine.Instant(ctx, selector, to, func(s query.Series) error {
				if m, ok := byValue[s.Labels.Get(key.label)]; ok {
					points += m.of.add(s, m.part, from.UnixMilli())
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

// tell gives the samples of a part in the order of time.
func tell(hosts []*past, each func(string, *session.SetBatch) error) error {
	type moment struct {
		at     int64
		of     *past
		points []pastPoint
	}
	var moments []moment
	for _, p := range hosts {
		slices.SortFunc(p.points, func(a, b pastPoint) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.series, b.series))
		})
		for i := 0; i < len(p.points); {
			j := i + 1
			for j < len(p.points) && p.points[j].at == p.points[i].at {
				j++
			}
			moments = append(moments, moment{p.points[i].at, p, p.points[i:j]})
			i = j
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	for _, m := range moments {
		m.of.deal(m.points)
		for i := range m.of.wants {
			w := &m.of.wants[i]
			if newest, _ := w.seek(m.of.samples[i]); newest == 0 {
				continue
			}
			m.of.batch.Reset(&w.Want)
			w.fill(&m.of.batch, m.of.samples[i], m.at, false)
			if err := each(m.of.host.Name, &m.of.batch); err != nil {
				return err
			}
		}
	}
	return nil
}
