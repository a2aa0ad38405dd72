package report

import (
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
)

// Measures are what hosts are compared by: the first few that there are.

// pick says which counters make a measure of a host.
type pick struct {
	objects  string // the first that the host has of these, parted by |
	counters string // parted, too: all of them are added, unless how says otherwise
	how      how
}

type how uint8

const (
	total   how = iota // the instance that stands for all, or the mean of those that count
	highest            // of all instances
	added              // the instance that stands for all, or the sum of those that count
	used               // 100 % less the share that the first counter is of the second
)

// subject is a measure by name.
type subject struct {
	title, note string
	strip       string // its name among the strips; empty: it is none
	stripTop    float64
	stripWord   string
	picks       []pick
	rest        bool          // instead of the one before it, where no host has that
	format      cooker.Format // of those that are chosen
}

var subjects = []subject{
	{title: "Processor time", strip: "processor", stripTop: 100, stripWord: "100 %", picks: []pick{
		{session.ProcessorLimit, "% Processor Time", total},
		{"Processor Information|Processor", "% Processor Time", total},
	}},
	{title: "Memory used", note: "of physical", strip: "memory", stripTop: 100, stripWord: "100 %", picks: []pick{
		{session.MemoryLimit, "Available Bytes|Limit Bytes", used},
		{"Memory", "Available Bytes|Physical Bytes", used},
		{"Memory", "Available MBytes|Physical MBytes", used},
	}},
	{title: "Memory committed", note: "of what can be", strip: "memory", stripTop: 100, stripWord: "100 %", rest: true, picks: []pick{
		{"Memory", "% Committed Bytes In Use", total},
	}},
	{title: "Memory available", rest: true, picks: []pick{
		{"Memory", "Available Bytes", total},
		{"Memory", "Available MBytes", total},
		{"Memory", "Available KBytes", total},
	}},
	{title: "Slowest disk, time of a transfer", strip: "disk", stripTop: 0.05, stripWord: "50 ms", picks: []pick{
		{"PhysicalDisk|LogicalDisk", "Avg. Disk sec/Transfer", highest},
	}},
	{title: "Busiest disk", strip: "disk", stripTop: 100, stripWord: "100 %", rest: true, picks: []pick{
		{"PhysicalDisk|LogicalDisk", "% Disk Time", highest},
	}},
	{title: "Network, sent and received", strip: "network", picks: []pick{
		{"Network Interface|Network Adapter", "Bytes Total/sec", added},
		{"Network Interface|Network Adapter", "Bytes Received/sec|Bytes Sent/sec", added},
	}},
	{title: "Pages input", picks: []pick{{"Memory", "Pages Input/sec", total}}},
	{title: "Pages in and out", rest: true, picks: []pick{{"Memory", "Pages/sec", total}}},
	{title: "Segments sent again", picks: []pick{{"TCPv4", "Segments Retransmitted/sec", total}}},
	{title: "Threads that wait", picks: []pick{{"System", "Processor Queue Length", total}}},
	{title: "Disk, read and written", picks: []pick{{"PhysicalDisk|LogicalDisk", "Disk Bytes/sec", added}}},
	{title: "Context switches", picks: []pick{{"System", "Context Switches/sec", total}}},
}

const mostMeasures = 6

// measured is a measure of a host while it is read.
type measured struct {
	subject int // in Gatherer.measures
	host    *host
	columns []int
	how     how

	parts []part
	strip []part
	all   cooker.Accumulator
	path  string // of the first counter, without computer and instance, folded
}

// part is the values in a part of the time.
type part struct {
	mean

	low, high float64
}

func (p *part) add(v float64) {
	if p.n == 0 {
		p.low, p.high = v, v
	}
	p.low, p.high = min(p.low, v), max(p.high, v)
	p.mean.add(v)
}

const stripCells = 96

// find are the columns that make a measure of a host; none: it has it not.
func (p *pick) find(h *host) (columns []int) {
	t := h.tape
	for object := range strings.SplitSeq(p.objects, "|") {
		columns = nil
		for counter := range strings.SplitSeq(p.counters, "|") {
			var found []int
			for _, s := range h.series {
				if isOf(s.Column, object, counter) {
					found = append(found, s.at)
				}
			}
			if found = p.choose(t, found); len(found) == 0 {
				columns = nil
				break
			}
			columns = append(columns, found...)
		}
		if len(columns) > 0 {
			return columns
		}
	}
	return nil
}

