package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/files/note"
	"perfdeck/session/text/printable"
	"perfdeck/session/text/words"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/alerts"
	"perfdeck/tui/pane/details"
	"perfdeck/tui/pane/explain"
	"perfdeck/tui/pane/replay"
	"perfdeck/tui/terminal"
)

// root routes messages to the screens and dialogs and draws the frame around
// them. What it knows of the hosts is in hosts.go, of the screens in tabs.go.
type root struct {
	options Options
	desk    *pane.Desk
	screens
	watched    []*watched
	dialogs    []pane.Dialog
	ahead      ahead     // what was typed ahead
	suspension pane.Wait // by bubbletea
	keys       []keys.Binding
	finder     *dialog.Finder // what the palette searches
	bar        *replay.Bar    // of a recording that is played; nil: this is live
	ending     bool           // the program ends
	ends       error          // why, if not because the user asked
	cmds       []tea.Cmd      // that this Update has run
	orders     []tea.Cmd      // to the terminal, the first of which is run

	canvas *canvas.Canvas
	hits   pane.Hits
	output output
	pacing pacing
	w, h   int
	dark   bool

	grip     *grip // what the mouse took hold of; nil: nothing
	paused   bool
	interval time.Duration
	changes  changes
	began    time.Time
	news     news

	word      word
	questions []*Question // of others, that wait for their turn
}

// word is the message in the frame, and how long it stays.
type word struct {
	text  string
	until time.Time
}

// news is what the Log has of things outside the screens.
type news struct {
	alertSeq uint64             // of the last event that the journal has
	noted    map[note.Note]bool // those that the journal has
	told     told               // what went wrong outside
}

// pacing is when the screens draw and what holds them back.
type pacing struct {
	drawn    time.Time
	clock    *time.Timer // of the next clockTick; nil before the first
	ticks    chan clockTick
	attended time.Time
	looked   time.Time // for changed settings
	drawings int       // how many drawNow there were
	drawing  int       // the one that is on its way; 0: none
	loaded   bool      // decks were filled that it is to draw
	showing  bool      // a showNow is on its way
	inputs   int       // how often the user did something
	blurred  bool      // the terminal's window is not the one in front
	slow     bool      // the terminal is
	lacks    bool      // a showMore is on its way
	turned   bool      // a host changed its phase: that is drawn with the next tick
}

// The messages of the root's own.
type (
	snapshotReady  struct{ host *watched }
	catalogueReady struct{ host *watched }
	clockTick      struct{}
	drawNow        struct{ number int }
	showNow        struct{ inputs, tries int }
	showMore       struct{}
	ordered        struct{}
	finished       struct {
		work *pane.Wait
		done func(awaited bool)
	}
	resized struct{ w, h int }
	stop    struct{ err error }
	// then is what is to be done because of something outside the screens.
	then func(r *root)
)

func newRoot(o Options) *root {
	r := &root{options: o, suspension: pane.Wait{What: "suspending"}, interval: o.Interval, dark: o.Dark, canvas: canvas.New(0, 0, o.Glyphs)}
	r.desk = &pane.Desk{
		Now: o.Now, Numbers: o.Numbers, Journal: &pane.Journal{Keep: o.KeepLog}, Span: defaultSpan, Wipe: o.LowBandwidth,
		Words: o.Words, Kept: o.Kept, User: o.User, Archive: o.Archive, Company: o.Company,
	}
	r.news.noted = map[note.Note]bool{}
	if o.Replay != nil {
		r.desk.Now, r.bar = o.Replay.Position, replay.NewBar(r.desk, o.Replay)
	}
	var noted []string
	for _, e := range o.Noted {
		r.desk.Journal.Add(e)
		if r.bar == nil || e.Level > pane.Info { // the bar says what a recording is, and how it is played
			noted = append(noted, e.Text)
		}
	}
	for _, e := range o.Logged {
		r.desk.Journal.Add(e)
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
	if len(o.Manifests) > 0 {
		r.find.SetManifests(o.Manifests)
		if len(o.Paths) == 0 && o.Deck == "" {
			r.find.OpenManifest(o.Manifests[0])
			r.show(pane.TabBrowser)
		}
	}
	r.began = o.Now()
	r.noteNotes()
	r.chart.Notes, r.chart.Proposed, r.chart.Offered = notes{r.desk}, r.book.Proposed, r.book.Offered
	r.records.Offered = r.book.Recordable
	if o.Records != nil {
		o.Records.List() // the palette finds them later
	}
	r.fleet.Trouble = alerts.Trouble(r.desk)
	r.keys = r.withoutPlayed(r.bindings())
	r.finder = dialog.NewFinder(r.sources)
	r.finder.Coming, r.finder.Words = r.coming, func() words.Book { return r.desk.Words }
	return r
}

// Init waits for the hosts.
func (r *root) Init() tea.Cmd {
	cmds := []tea.Cmd{r.tick(), r.awaitReplay(), r.output.ask()}
	for _, w := range r.watched {
		cmds = append(cmds, w.await())
	}
	return tea.Batch(cmds...)
}

// Update handles a message, does what screens and dialogs want because of it, and
// draws what changed.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	changed := r.step(msg)
	for {
		typed, ok := r.ahead.next()
		if !ok {
			break
		}
		changed = r.step(typed) || changed
	}
	if changed {
		r.showAfter(msg)
	}
	cmds := r.cmds
	r.cmds = nil
	return r, r.guarded(tea.Batch(cmds...))
}

