package logs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files"
)

// prom writes the Prometheus text exposition format. A file is replaced with each
// beat, as a textfile collector expects, which takes no timestamps. On the screen a
// single beat is the same; several are one exposition with timestamps: of a number of
// beats at their end, since lines of a metric stand together, without an end as they
// come, each metric announced once. A text is the label of a metric that is 1, named
// _info by custom. What has no value is left out.
type prom struct {
	outlet

	// names are the metrics' names; two counters whose names differ in signs
	// alone are told apart by a number.
	names map[promCounter]string
	used  map[string]bool

	order    []*promFamily // as they came
	families map[string]*promFamily
}

type promCounter struct{ object, counter string }

// promFamily is what is to be written of a metric.
type promFamily struct {
	head   []byte // its comments, until they are written
	order  []*promSeries
	series map[string]*promSeries
}

// promSeries are lines of the same name and labels.
type promSeries struct {
	start  string   // name and labels
	points [][]byte // value and timestamp
}

func printProm(o outlet) beatWriter {
	return &prom{outlet: o, names: map[promCounter]string{}, used: map[string]bool{}, families: map[string]*promFamily{}}
}

func (p *prom) write(r *Beat) error {
	for i := range r.Samples {
		for _, c := range r.Samples[i].Cells {
			if c.Value.Valid() {
				p.add(c, r.Samples[i].Time)
			}
		}
	}
	switch {
	case p.file != "":
		return files.Write(p.file, p.exposition(), 0o644, false)
	case p.Beats > 1:
		return nil
	}
	_, err := p.w.Write(p.exposition())
	return err
}

func (p *prom) close() error {
	if p.file != "" || p.Beats <= 1 {
		return nil
	}
	_, err := p.w.Write(p.exposition())
	return err
}

// add puts a value to those of its metric.
func (p *prom) add(c Cell, at time.Time) {
	name := p.name(c.Series)
	f := p.families[name]
	if f == nil {
		f = &promFamily{series: map[string]*promSeries{}}
		if help := c.Counter.Description; help != "" {
			f.head = fmt.Appendf(f.head, "# HELP %s %s\n", name, escapeHelp.Replace(session.Printable(help)))
		}
		f.head = fmt.Appendf(f.head, "# TYPE %s gauge\n", name)
		p.families[name] = f
		p.order = append(p.order, f)
	}
	start := appendLabels([]byte(name), c.Series)
	text, isText := c.Value.Text()
	if isText {
		start = fmt.Appendf(start, `,text="%s"`, label(text))
	}
	one := f.series[string(start)]
	if one == nil {
		one = &promSeries{start: string(start)}
		f.series[one.start] = one
		f.order = append(f.order, one)
	}
	point := []byte("1")
	if !isText {
		point = cooker.AppendMachine(nil, c.Value)
	}
	if p.file == "" && p.Beats != 1 {
		point = strconv.AppendInt(append(point, ' '), at.UnixMilli(), 10)
	}
	one.points = append(one.points, point)
}

// exposition is what was added since the last: by metric, then by series.
func (p *prom) exposition() []byte {
	var out []byte
	for _, f := range p.order {
		out, f.head = append(out, f.head...), nil
		for _, one := range f.order {
			for _, point := range one.points {
				out = fmt.Appendf(out, "%s} %s\n", one.start, point)
			}
		}
		f.order = nil
		clear(f.series)
	}
	if p.file != "" { // the next replaces it, comments and all
		clear(p.families)
		p.order = nil
	}
	return out
}

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// label is a name as the value of a label. What cannot be printed is escaped in it,
// not replaced: two series of the same labels would spoil the whole exposition.
func label(name string) string {
	return escapeLabel.Replace(string(session.EscapeJSON([]byte(name))))
}

// appendLabels writes where the value comes from, without the closing brace. The labels job and instance
// are left to Prometheus.
func appendLabels(b []byte, s *Series) []byte {
	b = fmt.Appendf(b, `{host="%s"`, label(s.Host))
	if s.Set.Instances.Multiple() {
		if s.Key.Parent != "" {
			b = fmt.Appendf(b, `,parent="%s"`, label(s.Key.Parent))
		}
		b = fmt.Appendf(b, `,name="%s"`, label(s.Key.Name))
		if s.Index > 0 {
			b = fmt.Appendf(b, `,index="%d"`, s.Index)
		}
	}
	return b
}

// name is the name of the metric of a counter.
func (p *prom) name(s *Series) string {
	key := promCounter{s.Set.Name, s.Counter.Name}
	if name, ok := p.names[key]; ok {
		return name
	}
	name := promName(s.Set.Name, s.Counter.Name)
	if s.Counter.Type.IsText() {
		name += "_info"
	}
	for n, plain := 2, name; p.used[name]; n++ {
		name = fmt.Sprintf("%s_%d", plain, n)
	}
	p.names[key], p.used[name] = name, true
	return name
}

var promWords = strings.NewReplacer("/sec", " per second ", "%", " percent ", "#", " number ", "&", " and ")

// promName makes the name of a metric: perfdeck, object and counter in lower
// case, with signs as words or underscores.
func promName(object, counter string) string {
	var b strings.Builder
	b.WriteString("perfdeck")
	gap := true
	for _, r := range strings.ToLower(promWords.Replace(object + " " + counter)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
			continue
		}
		gap = true
	}
	return b.String()
}
