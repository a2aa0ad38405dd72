package browser

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// rig is the browser of scripted hosts on a clock that the test moves. Keys go
// where the root would send them; what they send is kept.
type rig struct {
	testing.TB
	clock  *fake.Clock
	desk   *pane.Desk
	b      *Browser
	canvas *canvas.Canvas
	hits   pane.Hits
	sent   []tea.Msg
	stop   func()
}

// onBrowser runs a test on a rig in a bubble, which fails the test if a
// goroutine is left behind.
func onBrowser(t *testing.T, hosts func(*fake.Clock) []fake.Host, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, hosts, synctest.Wait)
		defer r.stop()
		r.pass(3)
		test(r)
	})
}

func newRig(t testing.TB, hosts func(*fake.Clock) []fake.Host, settle func()) *rig {
	clock := fake.NewClock(start, settle)
	r := &rig{TB: t, clock: clock, canvas: canvas.New(120, 34, canvas.Full)}
	r.desk = &pane.Desk{Now: func() time.Time { return clock.Now().Wall }}
	var stops []func()
	for _, h := range hosts(clock) {
		stops = append(stops, r.watch(h))
	}
	r.stop = func() {
		for _, s := range stops {
			s()
		}
	}
	r.b = New(r.desk)
	r.b.Opened()
	return r
}

// watch puts a host on the desk.
func (r *rig) watch(h fake.Host) (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	s := session.NewSampler(h.Name, h.Source, r.clock)
	feed := s.Feed(session.FeedOptions{Every: time.Second, History: 2 * time.Minute})
	r.desk.Hosts = append(r.desk.Hosts, &pane.Host{Name: h.Name, Sampler: s, Feed: feed})
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	return func() { cancel(); <-done }
}

func demo(n int) func(*fake.Clock) []fake.Host {
	return func(c *fake.Clock) []fake.Host { return fake.Demo(c)[:n] }
}

// scripts makes hosts of scripts.
func scripts(list ...fake.Script) func(*fake.Clock) []fake.Host {
	return func(c *fake.Clock) (hosts []fake.Host) {
		for i, s := range list {
			if s.Name == "" {
				s.Name = fmt.Sprint("host", i)
			}
			hosts = append(hosts, fake.Host{Name: s.Name, Source: fake.New(s, c)})
		}
		return hosts
	}
}

// pass lets seconds pass and delivers the snapshots.
func (r *rig) pass(seconds int) {
	for range seconds {
		r.ask()
		r.clock.Advance(time.Second)
		r.deliver()
	}
	r.draw()
}

// ask tells the hosts what the browser wants to see.
func (r *rig) ask() {
	for _, h := range r.desk.Hosts {
		asks := r.b.Asks(h)
		if cat := h.Sampler.Catalogue(); cat != nil && len(cat.Sets) > 0 { // as the deck does
			asks = append(asks, session.Ask{Set: cat.Sets[len(cat.Sets)-1], Counters: []int{0}})
		}
		h.Feed.Ask(asks)
	}
}

func (r *rig) deliver() {
	for _, h := range r.desk.Hosts {
		if s := h.Feed.Take(); s != nil {
			h.Snap.Release()
			h.Snap = s
			r.b.Snapshot(h)
		}
	}
}

// settle delivers what hosts have for new questions.
func (r *rig) settle() {
	r.draw()
	r.ask()
	r.clock.Advance(0)
	r.deliver()
	r.draw()
}

func (r *rig) draw() {
	r.canvas.Clear(0)
	r.hits.Reset()
	r.b.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
}

func (r *rig) resize(w, h int) {
	r.canvas.Resize(w, h)
	r.draw()
}

var keyNames = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "space": {Code: tea.KeySpace, Text: " "},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
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

// press types keys by name and keeps what they send.
func (r *rig) press(names ...string) {
	for _, name := range names {
		r.key(keyPress(name))
	}
	r.settle()
}

func (r *rig) key(k tea.KeyPressMsg) {
	if cmd, took := r.b.TakeKey(k); took {
		r.run(cmd)
		return
	}
	b := keys.Match(k.String(), r.b.Bindings())
	if b == nil {
		return
	}
	if ok, why := b.Applies(); !ok {
		r.sent = append(r.sent, pane.Say{Text: why})
		return
	}
	r.run(b.Do())
}

// write types text.
func (r *rig) write(text string) {
	for _, c := range text {
		if c == ' ' {
			r.key(keyPress("space"))
		} else {
			r.key(keyPress(string(c)))
		}
	}
	r.settle()
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, pane.Reask:
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
	default:
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
			r.Fatalf("a sequence is sent: %T", msg)
		}
		r.sent = append(r.sent, msg)
	}
}

// take is what was sent since the last call.
func (r *rig) take() []tea.Msg {
	sent := r.sent
	r.sent = nil
	return sent
}

func (r *rig) text() string { return r.canvas.String() }

// find is the place, in cells, where the text is shown first.
func (r *rig) find(text string) (x, y int) {
	r.Helper()
	for y, row := range r.canvas.Rows() {
		if i := strings.Index(row, text); i >= 0 {
			return utf8.RuneCountInString(row[:i]), y
		}
	}
	r.Fatalf("%q is not shown:\n%s", text, r.text())
	return 0, 0
}

func (r *rig) click(text string) {
	r.Helper()
	x, y := r.find(text)
	r.clickAt(x, y)
}

func (r *rig) clickAt(x, y int) {
	if hit, ok := r.hits.Get(r.canvas.Hit(x, y)); ok {
		r.run(r.b.Click(hit, tea.MouseLeft))
	}
	r.settle()
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(r.text(), text) {
			r.Errorf("%q is not shown:\n%s", text, r.text())
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if strings.Contains(r.text(), text) {
			r.Errorf("%q is shown:\n%s", text, r.text())
		}
	}
}

// row is the first line that holds the text.
func (r *rig) row(text string) string {
	for _, row := range r.canvas.Rows() {
		if strings.Contains(row, text) {
			return row
		}
	}
	return ""
}

// column is the lines of a column of the last drawing.
func (r *rig) column(c column) string {
	first, widths := r.b.widths(r.canvasWidth())
	x := 0
	for i, w := range widths {
		if first+column(i) == c {
			part := layout.Rect{X: x, W: w}
			var out []string
			for _, row := range r.canvas.Rows()[1 : 1+r.b.split.lists] {
				runes := []rune(row)
				out = append(out, strings.TrimRight(string(runes[part.X:min(len(runes), part.X+part.W)]), " "))
			}
			return strings.TrimRight(strings.Join(out, "\n"), "\n")
		}
		x += w + columnGap
	}
	return ""
}

func (r *rig) canvasWidth() int { w, _ := r.canvas.Size(); return w }
