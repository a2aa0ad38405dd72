package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// Draw draws the three rows, or the title where there is but one.
func (b *Bar) Draw(f pane.Frame) {
	b.kept = b.player.SetSpan(b.desk.Reach())
	b.cells = max(f.Width()-2, 0)
	list, seen := b.overview()
	b.drawTitle(f, seen)
	f.ZoneLine(0, hitTitle)
	if f.Height() < Height {
		return
	}
	b.drawCells(f, list)
	b.drawSpan(f)
	b.drawWindow(f)
	gaps, _ := b.player.Gaps()
	b.drawTimes(f, b.signs(gaps, f.Glyphs()))
	b.drawSpanEnds(f)
	for i := range b.cells {
		f.Zone(1+i, 1, 1, 2, hitCell, i)
	}
}

// overview is that of the selected value.
func (b *Bar) overview() (list []Cell, seen float64) {
	b.chooseTarget()
	if b.target.Set == nil {
		return make([]Cell, b.cells), 1
	}
	return b.player.Overview(b.target, b.cells)
}

// drawTitle names the recording on the left and the moment on the right. Where
// there is no room the rest leaves first, then what the recording holds.
func (b *Bar) drawTitle(f pane.Frame, seen float64) {
	g, w := f.Glyphs(), f.Width()
	focus, muted, strong := themes.Focus, themes.Muted, themes.Strong.Bold()
	f.Repeat(0, 0, w, g.FocusRule, focus)
	name, about := b.about(seen)
	right := b.rightParts(g)
	const gap = 3 // cells of the rule between left and right at least
	width := canvas.Full.TextWidth
	for len(right) > 2 && 2+width(name)+gap+width(strings.Join(right, ""))+3 > w {
		right = right[:len(right)-1]
	}
	text := " " + strings.Join(right, "   ") + " "
	end := max(w-1-width(text), 0)
	f.Text(end, 0, text, strong)
	room := end - 2 - gap
	if room < 6 {
		return
	}
	used := f.Middle(2, 0, min(room, width(name)), name, focus.Bold())
	f.Put(1, 0, ' ', focus)
	f.Put(2+used, 0, ' ', focus)
	room -= used + 2
	for _, text := range about {
		if width(text) <= room {
			f.Text(2+used+1, 0, text+" ", muted)
			return
		}
	}
}

// about is what is played: `Replay FILE`, and what is in it: all, or less where
// there is less room.
func (b *Bar) about(seen float64) (name string, about []string) {
	a := b.player.About()
	name = "Replay"
	if len(a.Files) > 0 {
		name += " " + english.AndMore(a.Files[0], len(a.Files))
	}
	const most = 2 // hosts that are named
	hosts := strings.Join(a.Hosts[:min(len(a.Hosts), most)], " ")
	if n := len(a.Hosts); n > most {
		hosts = fmt.Sprintf("%d hosts", n)
	}
	if a.IsInferred {
		name += " (inferred)"
	}
	rest := english.Count(a.Counters, "counter", "counters")
	if a.Interval > 0 {
		rest += ", every " + english.Span(a.Interval)
	}
	if seen < 1 {
		rest += fmt.Sprintf(", %d%% read", int(seen*100))
	}
	return name, []string{" " + hosts + ", " + rest, " " + rest, " " + hosts}
}

// rightParts are speed, clock and what is left, the least important last.
func (b *Bar) rightParts(g *canvas.Glyphs) []string {
	first, last := b.player.Bounds()
	at := b.player.Position()
	state := "paused"
	if b.player.Playing() {
		speed := strconv.Itoa(b.player.Speed())
		if n := b.player.Reached(); n > 0 {
			speed = strconv.Itoa(n) + " of " + speed
		}
		state = string(g.Selected) + " x" + speed
	}
	left := "the end"
	if d := last.Sub(at); d > 0 {
		left = english.Span(d.Round(time.Second)) + " to the end"
	}
	parts := []string{state, b.clock(at), left}
	if b.kept < b.desk.Span && b.kept < at.Sub(first) {
		parts = append(parts, "charts reach back "+english.Span(b.kept))
	}
	return parts
}

// clock writes the moment, with its day where the recording has several.
func (b *Bar) clock(at time.Time) string {
	first, last := b.player.Bounds()
	if last.Sub(first) >= 24*time.Hour {
		return at.Format("Jan 2 15:04:05")
	}
	return at.Format(time.TimeOnly)
}

// drawCells draws the overview: the highest value of each part.
func (b *Bar) drawCells(f pane.Frame, list []Cell) {
	values := make([]float32, len(list))
	top := float32(0)
	for i, c := range list {
		values[i] = nan
		if !c.Has {
			continue
		}
		values[i], top = c.Max, max(top, c.Max)
	}
	if b.target.Set != nil {
		top = max(top, float32(kind.RuleOf(b.target.Set, b.target.Counter).Least))
	}
	spark := graph.Spark{Series: session.Series{Values: values}, End: uint64(len(values)), Hi: top}
	spark.Draw(f.Region, 1, 1, len(values))
}

// drawWindow marks what the screens show: the span before the position, or what
// the mouse draws.
func (b *Bar) drawWindow(f pane.Frame) {
	if b.cells < 2 {
		return
	}
	at := b.desk.LookedAt()
	from, to := b.part(at.Add(-b.desk.Span), b.cells), b.part(at, b.cells)
	if from == to {
		from, to = max(to-1, 0), max(to, 1)
	}
	if b.drag.Active {
		from, to, _ = b.drag.Within(b.cells)
	}
	f.Restyle(1+from, 1, to-from+1, 1, themes.Strong.On(themes.Selection))
	edge := themes.Focus.Bold().On(themes.Selection)
	f.Put(1+from, 1, '[', edge)
	f.Put(1+to, 1, ']', edge)
}

