package logs

import (
	"fmt"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files"
)

// prom writes the Prometheus text exposition format. On the screen one
// exposition follows the other; a file is replaced with each sample, as a
// textfile collector expects. A text is the label of a metric that is 1, named _info by custom. What has no
// value is left out.
type prom struct {
	outlet

	// names are the metrics' names; two counters whose names differ in signs
	// alone are told apart by a number.
	names map[promCounter]string
	used  map[string]bool
}

type promCounter struct{ object, counter string }

func printProm(o outlet) beatWriter {
	return &prom{outlet: o, names: map[promCounter]string{}, used: map[string]bool{}}
}

func (p *prom) write(r *Beat) error {
	text := p.exposition(r)
	if p.file != "" {
		return files.Write(p.file, text, 0o644, false)
	}
	_, err := p.w.Write(text)
	return err
}

// exposition groups the values of a row by metric.
func (p *prom) exposition(r *Beat) []byte {
	var order []string
	families := map[string][]byte{}
	for _, s := range r.Samples {
		for _, c := range s.Cells {
			if !c.Value.Valid() {
				continue
			}
			name := p.name(c.Series)
			b := families[name]
			if b == nil {
				order = append(order, name)
				if help := c.Counter.Description; help != "" {
					b = fmt.Appendf(b, "# HELP %s %s\n", name, escapeHelp.Replace(session.Printable(help)))
				}
				b = fmt.Appendf(b, "# TYPE %s gauge\n", name)
			}
			b = appendLabels(append(b, name...), c.Series)
			if text, isText := c.Value.Text(); isText {
				b = fmt.Appendf(b, `,text="%s"} 1`, label(text))
			} else {
				b = cooker.AppendMachine(append(b, "} "...), c.Value)
			}
			b = append(b, '\n')
			families[name] = b
		}
	}
	var out []byte
	for _, name := range order {
		out = append(out, families[name]...)
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
