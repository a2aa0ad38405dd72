package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/kit/scale"
)

const (
	gap      = 2
	treeName = 24 // with its branches
	// longHead is the width from which on a head takes two lines, with the unit.
	longHead = 8
	// sparkHead is the head of a history in one line.
	sparkHead = 10
	// ruledHead bounds a head in a title that makes its column wide.
	ruledHead = 12
)

// Fit gives the columns their places in w cells from x on: of those with numbers and facts, the ones
// that have room in as many cells as heads says. It tells whether others have room than
// before: then other counters are asked for.
func (t *Table) Fit(x, w, heads int) (changed bool) {
	var kept columns.Layout
	if heads < w {
		kept = t.lay(0, heads, t.fits(heads))
	}
	list := t.fits(w)
	for i := range kept.Places {
		if !kept.Has(i) && list[i].Rank < columns.Stays && !t.Columns[i].isWide {
			list[i].Rank = 0
		}
	}
	is := fitted{x, w, t.beside()}
	if t.layout.Places != nil && t.fitted == is && slices.Equal(t.fittedTo, list) {
		t.nameSpan()
		return false
	}
	t.fitted, t.fittedTo = is, append(t.fittedTo[:0], list...)
	was := t.layout.Places
	t.layout = t.lay(x, w, list)
	if i := t.spark(); t.layout.Has(i) && t.Columns[i].Width == 0 { // cells of histories are whole seconds
		if at := t.layout.Places[i].W; graph.SparkWidth(at) < at {
			list[i].Want = graph.SparkWidth(at)
			t.layout = t.lay(x, w, list)
		}
	}
	t.nameSpan()
	for i := range was {
		changed = changed || i < len(list) && (was[i].W > 0) != (t.layout.Places[i].W > 0)
	}
	return changed || len(was) != 0 && len(was) != len(list)
}

// beside is the place before which histories stand of a span that was chosen, behind the column that
// they are of; -1: where they are.
func (t *Table) beside() int {
	from := t.spark()
	switch {
	case t.span == 0 || from < 0 || !t.Columns[t.Sort].hasCurve():
		return -1
	case from > t.Sort:
		return t.Sort + 1
	}
	return t.Sort
}

// lay gives columns their places in w cells from x on.
func (t *Table) lay(x, w int, list []columns.Column) columns.Layout {
	from, to := t.spark(), t.beside()
	if to < 0 {
		return columns.Fit(x, w, gap, list)
	}
	l := columns.Fit(x, w, gap, moved(slices.Clone(list), from, to))
	l.Places = moved(l.Places, to, from)
	return l
}

// fits is what the columns need in a table of w cells, until the next call.
func (t *Table) fits(w int) []columns.Column {
	t.fitting = t.fitting[:0]
	lines := t.HeadLines()
	for i := range t.Columns {
		t.fitting = append(t.fitting, t.fitOf(i, lines, w))
	}
	return t.fitting
}

// spanned is what the head of histories tells.
type spanned struct {
	counter, w int
	sorted     bool
	isPast     bool
	every      time.Duration
}

// nameSpan tells in the head of histories how far back they go, and whose they are where
// rows are not sorted by that.
func (t *Table) nameSpan() {
	of, i := t.curve(), t.spark()
	if of == nil || !t.layout.Has(i) {
		return
	}
	c, is := &t.Columns[i], spanned{of.Counter, t.layout.Places[i].W, of == &t.Columns[t.Sort], t.isPast, t.every}
	if is == t.spanned {
		return
	}
	t.spanned = is
	span := t.reach()
	if t.every > 0 {
		span = max(span, graph.SparkSpan(span, is.w, t.every))
	}
	if c.above = "last"; !is.sorted {
		c.above = strings.TrimPrefix(of.Head, of.above+" ")
	}
	if c.Head = c.above + " " + english.Short(span); is.sorted && is.isPast {
		c.above = english.Short(span)
		c.Head = c.above + " then"
	}
}

