package pane

import (
	"perfdeck/session"
	"perfdeck/themes"
)

// LookPath is the name under which the look of a counter is kept: of all its
// instances, on every host.
func LookPath(set *session.Counterset, counter int) string {
	return `\` + set.Name + `\` + set.Counters[counter].Name
}

// Look is how the user wants a counter drawn; the zero value says nothing.
func (d *Desk) Look(path string) session.KeptLook {
	if l := d.Kept.Look(path); l != nil {
		return *l
	}
	return session.KeptLook{Path: path}
}

// KeepLook keeps how a counter is drawn.
func (d *Desk) KeepLook(l session.KeptLook) {
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
	return themes.Series(number - 1).Style(), true
}
