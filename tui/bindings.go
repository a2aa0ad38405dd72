package tui

import (
	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// bindings are the keys that mean the same on every screen.
func (r *root) bindings() []keys.Binding {
	out := []keys.Binding{
		{Keys: []string{"?", "f1"}, Show: "? F1", Text: "this page", Hint: "help", Section: keys.Go, Do: r.help},
		{Keys: []string{"i"}, Text: "interval", Hint: "interval", Section: keys.Time, Do: r.askInterval},
		{Keys: []string{"p"}, Text: "pause the screen, go on", Hint: "pause", Section: keys.Time, Do: r.pause},
		{Keys: []string{"R"}, Text: "try the host again now", Section: keys.Time, Why: r.whyNoRetry, Do: r.retry},
		{Keys: []string{">"}, Text: "next host", Section: keys.Go, Why: r.whyOneHost, Do: func() tea.Cmd { return r.turn(1) }},
		{Keys: []string{"<"}, Text: "previous host", Section: keys.Go, Why: r.whyOneHost, Do: func() tea.Cmd { return r.turn(-1) }},
		{Keys: []string{"ctrl+l"}, Text: "redraw", Section: keys.View},
		{Keys: []string{"ctrl+z"}, Text: "suspend", Section: keys.Go},
		{Keys: []string{"q", "ctrl+c"}, Text: "quit", Hint: "quit", Section: keys.Go, Do: func() tea.Cmd { return tea.Quit }},
	}
	for i, t := range r.sets[0].tabs {
		out = append(out, keys.Binding{Keys: []string{t.key}, Text: t.screen.Title(), Section: keys.Go,
			Do: func() tea.Cmd { return pane.Send(pane.GoTo{Screen: i}) }})
	}
	return out
}

// open opens a dialog that a screen asks for.
func (r *root) open(msg tea.Msg) {
	switch msg := msg.(type) {
	case pane.AskText:
		r.dialogs = append(r.dialogs, dialog.NewText(msg))
	case pane.AskCounter:
		cat := msg.Host.Sampler.Catalogue()
		if cat == nil {
			r.say("the host has not told its counters yet")
			return
		}
		r.dialogs = append(r.dialogs, dialog.NewCounter(cat, r.add))
	}
}

func (r *root) help() tea.Cmd {
	s := r.screen()
	r.dialogs = append(r.dialogs, dialog.NewHelp(s.Title(), s.Bindings(), r.keys))
	return nil
}

func (r *root) askInterval() tea.Cmd {
	return pane.Send(pane.AskText{
		Title: "Interval", Text: intervalText(r.interval),
		Help: "seconds, or a time as 500ms, 2s, 1m",
		Done: r.setInterval,
	})
}

// pause holds the screen; sampling goes on.
func (r *root) pause() tea.Cmd {
	r.paused = !r.paused
	if !r.paused {
		for i := range r.hosts {
			r.takeSnapshot(i)
		}
	}
	return nil
}

func (r *root) whyNoRetry() string {
	if p := r.focused().Sampler.State().Phase; p == session.Live || p == session.Connecting {
		return "the host answers"
	}
	return ""
}

func (r *root) retry() tea.Cmd {
	r.focused().Sampler.Retry()
	return nil
}

func (r *root) whyOneHost() string {
	if len(r.hosts) < 2 {
		return "there is one host"
	}
	return ""
}

// turn shows the next host, after the last the deck of all.
func (r *root) turn(n int) tea.Cmd {
	at := r.host
	if r.showAll {
		at = len(r.hosts)
	}
	at = (at + n + len(r.hosts) + 1) % (len(r.hosts) + 1)
	if at == len(r.hosts) {
		return pane.Send(pane.GoTo{Screen: 0})
	}
	return pane.Send(pane.OpenHost{Host: r.hosts[at]})
}
