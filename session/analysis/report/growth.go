package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/compare"
	"perfdeck/session/source/replay"
)

// grower is a counter that is not to grow for ever.
type grower struct {
	rule          alert.Rule
	least, times  float64 // how much it grows at least, and how much of what it was
	grave         float64 // from which level on it is a warning; 0: what is left of memory says so
	isBytes, each bool    // of memory; of processes
}

// growers are what leaks: memory, handles, threads and pool. The least growth keeps what wanders
// by itself out.
var growers = []grower{
	{leak("growth of private bytes", "Process", "Private Bytes"), 100 << 20, 0.5, 0, true, true},
	{leak("growth of handles", "Process", "Handle Count"), 1000, 1, 10_000, false, true},
	{leak("growth of threads", "Process", "Thread Count"), 100, 1, 2000, false, true},
	{leak("growth of nonpaged pool", "Memory", "Pool Nonpaged Bytes"), 100 << 20, 0.5, 0, true, false},
	{leak("growth of paged pool", "Memory", "Pool Paged Bytes"), 100 << 20, 0.5, 0, true, false},
}

// leak is the rule of what grows.
func leak(name, object, counter string) alert.Rule {
	path := paths.Path{Object: object, Counter: counter}
	return alert.Rule{
		Name: name, Severity: alert.Careful, When: paths.Alert{Path: path, Op: paths.Above}, Need: 1, Of: 1, Origin: "perfdeck",
		Why:  "It grew for most of what is known, by much more than it moves by itself, and had not come to rest.",
		Next: []string{"Is it a cache that comes to rest, or a leak: how was it the day before?", "What of the program changed when it began: its version, its work?", "A restart gains time; a limit lets it not take what others need."},
	}
}

// growth is how something grew: from which part of a course on, from what to what.
type growth struct {
	from     int
	was, is  float64
	inHours  float64
	begin    time.Time
	leftOver float64 // hours that what is left lasts; NaN: not known
	many     int     // so many of a name grew together; 0: it is one
	ended    bool    // by a restart
}

// growthOf looks whether the course of a counter ends in a steady growth that goes on for half
// of it at least; ok is false otherwise.
func growthOf(course []float64, least, times float64) (found growth, ok bool) {
	const parts, steady, goesOn, noise = 12, 0.9, 0.4, 4
	var v []float64
	var at []int
	for i, f := range course {
		if f == f {
			v, at = append(v, f), append(at, i)
		}
	}
	n := len(v)
	if n < parts {
		return found, false
	}
	is := compare.Median(slices.Sorted(slices.Values(v[n-3:])))
	if low := slices.Min(v); is-low < max(least, times*low) {
		return found, false
	}
	c := bend(v)
	if n-c < max(n/2, parts/2) {
		return found, false
	}
	was := v[c]
	if c >= 3 {
		was = compare.Median(slices.Sorted(slices.Values(v[:c])))
	}
	slope, fit, _ := line(v[c:])
	late, _, _ := line(v[n-max((n-c)/3, 3):])
	if is-was < max(least, times*was) || fit < steady || late < goesOn*slope {
		return found, false
	}
	if c >= parts/2 { // against what it moves by itself
		before := slices.Sorted(slices.Values(v[:c]))
		if is-was < noise*compare.Sigma*compare.Distance(before, was) {
			return found, false
		}
	}
	return growth{from: at[c], was: was, is: is}, true
}

// bend is where a course that is level and then a line bends: the two fit best there.
func bend(v []float64) (best int) {
	least := math.Inf(1)
	sum, squares := 0.0, 0.0 // of what lies before c
	for c := 0; c+3 <= len(v); c++ {
		level := 0.0
		if c > 0 {
			level = squares - sum*sum/float64(c)
		}
		_, _, rest := line(v[c:])
		if all := level + rest; all < least*(1-1e-9) {
			least, best = all, c
		}
		sum, squares = sum+v[c], squares+v[c]*v[c]
	}
	return best
}

