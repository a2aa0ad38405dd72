package tui

import (
	"cmp"
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// memory is an output that keeps what was drawn: nothing but the canvas.
type memory struct {
	shows    int
	copied   []string
	repaints int
	slow     bool
	behind   bool
	suspends int
}

func (m *memory) show(*canvas.Canvas, bool) bool { m.shows++; return !m.behind }
func (m *memory) view(string) tea.View           { return tea.View{} }
func (m *memory) repaint()                       { m.repaints++ }
func (m *memory) setSheet(*themes.Sheet)         {}
func (m *memory) modeReport(tea.ModeReportMsg)   {}
func (m *memory) isSlow() bool                   { return m.slow }
func (m *memory) isBehind() bool                 { return m.behind }
func (m *memory) lend(func() error) error        { m.suspends++; return nil }
func (m *memory) owns() bool                     { return true }
func (m *memory) ask() tea.Cmd                   { return nil }
func (m *memory) settle()                        {}
func (m *memory) setMouse(bool) tea.Cmd          { return nil }
func (m *memory) copy(text string) tea.Cmd       { m.copied = append(m.copied, text); return nil }

// rig is the screens of scripted hosts on a clock that the test moves. Keys and
// clicks go to Update one after the other, and nothing comes between them.
type rig struct {
	testing.TB
	clock   *clocktest.Clock
	root    *root
	out     *memory
	quit    bool
	arrived chan tea.Msg // of commands, to be handed over

	recorder *recorder
	asking   sync.Mutex
	asked    []string // hosts that were opened or logged on to, with account and password

	known map[*pane.Host]bool // those that told what they have
}

// rigOptions say what a rig shows. Without hosts it is the first of the demo.
type rigOptions struct {
	hosts   func(*clocktest.Clock) []fake.Host
	glyphs  canvas.GlyphSet
	paths   []string
	w, h    int
	kept    *session.Saved
	save    func()
	alerts  []alert.Rule
	records pane.Records

	history time.Duration // that hosts keep; 0: two minutes
	before  time.Duration // of the start of the other tests the clock begins
}

// onScreens runs a test on a rig in a bubble, which fails the test if a
// goroutine is left behind.
func onScreens(t *testing.T, o rigOptions, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, end := newRig(t, o, synctest.Wait)
		defer time.Sleep(time.Minute) // of the bubble: commands that wait for a timer end
		defer end()
		test(r)
	})
}

