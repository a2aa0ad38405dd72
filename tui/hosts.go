package tui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// watched is a host with what the root keeps of it.
type watched struct {
	*pane.Host

	gone  chan struct{} // closed when the host is removed
	tried chan struct{} // closed when it answered, or did not, for the first time
	phase session.Phase // as the journal has it
	notes []string      // of its notes, that the journal has
	waits bool          // a snapshot of it waits to be taken and drawn
	once  bool          // its next snapshot is wanted though the screen is paused
	asks  bool          // was added by the user, who is asked when it refuses the account
	since int           // inputs when it was added

	catalogue *session.Catalogue // that its decks were looked up in
	unread    func()             // ends that its events are read; nil: they are not
}

// watch takes a host in.
func (r *root) watch(h *pane.Host) *watched {
	w := &watched{Host: h, gone: make(chan struct{}), tried: make(chan struct{})}
	r.watched = append(r.watched, w)
	r.desk.Hosts = append(r.desk.Hosts, h)
	return w
}

// isTried tells whether the host answered, or did not, at least once.
func (w *watched) isTried() bool { return isClosed(w.tried) }

// isGone tells whether the host was removed.
func (w *watched) isGone() bool { return isClosed(w.gone) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// untilCounters waits until the host has told its counters, or will not soon.
func (w *watched) untilCounters() {
	select {
	case <-w.Sampler.Known():
	case <-w.tried:
	case <-w.gone:
	}
}

// firstWait is how long the first frame waits for the values of hosts that are not
// behind a log-on: it would show an empty screen, to be thrown away at once.
const firstWait = 25 * time.Millisecond

// awaitFirst takes the first values of the hosts that tell them at once.
func (r *root) awaitFirst(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	for _, w := range r.watched {
		if w.LogOns != nil {
			continue
		}
		select {
		case <-w.Sampler.Known():
			r.fillDeck(w)
		case <-w.Feed.Ready(): // it failed
			r.takeSnapshot(w)
			continue
		case <-ctx.Done():
		}
		select {
		case <-w.Feed.Ready():
			r.takeSnapshot(w)
		case <-ctx.Done():
			select { // what is there is taken, whatever it took
			case <-w.Feed.Ready():
				r.takeSnapshot(w)
			default:
			}
		}
	}
}

func (w *watched) whatCounters() string {
	return "waiting for the counters of " + w.Name
}

// await waits for all that a host may tell.
func (w *watched) await() tea.Cmd {
	return tea.Batch(w.awaitCatalogue(), w.awaitSnapshot())
}

// awaitCatalogue waits for a catalogue other than the one that decks were looked up in.
func (w *watched) awaitCatalogue() tea.Cmd {
	cat, next := session.Newest(w.Sampler)
	if cat != w.catalogue {
		return func() tea.Msg { return catalogueReady{w} }
	}
	return w.until(next, catalogueReady{w})
}

func (w *watched) awaitSnapshot() tea.Cmd {
	return w.until(w.Feed.Ready(), snapshotReady{w})
}

// until sends a message when the channel gives something, unless the host is
// removed before.
func (w *watched) until(ready <-chan struct{}, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-ready:
			return msg
		case <-w.gone:
			return nil
		}
	}
}

// takeSnapshot takes the newest snapshot of a host. While paused the screen
// keeps the one it shows, unless another one was asked for.
func (r *root) takeSnapshot(w *watched) bool {
	if r.paused && !w.once && (w.Kept == nil || !w.Kept.Looks()) || w.isGone() {
		return false
	}
	snap := w.Feed.Take()
	if snap == nil {
		return false
	}
	w.Snap.Release()
	w.Snap, w.once = snap, false
	r.noteHost(w)
	return r.snapshot(w.Host)
}

// takeWaiting takes the snapshots that wait. It reports whether any concerns the
// screen that is shown.
func (r *root) takeWaiting() bool {
	changed := false
	for _, w := range r.watched {
		if w.waits {
			w.waits = false
			changed = r.takeSnapshot(w) || changed
		}
	}
	return changed
}

