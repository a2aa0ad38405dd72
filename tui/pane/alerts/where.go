package alerts

import (
	"strings"

	"perfdeck/session/alert"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/names"
)

// where is the path of a value in its parts, so that the right one is
// cut when there is little room.
type where struct {
	host, object, instance, counter string
}

// whereOf is that of an alert or event; host tells whether the host is named.
func whereOf(id alert.ID, instance string, host bool) *where {
	p := &where{object: id.Set, instance: instance, counter: id.Counter}
	if p.instance == "" {
		p.instance = id.Name
	}
	if host || id.Set == "" {
		p.host = `\\` + id.Host
	}
	return p
}

func (p *where) String() string {
	if p.object == "" {
		return p.host
	}
	text := p.host + `\` + p.object
	if p.instance != "" {
		text += "(" + p.instance + ")"
	}
	return text + `\` + p.counter
}

// The least that is left of the parts, in cells.
const (
	leastObject   = 7
	noObject      = 1
	leastInstance = 6
	leastCounter  = 12
	someCounter   = 8
)

// fit is the path in w cells: the object gives way first, then the counter is
// abbreviated, then the instance and the counter are cut.
func (p *where) fit(r canvas.Region, w int) string {
	if p.width() <= w || p.object == "" {
		return r.CutMiddle(w, p.String())
	}
	cut := *p
	p = &cut
	p.cut(r, &p.object, w, leastObject)
	p.cut(r, &p.object, w, noObject)
	if over := p.width() - w; over > 0 {
		p.counter = names.Counter(p.counter, "", max(leastCounter, cells(p.counter)-over))
	}
	p.cut(r, &p.instance, w, leastInstance)
	p.cut(r, &p.counter, w, leastCounter)
	p.cut(r, &p.counter, w, someCounter)
	return r.CutMiddle(w, p.String())
}

// cut shortens one part by what is too much, but leaves least cells of it.
func (p *where) cut(r canvas.Region, part *string, w, least int) {
	if over := p.width() - w; over > 0 {
		*part = r.CutMiddle(max(least, cells(*part)-over), *part)
	}
}

func (p *where) width() int { return cells(p.String()) }

func cells(text string) int { return canvas.Full.TextWidth(text) }

// condition is the condition of a rule as a table shows it: the path, then the
// limit with its unit.
func condition(r canvas.Region, rule *alert.Rule, limit string, w int) string {
	switch rule.Kind {
	case alert.HostLost:
		return r.CutEnd(w, "host does not answer")
	case alert.NoValue:
		const word = "absent "
		return word + pathParts(rule).fit(r, max(0, w-len(word)))
	case alert.EventCount:
		return r.CutMiddle(w, rule.Expression())
	}
	behind := " " + rule.When.Op.String() + " " + limit
	if rule.Aggregate != nil {
		behind = ", " + rule.Aggregate.String() + behind
	}
	if cells(behind) >= w {
		return r.CutMiddle(w, strings.TrimSpace(behind))
	}
	return pathParts(rule).fit(r, w-cells(behind)) + behind
}

// pathParts is the path of a rule in its parts.
func pathParts(rule *alert.Rule) *where {
	path := &rule.When.Path
	p := &where{object: path.Object, counter: path.Counter}
	if path.HasInstance {
		p.instance = path.InstanceText()
	}
	if path.Computer != "" {
		p.host = `\\` + path.Computer
	}
	return p
}
