package chart

import (
	"cmp"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/pane"
)

// headerPart is a word of the header: what it is about, muted, and what it says.
type headerPart struct{ about, text string }

// drawHeader tells what is shown, and the statistics of the selected series, as
// far as there is room.
func (c *Chart) drawHeader(f pane.Frame) {
	if f.Height() < 2 {
		return
	}
	parts := c.parts(f.Now)
	right := c.statisticsText(f.Glyphs().Ellipsis)
	w, value := f.Width(), 0
	if c.isMoment() && len(right) > 0 {
		value = width(f, right[0], 3)
	}
	for len(parts) > 1 && width(f, parts, 4)-3+value > w {
		parts = append(parts[:len(parts)-2], parts[len(parts)-1]) // the state stays
	}
	x := 1
	for _, p := range parts {
		if p.about != "" {
			x += f.Text(x, 0, p.about+" ", themes.Muted)
		}
		st := themes.Text
		if p.about == "" && p.text != "live" && p.text != "recorded" {
			st = themes.Focus
		}
		x += f.Left(x, 0, max(0, w-x), p.text, st) + 3
	}
	if text := c.problem.at(f.Now); text != "" {
		f.Left(x, 0, max(0, w-x-1), text, themes.Warning)
		return
	}
	for _, words := range right {
		if x+width(f, words, 3)-1 > w {
			continue
		}
		x = w - width(f, words, 3) + 1
		for i, p := range words {
			st := themes.Muted
			if i == 0 {
				st = c.styleOf(c.selected())
			}
			x += f.Text(x, 0, p.about+" ", st)
			x += f.Text(x, 0, p.text, themes.Text) + 2
		}
		return
	}
}

// width is how many cells the parts take, with the blanks in and behind each.
func width(f pane.Frame, parts []headerPart, gaps int) int {
	n, set := 0, f.GlyphSet()
	for _, p := range parts {
		n += set.TextWidth(p.about) + set.TextWidth(p.text) + gaps
	}
	return n
}

// parts are what the left of the header tells; the last one always stays.
func (c *Chart) parts(now time.Time) []headerPart {
	name := viewNames[c.view]
	if c.place.report {
		name = viewNames[reportView]
	}
	win := c.picture.key.win
	out := []headerPart{{"view", name}, {"span", english.Span(cmp.Or(c.zoom.span, c.span()))}}
	if p, ok := c.spanPart(now.Location()); ok {
		out = append(out, p)
	}
	switch at := c.list.Position(); {
	case c.place.report:
	case c.view != lanesView:
		out = append(out, headerPart{"y", c.picture.axis.extent()})
	case at != "":
		out = append(out, headerPart{"lanes", at})
	}
	if c.view == barView || c.place.report {
		out = append(out, headerPart{"value", c.statisticName()})
	}
	return append(out, headerPart{"", c.state(win, now)})
}

// isMoment tells that the legend is one line with the values of a moment: the
// header must not show those of another one.
func (c *Chart) isMoment() bool { return c.desk.Past() && c.place.oneLine && !c.place.report }

// state tells whether the window moves on with the newest sample, or of which
// moment the values are.
func (c *Chart) state(win window, now time.Time) string {
	const form = "15:04:05"
	switch {
	case c.isMoment():
		return "at " + c.desk.At.In(now.Location()).Format(form)
	case !c.zoom.end.IsZero():
		word := "frozen"
		if c.zoom.span > 0 {
			word = "zoomed"
		}
		zone := now.Location()
		return word + " " + win.start(0).In(zone).Format(form) + "-" + win.start(win.w).In(zone).Format(form)
	case c.lostHost() != "":
		return "stale"
	case c.isHeld(now):
		return "held"
	case c.desk.Archive != nil:
		return "recorded"
	}
	return "live"
}

// isHeld tells whether new samples are kept from the screen: its hosts answer,
// and nothing newer is shown.
func (c *Chart) isHeld(now time.Time) bool {
	const least = 3 * time.Second
	for _, h := range c.hosts() {
		t := h.Timeline()
		if len(t.Nanos) < 2 || isLost(h) {
			return false
		}
		usual := time.Duration(session.UsualInterval(t.Nanos, true))
		if now.Sub(t.At(t.Next()-1)) < max(least, 3*usual) {
			return false
		}
	}
	return true
}

// statisticsText is perfmon's value bar for the selected series, from the longest
// form to the shortest.
func (c *Chart) statisticsText(ellipsis string) [][]headerPart {
	s := c.selected()
	if s == nil {
		return nil
	}
	letter, st := string(s.letter()), &s.stats
	if c.isMoment() {
		return [][]headerPart{{{letter, strings.ReplaceAll(s.withUnit(c.now(s)), "…", ellipsis)}}}
	}
	duration := english.Short(st.duration)
	last := strings.ReplaceAll(s.withUnit(c.last(s)), "…", ellipsis)
	avg, low, high := s.brief(st.Mean), s.brief(st.Min), s.brief(st.Max)
	return [][]headerPart{
		{{letter + "  last", last}, {st.head("average"), avg}, {"minimum", low}, {"maximum", high}, {"duration", duration}},
		{{letter + "  last", last}, {st.head("avg"), avg}, {"min", low}, {"max", high}, {"in", duration}},
		{{letter + "  last", last}, {st.head("avg"), avg}, {"max", high}},
		{{letter, last}},
	}
}

// head is that of the average.
func (st *statistics) head(text string) string {
	if st.ByTime {
		text += " by time"
	}
	return text
}

// last is the newest value of a series in the window.
func (c *Chart) last(s *series) cooker.Value {
	if c.zoom.end.IsZero() {
		return s.value
	}
	return s.stats.last
}

// now is the value that is looked at: under the cursor, else the newest.
func (c *Chart) now(s *series) cooker.Value {
	if c.desk.Past() {
		return s.at(c.desk.At)
	}
	return c.last(s)
}

func (c *Chart) statisticName() string {
	if c.statistic == current && c.desk.Past() {
		return "at the cursor"
	}
	return statisticNames[c.statistic]
}

// valueOf is the statistic of a series that bars and the report show.
func (c *Chart) valueOf(s *series) cooker.Value {
	if c.statistic == current {
		return c.now(s)
	}
	return s.stats.of(c.statistic)
}

// of is one of average, minimum and maximum.
func (st *statistics) of(k statistic) cooker.Value {
	switch k {
	case minimum:
		return st.Min
	case maximum:
		return st.Max
	}
	return st.Mean
}
