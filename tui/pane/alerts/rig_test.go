package alerts

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

var start = time.Date(2026, 3, 2, 14, 2, 0, 0, time.UTC)

const second = time.Second

// rig is the screen on scripted hosts that a real watch judges, on a clock that
// the test moves. It does for the screen what the root does.
type rig struct {
	testing.TB
	clock  *fake.Clock
	desk   *pane.Desk
	watch  *alert.Watch
	screen *Screen
	canvas *canvas.Canvas
	hits   pane.Hits
	sent   []tea.Msg
	undone []func() tea.Cmd
}

// onAlerts runs a test on a rig in a bubble, which fails the test if a goroutine
// is left behind.
func onAlerts(t *testing.T, scripts []fake.Script, rules []alert.Rule, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, end := newRig(t, scripts, rules, synctest.Wait)
		defer end()
		test(r)
	})
}

func newRig(t testing.TB, scripts []fake.Script, rules []alert.Rule, settle func()) (r *rig, end func()) {
	clock := fake.NewClock(start, settle)
	r = &rig{TB: t, clock: clock, canvas: canvas.New(120, 34, canvas.Full)}
	r.watch = alert.NewWatch(alert.Options{Clock: clock, Zone: time.UTC, Rules: rules, Report: func(err error) { t.Error(err) }})
	r.desk = &pane.Desk{
		Now: func() time.Time { return clock.Now().Wall }, Journal: &pane.Journal{}, Span: 5 * time.Minute,
		Alerts: r.watch, User: "ana", Numbers: pane.DefaultNumbers(),
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended []chan struct{}
	run := func(f func(context.Context)) {
		done := make(chan struct{})
		ended = append(ended, done)
		go func() { defer close(done); f(ctx) }()
	}
	for _, script := range scripts {
		s := session.NewSampler(script.Name, fake.New(script, clock), clock)
		feed := s.Feed(session.FeedOptions{Every: second, History: 10 * time.Minute})
		r.desk.Hosts = append(r.desk.Hosts, &pane.Host{Name: script.Name, Sampler: s, Feed: feed})
		run(s.Run)
		r.watch.Add(script.Name, s)
	}
	run(r.watch.Run)
	r.screen = New(r.desk)
	clock.Advance(0)
	r.screen.Opened()
	r.draw()
	return r, func() {
		cancel()
		for _, d := range ended {
			<-d
		}
	}
}

// deliver hands over the newest snapshots, draws, and asks for what the screen
// wants.
func (r *rig) deliver() {
	for _, h := range r.desk.Hosts {
		select {
		case <-h.Feed.Ready():
			if snap := h.Feed.Take(); snap != nil {
				h.Snap.Release()
				h.Snap = snap
				r.screen.Snapshot(h)
			}
		default:
		}
	}
	r.draw()
	if r.screen.AskStale() {
		for _, h := range r.screen.StaleHosts() {
			h.Feed.Ask(r.screen.Asks(h))
		}
		r.clock.Advance(0)
	}
}

// pass lets n seconds pass, one by one.
func (r *rig) pass(n int) {
	for range n {
		r.clock.Advance(second)
		r.deliver()
	}
}

func (r *rig) draw() {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.screen.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
}

func (r *rig) size(w, h int) {
	r.canvas.Resize(w, h)
	r.draw()
}

func (r *rig) press(names ...string) {
	r.Helper()
	for _, k := range names {
		b := keys.Match(k, r.screen.Bindings())
		if b == nil {
			r.Fatalf("%s means nothing", k)
		}
		if ok, why := b.Applies(); ok {
			r.run(b.Do())
		} else {
			r.sent = append(r.sent, pane.Say{Text: why})
		}
		r.draw()
	}
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			r.run(c)
		}
		return
	}
	r.sent = append(r.sent, msg)
	switch m := msg.(type) {
	case pane.MoveTo:
		r.desk.At = m.At
	case pane.Did:
		r.undone = append(r.undone, m.Undo)
	}
}

// undo takes the last change back.
func (r *rig) undo() {
	r.Helper()
	n := len(r.undone)
	if n == 0 {
		r.Fatal("nothing was changed")
	}
	last := r.undone[n-1]
	r.undone = r.undone[:n-1]
	r.run(last())
	r.clock.Advance(0)
	r.draw()
}

func (r *rig) last() tea.Msg {
	if len(r.sent) == 0 {
		return nil
	}
	return r.sent[len(r.sent)-1]
}

