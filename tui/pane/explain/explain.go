// Package explain shows where a value comes from: its type, its formula, the
// raw samples and clocks it was made from, and the result.
package explain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Screen explains one value.
type Screen struct {
	target pane.Target
	units  pane.Units
	lines  []line
	top    int
	page   int
	keys   []keys.Binding
}

// line is one line of the explanation: a muted label and its text.
type line struct {
	label, text string
	strong      bool
}

// New returns the explanation of a value.
func New(target pane.Target) *Screen {
	s := &Screen{target: target, units: pane.NewUnits(target.Host.Numbers)}
	step := func(n int) func() tea.Cmd { return func() tea.Cmd { s.Wheel(pane.Hit{}, n); return nil } }
	s.keys = []keys.Binding{
		{Keys: []string{"esc", "left", "h"}, Text: "back", Hint: "back", Section: keys.Go,
			Do: func() tea.Cmd { return pane.Send(pane.Back{}) }},
		{Keys: []string{"y"}, Text: "copy the path", Hint: "copy", Section: keys.Selected,
			Do: func() tea.Cmd { return pane.Send(pane.Copy{Text: s.target.PathOf()}) }},
		{Keys: []string{"down", "j", "pgdown"}, Show: "j k arrows", Text: "scroll", Section: keys.Move, Do: step(1)},
		{Keys: []string{"up", "k", "pgup"}, Show: "j k arrows", Text: "scroll", Section: keys.Move, Do: step(-1)},
	}
	return s
}

// Title is the name of the screen.
func (s *Screen) Title() string { return "Explain" }

// Scope is the host's name.
func (s *Screen) Scope() string { return s.target.Host.Name }

// Bindings are the screen's keys.
func (s *Screen) Bindings() []keys.Binding { return s.keys }

// Asks are the value and its history.
func (s *Screen) Asks(h *pane.Host) []session.Ask {
	if h != s.target.Host {
		return nil
	}
	c := []int{s.target.Counter}
	return []session.Ask{{Set: s.target.Set, Counters: c,
		Keep: []session.Keep{{Counters: c, Rows: []session.InstanceKey{s.target.Key}}}}}
}

// Snapshot brings a new sample.
func (s *Screen) Snapshot(h *pane.Host) {
	if h == s.target.Host {
		s.lines = s.explain()
	}
}

// explain makes the lines from the newest snapshot.
func (s *Screen) explain() []line {
	view := s.target.Host.Snap.Set(s.target.Set)
	row, col := view.Find(s.target.Key, -1), view.Column(s.target.Counter)
	counter := &s.target.Set.Counters[s.target.Counter]
	out := []line{{text: ""}}
	if row < 0 || col < 0 {
		return append(out, line{"", "no sample of it yet", false})
	}
	if in := &view.Rows[row]; in.Flags&session.FlagCombined != 0 {
		return append(out, s.headline(view.Value(row, col), counter), line{},
			line{"made of", "the cooked values of all instances: " + counter.Aggregate.String(), false},
			line{"", fmt.Sprintf("%d of them gone, with their last values", in.Vanished), false},
			line{"source", "MS-PCQ 2.2.4.2, AggregateFunc", false})
	}
	older, newer, olderClocks, newerClocks, ok := view.Raw(row, col)
	if !ok {
		return append(out, line{"", "the instance is gone", false})
	}
	x := cooker.Explain(cooker.Evidence{
		Type: counter.Type, Prev: older, Cur: newer, PrevClocks: olderClocks, CurClocks: newerClocks,
		Attributes: counter.Attributes, Scale: counter.DefaultScale,
	})
	out = append(out, s.headline(view.Value(row, col), counter), line{})
	out = append(out, typeLines(x)...)
	out = append(out, sampleLines(x, view)...)
	return append(out, resultLines(x, view)...)
}

// headline is the value as the deck shows it, in full, and what it means.
func (s *Screen) headline(v cooker.Value, c *session.Counter) line {
	var buf [64]byte
	f, _ := v.Float()
	u, _ := s.units.Choose(pane.UnitKey{Set: s.target.Set, Counter: s.target.Counter, Key: s.target.Key}, f, time.Time{})
	shown := strings.TrimSpace(string(cooker.AppendField(buf[:0], v, u))) + " " + u.Label
	full := string(cooker.AppendMachine(buf[:0], v))
	return line{text: strings.TrimSpace(shown) + "   " + full + "   " + session.Printable(c.Description), strong: true}
}

func typeLines(x cooker.Explanation) []line {
	out := []line{{"type", x.Info.Name + "  " + x.Code + "  " + x.Info.Meaning, false}}
	if x.Info.Base != cooker.BaseNone {
		out = append(out, line{"base", fmt.Sprintf("%v  0x%08X", x.Info.BaseType, uint32(x.Info.BaseType)), false})
	}
	out = append(out, line{"bits", strings.Join(x.Bits, " "), false}, line{},
		line{"formula", x.Info.Formula, true}, line{})
	return out
}

