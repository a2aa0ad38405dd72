package pane

import (
	"cmp"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
)

// List is rows in columns of which one is selected, and others may be marked: all of a
// screen, or a part of it.
type List[K comparable, R any] struct {
	list.Keyed[K]

	Columns []ListColumn[R]
	KeyOf   func(r R) K
	Sign    func(f Frame, r R) (sign rune, st themes.Style) // what is wrong with a row; nil: nothing is
	Heading func(f Frame, y int, r R) bool                  // draws a row that parts others; nil: none does
	Part    int                                             // of the screen
	Margin  int                                             // cells that stay free at the right
	Lead    func(f Frame, y int, r R, selected bool)        // draws what stands before a row; nil: as on other lists
	LeadW   int                                             // cells of that; 0: layout.SignW
	Rows    []R                                             // that are listed, in their order; see Put
}

// Rows is a List, whatever it lists.
type Rows interface {
	position

	Select(row int)
	Move(lines int)
	Scroll(lines int)
	Show(page int) (from, end int)
	Restart()
	MarkNext()
	Marks() int
	ClearMarks()
	DrawRows(f Frame, from, end int, heads, focused bool) columns.Layout
}

// position is where a list stands.
type position interface {
	Count() int
	Has() bool
	Line() int
	Is(row int) bool
	Top() int
	Page() int
	Hidden() (above, below int)
	Lines(m list.Motion) int
	Position() string
}

// ListColumn is one column of a List.
type ListColumn[R any] struct {
	Min, Want, Enough, Rank, Gap int // as of a columns.Column
	Align                        columns.Align

	Head string
	// Cell is what stands there for a row, and how.
	Cell func(f Frame, r R) (text string, st themes.Style)
	// Most lets the column be as wide as its longest text and its head, from Min to so many
	// cells; one of Min 0 without a text is left out.
	Most int
	// Tight is to how many of these cells, in a frame of w, it gives way; nil: to none.
	Tight func(w int) int
	Whole bool                                       // the texts of all rows count, not only of those in view
	Cut   func(f Frame, r R, w int) string           // the text in a column of w cells; nil: it is cut
	Draw  func(f Frame, y int, p columns.Place, r R) // in place of a text; nil: that is drawn
	Bold  bool                                       // of the selected row, but for what is muted
}

// NameColumn is the column of the names of things, as hosts, which are as wide as they need, from
// leastName to so many cells, though in little room they leave two thirds of it.
func NameColumn[R any](head string, most int, name func(r R) string) ListColumn[R] {
	const leastName = 12
	return ListColumn[R]{
		Min: leastName, Rank: columns.Stays, Align: columns.Name, Head: head, Most: most, Whole: true, Bold: true,
		Cell:  func(_ Frame, r R) (string, themes.Style) { return name(r), themes.Text },
		Tight: func(w int) int { return (w - layout.SignW) / 3 },
	}
}

// Put replaces the rows. What was selected stays so.
func (l *List[K, R]) Put(rows []R) {
	keys := l.Keys()[:0]
	for _, r := range rows {
		keys = append(keys, l.KeyOf(r))
	}
	l.Rows = rows
	l.Set(keys)
}

// Row is the selected row, the zero value without one.
func (l *List[K, R]) Row() (r R) {
	if line := l.Line(); line < len(l.Rows) {
		r = l.Rows[line]
	}
	return r
}

// MarkNext marks the selected row, or takes its mark back, and goes on.
func (l *List[K, R]) MarkNext() {
	l.Mark()
	l.Move(1)
}

// What of lists can be hit. The kinds of a screen of its own are below them.
const (
	HitRow     HitKind = 90 + iota // A: the part that the list is, B: the row
	HitDetails                     // of the selected row
)

// Fit lays the columns out for rows from one to before another.
func (l *List[K, R]) Fit(f Frame, from, end int) columns.Layout {
	const gap = 2
	fit := make([]columns.Column, len(l.Columns))
	for i := range l.Columns {
		c := &l.Columns[i]
		fit[i] = columns.Column{Min: c.Min, Want: c.Want, Enough: c.Enough, Rank: c.Rank, Gap: c.Gap, Align: c.Align}
		if c.Most == 0 {
			continue
		}
		shown := l.Rows[from:end]
		if c.Whole {
			shown = l.Rows
		}
		n := Longest(c.Min, c.Most, shown, func(r R) string {
			text, _ := c.Cell(f, r)
			return text
		})
		if n > 0 {
			n = min(max(n, len(c.Head)), c.Most)
		}
		fit[i].Min, fit[i].Want = n, n
		if c.Tight != nil {
			fit[i].Min = max(c.Min, min(n, c.Tight(f.Width())))
		}
	}
	lead := cmp.Or(l.LeadW, layout.SignW)
	return columns.Fit(lead, f.Width()-lead-l.Margin, gap, fit)
}

// Longest is the cells that the longest of some texts takes, between two bounds.
func Longest[T any](least, most int, list []T, text func(T) string) int {
	n := least
	for _, one := range list {
		if n >= most {
			return most
		}
		n = max(n, canvas.Full.TextWidth(text(one)))
	}
	return min(n, most)
}

// DrawRows draws rows from one to before another, below their heads where there are any, and
// returns where columns stand. Unless the keys act on the list none is selected.
func (l *List[K, R]) DrawRows(f Frame, from, end int, heads, focused bool) columns.Layout {
	cols, y := l.Fit(f, from, end), 0
	if heads {
		head := f.Lines(y, 1).On(themes.Surface)
		head.Clear(themes.Muted)
		for i := range l.Columns {
			cols.DrawHead(head.Region, 0, i, columns.Head{Text: l.Columns[i].Head, Style: themes.Muted})
		}
		y++
	}
	for i := from; i < end; i++ {
		l.drawRow(f, y+i-from, i, &cols, focused && l.Is(i))
	}
	return cols
}

func (l *List[K, R]) drawRow(f Frame, y, i int, cols *columns.Layout, selected bool) {
	r := l.Rows[i]
	if l.Heading != nil && l.Heading(f, y, r) {
		return
	}
	f.ZoneLine(y, HitRow, l.Part, i)
	if l.Lead != nil {
		l.Lead(f, y, r, selected)
	} else {
		lead := Lead{Selected: selected, Marked: l.IsMarked(l.KeyOf(r))}
		if l.Sign != nil {
			lead.Sign, lead.Style = l.Sign(f, r)
		}
		f.DrawLead(y, lead)
	}
	for at := range l.Columns {
		c, p := &l.Columns[at], cols.Places[at]
		if p.W == 0 {
			continue
		}
		if c.Draw != nil {
			c.Draw(f, y, p, r)
			continue
		}
		text, st := c.Cell(f, r)
		if c.Cut != nil {
			text = c.Cut(f, r, p.W)
		}
		if c.Bold && selected && st == themes.Text {
			st = st.Bold()
		}
		cols.Draw(f.Region, y, at, text, st)
	}
	f.Highlight(y, selected)
}