// order has a command for the terminal run when those before it are done: of two
// copies the later one is on the clipboard.
func (r *root) order(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	r.orders = append(r.orders, cmd)
	if len(r.orders) == 1 {
		r.later(r.nextOrder())
	}
}

// nextOrder is the order that is to be run; nil if there is none.
func (r *root) nextOrder() tea.Cmd {
	if len(r.orders) == 0 {
		return nil
	}
	return tea.Sequence(r.orders[0], func() tea.Msg { return ordered{} })
}

// step handles one message and draws what that changed: the next one is about what
// is seen then. It reports whether anything changed.
func (r *root) step(msg tea.Msg) (changed bool) {
	r.desk.Held = r.dialog() != nil
	changed = r.handle(msg)
	changed = r.drain() || changed
	r.pacing.turned = false
	if changed {
		r.askAgain()
		r.draw()
		r.drain() // what was found to be lacking
		r.wantEvents()
	}
	return changed
}

// drain does what screens and dialogs want. It reports whether there was anything.
func (r *root) drain() (had bool) {
	r.desk.Drain(func(i pane.Intent) {
		r.do(i)
		had = true
	})
	return had
}

// later has commands run, each beside the screens: only for what waits. Their
// messages come in any order, behind keys that are typed meanwhile.
func (r *root) later(cmds ...tea.Cmd) { r.cmds = append(r.cmds, cmds...) }

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
func (r *root) handle(msg tea.Msg) (changed bool) {
	switch msg := msg.(type) {
	case snapshotReady:
		r.later(msg.host.awaitSnapshot())
		turned := msg.host.Sampler.State().Phase != msg.host.phase
		if wait := r.patience(); wait > 0 && (!turned || wait <= gather) {
			msg.host.waits = true
			r.drawSoon(wait)
			return false
		}
		changed = r.takeSnapshot(msg.host)
		return r.attendAgain() || changed
	case catalogueReady:
		return r.fillCatalogue(msg.host)
	case showNow:
		r.showUnlessMore(msg)
		return false
	case showMore:
		r.pacing.lacks = false
		r.present(false)
		return false
	case drawNow:
		if msg.number != r.pacing.drawing {
			return false
		}
		if r.pacing.drawing = 0; r.output.isBehind() {
			r.drawSoon(behindWait)
			return false
		}
		changed = r.takeWaiting() || r.pacing.loaded
		r.pacing.loaded = false
		return r.attendAgain() || changed
	case then:
		msg(r)
	case clockTick:
		changed = r.attend()
		r.later(r.tick())
		return changed || r.rests(clockDrawing) < 0
	case ordered:
		r.orders = r.orders[1:]
		r.later(r.nextOrder())
		return false
	case finished:
		r.finish(msg)
	default:
		return r.handleInput(msg)
	}
	return true
}

// handleInput handles what the user does.
func (r *root) handleInput(msg tea.Msg) (changed bool) {
	if r.ending {
		return false // what is typed behind the end means nothing any more
	}
	if isInput(msg) {
		if r.putOff(msg) {
			return true
		}
		r.pacing.inputs++
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		r.key(msg)
	case tea.PasteMsg:
		if d := r.dialog(); d != nil {
			d.Paste(msg.Content)
			return true
		}
		s, ok := r.screen().(pane.Paster)
		if !ok {
			return false
		}
		s.Paste(msg.Content)
	case tea.MouseClickMsg, tea.MouseMotionMsg, tea.MouseReleaseMsg, tea.MouseWheelMsg:
		return r.mouse(msg)
	default:
		return r.handleTerminal(msg)
	}
	return true
}

// do does what a screen or a dialog wants: what opens and closes something here,
// the rest in change.
func (r *root) do(i pane.Intent) {
	switch i := i.(type) {
	case pane.Close:
		var d pane.Dialog
		if n := len(r.dialogs); n > 0 {
			d, r.dialogs = r.dialogs[n-1], r.dialogs[:n-1]
		}
		if i.Then != nil {
			i.Then()
		}
		r.closed(d)
		r.askNext()
		return
	case pane.Open:
		r.raise(i.Dialog)
		return
	case pane.AskText, pane.AskForm, pane.AskCounter, pane.OpenMenu, pane.Confirm:
		r.open(i)
		return
	case pane.Back:
		switch {
		case r.back():
		case !r.desk.Selected.IsNone():
			r.selectSpan(pane.Span{})
		case r.desk.EndCursor():
		default:
			r.say("this is where it began: " + r.options.Keys.Shown("q") + " quits")
		}
	case pane.GoTo:
		r.show(i.Tab)
	case pane.OpenHost:
		r.openHost(i.Host)
	case pane.OpenDeck:
		r.show(pane.TabDeck)
		r.book.OpenNamed(i.Name)
		r.came()
	case pane.OpenTop:
		r.show(pane.TabTop)
		r.top.Show(i.Host, i.Set, i.Key, i.Sort)
	case pane.OpenHosts:
		r.openHosts(i.Hosts)
	case pane.OpenChart:
		r.openChart(i)
	case pane.OpenBrowser:
		r.show(pane.TabBrowser)
		r.find.Show(i.Target)
		r.came()
	case pane.OpenDetails:
		r.push(details.New(r.desk, i.Target))
	case pane.OpenExplain:
		r.push(explain.New(r.desk, i.Target))
	case pane.Play:
		r.play(i.File, time.Time{})
	default:
		r.change(i)
		return
	}
	r.askAll()
}