// fillCatalogue fills the deck of a host that has told its counters, or others than before. It
// reports whether that is to be drawn at once: many hosts are drawn together.
func (r *root) fillCatalogue(w *watched) bool {
	if w.isGone() {
		return true
	}
	r.fillDeck(w)
	r.later(w.awaitCatalogue())
	if len(r.desk.Hosts) == 1 {
		return true
	}
	r.pacing.loaded = true
	r.drawSoon(gather)
	return false
}

// fillDeck fills the deck of a host whose counters are others than those that it was filled by.
func (r *root) fillDeck(w *watched) {
	if cat := w.Sampler.Catalogue(); cat != w.catalogue {
		w.catalogue = cat
		r.loadDeck(w)
	}
}

// loadDeck fills the deck of a host with what the user asked for, or with the
// default.
func (r *root) loadDeck(w *watched) {
	for _, d := range r.dialogs {
		if p, ok := d.(*dialog.Palette); ok {
			p.Renew()
		}
	}
	errs := r.book.Load(w.Host, r.options.Paths)
	if r.ask(w.Host); len(errs) > 0 {
		r.desk.Say(errs[0].Error())
	}
}

// ask tells the sampler of a host what the screens show.
func (r *root) ask(h *pane.Host) { h.Feed.Ask(r.asks(h)) }

func (r *root) askAll() {
	for _, h := range r.desk.Hosts {
		r.ask(h)
	}
}

// askAgain asks anew when a screen shows rows or columns that it did not ask
// for.
func (r *root) askAgain() {
	if a, ok := r.screen().(pane.Asker); r.paused || !ok || !a.AskStale() {
		return
	}
	if s, ok := r.screen().(pane.StaleAsker); ok {
		for _, h := range s.StaleHosts() {
			r.ask(h)
		}
		return
	}
	r.ask(r.focused())
}

// connect opens hosts by name, in the background: a name may have to be looked
// up.
func (r *root) connect(ask pane.AddHosts) {
	if r.options.Connect == nil {
		r.say("hosts cannot be added here")
		return
	}
	what := "connecting to " + ask.Names
	r.say(what)
	connect := r.options.Connect
	r.desk.Wait(what, func() func(bool) {
		hosts, err := connect(ask)
		clear(ask.Password)
		return func(awaited bool) { r.addHosts(hosts, err, awaited) }
	})
}

// addHosts shows hosts that were opened.
func (r *root) addHosts(hosts []*pane.Host, err error, awaited bool) {
	came := false
	for _, h := range hosts {
		if r.desk.Find(h.Name) != nil {
			h.Feed.Close()
			r.say(h.Name + " is watched already")
			continue
		}
		h.Numbers = r.options.Numbers
		w := r.watch(h)
		w.asks, w.since = h.LogOns != nil, r.pacing.inputs
		h.Feed.SetInterval(r.interval)
		r.later(w.await())
		came = true
		r.note(pane.Info, h.Name, "watched from now on")
	}
	if came {
		r.book.HostsChanged()
	}
	if err != nil {
		r.sayNotConnected(err, awaited)
	}
	r.came()
	r.askAll()
}

// eventsBack is how far back events are read for the screens.
const eventsBack = time.Hour

// wantEvents has the events of those hosts read of which the screen that is shown tells any.
func (r *root) wantEvents() {
	screen, shows := r.screen().(pane.ShowsEvents)
	for _, w := range r.watched {
		switch wanted := shows && w.Events != nil && screen.ShowsEvents(w.Host); {
		case wanted && w.unread == nil:
			w.unread = w.Events.Want(eventsBack, nil)
		case !wanted:
			w.endEvents()
		}
	}
}

func (w *watched) endEvents() {
	if w.unread != nil {
		w.unread()
		w.unread = nil
	}
}

