package explain

import (
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// limited is the value with what pictures show of it, whichever is meant: what is used in
// place of what is left.
func (s *Screen) limited() pane.Target {
	t := s.target
	t.Used = true
	return t
}

// addDrawn tells how pictures of a value come about, where they show more than it, and that
// was not asked for, which is told first.
func (s *Screen) addDrawn(p *page, v cooker.Value) {
	if !s.target.Used {
		s.tellDrawn(p, v)
	}
}

func (s *Screen) tellDrawn(p *page, v cooker.Value) {
	d, counter := s.limited().Drawn(), s.target.Of()
	if !d.Limit.Is() || d.Limit.Set == nil && d.Used == "" {
		return
	}
	snap := s.target.Host.Snap
	given := s.desk.Shown(snap, d.Limit.Series(snap, s.target.Key), d.Limit.Value(snap, s.target.Key))
	r := d.Read(v, given)
	number := func(f float64) string {
		look := s.units.Look(s.target.Set, s.target.Counter)
		u := look.Unit(f)
		return strings.TrimSpace(look.Field(cooker.FloatValue(f), u) + " " + u.Label)
	}
	limit := limitName(&d.Limit, counter)
	value, isNumber := v.Float()
	shown, _ := r.Value.Float()
	percent := cooker.Field(cooker.FloatValue(r.Share), cooker.Unit{}) + " %"
	if s.target.Used && r.Value.Valid() {
		p.strong(number(shown), s.target.Name())
	}
	of := d.Used + " = " + limit + " - " + counter.Name
	switch {
	case d.Used != "" && (!isNumber || !r.Value.Valid()):
		p.add("drawn", of+", which is not known now")
	case d.Used != "":
		worked := number(r.Limit) + " - " + number(value) + " = " + number(shown)
		if !d.IsPercent {
			worked += ", " + percent + " of it"
		}
		p.add("drawn", of, worked)
	case r.Share == r.Share && r.Limit == r.Limit:
		p.add("drawn", percent+" of "+number(r.Limit), limit)
	default:
		p.add("drawn", "as a share of "+limit+", which is none now")
	}
	p.blank()
}

// limitName is what limits a counter, as its explanation says.
func limitName(l *kind.Limit, c *session.Counter) string {
	if l.Set == nil {
		return "100"
	}
	instance := l.Instance
	if instance == "" && l.Set.Instances.Multiple() {
		instance = "*"
	}
	in := &session.Instance{Key: session.InstanceKey{Name: instance}}
	path := session.PathOf("", l.Set, l.Counter, in).String()
	if l.IsShare {
		return "100 x " + c.Name + " / " + path
	}
	return path
}