// line is the least-squares slope of values by their places, how much of their variance it
// explains, and the square sum of what it leaves.
func line(v []float64) (slope, fit, rest float64) {
	n := float64(len(v))
	mid, mean := (n-1)/2, 0.0
	for _, f := range v {
		mean += f / n
	}
	xy, xx, yy := 0.0, 0.0, 0.0
	for i, f := range v {
		x, y := float64(i)-mid, f-mean
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if xx == 0 || yy == 0 {
		return 0, 0, yy
	}
	fit = xy * xy / (xx * yy)
	return xy / xx, fit, yy * (1 - fit)
}

// leastGrowth is how long something grows at least to be told.
const leastGrowth = 30 * time.Minute

// grown are verdicts on what grew to the end of the recording.
func (g *Gatherer) grown() (out []*draft) {
	for _, h := range g.hosts {
		left, idOf := h.available(), map[string]int{}
		for _, i := range h.cols {
			if c := &h.tape.Columns[i]; isProcess(c) && paths.EqualFold(counterOf(c).Name, "ID Process") {
				idOf[instanceName(c.Instance)] = i
			}
		}
		for k := range growers {
			of := &growers[k]
			alone := g.grownAlone(h, of, idOf, left)
			families := h.families(of)
			for _, name := range slices.Sorted(maps.Keys(families)) {
				family := families[name]
				found, ok := growthOf(family.course, of.least, of.times)
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
func (g *Gatherer) grownAlone(h *host, of *grower, idOf map[string]int, left float64) map[string][]*draft {
	alone := map[string][]*draft{}
	for _, i := range h.cols {
		c, s := &h.tape.Columns[i], &h.tape.series[i]
		if !of.isOf(c) {
			continue
		}
		course := s.means()
		found, ok := growthOf(course, of.least, of.times)
		end := time.Time{}
		if !ok {
			cut := h.restarted(c, idOf)
			if 2*cut <= len(course) {
				continue
			}
			if found, ok = growthOf(course[:cut], of.least, of.times); !ok {
				continue
			}
			found.ended, end = true, g.partAt(cut, len(course))
		}
		if d := g.growing(h, i, of, found, end, left); d != nil {
			name := c.Instance.Key.Name
			alone[name] = append(alone[name], d)
		}
	}
	return alone
}

func (of *grower) isOf(c *replay.Column) bool {
	return isOf(c, of.rule.When.Path.Object, of.rule.When.Path.Counter) && (!of.each || isProcess(c))
}

// means is the course of a counter.
func (s *series) means() []float64 {
	course := make([]float64, len(s.course))
	for part := range course {
		course[part] = s.course[part].value()
	}
	return course
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
	ids := h.tape.series[i].means()
	return max(slices.IndexFunc(ids, func(id float64) bool { return id != ids[0] }), 0)
}

// family are the processes of a name that were there all the time, as one.
type family struct {
	course []float64
	many   int
	most   int // the column of which grew most
	by     float64
}

// families are those of more than one process.
func (h *host) families(of *grower) map[string]*family {
	all := map[string]*family{}
	if !of.each {
		return all
	}
	for _, i := range h.cols {
		c := &h.tape.Columns[i]
		if !of.isOf(c) {
			continue
		}
		course := h.tape.series[i].means()
		if slices.ContainsFunc(course, func(f float64) bool { return f != f }) {
			continue
		}
		f := all[c.Instance.Key.Name]
		if f == nil {
			f = &family{course: make([]float64, len(course)), most: i}
			all[c.Instance.Key.Name] = f
		}
		f.many++
		for k := range course {
			f.course[k] += course[k]
		}
		if by := course[len(course)-1] - course[0]; by > f.by {
			f.most, f.by = i, by
		}
	}
	maps.DeleteFunc(all, func(_ string, f *family) bool { return f.many < 2 })
	return all
}

// available is how much memory was left at the end, NaN where that is not known.
func (h *host) available() float64 {
	for _, unit := range [...]struct {
		name string
		of   float64
	}{{"Available Bytes", 1}, {"Available KBytes", 1 << 10}, {"Available MBytes", 1 << 20}} {
		for _, i := range h.cols {
			if s := &h.tape.series[i]; isOf(&h.tape.Columns[i], "Memory", unit.name) && len(s.course) > 0 {
				if f := s.course[len(s.course)-1].value(); f == f {
					return f * unit.of
				}
			}
		}
	}
	return math.NaN()
}

// growing is the verdict on one that grows, to an end that is zero where it goes on; nil: it is
// small against what is left, or did not for long.
func (g *Gatherer) growing(h *host, i int, of *grower, found growth, end time.Time, left float64) *draft {
	const small = 0.05
	c, course := &h.tape.Columns[i], h.tape.series[i].means()
	found.begin = g.partAt(found.from, len(course))
	length := cmp.Or(end, h.newest).Sub(found.begin)
	by := found.is - found.was
	if of.isBytes && left == left && by < small*left || length < leastGrowth {
		return nil
	}
	found.inHours = length.Hours()
	rule := of.rule
	own := found
	if found.many > 0 {
		own.was, own.is = course[found.from], course[len(course)-1]
	}
	rule.When.Limit = own.was + (own.is-own.was)/20 // what it wanders by
	found.leftOver = math.NaN()
	if of.isBytes && !found.ended {
		found.leftOver = left / (by / found.inHours)
	}
	if of.grave > 0 && found.is >= of.grave || found.leftOver < 24 {
		rule.Severity = alert.Warning
	}
	ep := alert.Episode{Began: found.begin, Until: end, Every: h.tape.Interval, Alert: alert.Alert{
		ID:   alert.ID{Rule: rule.Name, Host: h.Name, Set: c.Set.Name, Counter: counterOf(c).Name, Parent: c.Instance.Key.Parent, Name: c.Instance.Key.Name, Number: uint64(c.Instance.Index)},
		Rule: &rule, Path: c.Path, Set: c.Set, Counter: c.Counter, Key: c.Instance.Key, Peak: cooker.FloatValue(own.is), Since: found.begin,
	}}
	if c.Set.Instances.Multiple() {
		ep.Instance = instanceName(c.Instance)
	}
	d := g.draftOf(ep, h)
	d.column, d.growth = i, &found
	return d
}

// grower is who grows, by name.
func (d *draft) grower() string {
	c := &d.host.tape.Columns[d.column]
	if d.growth.many > 0 {
		return fmt.Sprintf("%d %s", d.growth.many, session.Printable(c.Instance.Key.Name))
	}
	return instanceName(c.Instance)
}

// growthSentence says what grew, by how much and how fast.
func (d *draft) growthSentence(s Scale) string {
	c := &d.host.tape.Columns[d.column]
	who := counterOf(c).Name
	if c.Set.Instances.Multiple() {
		who += " of " + d.grower()
	}
	by, rate := d.growth.is-d.growth.was, (d.growth.is-d.growth.was)/d.growth.inHours
	text := who + " grew from " + s.With(d.growth.was) + " to " + s.With(d.growth.is) + ", " + scaleFor(s.Format, rate).With(rate) + " an hour"
	if d.growth.ended {
		text += ", until it was restarted"
	}
	if by > 0 && d.growth.leftOver < 24*7 {
		text += "; what is left of memory lasts for " + span(time.Duration(d.growth.leftOver*float64(time.Hour)).Round(time.Minute)) + " of that"
	}
	return session.Printable(text)
}