// said is the last line that was said.
func (r *rig) said() string {
	switch m := r.last().(type) {
	case pane.Say:
		return m.Text
	case pane.Did:
		return m.Text
	}
	return ""
}

// pick chooses from the menu that is open.
func (r *rig) pick(text string) {
	r.Helper()
	menu, ok := r.last().(pane.OpenMenu)
	if !ok {
		r.Fatalf("no menu is open, but %#v", r.last())
	}
	for _, it := range menu.Items {
		if strings.Contains(it.Text, text) {
			r.run(it.Do())
			r.clock.Advance(0)
			r.draw()
			return
		}
	}
	r.Fatalf("no %q in %v", text, menu.Items)
}

// form is a form that is filled in.
type form struct {
	*rig

	ask     pane.AskForm
	values  []string
	preview []string
}

func (r *rig) form() *form {
	r.Helper()
	ask, ok := r.last().(pane.AskForm)
	if !ok {
		r.Fatalf("no form is open, but %#v", r.last())
	}
	return r.fill(ask)
}

func (r *rig) fill(ask pane.AskForm) *form {
	f := &form{rig: r, ask: ask}
	for _, field := range ask.Fields {
		f.values = append(f.values, field.Value)
	}
	f.preview = ask.Each(f.values)
	return f
}

func (f *form) at(label string) int {
	f.Helper()
	for i, field := range f.ask.Fields {
		if field.Label == label {
			return i
		}
	}
	f.Fatalf("the form has no field %q", label)
	return -1
}

func (f *form) set(label, value string) *form {
	f.Helper()
	f.values[f.at(label)] = value
	f.preview = f.ask.Each(f.values)
	return f
}

func (f *form) get(label string) string { return f.values[f.at(label)] }

// accept checks the fields as the dialog does, and takes them.
func (f *form) accept() error {
	for i, field := range f.ask.Fields {
		if field.Check != nil {
			if err := field.Check(f.values[i]); err != nil {
				return err
			}
		}
	}
	if err := f.ask.Done(f.values); err != nil {
		return err
	}
	f.run(f.ask.Then())
	f.clock.Advance(0)
	f.draw()
	return nil
}

func (r *rig) click(text string) {
	r.Helper()
	for y, row := range r.canvas.Rows() {
		if i := strings.Index(row, text); i >= 0 {
			hit, _ := r.hits.Get(r.canvas.Hit(utf8.RuneCountInString(row[:i]), y))
			r.run(r.screen.Click(hit, tea.MouseLeft))
			r.draw()
			return
		}
	}
	r.Fatalf("%q is not shown:\n%s", text, r.canvas)
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is not shown:\n%s", text, r.canvas)
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is shown:\n%s", text, r.canvas)
		}
	}
}

// row is the first line of a pane that holds the text.
func (r *rig) row(p part, text string) string {
	rect := r.screen.places.parts[p]
	for _, row := range r.canvas.Rows()[rect.Y+1 : rect.Y+rect.H] {
		if strings.Contains(row, text) {
			return row
		}
	}
	return ""
}

// selected is the line that has the mark of the selection.
func (r *rig) selected() string {
	for _, row := range r.canvas.Rows() {
		if strings.HasPrefix(row, "►") {
			return row
		}
	}
	return ""
}

// sound checks what holds at every size: nothing is drawn outside, and nothing
// that steers a terminal.
func (r *rig) sound(w, h int, glyphs canvas.GlyphSet) {
	r.Helper()
	const mark = '\u2591'
	r.canvas.SetGlyphs(canvas.Full)
	r.canvas.Resize(w+4, h+4)
	r.canvas.Root().Fill(0, 0, w+4, h+4, mark, 0)
	r.canvas.SetGlyphs(glyphs)
	r.hits.Reset()
	f := pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits}.At(layout.Rect{X: 2, Y: 2, W: w, H: h})
	f.Clear(0)
	r.screen.Draw(f)
	for y := range h + 4 {
		for x := range w + 4 {
			c := r.canvas.At(x, y)
			inside := x >= 2 && x < w+2 && y >= 2 && y < h+2
			switch {
			case !inside && c.Rune != mark:
				r.Fatalf("%dx%d: %q is drawn outside, at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			case inside && (c.Rune != 0 && c.Rune < ' ' || c.Rune >= 0x7f && c.Rune < 0xa0 || c.Rune == mark || glyphs == canvas.ASCII && c.Rune > 0x7e):
				r.Fatalf("%dx%d: %q is drawn at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			}
		}
	}
}
