package feed

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// schema finds counters by what lines call them. It does not change while lines come.
type schema struct {
	tables  []*table
	metrics map[string]paths.Path
}

// name has the table found by what lines may call it and its columns.
func (t *table) name() {
	for words := strings.Fields(t.set.Name); len(words) > 0; words = words[1:] {
		t.called = append(t.called, bare(strings.Join(words, "")))
	}
	for i := range t.set.Counters {
		name := t.set.Counters[i].Name
		if name == "" {
			continue
		}
		t.call(bare(name), i)
		if rate, isRate := strings.CutSuffix(strings.ToLower(name), "/sec"); isRate {
			t.call(bare(rate), i)
		}
	}
}

// call gives a column a name, or nobody if another has it.
func (t *table) call(name string, column int) {
	if at, taken := t.similar[name]; taken && at != column {
		column = -1
	}
	t.similar[name] = column
}

// bare is the letters and digits of a name, in small letters.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x80, 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// counter finds a column by a counter's name, or by its letters and digits.
func (t *table) counter(name string) (column int, err error) {
	if at, ok := t.set.Counter(name); ok && name != "" {
		return at, nil
	}
	if at, ok := t.similar[bare(name)]; ok && at >= 0 {
		return at, nil
	}
	return -1, fmt.Errorf("the counterset %q has no counter %q", t.set.Name, name)
}

// table finds a counterset by its name or GUID; a manifest's only one need not be named.
func (m *schema) table(name string) (*table, error) {
	if name == "" {
		if len(m.tables) == 1 {
			return m.tables[0], nil
		}
		return nil, fmt.Errorf("no %q: there are %d countersets", keySet, len(m.tables))
	}
	for _, t := range m.tables {
		if paths.EqualFold(t.set.Name, name) || strings.EqualFold(t.set.GUID, name) {
			return t, nil
		}
	}
	return nil, fmt.Errorf("the manifest has no counterset %q", name)
}

// sample reads a line of Prometheus' text format. What no counter is named after tells
// nothing: programs publish more than a manifest declares.
func (m *schema) sample(line []byte) (entry, error) {
	s, err := parseSample(string(line))
	if err != nil {
		return entry{}, err
	}
	p, mapped := m.metrics[s.name]
	var t *table
	var column int
	if mapped {
		if t, err = m.table(p.Object); err == nil {
			column, err = t.counter(p.Counter)
		}
	} else {
		t, column = m.metric(s.name)
	}
	if t == nil || err != nil {
		return entry{}, err
	}
	e := entry{table: t}
	if t.set.Instances.Multiple() {
		e.name = s.instance(p)
	}
	if err := e.checkName(); err != nil {
		return entry{}, err
	}
	if math.IsNaN(s.value) { // it has none now
		e.values = []reading{{column: column}}
		return e, nil
	}
	if err := e.float(column, e.table.raw(column, &s)); err != nil {
		return entry{}, fmt.Errorf("%s: %w", s.name, err)
	}
	return e, nil
}

// metric finds the counter that a metric is named after: COUNTER or SET_COUNTER in
// letters and digits, with the endings that Prometheus' names have by custom or without.
func (m *schema) metric(name string) (*table, int) {
	for _, form := range metricForms(name) {
		t, at := m.called(form.name)
		if t != nil && form.ofBase {
			at = t.columns[at].base
		}
		if t != nil && at >= 0 {
			return t, at
		}
	}
	return nil, -1
}

// called finds the counter of a name in letters and digits: with that of its counterset
// before it, or alone, if one counterset has such a counter.
func (m *schema) called(name string) (found *table, column int) {
	for _, t := range m.tables {
		for _, set := range t.called {
			if rest, ours := strings.CutPrefix(name, set); ours {
				if at, ok := t.similar[rest]; ok && at >= 0 {
					return t, at
				}
			}
		}
	}
	for _, t := range m.tables {
		if at, ok := t.similar[name]; ok && at >= 0 {
			if found != nil {
				return nil, -1
			}
			found, column = t, at
		}
	}
	return found, column
}

type metricForm struct {
	name   string
	ofBase bool // what is found has it as its base
}

// metricForms are what of a metric's name may be that of a counter, the whole first.
func metricForms(name string) []metricForm {
	stem, ofBase := strings.CutSuffix(name, "_count")
	if !ofBase {
		for _, ending := range []string{"_total", "_sum"} {
			if cut, has := strings.CutSuffix(name, ending); has {
				stem = cut
			}
		}
	}
	forms := []metricForm{{bare(name), false}, {bare(stem), ofBase}}
	for _, unit := range []string{"_seconds", "_bytes", "_ratio"} { // by custom
		if bareStem, has := strings.CutSuffix(stem, unit); has {
			forms = append(forms, metricForm{bare(bareStem), ofBase})
		}
	}
	return forms
}

// unlabelled is the instance of samples without labels where there are instances.
const unlabelled = "default"

// instance is the instance that a sample is of: as a path says, or by its labels: that
// called instance, the only one, or all values in the order of their names.
func (s *sample) instance(p paths.Path) rowName {
	if p.Instance != "" && p.Instance != "*" {
		return rowName{s.expand(p.Parent), s.expand(p.Instance)}
	}
	for _, l := range s.labels {
		if l.name == keyInstance {
			return rowName{name: l.value}
		}
	}
	if len(s.labels) == 0 {
		return rowName{name: unlabelled}
	}
	values := map[string]string{}
	for _, l := range s.labels {
		values[l.name] = l.value
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, values[name])
	}
	return rowName{name: strings.Join(all, ",")}
}

// expand puts the values of labels into a pattern, for {LABEL}.
func (s *sample) expand(pattern string) string {
	for _, l := range s.labels {
		if strings.Contains(pattern, "{"+l.name+"}") {
			pattern = strings.ReplaceAll(pattern, "{"+l.name+"}", l.value)
			if len(pattern) > maxName {
				break
			}
		}
	}
	return pattern
}

// raw is the raw value of a sample, which may have a fraction: what is told in seconds,
// as its name says, counts in ticks of 100 ns where the type is a time.
func (t *table) raw(column int, s *sample) float64 {
	if !strings.Contains(s.name, "_seconds") {
		return s.value
	}
	switch t.set.Counters[column].Type {
	case cooker.CounterTimer, cooker.CounterTimerInv, cooker.Timer100ns, cooker.Timer100nsInv,
		cooker.PrecisionSystemTimer, cooker.Precision100nsTimer, cooker.PrecisionObjectTimer,
		cooker.ObjTimeTimer, cooker.MultiTimer100ns, cooker.MultiTimer100nsInv, cooker.AverageTimer,
		cooker.CounterQueueLen, cooker.CounterLargeQueueLen, cooker.Counter100nsQueueLen, cooker.CounterObjTimeQueueLen:
		return s.value * ticksPerSecond
	case cooker.ElapsedTime: // since 1970
		return (s.value + cooker.Unix100ns/ticksPerSecond) * ticksPerSecond
	}
	return s.value
}
