package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/deck"
)

// root routes messages to the screens and dialogs and draws the frame around
// them. It knows no screen by type.
type root struct {
	views
	options Options
	dialogs []pane.Dialog
	keys    []keys.Binding
	ends    error // why the program ends, if not because the user asked

	canvas  *canvas.Canvas
	hits    pane.Hits
	output  output
	drawn   time.Time
	drawing bool // a drawNow is on its way
	w, h    int
	dark    bool

	paused    bool
	interval  time.Duration
	said      string
	saidUntil time.Time
}

// The messages of the root's own.
type (
	snapshotReady    struct{ host int }
	catalogueReady   struct{ host int }
	catalogueRenewed struct{ host int }
	clockTick        struct{}
	drawNow          struct{}
	resized          struct{ w, h int }
	continued        struct{}
	stop             struct{ err error }
)

func newRoot(o Options) *root {
	r := &root{options: o, interval: o.Interval, dark: o.Dark, canvas: canvas.New(0, 0, o.Glyphs)}
	for _, h := range o.Hosts {
		host := &pane.Host{Name: h.Name, Sampler: h.Sampler, Feed: h.Feed, Numbers: o.Numbers}
		r.hosts = append(r.hosts, host)
		r.sets = append(r.sets, newScreens(host, r.options.Now))
	}
	if len(r.hosts) > 1 {
		r.all, r.showAll = deck.NewAbreast(r.hosts), true
	}
	r.keys = r.bindings()
	return r
}

// Init waits for the hosts.
func (r *root) Init() tea.Cmd {
	cmds := []tea.Cmd{r.tick()}
	for i := range r.hosts {
		cmds = append(cmds, r.awaitCatalogue(i), r.awaitRenewal(i), r.awaitSnapshot(i))
	}
	return tea.Batch(cmds...)
}

func (r *root) awaitCatalogue(i int) tea.Cmd {
	known := r.hosts[i].Sampler.Known()
	return func() tea.Msg { <-known; return catalogueReady{i} }
}

// awaitRenewal waits for a catalogue that differs from the one that was kept.
func (r *root) awaitRenewal(i int) tea.Cmd {
	renewed := r.hosts[i].Sampler.Renewed()
	return func() tea.Msg { <-renewed; return catalogueRenewed{i} }
}

func (r *root) awaitSnapshot(i int) tea.Cmd {
	ready := r.hosts[i].Feed.Ready()
	return func() tea.Msg { <-ready; return snapshotReady{i} }
}

// tick keeps the clock in the header going when no snapshot does. While
// snapshots come each second it only watches, seldom, that they still do.
func (r *root) tick() tea.Cmd {
	every := time.Second
	if r.interval <= time.Second && !r.paused && r.options.Now().Sub(r.drawn) < 2*time.Second {
		every = 3 * time.Second
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return clockTick{} })
}

// Update handles a message and draws what changed.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd, changed := r.handle(msg)
	if _, fromHost := msg.(snapshotReady); changed && fromHost && r.all != nil {
		return r, tea.Batch(r.guarded(cmd), r.drawSoon())
	}
	if changed {
		r.askAgain()
		r.draw()
	}
	return r, r.guarded(cmd)
}

// gather is how long the answers of other hosts are waited for before they are
// drawn together.
const gather = 20 * time.Millisecond

// drawSoon draws once for all hosts that answer at about the same time.
func (r *root) drawSoon() tea.Cmd {
	if r.drawing {
		return nil
	}
	r.drawing = true
	return tea.Tick(gather, func(time.Time) tea.Msg { return drawNow{} })
}

// guarded lets a panic of a command, which runs in a goroutine of bubbletea's,
// reach the guard.
func (r *root) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		r.options.Guard.Run(func() { msg = cmd() })
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = r.guarded(batch[i])
			}
		}
		return msg
	}
}

// View hands the drawn screen to bubbletea's renderer, if that is the output.
func (r *root) View() tea.View { return r.output.view(r.windowTitle()) }

func (r *root) windowTitle() string { return "perfdeck " + r.screen().Scope() }