// placeOf is that of a host among those that are watched, -1 if it is not.
func (r *root) placeOf(h *pane.Host) int {
	return slices.IndexFunc(r.watched, func(w *watched) bool { return w.Host == h })
}

// removeHost stops watching a host. The last one stays.
func (r *root) removeHost(h *pane.Host) {
	at := r.placeOf(h)
	if at < 0 {
		return
	}
	if len(r.watched) == 1 {
		r.say("the last host stays; q quits")
		return
	}
	close(r.watched[at].gone)
	r.watched[at].endEvents()
	h.Feed.Close()
	r.watched = slices.Delete(r.watched, at, at+1)
	r.desk.Hosts = slices.DeleteFunc(r.desk.Hosts, func(o *pane.Host) bool { return o == h })
	r.book.HostsChanged()
	r.note(pane.Info, h.Name, "no longer watched")
	r.came()
	r.askAll()
	if r.options.Connect == nil {
		r.say("removed " + h.Name)
		return
	}
	open := cmp.Or(h.Open, h.Name)
	r.desk.Did("removed "+h.Name, func() { r.desk.Send(pane.AddHosts{Names: open}) })
}

// retry tries the host again that is selected.
func (r *root) retry() {
	if h, _ := r.meant(); h != nil {
		r.tryAgain(h)
	}
}

func (r *root) whyNoRetry() string {
	h, why := r.meant()
	if h == nil {
		return why
	}
	switch h.Sampler.State().Phase {
	case session.Live:
		if h.EventState().Err == nil {
			return h.Name + " answers"
		}
	case session.Connecting:
		return h.Name + " is being reached"
	}
	return ""
}

// sampler is a feed of hosts that can be asked between two beats.
type sampler interface{ SampleNow() }

// sampleNow shows the values of all hosts as they are now, also while the screen
// is paused.
func (r *root) sampleNow() {
	r.moveTo(time.Time{})
	for _, w := range r.watched {
		if f, ok := w.Feed.(sampler); ok {
			w.once = true
			f.SampleNow()
		}
	}
}

func (r *root) whyNoSample() string {
	samples := slices.ContainsFunc(r.watched, func(w *watched) bool { _, ok := w.Feed.(sampler); return ok })
	return keys.When(!samples, "a recording has the samples that it has")
}

// fail tells of an error, and writes it into the journal.
func (r *root) fail(err error) {
	r.note(pane.Careful, "", err.Error())
	r.say(err.Error())
}

func (r *root) note(level pane.Level, host, text string) {
	r.desk.Journal.Add(pane.Entry{Time: r.desk.Now(), Level: level, Host: host, Text: text})
}

// noteHost writes into the journal how a host changed.
func (r *root) noteHost(w *watched) {
	state := w.Sampler.State()
	if state.Phase != w.phase {
		if !w.isTried() {
			close(w.tried)
		}
		r.notePhase(w, state)
		w.phase, r.pacing.turned = state.Phase, true
		r.askRefused(w)
	}
	notes := make([]string, len(state.Notes))
	for i, n := range state.Notes {
		if notes[i] = n.Error(); !slices.Contains(w.notes, notes[i]) {
			r.note(pane.Careful, w.Name, notes[i])
		}
	}
	w.notes = notes
}

func (r *root) notePhase(w *watched, state session.HostState) {
	if r.bar != nil && state.Phase != session.Retrying {
		r.notePlayed(w, state.Phase)
		return
	}
	switch state.Phase {
	case session.Connecting:
	case session.Live:
		text := "answers"
		if w.phase != session.Connecting {
			text = "answers again"
		}
		r.note(pane.Info, w.Name, text)
	case session.Stale:
		r.note(pane.Careful, w.Name, "an answer is overdue")
	case session.Retrying, session.Refused:
		text := state.Phase.String()
		if state.Err != nil {
			text = state.Err.Error()
		}
		r.note(pane.Warning, w.Name, text)
	}
}
