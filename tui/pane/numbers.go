package pane

import (
	"cmp"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
)

// Numbers is how numbers are written, as the user wants them.
type Numbers struct {
	Grouping string // between groups of three digits, of numbers that are no counter's
	Looks    session.Looks

	generation int
}

// Replace takes over how other numbers are written; rows that are shown follow.
func (n *Numbers) Replace(o *Numbers) {
	n.Grouping, n.Looks = o.Grouping, o.Looks
	n.generation++
}

// DefaultNumbers is how numbers are written when nobody says otherwise.
func DefaultNumbers() *Numbers { return &Numbers{Grouping: ","} }

// Separator is what stands between groups of digits; n may be nil.
func (n *Numbers) Separator() string {
	if n == nil {
		return DefaultNumbers().Grouping
	}
	return n.Grouping
}

// NumbersOf is how the numbers of a host are written.
func (d *Desk) NumbersOf(h *Host) *Numbers { return cmp.Or(h.Numbers, d.Numbers) }

// Of is how the numbers of counters are written; n may be nil.
func (n *Numbers) Of() session.Looks {
	if n == nil {
		return nil
	}
	return n.Looks
}

// Look is the look of a counter (index in set.Counters); n may be nil.
func (n *Numbers) Look(set *session.Counterset, counter int) session.Look {
	if n == nil {
		return set.Counters[counter].Look()
	}
	return n.Looks.Of(set, &set.Counters[counter])
}

// Generation changes when numbers are written in another way.
func (n *Numbers) Generation() int {
	if n == nil {
		return 0
	}
	return n.generation
}

// Power is 10^scale.
func Power(scale int) float64 {
	f, _ := cooker.Scaled(cooker.FloatValue(1), scale).Float()
	return f
}

// LookPath is the name under which the look of a counter is kept: of all its
// instances, on every host.
func LookPath(set *session.Counterset, counter int) string {
	return `\` + set.Name + `\` + set.Counters[counter].Name
}

// Look is how the user wants a counter drawn; the zero value says nothing.
func (d *Desk) Look(path string) session.SavedLook {
	if l := d.Kept.Look(path); l != nil {
		return *l
	}
	return session.SavedLook{Path: path}
}

// KeepLook keeps how a counter is drawn.
func (d *Desk) KeepLook(l session.SavedLook) {
	if d.Kept == nil {
		return
	}
	d.Kept.SetLook(l)
	d.Send(Keep{})
}

// ColourOf is the style of a series colour, the number of which counts from 1;
// ok is false for 0.
func ColourOf(number int) (st themes.Style, ok bool) {
	if number < 1 {
		return 0, false
	}
	return themes.Series(number - 1), true
}
