package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/alerts"
	"perfdeck/tui/pane/fleet"
	"perfdeck/tui/pane/replay"
)

// root routes messages to the screens and dialogs and draws the frame around
// them. What it knows of the hosts is in hosts.go, of the screens in tabs.go.
type root struct {
	options Options
	desk    *pane.Desk
	screens
	watched []*watched
	dialogs []pane.Dialog
	keys    []keys.Binding
	finder  *dialog.Finder // what the palette searches
	bar     *replay.Bar    // of a recording that is played; nil: this is live
	ends    error          // why the program ends, if not because the user asked

	canvas  *canvas.Canvas
	hits    pane.Hits
	output  output
	drawn   time.Time
	looked  time.Time // for changed settings
	drawing bool      // a drawNow is on its way
	blurred bool      // the terminal's window is not the one in front
	turned  bool      // a host changed its phase: that is drawn with the next tick
	w, h    int
	dark    bool

	grip     *grip // what the mouse took hold of; nil: nothing
	paused   bool
	interval time.Duration
	changes  changes
	began    time.Time
	alertSeq uint64 // of the last event that the journal has

	said      string
	saidUntil time.Time
}

// The messages of the root's own.
type (
	snapshotReady    struct{ host *watched }
	catalogueReady   struct{ host *watched }
	catalogueRenewed struct{ host *watched }
	clockTick        struct{}
	drawNow          struct{}
	resized          struct{ w, h int }
	continued        struct{}
	noted            struct{ err error }
	stop             struct{ err error }
)

func newRoot(o Options) *root {
	r := &root{options: o, interval: o.Interval, dark: o.Dark, canvas: canvas.New(0, 0, o.Glyphs)}
	r.desk = &pane.Desk{
		Now: o.Now, Numbers: o.Numbers, Journal: &pane.Journal{}, Span: defaultSpan, Wipe: o.LowBandwidth,
		Kept: o.Kept, Alerts: o.Alerts, User: o.User,
	}
	if o.Replay != nil {
		r.desk.Now, r.bar = o.Replay.Position, replay.NewBar(r.desk, o.Replay)
	}
	var noted []string
	for _, e := range o.Noted {
		r.desk.Journal.Add(e)
		noted = append(noted, e.Text)
	}
	if len(noted) > 0 {
		r.say(strings.Join(noted, "   "))
	}
	for _, h := range o.Hosts {
		r.watch(h)
	}
	r.screens = newScreens(r.desk)
	r.book.Offer(o.Decks)
	if o.Deck != "" && !r.book.OpenNamed(o.Deck) {
		r.say("there is no deck " + o.Deck + "   D lists them")
	}
	r.began = o.Now()
	r.chart.Annotate(notes{r.desk})
	r.fleet.SetTrouble(alerts.Trouble(r.desk))
	r.keys = r.withoutPlayed(r.bindings())
	r.finder = dialog.NewFinder(r.sources)
	return r
}

// Init waits for the hosts.
func (r *root) Init() tea.Cmd {
	cmds := []tea.Cmd{r.tick(), r.awaitReplay()}
	for _, w := range r.watched {
		cmds = append(cmds, w.await())
	}
	return tea.Batch(cmds...)
}

// Update handles a message and draws what changed.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	r.desk.Held = r.dialog() != nil
	cmd, changed := r.handle(msg)
	r.turned = false
	if changed {
		r.askAgain()
		r.draw()
	}
	return r, r.guarded(cmd)
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
		turned := msg.host.Sampler.State().Phase != msg.host.phase
		if wait := r.patience(); wait > 0 && !turned {
			msg.host.waits = true
			return tea.Batch(msg.host.awaitSnapshot(), r.drawSoon(wait)), false
		}
		return msg.host.awaitSnapshot(), r.takeSnapshot(msg.host)
	case catalogueReady:
		return r.loadDeck(msg.host), true
	case catalogueRenewed:
		return tea.Batch(msg.host.awaitRenewal(), r.loadDeck(msg.host)), true
	case drawNow:
		r.drawing = false
		return nil, r.takeWaiting()
	case replayChanged:
		return r.awaitReplay(), true
	case clockTick:
		r.noteHosts()
		return r.tick(), r.renew() || r.turned || r.rests(clockDrawing) < 0
	case tea.KeyPressMsg:
		return r.key(msg), true
	case tea.PasteMsg:
		if d := r.dialog(); d != nil {
			d.Paste(msg.Content)
			return nil, true
		}
		if s, ok := r.screen().(interface{ Paste(text string) }); ok {
			s.Paste(msg.Content)
			return nil, true
		}
	case tea.MouseClickMsg, tea.MouseMotionMsg, tea.MouseReleaseMsg, tea.MouseWheelMsg:
		return r.mouse(msg)
	default:
		return r.handleOpen(msg)
	}
	return nil, false
}

