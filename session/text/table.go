package text

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"

	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// Table is rows of foreign text in columns.
type Table struct {
	Columns []Column
	Indent  int                                // cells before each row
	Gap     int                                // cells between columns; 0: two
	Tone    func(row, column int) themes.Token // what a cell means; nil: text
	Trim    bool                               // no blanks at the end of a row
	Measure func(string) int                   // of a cell where there is no terminal; nil: its runes
	Most    int                                // cells of a line where there is no terminal; 0: any

	rows  [][]string
	below map[int]string // what stands below a row
}

// Column is one of a table.
type Column struct {
	Head    string
	Least   int  // its least width in cells
	Most    int  // where there is no terminal, its largest width; 0: none
	IsRight bool // it stands at the right, as numbers do
	IsDrawn bool // its cells are drawn by us already
}

// Row adds one, a cell for each column.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Below puts a text below the newest row, under its second column; none where it is empty.
func (t *Table) Below(text string) {
	if text == "" {
		return
	}
	if t.below == nil {
		t.below = map[int]string{}
	}
	t.below[len(t.rows)-1] = printable.Text(text)
}

// Heads are columns with these heads.
func Heads(names ...string) []Column {
	out := make([]Column, len(names))
	for i, name := range names {
		out[i].Head = name
	}
	return out
}

// mostStyled is how many rows a table has that is laid out as a whole: of more rows
// nobody sees the head when the last comes.
const mostStyled = 500

// Print prints the table and empties it.
func (t *Table) Print(p *Printer) error {
	rows := t.printable()
	defer func() { t.rows, t.below = nil, nil }()
	if len(rows) == 0 {
		return nil
	}
	look := t.plain
	if p.style != nil && len(rows) <= mostStyled {
		look = func(rows [][]string) string { return t.styled(p, rows) }
	}
	_, err := io.WriteString(p, look(rows))
	return err
}

// heads is how many rows of heads there are: one, or none.
func (t *Table) heads() int {
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Head != "" }) {
		return 1
	}
	return 0
}

// printable are the rows with the heads before them.
func (t *Table) printable() [][]string {
	var out [][]string
	if t.heads() > 0 {
		heads := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			heads[i] = c.Head
		}
		out = append(out, heads)
	}
	for _, row := range t.rows {
		cells := make([]string, len(t.Columns))
		copy(cells, row)
		out = append(out, cells)
	}
	for y, row := range out {
		for x := range row {
			if !t.Columns[x].IsDrawn || y < t.heads() {
				row[x] = printable.Text(row[x])
			}
		}
	}
	return out
}

func (t *Table) gap() int {
	if t.Gap == 0 {
		return 2
	}
	return t.Gap
}

// plain is the table as files have it: nothing is folded, the last column ends where its
// text does.
func (t *Table) plain(rows [][]string) string {
	measure := t.Measure
	if measure == nil {
		measure = utf8.RuneCountInString
	}
	widths := make([]int, len(t.Columns))
	for x, c := range t.Columns {
		widths[x] = c.Least
		for _, row := range rows {
			if c.Most > 0 {
				row[x] = ansi.Truncate(row[x], c.Most, "…")
			}
			widths[x] = max(widths[x], measure(row[x]))
		}
	}
	var b strings.Builder
	for y, row := range rows {
		cells := make([]string, len(row))
		for x, cell := range row {
			blank := strings.Repeat(" ", widths[x]-measure(cell))
			switch {
			case t.Columns[x].IsRight:
				cell = blank + cell
			case x < len(row)-1:
				cell += blank
			}
			cells[x] = cell
		}
		line := strings.Repeat(" ", t.Indent) + strings.Join(cells, strings.Repeat(" ", t.gap()))
		if t.Most > 0 {
			line = ansi.Truncate(line, t.Most, "…")
		}
		if t.Trim {
			line = strings.TrimRight(line, " ")
		}
		b.WriteString(line + "\n")
		if below := t.below[y-t.heads()]; below != "" {
			b.WriteString(strings.Repeat(" ", t.Indent+widths[0]+t.gap()) + below + "\n")
		}
	}
	return b.String()
}

// styled is the table as a terminal shows it: as wide as that is at most, long cells folded.
func (t *Table) styled(p *Printer, rows [][]string) string {
	head, columns := t.heads(), t.Columns
	if len(t.below) > 0 { // a terminal folds what stands below elsewhere in a column of its own
		columns = append(slices.Clone(columns), Column{})
		for y := range rows {
			rows[y] = append(rows[y], t.below[y-head])
		}
	}
	last := len(columns) - 1
	shape := table.New().Border(lipgloss.Border{}).BorderTop(false).BorderBottom(false).BorderLeft(false).
		BorderRight(false).BorderHeader(false).BorderColumn(false).BorderRow(false).Wrap(true).Rows(rows...)
	shape.StyleFunc(func(row, col int) lipgloss.Style {
		if row < 0 || col > last {
			return lipgloss.NewStyle()
		}
		c := &columns[col]
		style := lipgloss.NewStyle()
		if c.IsDrawn {
			style = style.Width(ansi.StringWidth(rows[row][col]) + t.gap()) // it does not fold
		}
		switch {
		case row < head:
			style = p.style(themes.Muted)
		case t.Tone != nil && !c.IsDrawn:
			style = p.style(t.Tone(row-head, col))
		}
		if c.IsRight {
			style = style.Align(lipgloss.Right)
		}
		if col < last {
			style = style.PaddingRight(t.gap())
		}
		if col == 0 {
			style = style.PaddingLeft(t.Indent)
		}
		return style
	})
	// Least widths are kept by blanks, which a narrow terminal may take back.
	for _, row := range rows {
		for x, c := range columns {
			if n := c.Least - ansi.StringWidth(row[x]); n > 0 && x < last && !c.IsRight {
				row[x] += strings.Repeat(" ", n)
			} else if n > 0 && c.IsRight {
				row[x] = strings.Repeat(" ", n) + row[x]
			}
		}
	}
	if p.cells > 0 && t.widest(rows) > p.cells {
		shape.Width(p.cells)
	}
	return trimmed(shape.String()) + "\n"
}

// widest is how many cells the table takes where nothing is folded.
func (t *Table) widest(rows [][]string) int {
	sum := t.Indent
	for x := range rows[0] {
		w := t.gap()
		for _, row := range rows {
			w = max(w, t.gap()+ansi.StringWidth(row[x]))
		}
		sum += w
	}
	return sum - t.gap()
}