func newRig(t testing.TB, o rigOptions, settle func()) (r *rig, end func()) {
	clock := clocktest.New(start.Add(-o.before), settle)
	if o.hosts == nil {
		o.hosts = func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[:1] }
	}
	o.w, o.h = cmp.Or(o.w, 120), cmp.Or(o.h, 36)
	theme, err := themes.Load(themes.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	options := Options{
		Settings: Settings{Interval: time.Second, Theme: theme, Dark: true, Glyphs: o.glyphs},
		Runtime:  Runtime{Now: func() time.Time { return clock.Now().Wall }, Guard: guard.New(func(e *guard.PanicError) { panic(e) })},
		Subject:  Subject{Paths: o.paths},
		Display:  Display{Profile: themes.TrueColour, Mouse: true},
	}
	if o.kept != nil {
		options.Kept, options.Keep = o.kept, func(*session.Saved) error { o.save(); return nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended []chan struct{}
	watch := alert.NewWatch(alert.Options{Clock: clock})
	if o.alerts != nil {
		watch.SetRules(o.alerts)
	}
	options.Alerts, options.User = watch, "ana"
	for _, h := range o.hosts(clock) {
		s := session.NewSampler(h.Name, h.Source, clock)
		feed := s.Feed(session.FeedOptions{Every: time.Second, History: cmp.Or(o.history, 2*time.Minute)})
		options.Hosts = append(options.Hosts, &pane.Host{Name: h.Name, Sampler: s, Feed: feed, Events: s.Events()})
		watch.Add(h.Name, s)
		done := make(chan struct{})
		ended = append(ended, done)
		go func() { defer close(done); s.Run(ctx) }()
	}
	judged := make(chan struct{})
	ended = append(ended, judged)
	go func() { defer close(judged); watch.Run(ctx) }()
	r = &rig{TB: t, clock: clock, out: &memory{}, recorder: &recorder{}, arrived: make(chan tea.Msg, 1<<10), known: map[*pane.Host]bool{}}
	options.Recorder, options.Records = r.recorder, o.records
	options.Connect = func(ask pane.AddHosts) ([]*pane.Host, error) { return r.connect(ctx, ask) }
	r.root = newRoot(options)
	r.root.output = r.out
	r.root.handle(resized{o.w, o.h})
	r.root.draw()
	return r, func() {
		for _, w := range r.root.watched {
			close(w.gone)
		}
		cancel()
		for _, d := range ended {
			<-d
		}
	}
}

// script makes hosts of one script.
func script(s fake.Script) func(*clocktest.Clock) []fake.Host {
	return func(c *clocktest.Clock) []fake.Host {
		if s.Name == "" {
			s.Name = "host"
		}
		return []fake.Host{{Name: s.Name, Source: fake.New(s, c)}}
	}
}

// send hands a message to the screens. What they want because of it is done when it
// returns; what their commands bring comes later, as with bubbletea.
func (r *rig) send(msg tea.Msg) {
	r.Helper()
	if i, ok := msg.(pane.Intent); ok {
		r.Fatalf("%T is no message", i)
	}
	_, cmd := r.root.Update(msg)
	switch msg.(type) {
	case snapshotReady, clockTick:
		return // deliver waits in place of their commands
	}
	r.start(cmd)
}

// want lets the screens do what a screen or a dialog could want.
func (r *rig) want(i pane.Intent) {
	r.root.desk.Send(i)
	r.send(nil)
}

// start runs a command beside the screens, as bubbletea does.
func (r *rig) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				r.start(c)
			}
		default:
			r.arrived <- msg
		}
	}()
}

// arrive hands over what the commands brought meanwhile.
func (r *rig) arrive() {
	for {
		r.clock.Advance(0)
		select {
		case msg := <-r.arrived:
			if _, ends := msg.(tea.QuitMsg); ends {
				r.quit = true
				continue
			}
			if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
				r.Fatalf("a sequence is sent: %T", msg)
			}
			r.send(msg)
		default:
			return
		}
	}
}

// pass lets time pass, a second at a time, and delivers the snapshots.
func (r *rig) pass(d time.Duration) {
	for ; d > 0; d -= time.Second {
		r.clock.Advance(min(d, time.Second))
		r.arrive()
		r.deliver()
	}
}

// testDeck is the deck of the rigs, whatever the default one is.
var testDeck = []session.DeckPane{
	{Paths: []string{
		`\Processor Information(_Total)\% Processor Time`,
		`\Processor Information(_Total)\% User Time`,
		`\Processor Information(_Total)\% Privileged Time`,
	}},
	{Paths: []string{
		`\Memory\Available MBytes`, `\Memory\% Committed Bytes In Use`, `\Memory\Cache Bytes`,
		`\Memory\Pages/sec`, `\Memory\Page Faults/sec`,
	}},
	{Paths: []string{
		`\System\Processor Queue Length`, `\System\Context Switches/sec`, `\System\Processes`,
		`\System\Threads`, `\System\System Up Time`,
	}},
	{Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 12},
}

// deliver tells the screens what waits for them.
func (r *rig) deliver() {
	for _, w := range r.root.watched {
		if cat := w.Sampler.Catalogue(); cat != nil && !r.known[w.Host] && len(r.root.book.Own(w.Host).Spec()) == 0 {
			r.known[w.Host] = true
			r.send(catalogueReady{w})
			if len(r.root.options.Paths) == 0 {
				r.root.book.Own(w.Host).Load(testDeck)
				r.root.ask(w.Host)
			}
			r.clock.Advance(0)
		}
		select {
		case <-w.Feed.Ready():
			r.send(snapshotReady{w})
		default:
		}
	}
	if n := r.root.pacing.drawing; n != 0 { // the hosts are drawn together, a moment later
		r.send(drawNow{n})
	}
	r.send(clockTick{})
	r.clock.Advance(0)
}

