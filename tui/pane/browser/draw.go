package browser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/pane"
)

// rows is how the height of the screen is shared out.
type rows struct {
	lists   int // title and rows of the four columns
	details int
	chosen  int
}

// The heights of the parts: there are details from 24 rows of the terminal on.
const (
	detailsFrom = 22 // rows of the screen, without header and hints
	detailRows  = 7  // title, five lines, a blank
)

// share shares out the rows below the search line.
func share(h int) rows {
	if h < detailsFrom {
		return rows{lists: max(0, h-1)}
	}
	chosen := min((h+6)/5, h-1-detailRows-h/2)
	return rows{lists: h - 1 - detailRows - chosen, details: detailRows, chosen: chosen}
}

// Draw draws the browser into the frame.
func (b *Browser) Draw(f pane.Frame) {
	b.sync()
	b.split, b.seen = share(f.Height()), b.preview()
	if b.desk.Numbers != b.numbers {
		b.forgetUnits()
	}
	b.drawSearch(f)
	b.drawColumns(f.Lines(1, b.split.lists))
	y := 1 + b.split.lists
	if b.split.details == 0 {
		return
	}
	b.drawDetails(f.Lines(y, b.split.details))
	b.drawChosen(f.Lines(y+b.split.details, b.split.chosen))
}

// drawSearch draws the search line and what came of it.
func (b *Browser) drawSearch(f pane.Frame) {
	f = f.Lines(0, 1).On(themes.Surface)
	f.Clear(themes.Text)
	f.ZoneLine(0, hitSearch)
	x := 1 + f.Text(1, 0, "/ ", themes.Accent.Bold())
	result := b.result()
	room := f.Width() - x - 2
	if b.sought.query == "" && !b.sought.typing {
		x += f.Left(x, 0, room, "search names and descriptions", themes.Muted) + 2
	} else {
		x += f.Left(x, 0, room, endOf(b.sought.query, room), themes.Strong.Bold())
		if b.sought.typing {
			f.Put(x, 0, ' ', themes.Text.Reverse())
		}
		x += 3
	}
	if w := f.Width() - 1 - x; w >= 8 {
		f.Right(x, 0, w, result, themes.Muted)
	}
}

// result is how much was found: "214 of 48,310 counters on 4 hosts, 3 ms".
func (b *Browser) result() string {
	count := func(n int) string { return english.GroupDigits(strconv.Itoa(n), b.desk.Numbers.Separator()) }
	text := count(b.index.Len())
	if b.sought.query != "" || b.level != session.DetailWizard {
		text = count(b.sought.found) + " of " + text
	}
	text += " counters on " + english.Count(len(b.desk.Hosts), "host", "hosts")
	if n := len(b.manifests); n > 0 {
		text += " and " + english.Count(n, "manifest", "manifests")
	}
	if b.level != session.DetailWizard {
		text += ", up to " + levelName(b.level)
	}
	if b.sought.query != "" {
		text += ", " + english.Span(b.sought.took)
	}
	return text
}

const columnGap = 2

// widths shares out the width: four columns from 100 cells, from 60 the focused
// one and the one before it, below the focused one.
func (b *Browser) widths(w int) (first column, widths []int) {
	switch {
	case w >= 100:
		w -= 3 * columnGap
		hosts, sets, instances := b.hostsWidth(min(w*18/114, 30)), w*30/114, w*28/114
		return hostColumn, []int{hosts, sets, w - hosts - sets - instances, instances}
	case w >= 60:
		w -= columnGap
		left := w * 2 / 5
		if first = max(hostColumn, b.focus-1); first == hostColumn {
			left = b.hostsWidth(left)
		}
		return first, []int{left, w - left}
	}
	return b.focus, []int{w}
}

// hostsWidth is the cells of the column of hosts: a sole one takes no more than its name and count.
func (b *Browser) hostsWidth(most int) int {
	const margins, least = 10, 14
	if len(b.places) > 1 || b.place == nil {
		return most
	}
	return min(most, max(least, canvas.Full.TextWidth(b.place.name)+margins))
}

func (b *Browser) drawColumns(f pane.Frame) {
	first, widths := b.widths(f.Width())
	x := 0
	for i, w := range widths {
		c := first + column(i)
		room := w
		if i+1 < len(widths) {
			room++ // units may stand in the gap
		}
		b.drawColumn(f.Sub(x, 0, room, f.Height()), c, w)
		x += w + columnGap
	}
}

var columnNames = [columns]string{"Hosts", "Countersets", "Counters", "Instances"}

