package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/words"
	"perfdeck/themes"
	"perfdeck/tui/kit/lineedit"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// Counter chooses a counter: by its path, or by words of its name and
// description.
type Counter struct {
	searched

	out    *pane.Outbox
	add    func(path string) error
	all    []choice
	index  *search.Index
	find   *search.Finder
	result search.Result
	err    string
}

// choice is a counter that can be added.
type choice struct {
	set     *session.Counterset
	counter int
}

func (c choice) is() *session.Counter { return &c.set.Counters[c.counter] }

// NewCounter returns a dialog that adds counters of a catalogue.
func NewCounter(out *pane.Outbox, cat *session.Catalogue, book words.Book, add func(path string) error) *Counter {
	d := &Counter{out: out, add: add, index: search.NewIndex()}
	d.index.Words = book
	var entries []search.Entry
	for _, set := range cat.Sets {
		for i := range set.Counters {
			c := choice{set, i}
			if c.is().Hidden() || c.is().Absent != "" {
				continue
			}
			d.all = append(d.all, c)
			entries = append(entries, search.Entry{Name: c.is().Name, Of: set.Name, Text: c.is().Description})
		}
	}
	d.changed = func() {
		d.err = ""
		d.search()
	}
	d.index.Add("", entries)
	d.find = search.NewFinder(d.index)
	d.search()
	return d
}

// proposal is the path of a counter: of the total where there is one by custom,
// else of all instances.
func (c choice) proposal() string {
	if !c.set.Instances.Multiple() {
		return session.PathOf("", c.set, c.counter, nil).String()
	}
	name := "*"
	switch c.set.InEnglish() {
	case "Processor Information", "Processor":
		name = "_Total"
	}
	in := session.Instance{Key: session.InstanceKey{Name: name}}
	return session.PathOf("", c.set, c.counter, &in).String()
}

// Size is the size it would like to have.
func (d *Counter) Size() (w, h int) { return 76, 20 }

// Title is the dialog's name.
func (d *Counter) Title() string { return "Add a counter" }

// Key edits the line, moves along the list, accepts.
func (d *Counter) Key(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		d.out.Close(nil)
	case "enter":
		d.accept()
	case "tab":
		if c, ok := d.current(); ok {
			d.field = lineedit.New(c.proposal())
			d.changed()
		}
	default:
		d.typed(k)
	}
}

// current is the counter that is selected.
func (d *Counter) current() (choice, bool) {
	if !d.Has() {
		return choice{}, false
	}
	return d.all[d.result.Hits[d.Line()].Entry], true
}

// accept adds what was typed if it is a path, else what is selected.
func (d *Counter) accept() {
	path := strings.TrimSpace(d.field.String())
	if !strings.HasPrefix(path, `\`) {
		c, ok := d.current()
		if !ok {
			d.err = nothingFound
			return
		}
		path = c.proposal()
	}
	if err := d.add(path); err != nil {
		d.err = err.Error()
		if hint := failure.Hint(err); hint != "" {
			d.err = hint + " " + d.err
		}
		return
	}
	d.out.Close(nil)
	d.out.Reask()
}

const nothingFound = "no counter has these words in its name or description"

// search finds what was typed.
func (d *Counter) search() {
	d.result = d.find.Find(wordsOf(d.field.String()), 0, -1)
	d.found(len(d.result.Hits))
}

// wordsOf are the words to look for. Of a path that is being typed they are
// those of the counterset and the counter; what stands in parentheses is the
// instance.
func wordsOf(text string) string {
	text = strings.TrimSpace(text)
	path, isPath := strings.CutPrefix(text, `\`)
	if !isPath {
		return text
	}
	if open := strings.IndexByte(path, '('); open > 0 {
		instance := path[open:]
		path = path[:open]
		if end := strings.LastIndexByte(instance, ')'); end > 0 {
			path += " " + instance[end+1:]
		}
	}
	return strings.ReplaceAll(path, `\`, " ")
}

// Draw draws the dialog.
func (d *Counter) Draw(f pane.Frame) {
	count := grouped(d.result.Found) + " of " + grouped(d.result.Total)
	room := f.Width()
	if len(count)+20 < room {
		room -= len(count) + 1
		f.Right(room+1, 0, len(count), count, themes.Muted)
	}
	d.field.Draw(f.Region, 0, 0, room, themes.Strong.On(themes.Selection))
	d.DrawEach(f.Lines(2, f.Height()-5), len(d.result.Hits), d.drawRow)
	d.drawFoot(f)
}

// drawRow draws a counter behind its counterset, with the letters that were
// found.
func (d *Counter) drawRow(f pane.Frame, row int) {
	c := d.all[d.result.Hits[row].Entry]
	setW := min(26, f.Width()/3)
	d.drawMarked(f, 2, setW-2, c.set.Name, themes.Muted)
	d.drawMarked(f, setW+1, f.Width()-setW-1, c.is().Name, themes.Text)
}

func (d *Counter) drawMarked(f pane.Frame, x, w int, name string, st themes.Style) {
	text := f.CutMiddle(w, name)
	f.Marked(x, 0, text, d.find.NameMarks(text), st)
}

func (d *Counter) drawFoot(f pane.Frame) {
	text, st := nothingFound, themes.Muted
	switch c, ok := d.current(); {
	case d.err != "":
		text, st = d.err, themes.Critical
	case ok:
		text = c.is().Description
	}
	f.Rest(0, f.Height()-2, text, st)
	hints(f, f.Height()-1, "enter", "add", "tab", "take as path", "esc", "back")
}

// Click selects, and adds what is selected.
func (d *Counter) Click(hit pane.Hit, button tea.MouseButton) {
	if d.Opens(hit, button) {
		d.accept()
	}
}
