package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/text/english"
)

// grave is from which level on what grows is a warning; of memory what is left says so.
var grave = map[string]float64{"handle count": 10_000, "thread count": 2000}

// growth is how something grew.
type growth struct {
	compare.Growth

	inHours  float64
	begin    time.Time
	leftOver float64 // hours that what is left lasts; NaN: not known
	many     int     // so many of a name grew together; 0: it is one
	ended    bool    // by a restart
}

// grown are verdicts on what grew to the end of the recording.
func (g *Gatherer) grown() (out []*draft) {
	for _, h := range g.hosts {
		left, idOf := h.available(), map[string]int{}
		for _, s := range h.series {
			if isProcess(s.Column) && paths.EqualFold(counterOf(s.Column).InEnglish(), "ID Process") {
				idOf[instanceName(s.Instance)] = s.at
			}
		}
		for k := range g.growers {
			of := &g.growers[k]
			alone := g.grownAlone(h, of, idOf, left)
			families := h.families(of)
			for _, name := range slices.Sorted(maps.Keys(families)) {
				family := families[name]
				found, ok := growthOf(family.course, of)
				if found.many = family.many; !ok || len(alone[name]) == 1 {
					continue
				}
				if d := g.growing(h, family.most, of, found, time.Time{}, left); d != nil {
					alone[name] = []*draft{d}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(alone)) {
				out = append(out, alone[name]...)
			}
		}
	}
	return out
}

// grownAlone are verdicts on single instances of a host that grew, by their names: to the end, or
// until they were restarted.
func (g *Gatherer) grownAlone(h *host, of *alert.Rule, idOf map[string]int, left float64) map[string][]*draft {
	alone := map[string][]*draft{}
	for _, s := range h.series {
		if !isGrower(of, s.Column) {
			continue
		}
		course := each(s.course, valueOf)
		found, ok := growthOf(course, of)
		end := time.Time{}
		if !ok {
			cut := h.restarted(s.Column, idOf)
			if 2*cut <= len(course) {
				continue
			}
			if found, ok = growthOf(course[:cut], of); !ok {
				continue
			}
			found.ended, end = true, g.partAt(cut, len(course))
		}
		if d := g.growing(h, s, of, found, end, left); d != nil {
			name := s.Instance.Key.Name
			alone[name] = append(alone[name], d)
		}
	}
	return alone
}

// growthOf is compare.GrowthOf by the limits of a rule on growth.
func growthOf(course []float64, of *alert.Rule) (found growth, ok bool) {
	found.Growth, ok = compare.GrowthOf(course, of.When.Limit, of.Grows)
	return found, ok
}

// isGrower tells counters that a rule on growth is about: of processes those of single ones.
func isGrower(of *alert.Rule, c *replay.Column) bool {
	path := &of.When.Path
	isOne := isProcess(c) || !session.IsOfProcesses(path.Object) && (!c.Set.Instances.Multiple() || !paths.IsTotal(c.Instance.Key.Name))
	return isOf(c, path.Object, path.Counter) && isOne && !paths.MatchesAny(of.Except, c.Instance.Key.Name)
}

// partAt is when a part of a course begins.
func (g *Gatherer) partAt(part, parts int) time.Time {
	return g.begin.Add(time.Duration(float64(g.length()) * float64(part) / float64(parts)))
}

// restarted is the part of the course in which a process was another one first, by its ID; 0: it
// was not, or that is not known.
func (h *host) restarted(c *replay.Column, idOf map[string]int) int {
	i, ok := idOf[instanceName(c.Instance)]
	if !ok || !isProcess(c) {
		return 0
	}
	ids := each(h.tape.series[i].course, valueOf)
	return max(slices.IndexFunc(ids, func(id float64) bool { return id != ids[0] }), 0)
}

// family are the processes of a name that were there all the time, as one.
type family struct {
	course []float64
	many   int
	most   *series // which grew most
	by     float64
}

// families are those of more than one process.
func (h *host) families(of *alert.Rule) map[string]*family {
	all := map[string]*family{}
	if !session.IsOfProcesses(of.When.Path.Object) {
		return all
	}
	for _, s := range h.series {
		if !isGrower(of, s.Column) {
			continue
		}
		course := each(s.course, valueOf)
		if slices.ContainsFunc(course, func(f float64) bool { return f != f }) {
			continue
		}
		name := s.Instance.Key.Name
		f := all[name]
		if f == nil {
			f = &family{course: make([]float64, len(course)), most: s}
			all[name] = f
		}
		f.many++
		for k := range course {
			f.course[k] += course[k]
		}
		if by := course[len(course)-1] - course[0]; by > f.by {
			f.most, f.by = s, by
		}
	}
	maps.DeleteFunc(all, func(_ string, f *family) bool { return f.many < 2 })
	return all
}

// available is how much memory was left at the end, NaN where that is not known.
func (h *host) available() float64 {
	return h.memory(true, func(s *series) float64 { return valueOf(s.course[len(s.course)-1]) })
}

// memory is what a counter of the memory that there is, or is left, says, in bytes.
func (h *host) memory(wantLeft bool, of func(*series) float64) float64 {
	most := math.NaN()
	for _, s := range h.series {
		unit, isLeft, ok := alert.MemoryUnit(s.Set.InEnglish(), counterOf(s.Column).InEnglish())
		if ok && isLeft == wantLeft && len(s.course) > 0 {
			if f := of(s) * unit; f == f && !(most >= f) {
				most = f
			}
		}
	}
	return most
}

// size is what limits of packs are in proportion to.
func (h *host) size() (of alert.Size) {
	of.Processors = h.processors()
	if bytes := h.memory(false, func(s *series) float64 { _, high := s.extremes(); return high }); bytes == bytes {
		of.Memory = bytes
	}
	return of
}

// growing is the verdict on one that grows, to an end that is zero where it goes on; nil: it is
// small against what is left, or did not for long.
func (g *Gatherer) growing(h *host, c *series, of *alert.Rule, found growth, end time.Time, left float64) *draft {
	course := each(c.course, valueOf)
	found.begin = g.partAt(found.From, len(course))
	length := cmp.Or(end, h.newest).Sub(found.begin)
	by, isBytes := found.Is-found.Was, counterOf(c.Column).Quantity.Kind == cooker.Bytes
	falls := by < 0
	if isBytes && !falls && left == left && by < compare.SmallGrowth*left || falls && found.Lasts(length) > compare.Soon || length < compare.LeastGrowth {
		return nil
	}
	found.inHours = length.Hours()
	rule := *of
	own := found
	if found.many > 0 {
		own.Was, own.Is = course[found.From], course[len(course)-1]
	}
	rule.When.Limit = own.Was + (own.Is-own.Was)/20 // what it wanders by
	found.leftOver = math.NaN()
	switch {
	case falls:
		found.leftOver = found.Lasts(length).Hours()
	case isBytes && !found.ended:
		found.leftOver = left / (by / found.inHours)
	}
	if level, ok := grave[paths.Fold(counterOf(c.Column).InEnglish())]; ok && found.Is >= level || found.leftOver < 24 {
		rule.Severity = alert.Warning
	}
	id := alertOf(c.Column)
	id.Rule, id.Number = rule.Name, uint64(c.Instance.Index)
	ep := alert.Episode{Began: found.begin, Until: end, Every: h.Interval, Alert: alert.Alert{
		ID: id, Rule: &rule, Path: c.Path, Set: c.Set, Counter: c.Counter, Key: c.Instance.Key, Peak: cooker.FloatValue(own.Is), Since: found.begin,
	}}
	if c.Set.Instances.Multiple() {
		ep.Instance = instanceName(c.Instance)
	}
	d := g.draftOf(ep, h)
	d.column, d.growth = c.at, &found
	return d
}

// grower is who grows, by name.
func (d *draft) grower() string {
	c := d.own()
	if d.growth.many > 0 {
		return fmt.Sprintf("%d %s", d.growth.many, c.Instance.Key.Name)
	}
	return instanceName(c.Instance)
}

// growthSentence says what grew, by how much and how fast.
func (d *draft) growthSentence(s Scale) string {
	c := d.own()
	who := counterOf(c.Column).Name
	if c.Set.Instances.Multiple() {
		who += " of " + d.grower()
	}
	by, of, verb := d.growth.Is-d.growth.Was, " of memory", " grew"
	if by < 0 {
		by, of, verb = -by, "", " fell"
	}
	rate := by / d.growth.inHours
	text := who + verb + " from " + s.With(d.growth.Was) + " to " + s.With(d.growth.Is) + ", " + scaleFor(s.Format, rate).With(rate) + " an hour"
	if d.growth.ended {
		text += ", until it was restarted"
	}
	if d.growth.leftOver < 24*7 {
		text += "; what is left" + of + " lasts for " + english.Span(time.Duration(d.growth.leftOver*float64(time.Hour)).Round(time.Minute)) + " of that"
	}
	return text
}