// span is the cells in which the selected span is.
func (b *Bar) span() (from, to int, ok bool) {
	begin, end, ok := b.desk.SpanEnds()
	if !ok || b.cells < 2 {
		return 0, 0, false
	}
	return b.part(begin.Add(1), b.cells), b.part(end.Add(-1), b.cells), true
}

// drawSpan shades the selected span.
func (b *Bar) drawSpan(f pane.Frame) {
	if from, to, ok := b.span(); ok {
		f.SetBackground(1+from, 1, to-from+1, 1, themes.Surface)
	}
}

// drawSpanEnds marks its ends below the overview, over the times.
func (b *Bar) drawSpanEnds(f pane.Frame) {
	from, to, ok := b.span()
	if !ok {
		return
	}
	st := themes.Focus.Bold()
	f.Put(1+from, 2, '[', st)
	if !b.desk.Selected.IsOpen() && to > from {
		f.Put(1+to, 2, ']', st)
	}
	f.SetBackground(1+from, 2, to-from+1, 1, themes.Surface)
}

// sign is a mark on the bar.
type sign struct {
	char rune
	st   themes.Style
	rank int
}

// signs are the marks by cell: of several in a cell the most urgent.
func (b *Bar) signs(gaps []Gap, g *canvas.Glyphs) map[int]sign {
	out := map[int]sign{}
	put := func(cell int, s sign) {
		if old, taken := out[cell]; !taken || old.rank < s.rank {
			out[cell] = s
		}
	}
	for _, gap := range gaps {
		put(min(b.part(gap.From, b.cells)+1, b.part(gap.To, b.cells)), sign{g.Stale, themes.Stale.Bold(), 1})
	}
	marks := b.player.Marks()
	for i := range marks {
		m := &marks[i]
		s := sign{'b', themes.Accent.Bold(), 2}
		if m.isAlert() {
			char, st := pane.SignOf(m.Level, g)
			s = sign{char, st.Bold(), 2 + int(m.Level)}
		}
		put(b.part(m.At, b.cells), s)
	}
	b.putNotes(out)
	first, last := b.player.Bounds()
	for _, e := range b.desk.Notable(b.desk.Hosts, first, last) {
		level := pane.LevelOfEvent(e.Level)
		at := b.part(e.Time, b.cells)
		if old, taken := out[at]; !taken || old.char == 'e' && old.rank < int(level) {
			out[at] = sign{'e', level.Style().Bold(), int(level)}
		}
	}
	return out
}

// putNotes adds the signs of notes. One whose cell an alert or a bookmark has stands beside
// it, where there is nothing else: neither hides the other.
func (b *Bar) putNotes(signs map[int]sign) {
	note := sign{'n', themes.Accent.Bold(), 2}
	first, last := b.player.Bounds()
	for _, n := range b.desk.NotesIn(first, last) {
		at := b.part(n.Time, b.cells)
		if old, taken := signs[at]; !taken || old.rank < note.rank {
			signs[at] = note
			continue
		}
		for _, x := range []int{at, at + 1, at - 1} {
			old, taken := signs[x]
			if x < 0 || x >= b.cells || taken && old != note {
				continue
			}
			signs[x] = note
			break
		}
	}
}

// drawTimes labels round times; marks displace labels.
func (b *Bar) drawTimes(f pane.Frame, signs map[int]sign) {
	for _, l := range b.labels() {
		free := true
		for x := l.x - 1; x <= l.x+len(l.text); x++ {
			_, taken := signs[x]
			free = free && !taken
		}
		if free {
			f.Text(1+l.x, 2, l.text, themes.Muted)
		}
	}
	for x, s := range signs {
		f.Put(1+x, 2, s.char, s.st)
	}
}

// label is a time and the cell where it begins.
type label struct {
	x    int
	text string
}

// labels are round times on the clock of the recording. A label covers its time:
// that of the first begins at the left edge, that of the last ends at the right.
func (b *Bar) labels() (out []label) {
	first, last := b.player.Bounds()
	length := last.Sub(first)
	if length <= 0 {
		return nil
	}
	step, form := b.step(length)
	room := b.cells - widthOf(form)
	if room < 1 {
		return nil
	}
	_, offset := first.Zone()
	shift := time.Duration(offset) * time.Second // round on the clock that is read
	for at := first.Add(shift).Truncate(step).Add(-shift); !at.After(last); at = at.Add(step) {
		if at.Before(first) {
			continue
		}
		x := int(math.Ceil(float64(at.Sub(first))/float64(length)*float64(room) - 0.5))
		text := at.In(first.Location()).Format(form)
		if n := len(out); n == 0 || out[n-1].x+len(out[n-1].text)+1 < x {
			out = append(out, label{x, text})
		}
	}
	return out
}

// step is the distance between labels that leaves room between them, and how
// they are written.
func (b *Bar) step(length time.Duration) (step time.Duration, form string) {
	const between = 5 // cells, at least
	for _, step = range pane.TimeSteps {
		form = "15:04"
		switch {
		case step < time.Minute:
			form = time.TimeOnly
		case step >= 24*time.Hour:
			form = "Jan 2"
		case length > 24*time.Hour:
			form = "Jan 2 15:04"
		}
		if float64(step)/float64(length)*float64(b.cells) >= float64(widthOf(form)+between) {
			break
		}
	}
	return step, form
}

// widthOf is how many cells a form takes at most: days have two digits.
func widthOf(form string) int {
	if strings.HasPrefix(form, "Jan 2") {
		return len(form) + 1
	}
	return len(form)
}
