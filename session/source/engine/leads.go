package engine

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/query"
)

// leading are the instances of a want that lead, as an engine told them: one query ranks
// all of them there, another asks for those rows alone.
type leading struct {
	asked time.Time
	few   time.Time // until then there are no more than would lead: all are asked for
	rows  []session.InstanceKey
	left  int      // besides
	said  []string // what the engine warned of
}

// fewFor is how long a host with few instances is not asked again how many it has.
const fewFor = time.Minute

// isLed tells whether a want is of instances that lead, and of series that tell them apart.
func (q *open) isLed(w *wanted) bool {
	if len(w.Leads) == 0 || !w.Set.Instances.Multiple() || time.Now().Before(w.lead.few) {
		return false
	}
	_, _, ok := q.source.rowsOf(w)
	return ok
}

// collectLeads reads what is due of instances that lead. It tells of when the newest sample is,
// and what the engine told last.
func (q *open) collectLeads(ctx context.Context, b *session.Batch) (newest int64, heard told, err error) {
	q.source.hub.mu.Lock()
	often := q.source.hub.often()
	q.source.hub.mu.Unlock()
	for i := range q.wants {
		w := &q.wants[i]
		w.isApart = false
		switch {
		case !b.IsDue(i) || len(w.metrics) == 0 || !q.isLed(w):
			continue
		case b.Due != nil && time.Since(w.lead.asked) < often:
			b.Due[i] = false // there is nothing new yet
			newest = max(newest, w.at)
			continue
		}
		if err := q.rank(ctx, w); err != nil {
			return newest, heard, err
		}
		if !q.isLed(w) {
			continue
		}
		if heard, err = q.led(ctx, w); err != nil {
			return newest, heard, err
		}
		s := q.source
		s.mu.Lock()
		s.said = w.lead.said
		s.mu.Unlock()
		w.isApart = true
		newest = max(newest, q.fillSet(b, i, &heard))
		w.count(&b.Sets[i])
	}
	return newest, heard, nil
}

// rowsOf is the part of a host that alone has the instances of a want, and the label with their
// names; ok is false where one of each does not tell.
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
		for _, m := range s.list.index.meanings(place{w.Set.Name, counter}) {
			switch {
			case !m.isOf(p.kinds):
			case m.named != nil || m.instance == "" || m.instance == allLabels || name != "" && m.instance != name:
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
		return slices.ContainsFunc(s.list.index.meanings(place{w.Set.Name, counter}), func(m series) bool { return m.isOf(p.kinds) })
	})
}

// Labels that tell instances of one name apart.
var apartBy = []string{"parent", "index", "process_id"}

// rank asks which instances lead. Few instances are no work to be spared: they are all asked for.
func (q *open) rank(ctx context.Context, w *wanted) error {
	s := q.source
	p, name, _ := s.rowsOf(w)
	apart, err := s.hub.apart(ctx, &s.host)
	if err != nil {
		return err
	}
	w.lead.asked, w.lead.rows, w.lead.left = time.Now(), w.lead.rows[:0], 0
	text, most := s.ranking(w, p, name, apart*5/2)
	if text == "" {
		w.lead.few = time.Now().Add(fewFor)
		return nil
	}
	count := 0
	said, err := s.hub.engine.Instant(ctx, text, time.Time{}, func(one query.Series) error {
		instance := one.Labels.Get(name)
		if instance == "" {
			if len(one.Points) > 0 {
				count = max(count, int(one.Points[0].Value))
			}
			return nil
		}
		id, _ := strconv.ParseUint(one.Labels.Get("process_id"), 10, 64)
		if key := (session.InstanceKey{Name: instance, Parent: one.Labels.Get("parent"), ID: id}); !slices.Contains(w.lead.rows, key) {
			w.lead.rows = append(w.lead.rows, key)
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

// ranking is the query for the instances that lead and for how many there are, and the most
// that may lead; empty: the engine cannot rank them.
func (s *Source) ranking(w *wanted, p *part, name string, window time.Duration) (text string, most int) {
	by := strings.Join(append([]string{name}, apartBy...), ", ")
	var tops []string
	for _, l := range w.Leads {
		v := session.Valued{Set: w.Set, Counter: l.By}
		of := s.list.expressions([]part{*p}, v, func(*part, *series) string { return "," + others(name) }, window)
		if len(of) == 0 {
			return "", 0
		}
		tops = append(tops, fmt.Sprintf("topk(%d, sum by (%s) (%s))", l.Rows, by, of[0].whole()))
		most = max(most, l.Rows)
	}
	of := s.list.index.meanings(place{w.Set.Name, w.Leads[0].By})
	at := slices.IndexFunc(of, func(one series) bool { return one.isOf(p.kinds) })
	all := of[at].metric + "{" + p.matcher() + "," + others(name) + "}"
	return strings.Join(tops, " or ") + " or count(group by (" + by + ") (" + all + "))", most
}

// others are the instances that stand for no other one, and for something.
func others(name string) string { return name + `!~"_Total|Idle|"` }

// asked are the rows that a want is given: those that lead, and those that are looked at.
func (w *wanted) ledRows() []session.InstanceKey {
	out := slices.Clone(w.lead.rows)
	for _, key := range w.Facts.Rows {
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// led asks for the samples of the instances that lead.
func (q *open) led(ctx context.Context, w *wanted) (told, error) {
	s := q.source
	p, name, _ := s.rowsOf(w)
	var names, ids []string
	for _, key := range w.ledRows() {
		names = append(names, regexp.QuoteMeta(key.Name))
		if key.ID > 0 {
			ids = append(ids, strconv.FormatUint(key.ID, 10))
		}
	}
	every := len(ids) == len(names)
	// What has no such label is of the host as a whole, as its clocks.
	names = append(names, "_Total", "")
	slices.Sort(names)
	rows := "," + name + "=~" + strconv.Quote(strings.Join(slices.Compact(names), "|"))
	if every {
		slices.Sort(ids)
		rows += ",process_id=~" + strconv.Quote(strings.Join(append(ids, ""), "|"))
	}
	apart, err := s.hub.apart(ctx, &s.host)
	if err != nil {
		return told{}, err
	}
	host := p.label.Value
	got, err := s.hub.ask(ctx, &asked{label: p.label.Name, metrics: strings.Join(w.metrics, "|"), names: []string{host}, rows: rows, back: windowOf(apart)})
	w.lead.said = append(w.lead.said, got.warnings...)
	return told{parts: []heard{{p.kinds, got.found[host]}}, gap: got.gaps[host], took: got.took}, err
}

// count is how many instances a batch of those that lead leaves out.
func (w *wanted) count(b *session.SetBatch) {
	given := 0
	for i := range b.Instances {
		if in := &b.Instances[i]; in.Flags&(session.FlagTotal|session.FlagIdle) == 0 && !paths.IsTotal(in.Key.Name) {
			given++
		}
	}
	b.Left = max(0, w.lead.left-given)
}