// choose keeps those of the instances that count.
func (p *pick) choose(t *tape, found []int) []int {
	at := func(i int) *session.Instance { return t.Columns[i].Instance }
	if len(found) == 0 || p.how == used {
		return found[:min(len(found), 1)]
	}
	if p.how != highest {
		if i := slices.IndexFunc(found, func(i int) bool { return session.StandsForAll(at(i).Key.Name) }); i >= 0 {
			return found[i : i+1]
		}
	}
	var all session.Combine
	parts := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !all.Includes(at(i)) })
	if len(parts) == 0 {
		return found[:1]
	}
	if p.how != highest {
		parts = session.Addends(parts, at)
	}
	if p.how == added {
		parts = t.Columns[found[0]].Set.Outermost(parts, func(i int) (*session.Instance, cooker.Value) { return at(i), cooker.WholeValue(0) })
	}
	return parts
}

// planMeasures chooses what is compared.
func (g *Gatherer) planMeasures() {
	before := false // the one before was chosen
	for i := range subjects {
		if s := &subjects[i]; len(g.measures) < mostMeasures && (!s.rest || !before) {
			before = g.add(s)
		}
	}
	if len(g.measures) == 0 {
		g.addCommonest()
	}
	for _, t := range g.tapes {
		for _, m := range t.measures {
			m.parts, m.strip = make([]part, g.fitting(measureParts)), make([]part, g.fitting(stripCells))
			m.all = t.series[m.columns[0]].sum.Accumulator // nothing came yet
			c := &t.Columns[m.columns[0]]
			m.path = paths.Fold(c.Set.InEnglish() + `\` + counterOf(c).InEnglish())
			if f := &g.measures[m.subject].format; *f == (cooker.Format{}) {
				*f = t.series[m.columns[0]].format
				if m.how == used {
					*f = percentScale.Format
				}
			}
		}
	}
}

// add makes a measure of each host that has it, if one has.
func (g *Gatherer) add(s *subject) (found bool) {
	for _, h := range g.hosts {
		for _, p := range s.picks {
			if columns := p.find(h); len(columns) > 0 {
				h.tape.measures = append(h.tape.measures, &measured{subject: len(g.measures), host: h, columns: columns, how: p.how})
				found = true
				break
			}
		}
	}
	if found {
		g.measures = append(g.measures, *s)
	}
	return found
}

// addCommonest adds counters that most hosts have, where there is none of those that are
// known.
func (g *Gatherer) addCommonest() {
	type key struct{ object, counter string }
	count := map[key]int{}
	var order []key
	for _, h := range g.hosts {
		seen := map[key]bool{}
		for _, s := range h.series {
			if counterOf(s.Column).Type.IsText() {
				continue
			}
			k := key{s.Set.Name, counterOf(s.Column).Name}
			if count[k] == 0 {
				order = append(order, k)
			}
			if !seen[k] {
				seen[k] = true
				count[k]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return count[b] - count[a] })
	for _, k := range order[:min(len(order), mostMeasures)] {
		g.add(&subject{title: k.counter, note: k.object, picks: []pick{{k.object, k.counter, total}}})
	}
}

// measure takes a row in.
func (g *Gatherer) measure(t *tape, row *logs.Row) {
	for _, m := range t.measures {
		v, ok := m.value(row)
		if !ok {
			continue
		}
		m.all.Add(row.Time, cooker.FloatValue(v), nil, nil)
		for _, parts := range [...][]part{m.parts, m.strip} {
			parts[g.place(row.Time, len(parts))].add(v)
		}
	}
}

// value is the measure in a row.
func (m *measured) value(row *logs.Row) (v float64, ok bool) {
	n := 0
	for k, i := range m.columns {
		f, has := row.Values[i].Float()
		if !has {
			if m.how == used {
				return 0, false
			}
			continue
		}
		n++
		switch m.how {
		case highest:
			if n == 1 || f > v {
				v = f
			}
		case total, added:
			v += f
		case used:
			switch {
			case k == 0:
				v = f
			case f <= 0:
				return 0, false
			default:
				v = 100 * (1 - v/f)
			}
		}
	}
	if m.how == total && n > 1 {
		v /= float64(n)
	}
	return v, n > 0
}

// tell makes the measures and the strips of the report.
func (g *Gatherer) tellMeasures(r *Report, rules []*alert.Rule) {
	of := make([][]*measured, len(g.measures))
	for i := range of {
		of[i] = make([]*measured, len(g.hosts))
	}
	for _, t := range g.tapes {
		for _, m := range t.measures {
			if m.all.Count > 0 {
				of[m.subject][m.host.index] = m
			}
		}
	}
	stripped := map[string]bool{}
	var others []Strip // of what has none usually
	for i := range g.measures {
		s := g.measures[i]
		largest, has, isPlain := math.Inf(-1), false, true
		var path string
		for _, m := range of[i] {
			if m != nil {
				largest, has, path = max(largest, m.max()), true, m.path
				isPlain = isPlain && m.how != used && (m.how != added || len(m.columns) == 1)
			}
		}
		if !has {
			continue
		}
		one := &Measure{Title: s.title, Note: s.note, Scale: scaleFor(s.format, largest)}
		one.Top = one.Scale.top(largest)
		if isPlain { // a counter as it is
			one.Limit = lowest(rules, path)
		}
		for _, m := range of[i] {
			one.Hosts = append(one.Hosts, m.tell())
		}
		r.Measures = append(r.Measures, one)
		if s.strip == "" {
			s.strip = s.title
			others = append(others, g.stripOf(&s, one, of[i]))
		} else if !stripped[s.strip] {
			stripped[s.strip] = true
			r.Strips = append(r.Strips, g.stripOf(&s, one, of[i]))
		}
	}
	if len(r.Strips) == 0 {
		r.Strips = others[:min(len(others), 4)]
	}
	r.MeasurePart = g.length() / time.Duration(g.fitting(measureParts))
}

// lowest is the lowest upper limit that a counter has; nil: none.
func lowest(rules []*alert.Rule, path string) (limit *float64) {
	for _, rule := range rules {
		if w := &rule.When; w.Op == paths.Above && paths.Fold(w.Path.Object+`\`+w.Path.Counter) == path && (limit == nil || w.Limit < *limit) {
			limit = &w.Limit
		}
	}
	return limit
}

func (m *measured) max() float64 {
	f, _ := m.all.Max.Float()
	return f
}

// average is that of the counter, where it is one as it is.
func (m *measured) average() float64 {
	of := &m.all
	if len(m.columns) == 1 && m.how != used {
		of = &m.host.tape.series[m.columns[0]].sum.Accumulator
	}
	f, _ := of.Average().Float()
	return f
}

func (m *measured) tell() MeasureOf {
	if m == nil {
		return MeasureOf{}
	}
	out := MeasureOf{Has: true, Average: m.average(), Max: m.max()}
	for _, p := range m.parts {
		if p.n == 0 {
			p.low, p.high = math.NaN(), math.NaN()
		}
		out.Low, out.High, out.Mean = append(out.Low, p.low), append(out.High, p.high), append(out.Mean, valueOf(p.mean))
	}
	return out
}

// stripOf makes the cells of a strip. One with under half of its samples is empty.
func (g *Gatherer) stripOf(s *subject, one *Measure, of []*measured) Strip {
	out := Strip{Title: s.strip, Top: s.stripTop, Word: s.stripWord}
	if out.Top == 0 {
		out.Top = one.Top
		out.Word = one.Scale.limit(one.Top)
	}
	for _, m := range of {
		cells := make([]float64, g.fitting(stripCells))
		for i := range cells {
			cells[i] = math.NaN()
		}
		if m != nil {
			for i, c := range m.strip {
				expected, length := 1.0, g.length()/time.Duration(len(cells))
				if every := m.host.tape.Every(g.begin.Add(time.Duration(i) * length)); every > 0 {
					expected = float64(length) / float64(every)
				}
				if c.n > 0 && float64(c.n) >= math.Floor(expected/2) {
					cells[i] = c.high
				}
			}
		}
		out.Cells = append(out.Cells, cells)
	}
	return out
}
