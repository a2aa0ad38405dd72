package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/pane"
)

// Counter chooses a counter: by its path, or by words of its name.
type Counter struct {
	field    field
	add      func(path string) error
	all      []choice
	found    []int // indices in all
	selected int
	top      int
	page     int
	err      string
}

// choice is a counter that can be added.
type choice struct {
	set     *session.Counterset
	counter int
	folded  string // "physicaldisk avg. disk sec/transfer"
	path    string
}

// NewCounter returns a dialog that adds counters of a catalogue.
func NewCounter(cat *session.Catalogue, add func(path string) error) *Counter {
	d := &Counter{add: add}
	for _, set := range cat.Sets {
		for i := range set.Counters {
			c := &set.Counters[i]
			if c.Hidden() || c.Absent != "" {
				continue
			}
			d.all = append(d.all, choice{set, i, strings.ToLower(set.Name + " " + c.Name), proposal(set, i)})
		}
	}
	d.search()
	return d
}

// proposal is the path of a counter: of the total where there is one by custom,
// else of all instances.
func proposal(set *session.Counterset, counter int) string {
	if !set.Instances.Multiple() {
		return session.PathOf("", set, counter, nil).String()
	}
	name := "*"
	switch set.Name {
	case "Processor Information", "Processor":
		name = "_Total"
	}
	in := session.Instance{Key: session.InstanceKey{Name: name}}
	return session.PathOf("", set, counter, &in).String()
}

// Size is the size it would like to have.
func (d *Counter) Size() (w, h int) { return 76, 20 }

// Title is the dialog's name.
func (d *Counter) Title() string { return "Add a counter" }

// Key edits the line, moves along the list, accepts.
func (d *Counter) Key(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		return pane.Send(pane.Close{})
	case "enter":
		return d.accept()
	case "tab":
		if len(d.found) > 0 {
			d.field = newField(d.all[d.found[d.selected]].path)
			d.changed()
		}
		return nil
	case "down", "ctrl+n":
		d.Wheel(1)
		return nil
	case "up", "ctrl+p":
		d.Wheel(-1)
		return nil
	case "pgdown":
		d.Wheel(d.page)
		return nil
	case "pgup":
		d.Wheel(-d.page)
		return nil
	}
	if _, changed := d.field.key(k); changed {
		d.changed()
	}
	return nil
}

func (d *Counter) changed() {
	d.err = ""
	d.search()
}

// accept adds what was typed if it is a path, else what is selected.
func (d *Counter) accept() tea.Cmd {
	path := strings.TrimSpace(d.field.String())
	if !strings.HasPrefix(path, `\`) {
		if len(d.found) == 0 {
			d.err = "no counter has these words in its name"
			return nil
		}
		path = d.all[d.found[d.selected]].path
	}
	if err := d.add(path); err != nil {
		d.err = err.Error()
		if h, ok := err.(interface{ Hint() string }); ok && h.Hint() != "" {
			d.err = h.Hint() + " " + d.err
		}
		return nil
	}
	return tea.Batch(pane.Send(pane.Close{}), pane.Send(pane.Reask{}))
}

// search finds the counters whose names hold all the words, in this order; best
// are those where the words begin words.
func (d *Counter) search() {
	d.found, d.selected, d.top = d.found[:0], 0, 0
	text := strings.ToLower(strings.TrimSpace(d.field.String()))
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\\' || r == '(' || r == ')' })
	if strings.HasPrefix(text, `\`) {
		// A path is being typed: what stands in parentheses is the instance.
		if i, j := strings.IndexByte(text, '('), strings.IndexByte(text, ')'); i > 0 {
			words = strings.Fields(text[1:i])
			if j > i {
				words = append(words, strings.Fields(strings.TrimPrefix(text[j+1:], `\`))...)
			}
		}
	}
	var second []int
	for i := range d.all {
		switch rank(d.all[i].folded, words) {
		case atWordStart:
			d.found = append(d.found, i)
		case anywhere:
			second = append(second, i)
		}
	}
	d.found = append(d.found, second...)
}

const (
	notFound = iota
	anywhere
	atWordStart
)

// rank tells how well the words fit a name.
func rank(name string, words []string) int {
	best := atWordStart
	for _, w := range words {
		i := strings.Index(name, w)
		if i < 0 {
			return notFound
		}
		if i > 0 && !strings.ContainsRune(" /.%-:", rune(name[i-1])) {
			best = anywhere
		}
		name = name[i+len(w):]
	}
	return best
}

// Paste types what was pasted.
func (d *Counter) Paste(text string) {
	d.field.insert(strings.TrimSpace(text))
	d.changed()
}

// Draw draws the dialog.
func (d *Counter) Draw(f pane.Frame) {
	surface := themes.Surface
	d.field.draw(f, 0, 0, f.Width(), themes.Strong.Style().On(themes.Selection))
	d.page = max(1, f.Height()-5)
	d.top = max(0, min(d.top, d.selected))
	if d.selected >= d.top+d.page {
		d.top = d.selected - d.page + 1
	}
	setW := min(26, f.Width()/3)
	for n := range d.page {
		i := d.top + n
		if i >= len(d.found) {
			break
		}
		c := &d.all[d.found[i]]
		y := 2 + n
		if i == d.selected {
			f.Fill(0, y, f.Width(), 1, ' ', themes.Text.Style().On(themes.Selection))
			surface = themes.Selection
			f.Put(0, y, f.Glyphs().Selected, themes.Focus.Style().On(surface))
		}
		f.Left(2, y, setW-2, session.Printable(c.set.Name), themes.Muted.Style().On(surface))
		f.Left(setW+1, y, f.Width()-setW-1, session.Printable(c.set.Counters[c.counter].Name), themes.Text.Style().On(surface))
		f.Zone(0, y, f.Width(), 1, pane.Hit{Kind: 1, A: i})
		surface = themes.Surface
	}
	d.drawFoot(f)
}

func (d *Counter) drawFoot(f pane.Frame) {
	y := f.Height() - 2
	switch {
	case d.err != "":
		f.Left(0, y, f.Width(), session.Printable(d.err), themes.Critical.Style().On(themes.Surface))
	case len(d.found) > 0:
		c := &d.all[d.found[d.selected]]
		f.Left(0, y, f.Width(), session.Printable(c.set.Counters[c.counter].Description), themes.Muted.Style().On(themes.Surface))
	default:
		f.Left(0, y, f.Width(), "nothing has these words in its name", themes.Muted.Style().On(themes.Surface))
	}
	hints(f, f.Height()-1, "enter", "add", "tab", "take as path", "esc", "back")
}

// Click selects, and adds what is selected.
func (d *Counter) Click(hit pane.Hit, button tea.MouseButton) tea.Cmd {
	if hit.Kind != 1 || button != tea.MouseLeft || hit.A >= len(d.found) {
		return nil
	}
	if hit.A == d.selected {
		return d.accept()
	}
	d.selected = hit.A
	return nil
}

// Wheel moves the selection.
func (d *Counter) Wheel(lines int) {
	d.selected = max(0, min(d.selected+lines, len(d.found)-1))
}

var _, _ pane.Dialog = (*Counter)(nil), (*Text)(nil)