// sampleLines is the table of the raw samples.
func sampleLines(x cooker.Explanation, view *session.SetView) []line {
	const cells = "%-23s %23s %23s %14s" // fits 100 columns
	at := view.Time
	before := ""
	if view.Rate.Interval > 0 {
		before = at.Add(-view.Rate.Interval).Format("15:04:05.000")
	}
	out := []line{{"sample", fmt.Sprintf(cells, "", before, at.Format("15:04:05.000"), "difference"), false}}
	for _, o := range x.Operands {
		diff := "constant"
		switch {
		case o.Changes:
			diff = grouped(strconv.FormatInt(o.Difference, 10))
		case !o.Older.Set:
			diff = ""
		}
		out = append(out, line{"", fmt.Sprintf(cells, o.Symbol+" "+o.Meaning, cell(o.Older), cell(o.Newer), diff), false})
	}
	return append(out, line{})
}

func cell(c cooker.Cell) string {
	if !c.Set {
		return ""
	}
	return grouped(strconv.FormatUint(c.N, 10))
}

// grouped puts a blank between groups of three digits.
func grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return sign + b.String()
}

func resultLines(x cooker.Explanation, view *session.SetView) []line {
	var out []line
	if x.Substituted != "" {
		out = append(out, line{"worked", x.Substituted, false})
		if x.Differences != x.Substituted {
			out = append(out, line{"", "= " + x.Differences, false})
		}
		out = append(out, line{"", "= " + string(cooker.AppendMachine(nil, x.Result)) + " " + x.Info.Suffix, true})
	}
	status := x.Status.String()
	if code, ok := x.Status.Code(); ok && !x.Status.Good() {
		status += fmt.Sprintf("  %s 0x%08X", code.Name, code.Code)
	}
	out = append(out, line{}, line{"state", status, false})
	if view.Rate.Missed > 0 {
		out = append(out, line{"", fmt.Sprintf("%d beats were missed before this sample", view.Rate.Missed), false})
	}
	if x.Scale != 0 {
		out = append(out, line{"scale", fmt.Sprintf("10^%d in charts; numbers are not scaled", x.Scale), false})
	}
	if len(x.Attributes) > 0 {
		out = append(out, line{"attributes", strings.Join(x.Attributes, " "), false})
	}
	for _, c := range x.Conflicts {
		out = append(out, line{"conflict", c, false})
	}
	if x.Unknown != 0 {
		out = append(out, line{"unknown", fmt.Sprintf("attribute bits 0x%X", uint64(x.Unknown)), false})
	}
	return append(out, line{"source", x.Info.Source, false})
}

// Draw draws the explanation.
func (s *Screen) Draw(f pane.Frame) {
	const labelW = 11
	pane.DrawTitle(f, layout.Row{}, pane.Title{Name: "Explain", Subtitle: s.target.PathOf(), Focused: true})
	if s.lines == nil {
		s.lines = s.explain()
	}
	s.page = max(1, f.Height()-1)
	s.top = max(0, min(s.top, len(s.lines)-s.page))
	for i, y := s.top, 1; i < len(s.lines) && y < f.Height(); i, y = i+1, y+1 {
		l := &s.lines[i]
		st := themes.Text.Style()
		if l.strong {
			st = themes.Strong.Style().Bold()
		}
		f.Left(layout.SignW, y, labelW-1, l.label, themes.Muted.Style())
		x := layout.SignW + labelW
		if l.label == "" && l.strong && i == 1 {
			x = layout.SignW
		}
		f.Left(x, y, f.Width()-x, l.text, st)
	}
	s.drawHistory(f, 1+len(s.lines)-s.top+1)
}

// drawHistory draws the last samples below the text, where there is room.
func (s *Screen) drawHistory(f pane.Frame, y int) {
	view := s.target.Host.Snap.Set(s.target.Set)
	row, col := view.Find(s.target.Key, -1), view.Column(s.target.Counter)
	if y >= f.Height() || row < 0 || col < 0 {
		return
	}
	series := view.Series(row, col)
	w := min(60, f.Width()-24)
	end := s.target.Host.Snap.Timeline.Next()
	values := series.Slice(end, w)
	if len(values) == 0 || w < 1 {
		return
	}
	win := series.Window(end, w)
	f.Text(layout.SignW, y, fmt.Sprintf("last %d", len(values)), themes.Muted.Style())
	f.Spark(14, y, w, values, pane.ScaleOf(s.target.Set.Counters[s.target.Counter].Quantity, win, values),
		func(float32) themes.Style { return themes.Spark.Style() })
}

// Click does nothing here.
func (s *Screen) Click(pane.Hit, tea.MouseButton) tea.Cmd { return nil }

// Wheel scrolls.
func (s *Screen) Wheel(_ pane.Hit, lines int) {
	s.top = max(0, min(s.top+lines, len(s.lines)-s.page))
}

var _ pane.Screen = (*Screen)(nil)
