package tui

import (
	"slices"
	"strings"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/tui/canvas"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/replay"
)

// bindings are the keys that mean the same on every screen.
func (r *root) bindings() []keys.Binding {
	now := func() { r.moveTo(time.Time{}) }
	turn := func(n int) func() { return func() { r.turn(n) } }
	out := keys.Both([]keys.Binding{
		{Keys: "c", Text: "chart", Hint: "chart", Why: r.whyNoChart, Do: func() { r.desk.Send(pane.OpenChart{Targets: r.charted()}) }},
		{Keys: "t", Text: "top: who causes it", Hint: "top", Why: func() string { _, why := r.meant(); return why }, Do: r.causes},
		{Keys: "x", Text: "explain the number", Hint: "explain", Why: r.whyNoValue, Do: r.explain},
		{Keys: "w", Text: "warn me: a new alert on it", Hint: "alert", Why: r.whyNoWarning, Do: r.warn},
		{Keys: "!", Text: "next alert, on any screen", Why: r.whyNoAlerts, Do: r.nextAlert},
		{Keys: "A", Text: "acknowledge its alert", Why: r.whyNoAlert, Do: r.acknowledge},
		{Keys: "y", Text: "copy the path", Why: r.whyNoValue, Do: r.copyPath},
		{Keys: "ctrl+k", Text: "send a signal to the process", Why: r.whyNoSignal, Do: r.signal},
		{Keys: "m", Text: "menu of what can be done", Do: r.menu},
		{Keys: "R", Text: "try the host again now", Why: r.whyNoRetry, Do: r.retry},
		{Keys: "u", Text: "undo", Why: r.whyNoUndo, Do: r.undo},
		{Keys: ".", Text: "now", Hint: "now", Why: r.whyNow, Do: now},
		{Keys: "[", Show: "[ ]", Text: "1 min back, on", Do: r.shift(-time.Minute)},
		{Keys: "]", Show: "[ ]", Text: "1 min back, on", Why: r.whyNow, Do: r.shift(time.Minute)},
		{Keys: "{", Show: "{ }", Text: "5 min back, on", Do: r.shift(-5 * time.Minute)},
		{Keys: "}", Show: "{ }", Text: "5 min back, on", Why: r.whyNow, Do: r.shift(5 * time.Minute)},
		{Keys: "(", Back: ")", Text: "shorter, longer span of graphs", Step: func(n int) { r.shiftSpan(-n) }},
		{Keys: "@", Text: "go to a time", Do: r.askTime},
		{Keys: "B", Text: "begin a span at the moment that is shown; again: end it", Do: r.markSpan},
		{Keys: "C", Text: "why: what was wrong and what moved in the span, or in that of the alert", Why: func() string { _, why := r.spanLooked(); return why }, Do: r.whatMoved},
		{Keys: "i", Text: "interval", Hint: "interval", Place: keys.WideOnly, Do: r.askInterval},
		{Keys: "p", Text: "pause the screen, go on", Hint: "pause", Place: keys.WideOnly, Do: r.pause},
		{Keys: "I", Text: "note: write down what happens", Why: r.whyNoNotes, Do: r.writeNote},
		{Keys: "%", Text: "the whole computer, or what may be used of it", Why: r.whyNoLimit, Do: r.showWhole},
		{Keys: "S", Text: "save what is seen as a picture", Do: r.savePicture},
		{Keys: "r", Text: "record, stop", Hint: "record", Place: keys.WideOnly, Why: r.whyNoRecording, Do: r.record},
		{Keys: ">", Text: "next host", Why: r.whyOneHost, Do: turn(1)},
		{Keys: "<", Text: "previous host", Why: r.whyOneHost, Do: turn(-1)},
		{Keys: ": ctrl+p", Text: "find anything", Hint: "any", Do: r.palette},
		{Keys: "f2", Show: "F2", Text: "settings", Do: r.settings},
		{Keys: "f6", Show: "F6", Text: "list of what to sort by",
			Do: func() { r.say("tables have a list of what to sort by: t shows one") }},
		{Keys: "f7 f8", Show: "F7 F8", Text: "nice, the priority of the process: not from here",
			Do: func() { r.say("perfdeck changes no priorities; renice does") }},
		{Keys: "ctrl+l", Text: "redraw", Do: func() { r.output.repaint() }},
		{Keys: "ctrl+z", Text: "suspend", Do: r.suspend},
		{Keys: "? f1", Show: "? F1", Text: "help: what keys do here", Hint: "help", Do: r.help},
		{Keys: "q ctrl+c", Text: "quit", Hint: "quit", Do: r.quit},
	})
	for _, t := range r.tabs {
		out = append(out, keys.Binding{Keys: keys.List(t.key), Text: t.screen.Title(), Section: keys.Go,
			Why: func() string { return keys.When(r.screen() == t.screen, "it is shown") },
			Do:  func() { r.show(t.tab); r.askAll() }})
	}
	return out
}

// raise shows a dialog above all others.
func (r *root) raise(d pane.Dialog) { r.dialogs = append(r.dialogs, d) }

