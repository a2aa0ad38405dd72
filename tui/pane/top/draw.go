package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/eventtext"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Draw draws the table into the frame.
func (t *Top) Draw(f pane.Frame) {
	view := t.view()
	if t.set == nil {
		t.drawNone(f)
		return
	}
	head, lines := 1, t.table.HeadLines()
	if t.hasSummary(f.Height(), view) {
		head++
	}
	need := len(t.rows())
	if t.total > need {
		need++ // what the filter leaves out
	}
	room, graphs := t.divide(need, f.Width(), f.Height()-head-lines)
	from, end := t.list.Show(len(t.rows()), room)
	pane.DrawTitle(f, t.title(from, end))
	if view == nil {
		f.Text(layout.SignW, 2, "first sample"+f.Glyphs().Ellipsis, themes.Muted)
		return
	}
	t.letGo(f.Now)
	t.stale = t.table.Fit(layout.SignW, f.Width()-layout.SignW, f.Width()-layout.SignW) || t.stale
	t.drawHeads(f, head)
	m, rows := t.desk.TableMoment(t.host.Snap, view), f.Lines(head+lines, room)
	t.told = t.desk.EventsAround(t.host)
	t.table.Scale(m, from, end, f.Now)
	t.list.DrawEach(rows, len(t.rows()), func(f pane.Frame, i int) { t.drawRow(f, i, &m) })
	if !t.list.Has() {
		rows.Rest(layout.SignW, 0, t.whyEmpty(), themes.Muted)
	}
	if hidden := t.total - len(t.rows()); hidden > 0 && end-from < room {
		rows.Text(layout.SignW, room-1, fmt.Sprintf("+ %d not shown by the filter", hidden), themes.Muted)
	}
	t.drawPictures(f.Below(head+lines+room), graphs, &m)
	if head > 1 {
		t.drawSummary(f, 1, &m)
	}
}

// drawNone says why there is no table, and of a host that does not answer what is known of that.
func (t *Top) drawNone(f pane.Frame) {
	w := f.Width() - layout.SignW
	y := 1
	say := func(text string, st themes.Style) {
		for _, line := range canvas.Fold(text, max(8, w)) {
			f.Left(layout.SignW, y, w, line, st)
			y++
		}
	}
	switch {
	case t.host != nil && t.host.Sampler.Catalogue() != nil:
		say(t.whyNoSet()+"; 4 browses what it has", themes.Muted)
		return
	case t.host == nil || t.host.Sampler.State().Err == nil:
		say("no table yet: "+t.whyNoSet(), themes.Muted)
		return
	}
	for _, fact := range t.host.Facts(f.Now) {
		if fact.Label == "" {
			say(t.host.Name+": "+fact.Text, fact.Style)
		} else {
			say(fact.Label+": "+fact.Text, themes.Muted)
		}
	}
}

// whyEmpty is why there are no rows.
func (t *Top) whyEmpty() string {
	if t.total > 0 {
		return "none of " + english.Count(t.total, "instance", "instances") + " fits the filter"
	}
	return t.set.WhyEmpty() + "; one that appears is shown"
}

// title tells what the table shows; rows from to end are in view.
func (t *Top) title(from, end int) pane.Title {
	left := 0 // that were not asked for
	if view := t.view(); view != nil {
		left = max(view.Left, 0)
	}
	n := english.Count(len(t.rows())+left, "instance", "instances")
	if len(t.rows()) != t.total {
		n = fmt.Sprintf("%d of %d instances", len(t.rows()), t.total)
	}
	if t.isByCalls() {
		n += ", IO by calls, not disks"
	}
	if t.isOfOneCPU() {
		n += ", % of one cpu"
	}
	if t.filter.Text() != "" {
		n += ", filter " + t.filter.Text()
	}
	switch {
	case t.at.follow:
		n += ", following " + t.at.key.Name
	case t.isPicked():
		n += ", staying on " + t.at.key.Name
	}
	if t.table.Tree {
		n += ", tree"
	}
	if view := t.view(); view != nil && t.desk.Past() && t.desk.At.Before(view.Forgotten) {
		n += ", not all kept before " + view.Forgotten.Format(time.TimeOnly) + t.accounted(view)
	}
	title := pane.Title{Name: t.set.Name, Subtitle: n, Focused: true}
	if end > from {
		title.Position = list.Range(from+1, end, len(t.rows())+left)
	}
	return title
}

