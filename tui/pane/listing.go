package pane

import (
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/layout"
)

// Listing is the columns of a list of things that have names, as hosts, from left to right: that
// of the names, which is as wide as these need, is the first.
type Listing[R any] []ListColumn[R]

// ListColumn is one column of a Listing.
type ListColumn[R any] struct {
	columns.Column

	Head string
	Cell func(f Frame, r R) (text string, st themes.Style)
	Draw func(f Frame, y int, p columns.Place, r R) // in place of Cell; nil: that is drawn
}

// LeastName is how much of a name is shown at least.
const LeastName = 12

// Fit lays the columns out in a pane of w cells, of names that take so many. The longest name
// comes before columns of a lower rank, in a third of the cells.
func (t Listing[R]) Fit(w, longest int) columns.Layout {
	const gap = 2
	list := make([]columns.Column, len(t))
	for i := range t {
		list[i] = t[i].Column
	}
	w -= layout.SignW
	list[0].Min, list[0].Want = max(LeastName, min(longest, w/3)), longest
	return columns.Fit(layout.SignW, w, gap, list)
}

// Longest is the cells that the longest of some texts takes, between two bounds.
func Longest[T any](least, most int, list []T, text func(T) string) int {
	n := least
	for _, one := range list {
		if n >= most {
			return most
		}
		n = max(n, canvas.Full.TextWidth(session.Printable(text(one))))
	}
	return min(n, most)
}

// DrawHeads draws the heads in line y.
func (t Listing[R]) DrawHeads(f Frame, y int, cols *columns.Layout) {
	st := themes.Muted.Style().On(themes.Surface)
	f.Fill(0, y, f.Width(), 1, ' ', st)
	for i := range t {
		cols.DrawHead(f.Region, y, i, columns.Head{Text: t[i].Head, Style: st})
	}
}

// DrawRow draws one of the things in line y; a click on it is a hit.
func (t Listing[R]) DrawRow(f Frame, y int, r R, lead Lead, cols *columns.Layout, hit Hit) {
	f.DrawLead(y, lead)
	for i := range t {
		switch c := &t[i]; {
		case !cols.Has(i):
		case c.Draw != nil:
			c.Draw(f, y, cols.Places[i], r)
		default:
			text, st := c.Cell(f, r)
			if i == 0 && lead.Selected {
				st = st.Bold()
			}
			cols.Draw(f.Region, y, i, text, st)
		}
	}
	f.Zone(0, y, f.Width(), 1, hit)
	f.Highlight(y, lead.Selected)
}