// drawColumn draws one list of w cells.
func (b *Browser) drawColumn(f pane.Frame, c column, w int) {
	f.Zone(0, 0, w, f.Height(), hitColumn, int(c))
	l := b.lists[c]
	top, page := l.Top(), l.Page()
	from, end := l.Show(f.Height() - 1)
	b.stale = b.stale || from != top || l.Page() != page // other rows are in view
	b.drawHead(f, c, w)
	if !l.Has() {
		f.Left(3, 1, w-3, b.whyEmpty(c), themes.Muted)
	}
	b.wide = f.Below(1)
	rows := b.wide.Sub(0, 0, w, f.Height()-1)
	l.DrawRows(rows, from, end, false, c <= b.focus)
	if c == b.focus && l.Has() {
		rows.Put(0, l.Line()-from, f.Glyphs().Selected, themes.Focus.Bold().On(themes.Selection))
	}
}

// drawHead draws the title rule of a column: its name and how many rows it has.
func (b *Browser) drawHead(f pane.Frame, c column, w int) {
	l := b.lists[c]
	n, more := l.Count(), ""
	switch c {
	case hostColumn:
		n = len(b.places)
	case instanceColumn:
		n = 0
		for i := range b.instances.Rows {
			if b.instances.Rows[i].wild == "" && b.instances.Rows[i].flags&session.FlagCombined == 0 {
				n++
			}
		}
	}
	if c == instanceColumn && b.more {
		more = "+"
	}
	count := strconv.Itoa(n)
	if extra := l.Count() - n; l.Position() != "" { // extra rows, which are not counted, come first
		above, below := l.Hidden()
		at := list.Range(max(1, above-extra+1), max(1, n-below), n)
		if w >= len(at)+7+len(columnNames[c]) {
			count = at
		}
	}
	pane.DrawTitle(f.Sub(0, 0, w, 1), pane.Title{Name: columnNames[c], Focused: c == b.focus, Position: count + more})
}

// whyEmpty says why a column has no rows.
func (b *Browser) whyEmpty(c column) string {
	s := b.sets.Row()
	switch {
	case c == instanceColumn && s != nil:
		return s.offers[0].set.WhyEmpty()
	case c == counterColumn || c == instanceColumn || b.place == nil:
		return ""
	case b.sought.query != "" && b.sought.found > 0:
		for _, p := range b.places {
			if p.found > 0 {
				return fmt.Sprintf("not here; %d on %s", p.found, p.name)
			}
		}
	case b.sought.query != "":
		if would := b.finder.Answers(); len(would) > 0 {
			return would[0].String() + " would answer"
		}
		return "nothing has these words"
	case b.place.cat == nil && b.place.host != nil:
		return b.place.host.Standing(b.desk.Now()).Text(b.desk.Now())
	}
	return "no counters"
}

// drawPlace draws a host: its sign, its name, and how many counters are shown
// or why it is silent.
func (b *Browser) drawPlace(f pane.Frame, _ int, p *place) {
	w, text, muted := f.Width(), themes.Text, themes.Muted
	right := strconv.Itoa(p.found)
	switch {
	case p.isAll:
		right = strconv.Itoa(len(b.desk.Hosts))
	case p.host == nil:
		text = muted
	default:
		standing := p.host.Standing(f.Now)
		if sign, st := standing.Sign(f.Glyphs()); sign != 0 {
			f.Put(1, 0, sign, st)
			text = st
		}
		switch standing.Condition {
		case pane.Answering:
		case pane.Expected:
			if p.cat == nil {
				right = f.Glyphs().Ellipsis
			}
		case pane.Overdue, pane.Refusing, pane.Lost:
			right = standing.String()
		}
	}
	const leastName = 9
	name, taken := p.name, 0
	if room := w - 5 - min(canvas.Full.TextWidth(name), leastName); canvas.Full.TextWidth(right) <= room {
		taken = f.Right(3, 0, w-4, right, muted) // else the sign tells
	}
	f.Middle(3, 0, w-5-taken, name, text)
}

func (b *Browser) drawSet(f pane.Frame, _ int, s *setRow) {
	w, right := f.Width(), strconv.Itoa(s.count)
	if b.place.isManifest() {
		right = b.hostsWith(s.offers[0].set) + "  " + right
	}
	taken := f.Right(2, 0, w-3, right, themes.Muted)
	b.drawName(f, 2, w-4-taken, s.name, themes.Text)
}

const (
	boxX   = 2 // of the box that is ticked
	nameX  = 6
	valueW = 6 // that of a statistic: 4 digits, point, 1 decimal
	unitW  = 4 // with the blank before it; a fourth letter stands in the gap
)