// begin shows the first screen with n samples.
func (r *rig) begin(n int) {
	r.clock.Advance(0)
	r.deliver()
	r.deliver()
	r.pass(time.Duration(n) * time.Second)
}

// keyNames are keys that are not written as they are typed.
var keyNames = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "space": {Code: tea.KeySpace, Text: " "},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "f1": {Code: tea.KeyF1},
	"f2": {Code: tea.KeyF2}, "f3": {Code: tea.KeyF3}, "f4": {Code: tea.KeyF4}, "f5": {Code: tea.KeyF5}, "f6": {Code: tea.KeyF6},
	"f7": {Code: tea.KeyF7}, "f8": {Code: tea.KeyF8}, "f9": {Code: tea.KeyF9}, "f10": {Code: tea.KeyF10},
}

func keyPress(name string) tea.KeyPressMsg {
	if k, ok := keyNames[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	c, _ := utf8.DecodeRuneInString(name)
	return tea.KeyPressMsg{Code: c, Text: name}
}

// press types keys by name.
func (r *rig) press(names ...string) {
	for _, n := range names {
		r.send(keyPress(n))
	}
	r.settle()
}

// write types text, letter by letter.
func (r *rig) write(text string) {
	for _, c := range text {
		if c == ' ' {
			r.send(keyPress("space"))
			continue
		}
		r.send(keyPress(string(c)))
	}
	r.settle()
}

// settle delivers what commands brought, and what the sampler has for new
// questions, without a beat.
func (r *rig) settle() {
	r.arrive()
	r.deliver()
}

// text is what the screen shows.
func (r *rig) text() string { return r.root.canvas.String() }

func (r *rig) rows() []string { return r.root.canvas.Rows() }

// find is the place, in cells, where the text is shown first.
func (r *rig) find(text string) (x, y int, ok bool) {
	for y, row := range r.rows() {
		if i := strings.Index(row, text); i >= 0 {
			return utf8.RuneCountInString(row[:i]), y, true
		}
	}
	return 0, 0, false
}

// click clicks on the first place that shows the text.
func (r *rig) click(text string) {
	r.Helper()
	x, y, ok := r.find(text)
	if !ok {
		r.Fatalf("nothing to click on: %q is not shown:\n%s", text, r.text())
	}
	r.clickAt(x, y)
}

func (r *rig) clickAt(x, y int) {
	r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	r.settle()
}

// shows fails the test unless the screen shows all the texts.
func (r *rig) shows(texts ...string) {
	r.Helper()
	all := r.text()
	for _, text := range texts {
		if !strings.Contains(all, text) {
			r.Errorf("%q is not shown:\n%s", text, all)
		}
	}
}

// hides fails the test if the screen shows one of the texts.
func (r *rig) hides(texts ...string) {
	r.Helper()
	all := r.text()
	for _, text := range texts {
		if strings.Contains(all, text) {
			r.Errorf("%q is shown:\n%s", text, all)
		}
	}
}

// row is the first line that holds the text, "" if none does.
func (r *rig) row(text string) string {
	for _, row := range r.rows() {
		if strings.Contains(row, text) {
			return row
		}
	}
	return ""
}

// selected is the line that has the mark of the selection, from the mark on.
func (r *rig) selected() string {
	mark := string(r.root.canvas.Glyphs().Glyphs().Selected)
	for _, row := range r.rows()[1:] {
		if i := strings.Index(row, mark); i >= 0 {
			return row[i:]
		}
	}
	return ""
}

// focused is the title of the focused pane.
func (r *rig) focused() string {
	r.Helper()
	rule := string(r.root.canvas.Glyphs().Glyphs().FocusRule)
	for _, row := range r.rows()[1:] {
		if i := strings.Index(row, rule+" "); i >= 0 { // other panes may stand left of it
			return row[i:]
		}
	}
	return ""
}