// fitOf is what a column needs in a table of w cells. The least of it, which decides who
// has room, grows by less than w, and no value changes it.
func (t *Table) fitOf(i, lines, w int) columns.Column {
	c := &t.Columns[i]
	out := c.fit
	switch {
	case c.Hidden && i != t.Sort, c.lacks != nil && c.lacks(t):
		out.Rank = 0
		return out
	case c.need != nil:
		out = c.need(t, i, lines, w)
	}
	if c.Width > 0 {
		out.Min, out.Want, out.Ample, out.Enough = c.Width, c.Width, 0, 0
	}
	if (i == t.Sort || t.isHome(i) && !c.Hidden) && out.Want != columns.All { // which stays
		out.Rank = columns.Stays
	}
	return out
}

// HeadLines is how many lines the heads take: two, where one with its unit is long.
func (t *Table) HeadLines() int {
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.isParted && !c.IsText && !c.Hidden && c.cells(1, false) > longHead {
			return 2
		}
	}
	return 1
}

// DrawHeads draws the heads in lines from y on; cursor is the column that keys act on,
// -1: none is.
func (t *Table) DrawHeads(r canvas.Region, y, cursor int) {
	lines := t.HeadLines()
	r = r.On(themes.Surface)
	r.Fill(0, y, r.Width(), lines, ' ', themes.Muted)
	for i := range t.Columns {
		if !t.layout.Has(i) {
			continue
		}
		st := themes.Muted
		if i == t.Sort {
			st = themes.Focus.Bold()
		}
		if i == cursor {
			st = st.Underline()
		}
		t.drawHead(r, y, i, lines, st)
	}
}

// DrawRule draws the heads into the title rule of a pane, which stands in line 0: from
// cell from on, behind what the title says.
func (t *Table) DrawRule(r canvas.Region, from int) {
	for i := range t.Columns {
		p := t.Place(i)
		if p.W == 0 || i == 0 {
			continue
		}
		st := themes.Muted
		if i == t.Sort {
			st = themes.Focus
		}
		text := t.headText(r, i, p.W)
		n := r.GlyphSet().TextWidth(text)
		x := p.X
		if t.isRight(i) {
			x += max(-1, p.W-n)
		}
		if x-1 < from {
			continue
		}
		r.Put(x-1, 0, ' ', st)
		r.Text(x, 0, text, st)
		r.Put(x+n, 0, ' ', st)
	}
}

// isRight tells whether a column stands at the right.
func (t *Table) isRight(i int) bool { return t.Columns[i].fit.Align == columns.Number }

// mark is the sign of the sorting of a column, 0 without: one of its own where rows stand as
// numbers were that are not shown any more.
func (t *Table) mark(r canvas.Region, i int) rune {
	if i != t.Sort {
		return 0
	}
	if t.order.isOld {
		return r.Glyphs().Stale
	}
	return columns.SortOf(t.Reverse).Mark(r.Glyphs())
}

// headText is the head of a column in w cells of one line. The sign of the sorting is
// never cut.
func (t *Table) headText(r canvas.Region, i, w int) string {
	c := &t.Columns[i]
	mark := t.mark(r, i)
	if mark != 0 && t.isRight(i) { // a blank before it is enough
		w++
	}
	return fitHead(r, c, c.Head, mark, w)
}

// leastHead is what of a head tells whose unit stands behind it, in cells.
const leastHead = 4