// handleOpen handles what opens and closes screens and dialogs.
func (r *root) handleOpen(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	switch msg := msg.(type) {
	case pane.Close:
		if n := len(r.dialogs); n > 0 {
			r.dialogs = r.dialogs[:n-1]
		}
		return nil, true
	case pane.CloseThen:
		if n := len(r.dialogs); n > 0 {
			r.dialogs = r.dialogs[:n-1]
		}
		if msg.Then == nil {
			return nil, true
		}
		return msg.Then(), true
	case pane.Open:
		r.dialogs = append(r.dialogs, msg.Dialog)
		return nil, true
	case pane.AskText, pane.AskForm, pane.AskCounter, pane.OpenMenu, pane.Confirm:
		r.open(msg)
		return nil, true
	case pane.Back:
		r.back()
	case pane.GoTo:
		r.show(msg.Tab)
	case pane.OpenHost:
		r.openHost(msg.Host)
	case pane.OpenDeck:
		r.openDeck(msg.Name)
	case pane.OpenTop:
		r.openTop(msg)
	case fleet.OpenHosts:
		r.openHosts(msg.Hosts)
	case pane.OpenChart:
		r.openChart(msg)
	case pane.OpenBrowser:
		r.openBrowser(msg.Target)
	case pane.OpenExplain:
		r.push(newExplain(r.desk, msg.Target))
	default:
		return r.handleChange(msg)
	}
	r.askAll()
	return nil, true
}

// handleChange handles what changes something that the root keeps.
func (r *root) handleChange(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	switch msg := msg.(type) {
	case pane.Say:
		r.say(msg.Text)
	case pane.Did:
		r.did(msg)
	case noted:
		r.note(pane.Careful, "", msg.err.Error())
		r.say(msg.err.Error())
	case recorderDid:
		r.noteRecorder(msg)
	case pane.AlertsChanged:
		r.noteAlerts()
	case pane.Keep:
		r.keep()
	case pane.SetTheme:
		r.setTheme(msg)
	case pane.Reask:
		r.askAll()
	case pane.AddPaths:
		r.addPaths(msg)
	case pane.MoveTo:
		r.moveTo(msg.At)
	case pane.SetSpan:
		r.desk.Span = msg.Span
	case pane.AddHosts:
		return r.connect(msg), true
	case pane.AskAccount:
		r.askAccount(msg.Host)
	case connected:
		return r.takeHosts(msg), true
	case pane.RemoveHost:
		return r.removeHost(msg.Host), true
	case pane.RetryHost:
		msg.Host.Sampler.Retry()
	case pane.Copy:
		return r.copyText(msg), true
	case pane.CopyPaths:
		return r.copyPaths(msg), true
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
		r.blurred = false
		r.output.repaint()
	case tea.BlurMsg:
		r.blurred = true
		return nil, false
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
	r.blurred = false         // whatever the terminal told
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
	if keeper, ok := r.screen().(pane.Keeper); ok {
		if cmd, took := keeper.TakeKey(k); took {
			return cmd
		}
	}
	b := r.options.Keys.Match(name, r.maps()...)
	if b == nil {
		r.sayElsewhere(name)
		return nil
	}
	if ok, why := b.Applies(); !ok {
		r.say(r.options.Keys.Label(b) + " " + b.Text + ": " + why)
		return nil
	}
	return b.Do()
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
