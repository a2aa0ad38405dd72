package browser

import (
	"fmt"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// picks is what was chosen of a counterset of a place: each counter of each
// instance.
type picks struct {
	place     *place
	key       string   // folded name of the counterset
	counters  []string // folded names, or one every
	instances []instance
}

// chosen is what was chosen of the counterset that is shown; nil if nothing was
// and create is false.
func (b *Browser) chosen(create bool) *picks {
	s := b.sets.Row()
	if s == nil {
		return nil
	}
	for _, c := range b.picks {
		if c.place == b.place && c.key == s.key {
			return c
		}
	}
	if !create {
		return nil
	}
	c := &picks{place: b.place, key: s.key}
	b.picks = append(b.picks, c)
	return c
}

// isChosen tells whether a counter is marked.
func (c *picks) isChosen(counter string) bool {
	return c != nil && (slices.Contains(c.counters, counter) || slices.Contains(c.counters, every))
}

// holds tells whether an instance is marked.
func (c *picks) holds(i instance) bool {
	return c != nil && slices.ContainsFunc(c.instances, i.same)
}

// toggle marks what the mark is on, or takes that back.
func (b *Browser) toggle() {
	switch b.focus {
	case setColumn:
		b.toggleCounter(every)
	case counterColumn:
		r := b.counters.Row()
		if r == nil {
			return
		}
		if why := b.whyAbsent(r); why != "" && !b.chosen(false).isChosen(r.key) {
			b.desk.Say(why)
			return
		}
		b.toggleCounter(r.key)
	case instanceColumn:
		b.toggleInstance()
	}
	b.dropEmpty()
}

func (b *Browser) toggleCounter(key string) {
	c := b.chosen(true)
	if c == nil {
		return
	}
	if !c.isChosen(key) {
		if key == every {
			c.counters = nil
		}
		c.counters = append(c.counters, key)
		return
	}
	c.counters = slices.DeleteFunc(c.counters, func(k string) bool { return k == key || k == every })
}

func (b *Browser) toggleInstance() {
	i, ok := b.instanceAt()
	if !ok {
		return
	}
	c := b.chosen(true)
	b.visit().put(i)
	switch {
	case c.holds(i):
		c.instances = slices.DeleteFunc(c.instances, i.same)
	case i.wild == every:
		c.instances = []instance{i}
	default:
		c.instances = append(slices.DeleteFunc(c.instances, func(o instance) bool { return o.wild == every }), i)
	}
}

// dropEmpty forgets what nothing is left of.
func (b *Browser) dropEmpty() {
	b.picks = slices.DeleteFunc(b.picks, func(c *picks) bool { return len(c.counters) == 0 && len(c.instances) == 0 })
}

// whyAbsent says why no host of the list can give a counter.
func (b *Browser) whyAbsent(r *counterRow) string {
	for i := range r.offers {
		if r.offers[i].is().Absent == "" {
			return ""
		}
	}
	return r.name + ": " + r.offers[0].is().Absent
}

// wildcards are the wildcards of the counterset that is shown, but for *.
func (b *Browser) wildcards() (out []instance) {
	if c := b.chosen(false); c != nil {
		for _, i := range c.instances {
			if i.wild != "" && i.wild != every {
				out = append(out, i)
			}
		}
	}
	if made := (instance{wild: b.visit().like}); made.wild != "" && !slices.Contains(out, made) {
		out = append(out, made)
	}
	return out
}

// effective is what enter adds: what was chosen, else what the marks are on.
func (b *Browser) effective() (out []*picks) {
	for _, c := range b.picks {
		if len(c.counters) > 0 {
			out = append(out, c)
		}
	}
	if r := b.counters.Row(); len(out) == 0 && r != nil {
		c := picks{place: b.place, key: b.sets.Row().key, counters: []string{r.key}}
		if marked := b.chosen(false); marked != nil {
			c.instances = marked.instances
		}
		out = append(out, &c)
	}
	return out
}

// hasChosen tells whether counters were chosen, and not only marked.
func (b *Browser) hasChosen() bool {
	return slices.ContainsFunc(b.picks, func(c *picks) bool { return len(c.counters) > 0 })
}

// instancesOf are the instances of picks: those that were chosen, else the one
// that is marked there.
func (b *Browser) instancesOf(c *picks) []instance {
	if len(c.instances) > 0 {
		return c.instances
	}
	if v := b.visited[c.key]; v != nil && (v.moved || v.instance != (instance{})) {
		return []instance{v.instance}
	}
	return []instance{{wild: every}}
}

// path is a path that enter adds.
type path struct {
	place *place
	text  string // without the host
	isAll bool   // of all hosts
}

// full is the path with its host.
func (p *path) full() string {
	if p.place.host == nil {
		return p.text
	}
	return `\\` + p.place.name + p.text
}

// lack is a host that does not have what was chosen of all hosts.
type lack struct {
	place *place
	why   string
}

// results are the paths that enter adds, and with all hosts chosen those that
// lack one.
func (b *Browser) results() (list []path, without []lack) {
	for _, c := range b.effective() {
		for _, p := range b.placesOf(c) {
			found := b.resultsOf(c, p)
			if len(found) < len(c.counters) && c.place.isAll {
				without = b.addLack(without, p, c)
			}
			list = append(list, found...)
		}
	}
	return list, without
}

// placesOf are the places of picks, one by one.
func (b *Browser) placesOf(c *picks) []*place {
	if c.place.isAll {
		return b.hosts()
	}
	return []*place{c.place}
}

func (b *Browser) addLack(list []lack, p *place, c *picks) []lack {
	if slices.ContainsFunc(list, func(l lack) bool { return l.place == p }) {
		return list
	}
	l := lack{place: p}
	switch set := p.set(c.key); {
	case p.cat == nil:
		l.why = p.host.Standing(b.desk.Now()).String()
	case set != nil:
		for _, key := range c.counters {
			if i, ok := set.Counter(key); ok && set.Counters[i].Absent != "" {
				l.why = set.Counters[i].Absent
			}
		}
	}
	return append(list, l)
}

// resultsOf are the paths of picks on one place, as far as it has them.
func (b *Browser) resultsOf(c *picks, p *place) (out []path) {
	set := p.set(c.key)
	if set == nil {
		return nil
	}
	for _, key := range c.counters {
		name := every
		if key != every {
			i := set.Given(key)
			if i < 0 {
				continue
			}
			name = set.Counters[i].Name
		}
		if !set.Instances.Multiple() {
			out = append(out, path{p, pathOf(set, name, nil), c.place.isAll})
			continue
		}
		for _, i := range b.instancesOf(c) {
			out = append(out, path{p, pathOf(set, name, &i), c.place.isAll})
		}
	}
	return out
}

// pathOf writes a path without a host; i is nil for a counterset without
// instances.
func pathOf(set *session.Counterset, counter string, i *instance) string {
	p := paths.Path{Object: set.Name, Counter: counter}
	switch {
	case i == nil:
	case i.wild != "":
		p.HasInstance, p.Instance, p.Literal = true, i.wild, true
	default:
		p = paths.Of("", set.Name, i.key.Parent, i.key.Name, int(i.index), counter)
	}
	return p.String()
}

// enter goes one level deeper; what was chosen, or is marked, is added.
func (b *Browser) enter() {
	if !b.hasChosen() && b.focus < counterColumn {
		b.step(1)
		return
	}
	b.add()
}

// add puts the paths on the deck. Hosts that lack one were named before, or are
// named now.
func (b *Browser) add() {
	if why := b.whyNotAdd(); why != "" {
		b.desk.Say(why)
		return
	}
	list, without := b.results()
	adds := additions(list)
	do := func() {
		b.picks = nil
		b.listInstances()
		for _, a := range adds {
			b.desk.Send(a)
		}
	}
	if len(without) == 0 || b.split.chosen > 0 {
		do()
		return
	}
	b.desk.Send(pane.Confirm{Title: "Add to the deck", Text: lacking(without), Yes: "add", Do: do})
}

// additions are paths as messages, those of all hosts once.
func additions(list []path) (out []pane.AddPaths) {
	for _, p := range list {
		h := p.place.host
		if p.isAll {
			h = nil
		}
		i := slices.IndexFunc(out, func(a pane.AddPaths) bool { return a.Host == h })
		if i < 0 {
			i = len(out)
			out = append(out, pane.AddPaths{Host: h})
		}
		if !slices.Contains(out[i].Paths, p.text) {
			out[i].Paths = append(out[i].Paths, p.text)
		}
	}
	return out
}

// whyNotAdd says why nothing can be added.
func (b *Browser) whyNotAdd() string {
	list, without := b.results()
	switch {
	case len(list) == 0 && len(without) > 0:
		return lacking(without)
	case len(list) == 0:
		if r := b.counters.Row(); r != nil {
			return b.whyAbsent(r)
		}
		return "no counter is highlighted"
	}
	if i := slices.IndexFunc(list, func(p path) bool { return p.place.host == nil }); i >= 0 {
		return list[i].place.name + " is a manifest: it has no values; y copies the path"
	}
	return ""
}

// lacking names the hosts that do not have what was chosen.
func lacking(without []lack) string {
	const most = 12
	var names []string
	for _, l := range without[:min(len(without), most)] {
		name := l.place.name
		if l.why != "" {
			name += " (" + l.why + ")"
		}
		names = append(names, name)
	}
	text := "not on " + strings.Join(names, ", ")
	if len(without) > most {
		text += " and more"
	}
	return text
}

// drawChosen draws the paths that enter adds, who lacks them, and what * would
// do.
func (b *Browser) drawChosen(f pane.Frame) {
	list, without := b.results()
	switch n := len(list); {
	case n == 0:
		drawHeadline(f, "no path chosen", "")
	case b.hasChosen():
		drawHeadline(f, english.Count(n, "path", "paths")+" chosen", "")
	default:
		drawHeadline(f, english.Count(n, "path", "paths")+" highlighted", "enter adds it, space chooses it and more")
	}
	notes := b.notes(f, without)
	last := f.Height() - len(notes)
	if len(notes) > 0 && last > 3 {
		last-- // a blank line
	}
	y := b.drawPaths(f, 1, last, list)
	if last < f.Height()-len(notes) {
		y++
	}
	for _, n := range notes {
		n(y)
		y++
	}
}

// drawPaths draws paths from line y on, up to line last.
func (b *Browser) drawPaths(f pane.Frame, y, last int, list []path) int {
	for i := range list {
		if y >= last-1 && i < len(list)-1 {
			f.Rest(layout.SignW, y, fmt.Sprintf("+ %d more", len(list)-i), themes.Muted)
			return y + 1
		}
		f.Middle(layout.SignW, y, f.Width()-layout.SignW-1, list[i].full(), themes.Strong)
		y++
	}
	return y
}

// notes are lines below the paths, each to be drawn in a line.
func (b *Browser) notes(f pane.Frame, without []lack) (notes []func(y int)) {
	muted, x := themes.Muted, layout.SignW
	if len(without) > 0 {
		notes = append(notes, func(y int) {
			f.Rest(x, y, lacking(without), themes.Careful)
		})
	}
	if text, ok := b.widened(); ok && b.split.chosen > 4 {
		notes = append(notes, func(y int) {
			at := x + f.Text(x, y, "*", themes.Accent.Bold()) + 1
			f.Middle(at, y, f.Width()-at, "makes the highlighted part a wildcard: "+text, muted)
		})
	}
	if len(b.desk.Hosts) > 1 && b.split.chosen > 6 {
		notes = append(notes, func(y int) {
			at := x + f.Text(x, y, "With ", muted)
			at += f.Text(at, y, "all hosts", themes.Accent)
			f.Rest(at, y, " chosen, a path is added for each host that has it; those without are named before you confirm.", muted)
		})
	}
	return notes
}
