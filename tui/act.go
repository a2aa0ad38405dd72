package tui

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/top"
)

// What can be done with the selected value is the same on every screen.

// selected are the values, or hosts, that are selected.
func (r *root) selected() []pane.Target {
	if s, ok := r.screen().(pane.Selector); ok {
		return s.Selected()
	}
	return nil
}

// value is the value that is selected.
func (r *root) value() (pane.Target, bool) {
	list := r.selected()
	if len(list) == 0 || !list[0].IsValue() {
		return pane.Target{}, false
	}
	return list[0], true
}

func (r *root) whyNoChart() string {
	if r.at == pane.TabChart && len(r.above) == 0 {
		return "this is the chart"
	}
	if list := r.charted(); len(list) > 0 && !slices.ContainsFunc(list, func(t pane.Target) bool { return !t.IsText() }) {
		return "a text has no curve"
	}
	return r.whyNoValue()
}

func (r *root) whyNoValue() string {
	_, ok := r.value()
	return keys.When(!ok, "no value is selected")
}

// charted are the values that are selected and marked.
func (r *root) charted() (list []pane.Target) {
	for _, t := range r.selected() {
		if t.IsValue() {
			list = append(list, t)
		}
	}
	return list
}

func (r *root) explain() {
	t, ok := r.value()
	if !ok {
		return
	}
	r.desk.Send(pane.OpenExplain{Target: t})
}

func (r *root) copyPath() {
	t, ok := r.value()
	if !ok {
		return
	}
	path := t.PathOf()
	if len(r.desk.Hosts) > 1 {
		path = t.FullPath()
	}
	r.desk.Send(pane.CopyPaths{Paths: []string{path}})
}

// copyPaths puts paths on the clipboard.
func (r *root) copyPaths(m pane.CopyPaths) {
	list, replaced := make([]string, len(m.Paths)), false
	for i, path := range m.Paths {
		list[i] = printablePath(path)
		replaced = replaced || list[i] != path
	}
	if len(list) > 1 {
		for i := range list {
			list[i] = argument(list[i])
		}
	}
	r.copied(strings.Join(list, " "), "*", replaced)
}

// copied hands text to the clipboard and says so, and what stands for characters
// that were replaced.
func (r *root) copied(text, mark string, replaced bool) {
	if replaced {
		r.say("copied, with " + mark + " for what cannot be printed: " + text)
	} else {
		r.say("copied " + text)
	}
	r.order(r.output.copy(text))
}

// printablePath is a path in which wildcards stand for what cannot be printed.
func printablePath(path string) string {
	if printable.Text(path) == path {
		return path
	}
	var b strings.Builder
	for i, wild := 0, false; i < len(path); {
		_, size := utf8.DecodeRuneInString(path[i:])
		c := path[i : i+size]
		i += size
		switch clean := printable.Text(c) == c; {
		case clean:
			b.WriteString(c)
			wild = false
		case !wild:
			b.WriteByte('*')
			wild = true
		}
	}
	return b.String()
}