// handle changes the model. It reports whether the screen has to be drawn.
func (r *root) handle(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	switch msg := msg.(type) {
	case snapshotReady:
		return r.awaitSnapshot(msg.host), r.takeSnapshot(msg.host)
	case catalogueReady:
		return r.loadDeck(msg.host), true
	case catalogueRenewed:
		return tea.Batch(r.awaitRenewal(msg.host), r.loadDeck(msg.host)), true
	case drawNow:
		r.drawing = false
		return nil, true
	case clockTick:
		return r.tick(), r.options.Now().Sub(r.drawn) > 900*time.Millisecond
	case tea.KeyPressMsg:
		return r.key(msg), true
	case tea.PasteMsg:
		if d := r.dialog(); d != nil {
			d.Paste(msg.Content)
			return nil, true
		}
	case tea.MouseClickMsg:
		return r.click(msg), true
	case tea.MouseWheelMsg:
		return r.wheel(msg), true
	default:
		return r.handleOther(msg)
	}
	return nil, false
}

// handleOther handles what panes and dialogs send, and what the terminal tells.
func (r *root) handleOther(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	switch msg := msg.(type) {
	case pane.Say:
		r.say(msg.Text)
	case pane.Reask:
		r.askAll()
	case pane.Close:
		if n := len(r.dialogs); n > 0 {
			r.dialogs = r.dialogs[:n-1]
		}
	case pane.AskText, pane.AskCounter:
		r.open(msg)
	case pane.OpenHost:
		r.showHost(msg.Host).show(0)
		r.askAll()
	case pane.OpenTop:
		r.showHost(msg.Host).openTop(msg)
		r.askAll()
	case pane.OpenExplain:
		r.showHost(msg.Target.Host).openExplain(msg.Target)
		r.askAll()
	case pane.Back:
		r.back()
		r.askAll()
	case pane.GoTo:
		r.show(msg.Screen)
		r.askAll()
	case pane.Copy:
		r.say("copied " + msg.Text)
		return r.output.copy(msg.Text), true
	default:
		return r.handleTerminal(msg)
	}
	return nil, true
}

// handleTerminal handles what the terminal tells.
func (r *root) handleTerminal(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		// Without its renderer bubbletea knows no size and says 0x0.
		if msg.Width > 0 || !r.output.owns() {
			r.resize(msg.Width, msg.Height)
		}
	case resized:
		r.resize(msg.w, msg.h)
	case continued, tea.ResumeMsg:
		r.output.repaint()
	case tea.FocusMsg:
		r.output.repaint()
	case tea.BackgroundColorMsg:
		if r.options.FixedBackground || msg.IsDark() == r.dark {
			return nil, false
		}
		r.dark = msg.IsDark()
		r.output.setSheet(r.sheet())
	case tea.ModeReportMsg:
		r.output.modeReport(msg)
		return nil, false
	case stop:
		r.ends = msg.err
		return tea.Quit, false
	default:
		return nil, false
	}
	return nil, true
}

func (r *root) sheet() *themes.Sheet { return r.options.Theme.Sheet(r.options.Profile, r.dark) }

func (r *root) resize(w, h int) {
	if w == r.w && h == r.h {
		return
	}
	r.w, r.h = w, h
	r.canvas.Resize(w, h)
	r.output.repaint()
}

// takeSnapshot takes the newest snapshot of a host. While paused the screen
// keeps the one it shows.
func (r *root) takeSnapshot(i int) bool {
	if r.paused {
		return false
	}
	h := r.hosts[i]
	snap := h.Feed.Take()
	if snap == nil {
		return false
	}
	h.Snap.Release()
	h.Snap = snap
	r.snapshot(i)
	return r.visible(i)
}

// loadDeck fills the deck of a host with what the user asked for, or with the
// default.
func (r *root) loadDeck(i int) tea.Cmd {
	errs := r.load(i, r.options.Paths)
	r.ask(i)
	if len(errs) == 0 {
		return nil
	}
	return pane.Send(pane.Say{Text: errs[0].Error()})
}

// ask tells the sampler of a host what its screens show.
func (r *root) ask(i int) { r.hosts[i].Feed.Ask(r.asks(i)) }

func (r *root) askAll() {
	for i := range r.hosts {
		r.ask(i)
	}
}