// fitHead is a head with mark and unit. Where there is no room the end of the head goes
// first: a time or a size without its unit says nothing. The unit goes first where less
// would be left than leastHead, and where it only tells that things are counted a second.
func fitHead(r canvas.Region, c *Column, head string, mark rune, w int) string {
	set := r.GlyphSet()
	if text := strings.TrimSpace(c.title(head, mark)); set.TextWidth(text) <= w {
		return text
	}
	if rest, ok := strings.CutPrefix(head, c.above+" "); ok && c.above != "" { // what others begin with, too
		return fitHead(r, c, rest, mark, w)
	}
	tail := ""
	if mark != 0 {
		tail = string(mark)
		if set.TextWidth(head)+2 <= w {
			tail = " " + tail
		}
	}
	if l := c.label(c.unit); l != "" && l != "/s" {
		if unit := " " + l; w-set.TextWidth(tail+unit) >= leastHead {
			tail += unit
		}
	}
	runes := []rune(head)
	for len(runes) > 0 && set.TextWidth(string(runes))+set.TextWidth(tail) > w {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ") + tail
}

// HeadPlace is where the head of a column stands: one with the mark of the sorting reaches
// into the gap before its column. W is 0 without room.
func (t *Table) HeadPlace(i int) columns.Place {
	p := t.Place(i)
	if p.W > 0 && i == t.Sort && t.isRight(i) {
		p.X, p.W = p.X-1, p.W+1
	}
	return p
}

func (t *Table) drawHead(r canvas.Region, y, i, lines int, st themes.Style) {
	c, p := &t.Columns[i], t.HeadPlace(i)
	draw := r.Left
	if t.isRight(i) {
		draw = r.Right
	}
	if lines == 1 {
		draw(p.X, y, p.W, t.headText(r, i, t.layout.Places[i].W), st)
		return
	}
	above, below := c.lines()
	if below == "" && c.label(c.unit) == "" && t.mark(r, i) == 0 && c.isParted { // all of it stands in the second line
		above, below = "", above
	}
	draw(p.X, y, p.W, above, st)
	draw(p.X, y+1, p.W, fitHead(r, c, below, t.mark(r, i), p.W), st)
}

// DrawRow draws line i of the table in line y. What stands before the first column is
// the caller's.
func (t *Table) DrawRow(r canvas.Region, y, i int) {
	row, m := &t.rows[i], &t.shown
	in := &m.View.Rows[row.At]
	gone := m.IsGone(in)
	for c, p := range t.layout.Places {
		if p.W > 0 && (!gone || c == t.Sort || !t.Columns[c].isValue) { // that it is gone is said once
			if in.Flags&session.FlagEnded != 0 && c == 0 {
				if next := t.Place(1); next.W > 0 && t.Columns[1].Kind == Number {
					p.W = next.X + next.W - p.X // it has none
				}
			}
			of := &t.Columns[c]
			of.draw(t, r.Sub(p.X, y, p.W, 1), of, row)
		}
	}
	said, st := "", themes.Text
	if t.Remark != nil {
		said, st = t.Remark(&in.Instance)
	}
	if gone && t.drawGone(r, y, in, t.usedBy(row, in, m), said) {
		return
	}
	if said == "" {
		return
	}
	if p := t.remarkPlace(r.Width()); p.W > 0 {
		r = r.Sub(p.X, y, p.W, 1)
		r.Fill(0, 0, p.W, 1, ' ', st)
		r.Rest(0, 0, said, st)
	}
}

// remarkPlace is where the remark on a row stands in w cells: in place of its last text, else behind all columns.
func (t *Table) remarkPlace(w int) (p columns.Place) {
	const least = 12
	end := 0
	for c, place := range t.layout.Places {
		if end = max(end, place.X+place.W); place.W >= least && t.Columns[c].Kind == Fact {
			p = place
		}
	}
	if p.W == 0 && w-end-gap >= least {
		p = columns.Place{X: end + gap, W: w - end - gap}
	}
	return p
}

// drawGone restyles the row of an instance that ended, and says when: behind what rows
// are sorted by, or where nothing stands there, between who it was and that. It reports whether there was room.
func (t *Table) drawGone(r canvas.Region, y int, in *session.Row, used, said string) bool {
	st := themes.Stale
	r.Restyle(0, y, r.Width(), 1, st)
	x, end := -1, r.Width()
	for c, p := range t.layout.Places {
		switch of := &t.Columns[c]; {
		case p.W == 0 || of.isWide || of.Kind == Number && c != t.Sort:
		case c == t.Sort:
			end = p.X - 1
		case c > t.Sort && (x < 0 || end < r.Width()):
			x, end = p.X, r.Width()
		case x < 0:
			x = p.X
		}
	}
	if x < 0 {
		return false
	}
	text := "ended " + in.Since.Format("15:04:05")
	if after := text + " after " + english.Span(in.Lived); in.Lived > 0 && x+len(after) <= end {
		if text = after; used != "" && x+len(text)+len(used) <= end {
			text += used
		}
	}
	if said != "" {
		text += ": " + said
	}
	r.Fill(x, y, end-x, 1, ' ', st)
	r.Left(x, y, end-x, text, st)
	return true
}

// usedBy says how much processor time one that ended had used, as far as samples tell: those
// of all of its time.
func (t *Table) usedBy(row *Row, in *session.Row, m *Frame) string {
	i, ok := t.Set.Counter("% Processor Time")
	if !ok || in.Lived == 0 || m.Every <= 0 || m.View.Column(i) < 0 {
		return ""
	}
	s := m.View.Recent(&t.recent, row.At, m.View.Column(i))
	if time.Duration(len(s.Values)+1)*m.Every < in.Lived {
		return ""
	}
	sum := 0.0
	for _, v := range s.Values {
		if v == v {
			sum += float64(v) / 100 * m.Every.Seconds()
		}
	}
	return fmt.Sprintf(", used %.1f s", sum)
}

// called is how an instance is called in its column, as its host has it.
func called(in *session.Row) string {
	if name, ok := in.EndedAs(); ok {
		return name
	}
	return names.Beside(&in.Instance)
}

// drawName draws the instance, in the tree behind the branches that lead to it.
func drawName(t *Table, r canvas.Region, _ *Column, row *Row) {
	x, in := 0, &t.shown.View.Rows[row.At]
	text, muted := themes.Text, themes.Muted
	if t.Tree && row.Depth > 0 {
		x = drawGuides(r, row, max(0, r.Width()-8), muted)
	}
	name := called(in)
	if group, ok := strings.CutSuffix(t.common, ","); ok && t.InRule && isDigits(group) && in.Flags&session.FlagTotal == 0 {
		name = strings.TrimPrefix(name, t.common) // the one group of processors that there is
	}
	if t.numbered { // which tells those apart that begin alike
		r.Rest(x, 0, name, text)
	} else {
		r.Text(x, 0, names.Cut(r, r.Width()-x, name, t.common), text)
	}
}

// isZero tells whether a number is written as zero, of whatever look.
func isZero(number []byte) bool {
	for _, c := range number {
		if c != '0' && c != 'x' && c != '.' && c != ',' {
			return false
		}
	}
	return true
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// drawGuides draws the lines that lead from a row to its parents, in w cells: of
// one deeper those next to it. It returns where the name begins.
func drawGuides(r canvas.Region, row *Row, w int, st themes.Style) int {
	through, tee, end := string(r.Glyphs().Vertical)+" ", "├ ", "└ "
	if r.Glyphs().Vertical == '|' {
		tee, end = "|-", "`-"
	}
	x := 0
	for level := max(1, row.Depth-max(1, w/2)+1); level < row.Depth; level++ {
		if row.through&(1<<min(level, mostGuides)) != 0 {
			r.Text(x, 0, through, st)
		}
		x += 2
	}
	if row.last {
		return x + r.Text(x, 0, end, st)
	}
	return x + r.Text(x, 0, tee, st)
}

func drawSpark(t *Table, r canvas.Region, _ *Column, row *Row) {
	s, m := t.curve(), &t.shown
	if s == nil {
		return
	}
	col := m.View.Column(s.Counter)
	if col < 0 {
		return
	}
	spark := graph.Spark{Series: m.View.Recent(&t.recent, row.At, col), End: m.End, PerCell: graph.PerCell(t.reach(), r.Width(), m.Every), Hi: float32(m.Top), Wipe: m.Wipe}
	if m.View.Rows[row.At].Gone { // its history ended before now
		spark.End = min(spark.End, spark.Series.End())
	}
	if len(spark.Series.Cut(spark.End, r.Width()*spark.PerCell).Values) > 0 {
		spark.Draw(r, 0, 0, r.Width())
	}
}

// Scale takes the moment that is drawn, and settles what the highest level of histories stands
// for then: one for rows from to to, which are shown.
func (t *Table) Scale(shown Frame, from, to int, now time.Time) {
	t.shown = shown
	c, m := t.curve(), &t.shown
	if c == nil || m.View.Column(c.Counter) < 0 {
		return
	}
	col := m.View.Column(c.Counter)
	most := float32(0)
	for i := from; i < min(to, len(t.rows)); i++ {
		most = max(most, m.View.Recent(&t.recent, t.rows[i].At, col).Cut(m.End, t.samplesOf(m)).Highest())
	}
	if t.topOf != c.Counter {
		t.top, t.topOf = scale.Scale{}, c.Counter
	}
	m.Top = t.top.Top(kind.RuleOf(t.Set, c.Counter), float64(most), c.look.Format, c.look.Unit(float64(most)), now)
}

// reach is how much time histories show.
func (t *Table) reach() time.Duration { return cmp.Or(t.span, graph.SparkReach) }

// samplesOf is how many samples a history shows.
func (t *Table) samplesOf(m *Frame) int {
	if m.Every <= 0 {
		return 60
	}
	return max(1, int(t.reach()/m.Every))
}

// drawValue draws a text or a number; zeros are muted.
func drawValue(r canvas.Region, v cooker.Value, c *Column, sorted bool) {
	n, isNumber := v.Float()
	if !isNumber {
		word := r.Glyphs().Word(v.Status().Word())
		switch said, isText := v.Text(); {
		case isText:
			r.Rest(0, 0, said, themes.Text)
		case c.IsText:
			r.Rest(0, 0, word, themes.Muted)
		default:
			r.Right(0, 0, r.Width(), word, themes.Muted)
		}
		return
	}
	var buf [64]byte
	number := buf[:0]
	if c.Growth && n > 0 {
		number = append(number, '+')
	}
	number = c.appendText(number, v, r.Width())
	st := themes.Text
	switch {
	case isZero(number):
		st = themes.Muted
	case sorted:
		st = themes.Strong.Bold()
	}
	columns.DrawNumber(r, 0, 0, r.Width(), string(number), st)
}

// Command is a command line with its program by the last part of its path.
func Command(line string) string {
	program, args, _ := strings.Cut(line, " ")
	if quoted, isQuoted := strings.CutPrefix(line, `"`); isQuoted {
		if path, rest, closed := strings.Cut(quoted, `"`); closed {
			program, args = path, strings.TrimPrefix(rest, " ")
		}
	}
	at := max(strings.LastIndexByte(program, '/'), strings.LastIndexByte(program, '\\'))
	if at < 0 || at+1 == len(program) || !isPath(program) {
		return line
	}
	switch {
	case line[0] != '"': // the end of the line as it is
		return strings.TrimSuffix(line[at+1:], " ")
	case args == "":
		return program[at+1:]
	}
	return program[at+1:] + " " + args
}

// isPath tells a path from what a process writes about itself.
func isPath(program string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(program, "."), ".")
	return strings.HasPrefix(rest, "/") || strings.HasPrefix(program, `\\`) || strings.HasPrefix(program, `.\`) ||
		len(program) > 2 && program[1] == ':' && program[2] == '\\'
}

// commonName is what the names of all rows begin with.
func commonName(view *session.SetView, rows []Row) string {
	var list names.Common
	for _, r := range rows {
		if list.IsNone() {
			break
		}
		if in := &view.Rows[r.At]; in.Flags&session.FlagTotal == 0 {
			list.Add(names.Parented(in.Key))
		}
	}
	return list.Prefix()
}
