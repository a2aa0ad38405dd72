package engine

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/engine/query"
)

// leading are the instances of a want that lead, as an engine told them: one query ranks
// all of them there, another asks for those rows alone.
type leading struct {
	asked time.Time
	few   time.Time // until then there are no more than would lead: all are asked for
	rows  []session.InstanceKey
	of    map[session.InstanceKey][]prom.Label // what tells the series of rows, where one label does not
	left  int                                  // besides
	said  []string                             // what the engine warned of
}

// fewFor is how long a host with few instances is not asked again how many it has.
const fewFor = time.Minute

// isLed tells whether a want is of instances that lead.
func (w *wanted) isLed() bool {
	return len(w.Leads) > 0 && w.Set.Instances.Multiple() && !time.Now().Before(w.lead.few)
}

// collectLeads reads what is due of instances that lead. It tells of when the newest sample is,
// and what the engine told last.
func (q *open) collectLeads(ctx context.Context, b *session.Batch) (newest int64, heard hostAnswer, err error) {
	s := q.source
	s.hub.mu.Lock()
	often := s.hub.often()
	s.hub.mu.Unlock()
	for i := range q.wants {
		w := &q.wants[i]
		w.isApart = false
		if !b.IsDue(i) || len(w.metrics) == 0 || !w.isLed() {
			continue
		}
		p, name, ok := s.rowsOf(w)
		switch {
		case !ok:
			continue
		case b.Due != nil && time.Since(w.lead.asked) < often:
			b.Due[i] = false // there is nothing new yet
			newest = max(newest, w.at)
			continue
		}
		apart, err := s.hub.apart(ctx, &s.host)
		if err != nil {
			return newest, heard, err
		}
		if w.isRanked() {
			if err := s.rank(ctx, w, p, name, apart*5/2); err != nil {
				return newest, heard, err
			}
		} else {
			w.lead.asked, w.lead.rows, w.lead.left, w.lead.said = time.Now(), nil, -1, nil
		}
		if !w.isLed() {
			continue
		}
		if heard, err = s.led(ctx, w, p, name, windowOf(apart)); err != nil {
			return newest, heard, err
		}
		s.mu.Lock()
		s.said = w.lead.said
		s.mu.Unlock()
		w.isApart = true
		newest = max(newest, q.fillSet(b, i, &heard))
		w.count(&b.Sets[i])
	}
	return newest, heard, nil
}

// isRanked tells whether rows are wanted because they lead, beside those that are looked at.
func (w *wanted) isRanked() bool {
	return slices.ContainsFunc(w.Leads, func(l session.Lead) bool { return l.Rows > 0 })
}

// rowsOf is the part of a host that alone has the instances of a want, and the label with their
// names, or allLabels; ok is false where one of each does not tell.
func (s *Source) rowsOf(w *wanted) (p *part, name string, ok bool) {
	for i := range s.host.parts {
		switch {
		case !s.says(i, w):
		case p != nil:
			return nil, "", false
		default:
			p = &s.host.parts[i]
		}
	}
	if p == nil {
		return nil, "", false
	}
	for _, counter := range w.Counters {
		for _, m := range s.list.index.byCounter[place{w.Set.Name, counter}] {
			switch {
			case !m.isOf(p.kinds):
			case m.named != nil || m.instance == "" || name != "" && m.instance != name:
				return nil, "", false
			default:
				name = m.instance
			}
		}
	}
	return p, name, name != ""
}

// says tells whether a part of the host may say something of a want.
func (s *Source) says(i int, w *wanted) bool {
	p := &s.host.parts[i]
	if p.kinds == 0 && i < len(s.has) { // any exporter's
		return slices.ContainsFunc(w.metrics, func(name string) bool { _, has := slices.BinarySearch(s.has[i], name); return has })
	}
	return slices.ContainsFunc(w.Counters, func(counter int) bool {
		return slices.ContainsFunc(s.list.index.byCounter[place{w.Set.Name, counter}], func(m series) bool { return m.isOf(p.kinds) })
	})
}

