package report

import (
	"fmt"
	"strings"

	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
)

// document is what is told, in blocks. Writers know blocks and nothing of reports.
type document struct {
	of, span string // what it is about: its name, and its time
	headline string
	opening  []Text
	skip     Run // leads past what stands above
	blocks   []block
	foot     Text
}

// block is a part of a document, one of those below. A writer leaves out what its form has no room for.
type block any

// The blocks.
type (
	heading struct {
		level int
		id    string
		text  Text
	}
	paragraph struct {
		look look // aside: in small print
		text Text
	}
	warning string
	// list has an item a line: in order, or each behind a mark.
	list struct {
		look      look
		mark      string
		isOrdered bool
		items     []Text
	}
	// facts are terms with what belongs to them: of a counter, and why that matters.
	facts struct {
		facts     []Fact
		path, why string
	}
	table struct {
		label     string // says what it is to those who do not see it; empty: the title
		title     string
		titleLook look
		look      look
		columns   []tableColumn
		rows      [][]cell // the first names the row
		note      string
	}
	// disclosure is opened by whoever wants to know more. Where nothing can be opened its lines
	// stand for it.
	disclosure struct {
		summary string
		blocks  []block
		lines   []string
	}
	section struct {
		title string
		block block
	}
	// group stands together on a page, with a title there.
	group struct {
		look   look
		title  string
		blocks []block
	}
	// index is the articles in short, on a time from its first tick to its last.
	index struct {
		ticks [3]string
		items []item
		note  Text
	}
	article struct {
		item

		isBrief bool
		blocks  []block
	}
	// contents leads to the headings of the document.
	contents struct{ of *document }
	// drawing is a picture of a page, strokes is one of a terminal.
	drawing func(*page)
	strokes func(*lines)
)

// tableColumn is a column of a table. Its look is that of its cells.
type tableColumn struct {
	head   Text
	look   look
	onPage bool // other writers leave it out
}

// cell is one of a table.
type cell struct {
	text   Text
	look   look
	across int // columns that it takes; 0: one
}

// item is what an article is about.
type item struct {
	number             int
	severity           alert.Severity
	host, text         string
	begin, end, length string
	worst, word        string
	from, to           across // where it lies in the time of the document
}

// Text is words, some of which stand out.
type Text []Run

// Run is words that look alike.
type Run struct {
	Text string

	look   look
	to     string      // what of the document it leads to
	label  string      // says what it is to those who do not see it
	draw   func(*page) // in place of words
	onPage bool        // other writers leave it out
}

// look is how words stand out: a class of pages.
type look string

// The looks that writers know.
const (
	bold      look = "b"
	codeLook  look = "code"
	muted     look = "mu"
	aside     look = "q"
	lineBreak look = "br"
	numbers   look = "n"
	object    look = "ob" // of a counter, before its name
)

// words makes a text; what is no Run is plain.
func words(parts ...any) Text {
	t := make(Text, 0, len(parts))
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			t = append(t, Run{Text: p})
		case Run:
			t = append(t, p)
		case Text:
			t = append(t, p...)
		default:
			t = append(t, Run{Text: fmt.Sprint(p)})
		}
	}
	return t
}

func strong(s string) Run { return Run{Text: s, look: bold} }
func code(s string) Run   { return Run{Text: s, look: codeLook} }

// plain is a run without looks.
func (r *Run) plain() string {
	switch {
	case r.onPage:
		return ""
	case r.look == object:
		return r.Text + `\`
	}
	return r.Text
}

// String is the text alone.
func (t Text) String() string {
	if len(t) == 1 { // nearly all that there is
		return printable.Text(t[0].plain())
	}
	var b strings.Builder
	for _, r := range t {
		b.WriteString(r.plain())
	}
	return printable.Text(b.String())
}

// MarshalText is the same, for JSON.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// row adds one to a table, of cells and of what words takes.
func (t *table) row(of ...any) {
	row, runs := make([]cell, len(of)), make(Text, len(of))
	for i, c := range of {
		switch c := c.(type) {
		case cell:
			row[i] = c
		case string:
			runs[i].Text, row[i].text = c, runs[i:i+1]
		default:
			row[i].text = words(c)
		}
	}
	t.rows = append(t.rows, row)
}

// plain are the heads and the rows without looks, and without what pages alone have.
func (t *table) plain() (out [][]string) {
	heads := make([]cell, len(t.columns))
	for i := range heads {
		heads[i].text = t.columns[i].head
	}
	for _, row := range append([][]cell{heads}, t.rows...) {
		cells, at := make([]string, 0, len(t.columns)), 0
		for _, c := range row {
			if !t.columns[at].onPage {
				cells = append(append(cells, c.text.String()), make([]string, max(c.across-1, 0))...)
			}
			at += max(c.across, 1)
		}
		out = append(out, cells)
	}
	return out
}

// columns are those of heads: the first names the rows, the others are of numbers unless they are
// columns already.
func columns(heads ...any) []tableColumn {
	out := make([]tableColumn, len(heads))
	for i, head := range heads {
		if whole, ok := head.(tableColumn); ok {
			out[i] = whole
		} else {
			out[i] = tableColumn{head: words(head)}
			if i > 0 {
				out[i].look = numbers
			}
		}
	}
	return out
}

// left is a column of words.
func left(head string) tableColumn { return tableColumn{head: words(head)} }

// block is a table of the model as one of a document.
func (t *Table) block() *table {
	plain := func(s string) any { return s }
	out := &table{title: t.Title, columns: columns(each(t.Head, plain)...), note: t.Note}
	for _, row := range t.Rows {
		out.row(each(row, plain)...)
	}
	return out
}

// says is a paragraph, inSmall one in small print.
func says(parts ...any) paragraph    { return paragraph{"", words(parts...)} }
func inSmall(parts ...any) paragraph { return paragraph{aside, words(parts...)} }

// in is a group.
func in(l look, blocks ...block) group { return group{look: l, blocks: blocks} }

// joined is one text of several.
func joined(all []Text) (out Text) {
	for i, t := range all {
		if i > 0 {
			out = append(out, Run{Text: " "})
		}
		out = append(out, t...)
	}
	return out
}
