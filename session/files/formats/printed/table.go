// Package printed writes samples in the formats that are not read again: as tables, as sentences,
// as text for Prometheus.
package printed

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/paths"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// table writes samples for reading. Paths without wildcards stand side by side,
// a line for each sample; with wildcards each sample is a block with a line for
// each instance, so that instances may come and go. What is wider than the terminal
// has a line for each value.
type table struct {
	logs.Outlet

	blocky  bool // a path may mean several instances: each sample is a block
	layout  layout
	columns []*logs.Named // those of layout
	lines   int           // since the header
	several bool          // hosts: each is named
	blocks  map[blockKey]*block
	written bool // something stands above what comes

	listCells int // width of the values of lists
}

// Table writes tables to read.
func Table(o logs.Outlet) logs.BeatWriter {
	return &table{Outlet: o, blocks: map[blockKey]*block{}}
}

const (
	headerEvery  = 20
	timeOfDay    = "15:04:05.000"
	columnCells  = 12 // narrowest column of numbers
	columnsApart = "  "

	mostListCells = 24 // of the values of a list: what is wider moves its path
)

func (t *table) Write(r *logs.Beat) error {
	t.blocky = t.blocky || slices.ContainsFunc(r.Columns, isWild) || wild(r)
	t.several = r.Several
	if t.blocky {
		return t.writeBlocks(r)
	}
	return t.writeLine(r)
}

func isWild(s *logs.Named) bool { return s.Wild }

// wild tells whether any path may mean several instances.
func wild(r *logs.Beat) bool {
	for _, s := range r.Samples {
		if slices.ContainsFunc(s.Cells, func(c logs.Cell) bool { return c.Wild }) {
			return true
		}
	}
	return false
}

// writeLine writes a sample as one line, and the header now and then.
func (t *table) writeLine(r *logs.Beat) error {
	var b strings.Builder
	wider := t.layout == nil || !slices.Equal(t.columns, r.Columns)
	if wider { // at first, and when a host that comes later has more, or tells what they are
		t.layout, t.columns = lineLayout(r.Columns, t.several), slices.Clone(r.Columns)
	}
	texts := []string{r.Time.Format(timeOfDay)}
	for i, c := range r.Columns {
		text := t.text(logs.Cell{Named: c, Value: r.Values[i]})
		wider = t.layout[i+1].fit(text) || wider
		texts = append(texts, text)
	}
	if t.overflows(t.layout) {
		t.lines = 0 // a header is due when there is room again
		return t.writeList(texts[0], r.Columns, texts[1:])
	}
	if wider || t.lines%headerEvery == 0 {
		t.part(&b)
		t.layout.writeHeader(&b)
	}
	t.lines++
	t.layout.writeLine(&b, texts)
	_, err := io.WriteString(t.W, b.String())
	return err
}

// text is a value as the table shows it.
func (t *table) text(c logs.Cell) string {
	return printable.Text(t.Text(c, logs.ScreenDecimals))
}

// overflows tells whether a table is wider than the terminal.
func (t *table) overflows(l layout) bool {
	if t.Cells == nil {
		return false
	}
	room := t.Cells()
	return room > 0 && l.widthCells() > room
}

// part leaves a line free below what stands above.
func (t *table) part(b *strings.Builder) {
	if t.written {
		b.WriteByte('\n')
	}
	t.written = true
}

// writeList writes a sample as a line for each value, with its path behind it: the
// values stand below each other however long paths are.
func (t *table) writeList(time string, list []*logs.Named, texts []string) error {
	var b strings.Builder
	t.part(&b)
	for _, text := range texts {
		t.listCells = max(t.listCells, min(ansi.StringWidth(text), mostListCells))
	}
	b.WriteString(time + "\n")
	for i, s := range list {
		path := s.Text
		if t.several {
			path = s.Full()
		}
		pad := strings.Repeat(" ", max(0, t.listCells-ansi.StringWidth(texts[i])))
		b.WriteString(pad + texts[i] + columnsApart + printable.Text(path) + "\n")
	}
	_, err := io.WriteString(t.W, b.String())
	return err
}

// lineLayout has a column for the time and for each series. Its titles are
// computer (if there are several), object, instance and counter, below each
// other.
func lineLayout(list []*logs.Named, hosts bool) layout {
	l := layout{newColumn(false, "", "", "Time")}
	for _, s := range list {
		titles := []string{s.Set.Name, s.Instance(), s.Counter.Name}
		if hosts {
			titles = append([]string{s.Host}, titles...)
		}
		l = append(l, newColumn(!s.Counter.Type.IsText(), titles...))
	}
	return l
}

// layout is the columns of a table. The first is on the left.
type layout []*column