// accounted tells how much of what the processors did at the moment the rows that are kept have.
func (t *Top) accounted(view *session.SetView) string {
	i, ok := t.set.Counter("% Processor Time")
	at := slices.IndexFunc(t.gauges, func(g gauge) bool { return g.name == gaugeCPU })
	if col := view.Column(i); ok && col >= 0 && at >= 0 {
		m, sum := t.desk.TableMoment(t.host.Snap, view), 0.0
		for row := range view.Rows {
			if n, ok := m.Value(row, col).Float(); ok && view.Rows[row].Flags&(session.FlagTotal|session.FlagIdle) == 0 {
				sum += n
			}
		}
		if used, ok := t.reading(&t.gauges[at]).Value.Float(); ok {
			parts := cmp.Or(t.host.Snap.Processors(t.gauges[at].at.Set), 1)
			return fmt.Sprintf(": %.0f %% of %.0f %% is accounted for", sum, used*parts)
		}
	}
	return ""
}

// isByCalls tells whether processes are sorted by what they read and write by calls, of which
// a cache answers many.
func (t *Top) isByCalls() bool {
	c, ok := t.table.Sorted()
	if !ok || !table.IsProcesses(t.set) {
		return false
	}
	kind, isIO := strings.CutPrefix(t.set.Counters[c].InEnglish(), "IO ")
	return isIO && !strings.HasPrefix(kind, "Other")
}

// isOfOneCPU tells whether percentages in view are of one processor, of which instances
// may use several.
func (t *Top) isOfOneCPU() bool {
	for i := range t.table.Columns {
		c := &t.table.Columns[i]
		if c.Kind == table.Counter && !c.Hidden && t.table.Has(i) && kind.Of(nil, t.set, c.Counter, session.Look{}).OfOneCPU {
			return true
		}
	}
	return false
}

func (t *Top) drawHeads(f pane.Frame, y int) {
	lines := t.table.HeadLines()
	t.table.DrawHeads(f.Region, y, t.cursor)
	for i := range t.table.Columns {
		if p := t.table.Place(i); p.W > 0 {
			head := t.table.HeadPlace(i)
			f.Zone(head.X, y, head.W, lines, hitHead, i)
			f.Zone(p.X+p.W, y, 1, lines, hitEdge, i, p.X)
		}
	}
}

func (t *Top) drawRow(f pane.Frame, i int, m *table.Frame) {
	in := &m.View.Rows[t.rows()[i].At]
	t.table.DrawRow(f.Region, 0, i)
	sign, st, _ := pane.SignOfMark(t.desk.Board().Instance(t.host.Name, t.set, in.Key), f.Glyphs())
	f.DrawLead(0, pane.Lead{Selected: t.list.Is(i), Marked: t.marks[in.Key], Sign: sign, Style: st})
}

// ShowsEvents tells whether events of a host are seen here.
func (t *Top) ShowsEvents(h *pane.Host) bool { return h == t.host }

// remark is what the host told of a row last, as far as we know that it is bad.
func (t *Top) remark(in *session.Instance) (text string, st themes.Style) {
	for _, e := range slices.Backward(t.told) {
		isBad := eventtext.IsFinding(e.Known) || e.Known != "" && e.Level >= session.EventError
		if isBad && pane.Concerns(e, t.set, in, nil) {
			said := e.Title()
			if len(e.Names) > 0 {
				if _, does, ok := strings.Cut(said, e.Names[0]+" "); ok { // whose row it is need not be said
					said = does
				}
			}
			return e.Time.Local().Format("15:04") + " " + said, pane.LevelOfEvent(e.Level).Style()
		}
	}
	return "", themes.Text
}