// open opens a dialog that a screen asks for.
func (r *root) open(i pane.Intent) {
	out := &r.desk.Outbox
	switch msg := i.(type) {
	case pane.AskText:
		r.raise(dialog.NewText(out, msg))
	case pane.AskForm:
		r.raise(dialog.NewForm(out, msg))
	case pane.OpenMenu:
		r.raise(dialog.NewMenu(out, msg, r.options.Keys))
	case pane.Confirm:
		r.raise(dialog.NewConfirm(out, msg))
	case pane.AskCounter:
		host := msg.Host
		cat := host.Sampler.Catalogue()
		if cat == nil {
			r.awaitCounters(host)
			return
		}
		r.raise(dialog.NewCounter(out, cat, r.desk.Words, func(path string) error { return r.addAsked(host, path) }))
	}
}

// awaitCounters asks for a counter when the host has told which it has. What was
// typed for that and finds no dialog is dropped: it is no key of the screen.
func (r *root) awaitCounters(h *pane.Host) {
	i := r.placeOf(h)
	if i < 0 || r.watched[i].isTried() {
		r.say(whyNoCounters)
		return
	}
	w := r.watched[i]
	r.desk.Wait(w.whatCounters(), func() func(bool) {
		w.untilCounters()
		return func(awaited bool) {
			switch {
			case !awaited:
			case h.Sampler.Catalogue() == nil:
				r.ahead.drop()
				r.say(whyNoCounters)
			default:
				r.open(pane.AskCounter{Host: h})
			}
		}
	})
}

const whyNoCounters = "the host has not told its counters yet"

// addAsked puts a counter on the deck that is shown; with the deck of all hosts
// on all of them.
func (r *root) addAsked(h *pane.Host, path string) error {
	if r.at == pane.TabChart && len(r.above) == 0 {
		err := r.chart.Add(h, path)
		r.askAll()
		return err
	}
	before := r.book.Memory()
	if err := r.book.Add(h, path); err != nil {
		return err
	}
	r.did(pane.Did{Text: "added " + path, Undo: before, Lapsed: r.book.Mode()})
	return nil
}

func (r *root) help() {
	var pages []dialog.HelpPage
	shown := r.screen()
	at := -1
	for _, t := range r.tabs {
		if t.screen == shown {
			at = len(pages)
		}
		pages = append(pages, dialog.HelpPage{Name: t.screen.Title(), Bindings: r.mapsOf(t.screen)})
	}
	if at < 0 {
		at = len(pages)
		pages = append(pages, dialog.HelpPage{Name: shown.Title(), Bindings: r.mapsOf(shown)})
	}
	r.raise(dialog.NewHelp(&r.desk.Outbox, pages, at, r.options.Keys))
}

func (r *root) palette() {
	r.raise(r.finder.Open(&r.desk.Outbox, r.options.Keys))
}

func (r *root) askInterval() {
	r.desk.Send(pane.AskText{
		Title: "Interval", Text: english.Exact(r.interval),
		Help: "seconds, or a time as 500ms, 2s, 1m",
		Done: r.setInterval,
	})
}

func (r *root) whyNoLimit() string {
	limited := slices.ContainsFunc(r.desk.Hosts, func(h *pane.Host) bool { return h.Sampler.Catalogue().IsLimited() })
	return keys.When(!limited, "nothing limits what may be used")
}

// showWhole shows all of the hosts, or what may be used of them again.
func (r *root) showWhole() {
	text := "what may be used of the computer"
	for _, h := range r.desk.Hosts {
		if h.IsWhole = !h.IsWhole; h.IsWhole {
			text = "all of the computer, not what may be used of it"
		}
		_ = r.book.Load(h, r.options.Paths) // they were told of before
	}
	r.top.Recall()
	r.askAll()
	r.say(text)
}

func (r *root) whyOneHost() string { return keys.When(len(r.desk.Hosts) < 2, "there is one host") }

// turn shows the next host on a screen of one host; on the deck, after the last
// host, that of all.
func (r *root) turn(n int) {
	if t, ok := r.screen().(pane.Turner); ok {
		t.Turn(n)
		r.came()
		r.askAll()
		return
	}
	at := slices.Index(r.desk.Hosts, r.focused())
	r.desk.Send(pane.OpenHost{Host: r.desk.Hosts[(at+n+len(r.desk.Hosts))%len(r.desk.Hosts)]})
}

// sayElsewhere says on which other screens, or in replays, a key means something, and what.
func (r *root) sayElsewhere(key string) {
	label := ""
	var does, where []string
	look := func(place string, bindings []keys.Binding) {
		b := r.options.Keys.Match(key, bindings)
		if b == nil {
			return
		}
		label, where = r.options.Keys.Label(b), append(where, place)
		what := b.Text
		if i := strings.IndexAny(what, ":;,"); i > 0 {
			what = what[:i]
		}
		does = append(does, what+" "+place)
	}
	for _, t := range r.tabs {
		look("on "+t.screen.Title(), t.screen.Bindings())
	}
	look("in replays", replay.Bindings())
	if label == "" {
		return
	}
	text := label + ": " + strings.Join(does, ", ")
	if canvas.Full.TextWidth(text) > mostElsewhere {
		text = label + ": only " + strings.ReplaceAll(strings.Join(where, ", "), ", on ", ", ")
	}
	r.say(text)
}

// mostElsewhere is how long a message may be that is read on the smallest
// screens, in cells.
const mostElsewhere = 54