// argument is text in quotes, as the shell of this system reads it.
func argument(text string) string {
	if runtime.GOOS == "windows" {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// causes shows who causes what is selected: the processes, by what they do to it,
// or the instances of the selected counterset.
func (r *root) causes() {
	h, _ := r.meant()
	if h == nil {
		return
	}
	open := pane.OpenTop{Host: h, Set: h.Sampler.Catalogue().Processes(), Sort: -1}
	t, ok := r.value()
	if ok && (t.Set == open.Set || open.Set == nil && t.Set.Instances.Multiple()) {
		open.Set, open.Key, open.Sort = t.Set, t.Key, t.Counter
	}
	if open.Set == nil {
		r.desk.Say(top.WhyNoProcesses(h))
		return
	}
	r.openByCause(open, t)
}

// openByCause opens a table of processes, sorted by what they do to a value of another counterset.
func (r *root) openByCause(open pane.OpenTop, t pane.Target) {
	why := ""
	if t.Set != nil && t.Set != open.Set && t.Counter < len(t.Set.Counters) {
		open.Sort, why = top.CauseOf(t.Set, t.Counter, t.Key, open.Set)
	}
	r.desk.Send(open)
	if why != "" {
		r.desk.Say("not sorted by the cause: " + why)
	}
}

// menu lists what can be done with the selected.
func (r *root) menu() {
	var items []pane.MenuItem
	for _, m := range r.maps() {
		for i := range m {
			b := &m[i]
			if b.In() != keys.Selected && b.In() != keys.Change || b.Keys == "m" ||
				slices.ContainsFunc(items, func(it pane.MenuItem) bool { return it.Key == b.Label() || it.Text == b.Text }) {
				continue
			}
			_, why := b.Applies()
			items = append(items, pane.MenuItem{Text: b.Text, Key: b.Label(), Why: why, Do: b.Do})
		}
	}
	r.desk.Send(pane.OpenMenu{Title: r.menuTitle(), Items: append(items, r.lookItems()...)})
}

// lookItems are the lines of the menu that change how a counter is drawn.
func (r *root) lookItems() []pane.MenuItem {
	t, ok := r.value()
	if !ok || r.desk.Kept == nil {
		return nil
	}
	look := r.desk.Look(pane.LookPath(t.Set, t.Counter))
	colours := pane.OpenMenu{Title: "Colour of " + t.Name()}
	for n := range mostColours + 1 {
		text := "the usual one"
		if n > 0 {
			text = fmt.Sprintf("s%d, the colour of letter %c on charts", n, 'A'+n-1)
		}
		colours.Items = append(colours.Items, pane.MenuItem{Text: text, Do: func() {
			look.Colour = n
			r.keepLook(look)
		}})
	}
	scales := pane.OpenMenu{Title: "Scale on charts of " + t.Name()}
	scales.Items = append(scales.Items, pane.MenuItem{Text: "automatic", Do: func() {
		look.Scale = nil
		r.keepLook(look)
	}})
	for n := mostScale; n >= -mostScale; n-- {
		scales.Items = append(scales.Items, pane.MenuItem{Text: fmt.Sprintf("10^%d", n), Do: func() {
			look.Scale = &n
			r.keepLook(look)
		}})
	}
	return []pane.MenuItem{
		{Text: "colour of its line...", Do: func() { r.desk.Send(colours) }},
		{Text: "scale on charts...", Do: func() { r.desk.Send(scales) }},
	}
}

const (
	mostColours = 8 // of a theme's series
	mostScale   = 7 // as perfmon's dialog offers
)

func (r *root) keepLook(l session.SavedLook) {
	r.desk.KeepLook(l)
	r.chart.Recall()
}

func (r *root) menuTitle() string {
	if t, ok := r.value(); ok {
		return t.Text(true)
	}
	return r.screen().Title()
}

// addPaths puts counters on the deck.
func (r *root) addPaths(m pane.AddPaths) {
	var last error
	var added, there []string
	before := r.book.Memory()
	for _, path := range m.Paths {
		had := r.paths(m.Host)
		switch err := r.book.Add(m.Host, r.ownPath(m.Host, path)); {
		case err != nil:
			last = err
		case r.paths(m.Host) == had:
			there = append(there, path)
		default:
			added = append(added, path)
		}
	}
	r.askAll()
	of := ""
	switch {
	case m.Host != nil && len(r.desk.Hosts) > 1:
		of = " on " + m.Host.Name
	case r.book.IsShared():
		of = " on all hosts"
	}
	switch {
	case len(added) > 0:
		r.did(pane.Did{Text: "added " + firstOf(added) + of, Undo: before})
	case len(there) > 0:
		r.say(firstOf(there) + " is there already" + of)
	}
	if last != nil { // what was added can be undone all the same
		r.say(last.Error())
	}
}

// ownPath names the host of a path where the deck of several is shown: it is
// added to that of the one host then, as the browser shows it.
func (r *root) ownPath(h *pane.Host, path string) string {
	if h == nil || !r.book.IsShared() {
		return path
	}
	return `\\` + h.Name + path
}

// paths is how many paths the deck that is shown has, and the own one of a host.
func (r *root) paths(h *pane.Host) int {
	n := r.book.PathCount()
	if own := r.book.Own(h); own != nil {
		for _, p := range own.Spec() {
			n += len(p.Paths)
		}
	}
	return n
}

func firstOf(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	return paths[0] + " and more"
}

// changes are what was changed, newest last, and how it is undone.
type changes []pane.Did

// mostChanges bounds how many changes can be taken back.
const mostChanges = 100

// did keeps a change and says it.
func (r *root) did(m pane.Did) {
	if m.Undo == nil {
		r.say(m.Text)
		return
	}
	r.changes = append(r.changes, m)
	if len(r.changes) > mostChanges {
		r.changes = r.changes[1:]
	}
	r.say(m.Text + "   u undo")
}

func (r *root) whyNoUndo() string {
	r.changes = slices.DeleteFunc(r.changes, func(d pane.Did) bool { return d.Lapsed != nil && d.Lapsed() })
	return keys.When(len(r.changes) == 0, "nothing was changed")
}

// keep writes what the screens changed.
func (r *root) keep() {
	if r.desk.Kept == nil || r.options.Keep == nil {
		return
	}
	if err := r.options.Keep(r.desk.Kept); err != nil {
		r.fail(err)
	}
}

// undo takes the last change back.
func (r *root) undo() {
	if r.whyNoUndo() != "" {
		return
	}
	n := len(r.changes)
	last := r.changes[n-1]
	r.changes = r.changes[:n-1]
	r.say("undone: " + last.Text)
	last.Undo()
	r.desk.Reask()
}
