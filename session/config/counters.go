package config

import (
	"errors"
	"strings"
	"unicode"

	"perfdeck/cooker"
	"perfdeck/paths"
)

const counterTable = "counter"

// quoteHint is for texts in double quotes, in which TOML takes backslashes as
// escapes.
const quoteHint = `write backslashes in single quotes, as '\Object(*)\Counter' or 'DOMAIN\name'`

// Override is how a counter is shown other than its catalogue and Settings say.
// A nil field changes nothing.
type Override struct {
	Scale  *int // power of ten, cooker.MinScale to cooker.MaxScale
	Units  *cooker.UnitStyle
	Digits *int // decimals, 0 to 17
}

// Apply puts the units and digits into a format. The scale is left to the
// caller, who knows whether it is for a chart or for a number.
func (o Override) Apply(f cooker.Format) cooker.Format {
	if o.Units != nil {
		f = f.InUnits(*o.Units)
	}
	if o.Digits != nil {
		f.Digits = *o.Digits
	}
	return f
}

// Overrides are the [[counter]] tables of a file. A nil *Overrides has none. It
// may be used by many goroutines at a time.
type Overrides struct {
	rules []rule
	exact map[names]int // rules without wildcards
	wild  []int         // the others, in their order
}

// rule is one table; its names are folded and may hold wildcards.
type rule struct {
	names
	override Override
}

type names struct{ object, counter string }

// Len is the number of overrides.
func (o *Overrides) Len() int {
	if o == nil {
		return 0
	}
	return len(o.rules)
}

// For finds the override of a counter by its English names, compared without
// case: the first in the file that matches. One for SQLServer:X also holds for
// the X of SQL Server's named instances (MSSQL$INSTANCE:X).
func (o *Overrides) For(object, counter string) (Override, bool) {
	if o.Len() == 0 {
		return Override{}, false
	}
	n := names{paths.Fold(object), paths.Fold(counter)}
	best := o.find(n, len(o.rules))
	if instance, kind, ok := paths.OfServer(n.object); ok && instance != "" {
		best = o.find(names{paths.Fold(paths.ServerObject("", kind)), n.counter}, best)
	}
	if best == len(o.rules) {
		return Override{}, false
	}
	return o.rules[best].override, true
}

// find is the first rule before another one that matches, else the other one.
func (o *Overrides) find(n names, before int) int {
	if i, ok := o.exact[n]; ok {
		before = min(before, i)
	}
	for _, i := range o.wild {
		if i >= before {
			break
		}
		if r := &o.rules[i]; paths.Match(r.object, n.object) && paths.Match(r.counter, n.counter) {
			return i
		}
	}
	return before
}

// add takes a rule behind those that are there.
func (o *Overrides) add(p paths.Path, override Override) {
	n := names{paths.Fold(p.Object), paths.Fold(p.Counter)}
	i := len(o.rules)
	o.rules = append(o.rules, rule{n, override})
	if strings.Contains(n.object+n.counter, "*") {
		o.wild = append(o.wild, i)
		return
	}
	if _, known := o.exact[n]; !known {
		o.exact[n] = i
	}
}

// decodeCounters reads the [[counter]] tables.
func decodeCounters(root table) *Overrides {
	out := &Overrides{exact: map[names]int{}}
	for _, t := range root.tables(counterTable, "tables: [[counter]]") {
		override := Override{
			Scale:  optional(t, "scale", whole(cooker.MinScale, cooker.MaxScale)),
			Units:  optional(t, "units", unitStyles()),
			Digits: optional(t, "digits", whole(0, maxDigits)),
		}
		const expected = `a counter path of all instances, as '\Object(*)\Counter'`
		v, ok := t.value("path")
		if !ok {
			t.missing("path", expected)
			continue
		}
		p, ok := t.path("path", v, t.at.field("path").value, expected)
		switch {
		case !ok:
		case p.Computer != "", p.HasInstance && !allInstances(p.InstanceText()):
			t.wrong("path", expected)
		default:
			out.add(p, override)
		}
	}
	return out
}

// allInstances tells `*` and forms like it (`*/*`, `*#*`) from single instances.
func allInstances(text string) bool {
	return strings.Contains(text, "*") && strings.Trim(text, "*/#") == ""
}

// path reads a counter path, the value of a key or one of its items.
func (t table) path(key string, v any, offset int, expected string) (p paths.Path, ok bool) {
	text, ok := v.(string)
	if !ok {
		t.d.found(offset, t.key(key), v, expected)
		return p, false
	}
	p, err := paths.Parse(text)
	if err == nil {
		return p, true
	}
	e := &FileError{Key: t.key(key), Reason: "found " + show(text), Expected: expected, Err: err}
	if parse, ok := errors.AsType[*paths.ParseError](err); ok {
		e.Reason += ": " + parse.Reason
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		e.hint = quoteHint
	}
	t.d.fault(offset, e)
	return p, false
}
