package printed

import (
	"time"

	"perfdeck/session"
	prometheus "perfdeck/session/engine/prom"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/osfile"
)

// prom writes the Prometheus text exposition format, under the names of the package of
// that name. A file is replaced with each beat, as a textfile collector expects, which
// takes no timestamps. On the screen a single beat is the same; several are one exposition
// with timestamps: of a number of beats at their end, since lines of a metric stand
// together, without an end as they come, each metric announced once. A text is the label
// of a metric that is 1, named _info by custom. What has no value is left out.
type prom struct {
	logs.Outlet

	names map[*session.Counterset][]prometheus.Names
	out   prometheus.Exposition
}

// Prom writes text for Prometheus.
func Prom(o logs.Outlet) logs.BeatWriter {
	return &prom{Outlet: o, names: map[*session.Counterset][]prometheus.Names{}}
}

func (p *prom) Write(r *logs.Beat) error {
	for i := range r.Samples {
		for _, c := range r.Samples[i].Cells {
			if c.Value.Valid() {
				p.add(c, r.Samples[i].Time)
			}
		}
	}
	switch {
	case p.File != "":
		return osfile.Save(p.File, p.exposition(), true)
	case p.Beats > 1:
		return nil
	}
	_, err := p.W.Write(p.exposition())
	return err
}

func (p *prom) Close() error {
	if p.File != "" || p.Beats <= 1 {
		return nil
	}
	_, err := p.W.Write(p.exposition())
	return err
}

// add puts a value to those of its metric.
func (p *prom) add(c logs.Cell, at time.Time) {
	n := p.namesOf(c.Named)
	var in *session.Instance
	if c.Set.Instances.Multiple() {
		in = &session.Instance{Key: c.Key, Index: c.Index, Number: c.Number}
	}
	stamp := int64(0)
	if p.File == "" && p.Beats != 1 {
		stamp = at.UnixMilli()
	}
	p.out.AddCooked(n, n.AppendLabels(nil, c.Host, in), c.Value, stamp)
}

// namesOf are the metrics of a counter.
func (p *prom) namesOf(s *logs.Named) *prometheus.Names {
	names, ok := p.names[s.Set]
	if !ok {
		names = prometheus.NamesOf(s.Set)
		p.names[s.Set] = names
	}
	i, _ := s.Set.Counter(s.Counter.Name)
	return &names[i]
}

// exposition is what was added since the last.
func (p *prom) exposition() []byte {
	out := p.out.Append(nil)
	if p.File != "" { // the next replaces it, comments and all
		p.out.Reset()
	}
	return out
}