// Labels that tell instances of one name apart.
var apartBy = []string{"parent", "index", "process_id"}

// rank asks which instances lead. Few instances are no work to be spared: they are all asked for.
func (s *Source) rank(ctx context.Context, w *wanted, p *part, name string, window time.Duration) error {
	w.lead.asked, w.lead.rows, w.lead.left = time.Now(), w.lead.rows[:0], 0
	text, most := s.ranking(w, p, name, window)
	if text == "" {
		w.lead.few = time.Now().Add(fewFor)
		return nil
	}
	count := 0
	said, err := s.hub.engine.Instant(ctx, text, time.Time{}, func(one query.Series) error {
		if len(one.Labels) == 0 { // how many there are
			if len(one.Points) > 0 {
				count = max(count, int(one.Points[0].Value))
			}
			return nil
		}
		key := rowOf(name, one.Labels)
		if !slices.Contains(w.lead.rows, key) {
			w.lead.rows = append(w.lead.rows, key)
		}
		if name == allLabels {
			w.lead.know(key, one.Labels)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count <= most {
		w.lead.few = time.Now().Add(fewFor)
		return nil
	}
	w.lead.left, w.lead.said = count, warningsOf(said)
	return nil
}

// rowOf is the instance of series, whose name one label has, or all have.
func rowOf(name string, l query.Labels) session.InstanceKey {
	m := meaning{instance: name}
	return session.InstanceKey{Name: m.instanceOf(l), Parent: l.Get("parent"), ID: wholeNumber(l.Get("process_id"), 64)}
}

// mostKnown bounds the rows whose labels are kept.
const mostKnown = 10_000

// know keeps the labels of a row.
func (l *leading) know(key session.InstanceKey, labels query.Labels) {
	if len(l.of) > mostKnown || l.of == nil {
		l.of = map[session.InstanceKey][]prom.Label{}
	}
	if l.of[key] == nil {
		l.of[key] = slices.DeleteFunc(slices.Clone(labels), func(one prom.Label) bool { return isOfAll(one.Name) })
	}
}

// ranking is the query for the instances that lead and for how many there are, and the most
// that may lead; empty: the engine cannot rank them.
func (s *Source) ranking(w *wanted, p *part, name string, window time.Duration) (text string, most int) {
	by := strings.Join(append([]string{name}, apartBy...), ", ")
	top, count, only := "topk(%d, sum by ("+by+") (%s))", "count(group by ("+by+") (%s))", ","+others(name)
	if name == allLabels {
		top, count, only = "topk(%d, %s)", "count(%s)", ""
	}
	var tops []string
	for _, l := range w.Leads {
		if l.Rows == 0 {
			continue
		}
		v := session.Valued{Set: w.Set, Counter: l.By}
		of := s.list.expressions([]part{*p}, v, func(*part, *series) string { return only }, window)
		if len(of) == 0 {
			return "", 0
		}
		tops = append(tops, fmt.Sprintf(top, l.Rows, of[0].whole()))
		most = max(most, l.Rows)
	}
	of := s.list.index.byCounter[place{w.Set.Name, w.Leads[0].By}]
	at := slices.IndexFunc(of, func(one series) bool { return one.isOf(p.kinds) })
	all := of[at].metric + "{" + p.matcher() + only + "}"
	return strings.Join(tops, " or ") + " or " + fmt.Sprintf(count, all), most
}

// others are the instances that stand for no other one, and for something.
func others(name string) string { return name + `!~"_Total|Idle|"` }

// led asks for the samples of the instances that lead, of so many at once as a query may name.
func (s *Source) led(ctx context.Context, w *wanted, p *part, name string, back time.Duration) (out hostAnswer, err error) {
	isRow := map[session.InstanceKey]bool{}
	var rows []session.InstanceKey // those that lead, and those that are looked at
	for _, key := range slices.Concat(w.lead.rows, w.Facts.Rows) {
		if !isRow[key] {
			isRow[key] = true
			rows = append(rows, key)
		}
	}
	host, all := p.label.Value, heard{kinds: p.kinds}
	for _, matchers := range w.matchersOf(name, rows) {
		got, err := s.hub.ask(ctx, &asked{label: p.label.Name, metrics: strings.Join(w.metrics, "|"), names: []string{host}, rows: matchers, back: back})
		w.lead.said = append(w.lead.said, got.warnings...)
		if err != nil {
			return hostAnswer{}, err
		}
		samples, gap := got.samplesOf(host)
		for _, one := range samples {
			if name != allLabels || isRow[rowOf(name, one.labels)] { // else labels of several rows are mixed
				all.samples = append(all.samples, one)
			}
		}
		out.gap, out.took = max(out.gap, gap), out.took+got.took
	}
	out.parts = []heard{all}
	return out, nil
}

// matchersOf are the matchers of queries that have the series of rows between them, and few others.
func (w *wanted) matchersOf(name string, rows []session.InstanceKey) []string {
	if name == allLabels {
		rows = slices.DeleteFunc(rows, func(key session.InstanceKey) bool { return w.lead.of[key] == nil })
		return halved(rows, w.labelMatchers)
	}
	rows = append([]session.InstanceKey{{Name: totalName}, ofTheHost}, rows...)
	return halved(rows, func(rows []session.InstanceKey) string { return nameMatchers(name, rows) })
}

// ofTheHost is what has no label of an instance, as the clocks of a host.
var ofTheHost session.InstanceKey

// halved is what is made of rows, or, where that is longer than a query may be, of halves of them.
func halved(rows []session.InstanceKey, made func([]session.InstanceKey) string) []string {
	if len(rows) == 0 {
		return nil
	}
	text := made(rows)
	if half := len(rows) / 2; len(text) > mostQuery/2 && half > 0 { // metrics and the host are in it, too
		return append(halved(rows[:half], made), halved(rows[half:], made)...)
	}
	return []string{text}
}

// nameMatchers select rows by the label with their names, and, where all have one, by their ID.
func nameMatchers(name string, rows []session.InstanceKey) string {
	var names, ids []string
	for _, key := range rows {
		names = append(names, regexp.QuoteMeta(key.Name))
		switch {
		case key.ID > 0:
			ids = append(ids, strconv.FormatUint(key.ID, 10))
		case key == ofTheHost, paths.IsTotal(key.Name):
			ids = append(ids, "")
		}
	}
	out := "," + oneOf(name, names)
	if len(ids) == len(rows) {
		out += "," + oneOf("process_id", ids)
	}
	return out
}

// labelMatchers select rows by each of the labels that tell them apart.
func (w *wanted) labelMatchers(rows []session.InstanceKey) string {
	var out strings.Builder
	values := map[string][]string{}
	for _, key := range rows {
		for _, l := range w.lead.of[key] {
			values[l.Name] = append(values[l.Name], regexp.QuoteMeta(l.Value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if of := values[name]; len(of) < len(rows) { // others have none
			values[name] = append(of, "")
		}
		out.WriteString("," + oneOf(name, values[name]))
	}
	return out.String()
}

// oneOf is the matcher of a label that has one of some values.
func oneOf(label string, values []string) string {
	slices.Sort(values)
	return label + "=~" + strconv.Quote(strings.Join(slices.Compact(values), "|"))
}

// count is how many instances a batch of those that lead leaves out.
func (w *wanted) count(b *session.SetBatch) {
	given := 0
	for i := range b.Instances {
		if in := &b.Instances[i]; in.Flags&(session.FlagTotal|session.FlagIdle) == 0 {
			given++
		}
	}
	if b.Left = -1; w.isRanked() {
		b.Left = max(0, w.lead.left-given)
	}
}