// widthCells is the width of a line.
func (l layout) widthCells() int {
	cells := len(columnsApart) * (len(l) - 1)
	for _, c := range l {
		cells += c.widthCells
	}
	return cells
}

// column is one column: its titles from top to bottom, and its width, which
// only grows.
type column struct {
	titles     []string
	widthCells int
	right      bool
}

func newColumn(right bool, titles ...string) *column {
	c := &column{widthCells: columnCells, right: right}
	for _, t := range titles {
		t = printable.Text(t)
		c.titles = append(c.titles, t)
		c.widthCells = max(c.widthCells, ansi.StringWidth(t))
	}
	return c
}

// mostTextCells is how wide a column gets for texts.
const mostTextCells = 60

// fit makes a column of texts wide enough for one, and tells whether it had to.
func (c *column) fit(text string) (wider bool) {
	cells := min(ansi.StringWidth(text), mostTextCells)
	wider = !c.right && cells > c.widthCells
	if wider {
		c.widthCells = cells
	}
	return wider
}

// writeHeader writes the titles, those of one column at the bottom of the rest;
// lines without any are left out.
func (l layout) writeHeader(b *strings.Builder) {
	deep := 0
	for _, c := range l {
		deep = max(deep, len(c.titles))
	}
	for i := range deep {
		line := make([]string, len(l))
		for j, c := range l {
			if k := i - (deep - len(c.titles)); k >= 0 {
				line[j] = c.titles[k]
			}
		}
		if strings.Join(line, "") != "" {
			l.writeLine(b, line)
		}
	}
}

// writeLine writes a text for each column.
func (l layout) writeLine(b *strings.Builder, texts []string) {
	var line strings.Builder
	for i, c := range l {
		if i > 0 {
			line.WriteString(columnsApart)
		}
		pad := strings.Repeat(" ", max(0, c.widthCells-ansi.StringWidth(texts[i])))
		if c.right {
			line.WriteString(pad + texts[i])
		} else {
			line.WriteString(texts[i] + pad)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

type blockKey struct{ host, set string } // the set folded

// block is the table of one counterset.
type block struct {
	layout   layout
	counters []string            // folded
	texts    map[string][]string // of the sample, by instance
	order    []string            // of instances
}

// writeBlocks writes a sample as one table for each counterset.
func (t *table) writeBlocks(r *logs.Beat) error {
	var order []*block
	var list []*logs.Named
	var texts []string
	for _, s := range r.Samples {
		for _, c := range s.Cells {
			key := blockKey{c.Host, paths.Fold(c.Set.Name)}
			if t.blocks[key] == nil {
				t.blocks[key] = newBlock(c.Named, t.several)
			}
			b := t.blocks[key]
			if !slices.Contains(order, b) {
				order = append(order, b)
				b.clear()
			}
			text := t.text(c)
			b.add(c, text)
			list, texts = append(list, c.Named), append(texts, text)
		}
	}
	time := r.Time.Format(timeOfDay)
	if slices.ContainsFunc(order, func(b *block) bool { return t.overflows(b.layout) }) {
		return t.writeList(time, list, texts)
	}
	var out strings.Builder
	for _, b := range order {
		t.part(&out)
		b.write(&out, time)
	}
	_, err := io.WriteString(t.W, out.String())
	return err
}

// newBlock has a column for the time and the instance. Those of counters come with them.
func newBlock(s *logs.Named, hosts bool) *block {
	title := s.Set.Name
	if hosts {
		title = s.Host + " " + title
	}
	return &block{layout: layout{newColumn(false, "Time"), newColumn(false, title)}, texts: map[string][]string{}}
}

func (b *block) clear() {
	clear(b.texts)
	b.order = b.order[:0]
}

func (b *block) add(c logs.Cell, text string) {
	name := printable.Text(c.Instance())
	i := slices.Index(b.counters, paths.Fold(c.Counter.Name))
	if i < 0 {
		i = len(b.counters)
		b.counters = append(b.counters, paths.Fold(c.Counter.Name))
		b.layout = append(b.layout, newColumn(true, c.Counter.Name))
	}
	texts, known := b.texts[name]
	if !known {
		b.order = append(b.order, name)
	}
	texts = append(texts, make([]string, max(0, len(b.counters)-len(texts)))...)
	texts[i], b.texts[name] = text, texts
	b.layout[i+2].right = !c.Counter.Type.IsText()
	b.layout[i+2].fit(text)
	b.layout[1].widthCells = max(b.layout[1].widthCells, ansi.StringWidth(name))
}

func (b *block) write(out *strings.Builder, time string) {
	b.layout.writeHeader(out)
	for _, name := range b.order {
		texts := append([]string{time, name}, b.texts[name]...)
		b.layout.writeLine(out, append(texts, make([]string, len(b.layout)-len(texts))...))
	}
}