// leastName is what the name of a counter keeps beside its value.
const leastName = 14

// drawCounter draws a counter with its present value, if there is room for it.
func (b *Browser) drawCounter(f pane.Frame, y int, r *counterRow) {
	w := f.Width()
	b.drawBox(f, counterColumn, y, b.chosen(false).isChosen(r.key))
	text := themes.Text
	if b.whyAbsent(r) != "" {
		text = themes.Muted
	}
	value := b.cellOf(r, f, w)
	nameW := w - nameX - value.w - value.unitW
	if nameW < leastName {
		nameW, value = w-nameX-1, cell{}
	}
	b.drawName(f, nameX, nameW, names.Counter(r.name, b.sets.Row().name, nameW), text)
	x := nameX + nameW
	f.Right(x, 0, value.w, value.text, value.st)
	b.wide.Left(x+value.w+1, y, value.unitW, value.unit, themes.Muted)
}

// cell is the present value of a counter in the list: a number with its unit, or
// why there is none.
type cell struct {
	text, unit string
	w, unitW   int
	st         themes.Style
}

// cellOf is the value of the marked instance. One of a form of its own takes the
// cells it needs, a text what a name leaves of w cells.
func (b *Browser) cellOf(r *counterRow, f pane.Frame, w int) cell {
	c := cell{w: valueW, unitW: unitW, st: themes.Muted}
	at := slices.IndexFunc(r.offers, func(o counterOffer) bool { return o.place == b.seen.place })
	if at < 0 || !b.seen.ok && r.offers[at].is().Absent == "" {
		return c
	}
	shown := b.valueOf(&r.offers[at], b.seen.key, f.Now)
	if _, number := shown.Value.Float(); !number {
		c.text = shown.word(f)
		if shown.Value.IsText() {
			room := w - nameX - 1 - max(leastName, canvas.Full.TextWidth(r.name)+1)
			c.w, c.unitW, c.st = min(canvas.Full.TextWidth(c.text), max(valueW, room)), 1, themes.Text
		}
		return c
	}
	var buf [64]byte
	c.text, c.unit, c.st = string(shown.Look.AppendStatField(buf[:0], shown.Value, shown.Unit)), shown.Unit.Label, themes.Text
	if shown.stale {
		c.st = themes.Stale
	}
	if len(c.text) <= valueW {
		return c
	}
	c.text = strings.TrimSpace(c.text)
	if c.w = len(c.text) + 1; c.unit == "" {
		c.unitW = 1
	}
	return c
}

// drawInstance draws what can stand for the instance.
func (b *Browser) drawInstance(f pane.Frame, y int, r instanceRow) {
	w := f.Width()
	b.drawBox(f, instanceColumn, y, b.chosen(false).holds(r.instance))
	text, right := themes.Text, ""
	switch {
	case r.gone:
		text, right = themes.Stale, "gone"
	case r.flags&session.FlagCombined != 0:
		right = "combined"
		if c := b.counters.Row(); c != nil {
			made, _ := session.CombineNamed(r.key.Name)
			right = made.Aggregator(c.offers[0].is()).Func.String()
		}
	case r.wild != "":
	case b.place.isAll:
		right = english.Count(b.owners[r.instance], "host", "hosts")
	case r.isTotal() && w-nameX-1 >= len(r.key.Name)+len(" total"):
		right = "total"
	case r.pid != 0:
		right = "#" + strconv.FormatUint(r.pid, 10)
	}
	name := r.text()
	if r.wild == every {
		name = "* all, also new ones"
	}
	taken := f.Right(nameX, 0, w-nameX-1, right, themes.Muted)
	if taken > 0 {
		taken++
	}
	f.Text(nameX, 0, names.Cut(f.Region, w-nameX-1-taken, name, b.common), text)
}

// drawBox draws the box of a row that can be chosen.
func (b *Browser) drawBox(f pane.Frame, c column, y int, chosen bool) {
	box := "[ ]"
	if chosen {
		box = "[x]"
	}
	f.Text(boxX, 0, box, themes.Accent)
	f.Zone(boxX, 0, 3, 1, hitTick, int(c), b.lists[c].Top()+y)
}

// drawName draws a name with the letters that were searched for, cut in the
// middle where it is too long.
func (b *Browser) drawName(f pane.Frame, x, w int, name string, st themes.Style) {
	if w <= 0 {
		return
	}
	name = f.CutMiddle(w, name)
	f.Marked(x, 0, name, b.finder.NameMarks(name), st)
}
