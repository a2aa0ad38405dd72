package fleet

import (
	"math"
	"slices"

	"perfdeck/cooker"
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/pane"
)

// fields are what hosts can be asked for. Numbers without a unit are in the
// smallest of their column.
func (s *Screen) fields() *filter.Fields[*line] {
	fs := &filter.Fields[*line]{
		List: []filter.Field[*line]{
			{Name: "host", Also: []string{"name"}, Texts: filter.One(func(l *line) string { return l.name })},
			{Name: "site", Texts: filter.One(siteOf), Example: "site:fra"},
			{Name: "group", Texts: func(l *line, fits func(string) bool) bool { return slices.ContainsFunc(l.host.Groups, fits) }},
			{Name: "state", Texts: func(l *line, fits func(string) bool) bool { return slices.ContainsFunc(s.words(l), fits) }, Example: "state:stale"},
			{Name: "latency", Quantity: cooker.Quantity{Kind: cooker.Seconds}, Unit: 1e-3, Number: func(l *line) filter.Number {
				return pane.LatencyNumber(l.state.Latency)
			}},
			{Name: "missed", Number: func(l *line) filter.Number { return filter.Number{Value: float64(l.state.Missed)} }},
		},
		Plain: func(l *line, fits func(string) bool) bool {
			return fits(l.name) || slices.ContainsFunc(l.host.Groups, fits)
		},
	}
	for i := range measures {
		fs.List = append(fs.List, measures[i].field(i))
	}
	return fs
}

func (m *measure) field(at int) filter.Field[*line] {
	f := filter.Field[*line]{Name: m.name, Quantity: cooker.Quantity{Kind: m.kind}, Unit: m.unit}
	if at == cpu {
		f.Example = "cpu>80"
	}
	step := m.unit * math.Pow10(-m.decimals)
	f.Number = func(l *line) filter.Number {
		v, ok := l.values[at].Float()
		if !ok {
			return filter.NoNumber
		}
		return filter.Number{Value: v, Step: step}
	}
	return f
}

func siteOf(l *line) string {
	if len(l.host.Groups) == 0 {
		return noGroup
	}
	return l.host.Groups[0]
}

// words are all that can be said of the state of a host in a filter.
func (s *Screen) words(l *line) []string {
	out := []string{l.standing.String()}
	if l.standing.Condition > pane.Expected || l.alert > pane.Info {
		out = append(out, "trouble")
	}
	if l.alert > pane.Info {
		out = append(out, "alert", l.alert.String())
	}
	if s.IsMarked(l.host) {
		out = append(out, "marked")
	}
	return out
}