// change does what changes something that the root keeps.
func (r *root) change(i pane.Intent) {
	switch i := i.(type) {
	case pane.Say:
		r.say(i.Text)
	case pane.Did:
		r.did(i)
	case pane.Wait:
		r.await(i)
	case pane.Keep:
		r.keep()
	case pane.SetTheme:
		r.setTheme(i)
	case pane.Reask:
		r.askAll()
	case pane.AddPaths:
		r.addPaths(i)
	case pane.MoveTo:
		r.moveTo(i.At)
	case pane.ShowTime:
		if r.bar != nil {
			r.bar.Show(i.From, i.To)
			return
		}
		r.chart.ShowTime(i.From, i.To)
	case pane.SelectSpan:
		r.selectSpan(i.Span)
	case pane.AddHosts:
		r.connect(i)
	case pane.AskAccount:
		r.askAccount(i.Host)
	case pane.RemoveHost:
		r.removeHost(i.Host)
	case pane.RetryHost:
		r.tryAgain(i.Host)
	case pane.Copy: // what is pasted into a shell may run: it holds no line end, and nothing that ends a paste
		text := printable.Text(i.Text)
		r.copied(text, "?", text != i.Text)
	case pane.CopyPaths:
		r.copyPaths(i)
	}
}

// handleTerminal handles what the terminal tells.
func (r *root) handleTerminal(msg tea.Msg) (changed bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		// Without its renderer bubbletea knows no size and says 0x0.
		if msg.Width > 0 || !r.output.owns() {
			r.resize(msg.Width, msg.Height)
		}
	case resized:
		r.resize(msg.w, msg.h)
	case tea.SuspendMsg: // comes when that is over
		r.finish(finished{work: &r.suspension})
		r.later(r.output.ask())
	case tea.FocusMsg:
		r.pacing.blurred = false
		r.output.repaint()
	case tea.BlurMsg:
		r.pacing.blurred = true
		return false
	case tea.BackgroundColorMsg:
		if r.options.FixedBackground || msg.IsDark() == r.dark {
			return false
		}
		r.dark = msg.IsDark()
		r.output.setSheet(r.sheet())
	case tea.ModeReportMsg:
		r.output.modeReport(msg)
		return false
	case stop:
		r.ends = msg.err
		r.end()
		return false
	default:
		return false
	}
	return true
}

// end ends the program.
func (r *root) end() {
	r.ending = true
	r.later(r.settled(tea.Quit))
}

// settled gives up the terminal when that has answered: who gets it then is not to read it.
func (r *root) settled(then tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		r.output.settle()
		return then()
	}
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
	r.word.text, r.word.until = text, r.options.Now().Add(4*time.Second)
}

func (r *root) dialog() pane.Dialog {
	if n := len(r.dialogs); n > 0 {
		return r.dialogs[n-1]
	}
	return nil
}

// key routes a key: to the dialog on top, to the screen, to the root.
func (r *root) key(k tea.KeyPressMsg) {
	name := k.String()
	r.word.until = time.Time{} // what was said has been read
	r.pacing.blurred = false   // whatever the terminal told
	switch {
	case name == "ctrl+l":
		r.output.repaint()
		return
	case name == "ctrl+c":
		r.end()
		return
	case name == "ctrl+z":
		r.suspend()
		return
	case layout.NewFrame(r.w, r.h).TooSmall:
		if name == "q" {
			r.end()
		}
		return
	}
	if d := r.dialog(); d != nil {
		d.Key(k)
		return
	}
	if keeper, ok := r.screen().(pane.Keeper); ok && keeper.HandleKey(k) {
		return
	}
	b := r.options.Keys.Match(name, r.maps()...)
	if b == nil {
		r.sayElsewhere(name)
		return
	}
	if ok, why := b.Applies(); !ok {
		r.say(r.options.Keys.Label(b) + " " + b.Text + ": " + why)
		return
	}
	b.Do()
}

// suspend stops the program until it is continued. It blocks, so that nothing
// is drawn meanwhile.
func (r *root) suspend() {
	if !r.output.owns() {
		r.later(r.settled(tea.Suspend))
		r.ahead.waits = append(r.ahead.waits, &r.suspension)
		return
	}
	if err := r.output.lend(terminal.StopJob); err != nil {
		r.say(err.Error())
	}
	r.output.repaint()
}