// askAgain asks anew when a screen shows rows or columns that it did not ask
// for.
func (r *root) askAgain() {
	if !r.paused && r.askStale() {
		r.ask(r.host)
	}
}

// say shows a line in place of the hints for a short while.
func (r *root) say(text string) {
	r.said, r.saidUntil = text, r.options.Now().Add(4*time.Second)
}

func (r *root) dialog() pane.Dialog {
	if n := len(r.dialogs); n > 0 {
		return r.dialogs[n-1]
	}
	return nil
}

// key routes a key: to the dialog on top, to the screen, to the root.
func (r *root) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	r.saidUntil = time.Time{} // what was said has been read
	switch {
	case name == "ctrl+l":
		r.output.repaint()
		return nil
	case name == "ctrl+c":
		return tea.Quit
	case name == "ctrl+z":
		return r.suspend()
	case layout.NewFrame(r.w, r.h).TooSmall:
		if name == "q" {
			return tea.Quit
		}
		return nil
	}
	if d := r.dialog(); d != nil {
		return d.Key(k)
	}
	b := keys.Match(name, r.screen().Bindings(), r.keys)
	if b == nil {
		r.sayElsewhere(name)
		return nil
	}
	if ok, why := b.Applies(); !ok {
		r.say(b.Label() + " " + b.Text + ": " + why)
		return nil
	}
	return b.Do()
}

// sayElsewhere says that a key means something on another screen only.
func (r *root) sayElsewhere(key string) {
	for _, t := range r.sets[r.host].tabs {
		if b := keys.Match(key, t.screen.Bindings()); b != nil {
			r.say(b.Label() + " " + b.Text + ": on " + t.screen.Title() + " only")
			return
		}
	}
}

// suspend stops the program until it is continued. It blocks, so that nothing
// is drawn meanwhile.
func (r *root) suspend() tea.Cmd {
	if !r.output.owns() {
		return tea.Suspend
	}
	if err := r.output.suspend(); err != nil {
		r.say(err.Error())
	}
	r.output.repaint()
	return nil
}

func (r *root) click(m tea.MouseClickMsg) tea.Cmd {
	hit, ok := r.hits.Get(r.canvas.Hit(m.X, m.Y))
	if !ok {
		return nil
	}
	if d := r.dialog(); d != nil {
		return d.Click(hit, m.Button)
	}
	if hit.Kind >= hitFrame {
		return r.clickFrame(hit)
	}
	return r.screen().Click(hit, m.Button)
}

// clickFrame answers clicks on tabs and hints.
func (r *root) clickFrame(hit pane.Hit) tea.Cmd {
	switch hit.Kind {
	case hitTab:
		return pane.Send(pane.GoTo{Screen: hit.A})
	case hitHint:
		if maps := [][]keys.Binding{r.screen().Bindings(), r.keys}; hit.B < len(maps[hit.A]) {
			if b := &maps[hit.A][hit.B]; b.Why == nil || b.Why() == "" {
				return b.Do()
			}
		}
	}
	return nil
}

func (r *root) wheel(m tea.MouseWheelMsg) tea.Cmd {
	var lines int
	switch m.Button {
	case tea.MouseWheelUp:
		lines = -3
	case tea.MouseWheelDown:
		lines = 3
	default:
		return nil
	}
	if d := r.dialog(); d != nil {
		d.Wheel(lines)
		return nil
	}
	hit, _ := r.hits.Get(r.canvas.Hit(m.X, m.Y))
	r.screen().Wheel(hit, lines)
	return nil
}

// setInterval parses what was typed for the interval.
func (r *root) setInterval(text string) error {
	every, err := ParseInterval(text)
	if err != nil {
		return err
	}
	r.interval = every
	for _, h := range r.hosts {
		h.Feed.SetInterval(every)
	}
	return nil
}

// ParseInterval reads a number of seconds ("2", "0.5") or a duration ("500ms",
// "1m").
func ParseInterval(text string) (time.Duration, error) {
	const least, most = session.MinInterval, 24 * time.Hour
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil {
		return 0, fmt.Errorf("interval %q: not a number of seconds, nor a time as 500ms or 1m", text)
	}
	if d < least || d > most {
		return 0, fmt.Errorf("interval %q: must be from 100ms to 24h", text)
	}
	return d, nil
}
