package tui

import (
	"fmt"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// lookEvery is how often it is looked whether the settings changed.
const lookEvery = 2 * time.Second

// renew takes settings over that changed while the screens are shown. Sampling
// and its history go on. It reports whether there were any.
func (r *root) renew() bool {
	now := r.options.Now()
	if r.options.Changed == nil || now.Sub(r.pacing.looked) < lookEvery {
		return false
	}
	r.pacing.looked = now
	s, err := r.options.Changed()
	switch {
	case err != nil:
		r.fail(fmt.Errorf("settings not taken: %w", err))
		return true
	case s == nil:
		return false
	}
	r.apply(*s)
	r.say("the changed settings are taken")
	r.note(pane.Info, "", "changed settings taken")
	return true
}

// setTheme changes the theme. What is not only tried is kept for the next start.
func (r *root) setTheme(m pane.SetTheme) {
	if r.options.Themes == nil {
		return
	}
	for _, i := range r.options.Themes() {
		if i.Name != m.Name {
			continue
		}
		if i.Err != nil {
			r.say(i.Err.Error())
			return
		}
		r.options.Theme = i.Theme
		r.output.setSheet(r.sheet())
		r.output.repaint()
		if !m.Preview && r.desk.Kept != nil {
			r.desk.Kept.Theme = m.Name
			r.keep()
		}
		return
	}
	r.say("there is no theme " + m.Name)
}

// chooseTheme opens the list of themes.
func (r *root) chooseTheme() {
	r.desk.Send(pane.Open{Dialog: dialog.NewThemes(&r.desk.Outbox, r.options.Themes(), r.options.Theme.Name)})
}

func (r *root) apply(s Settings) {
	old := r.options.Settings
	r.options.Settings = s
	r.desk.Words = s.Words
	if s.Numbers != nil && old.Numbers != nil {
		// Every host and pane has this one.
		old.Numbers.Replace(s.Numbers)
		r.options.Numbers = old.Numbers
		r.top.Recall()
	}
	if s.Interval != old.Interval {
		r.setEvery(s.Interval)
	}
	if s.FixedBackground {
		r.dark = s.Dark
	}
	r.book.Offer(s.Decks)
	r.frugal(s.LowBandwidth)
	r.canvas.SetGlyphs(s.Glyphs)
	r.output.setSheet(r.sheet())
	r.output.repaint()
}

// settings lists what can be set while the screens are shown. The rest is in the
// config file, which is read again when it changes.
func (r *root) settings() {
	r.desk.Send(pane.OpenMenu{Title: "Settings", Items: []pane.MenuItem{
		{Text: "interval: " + english.Exact(r.interval), Key: "i", Do: r.askInterval},
		{Text: "theme: " + r.options.Theme.Name, Why: r.whyNoThemes(), Do: r.chooseTheme},
		{Text: "mouse: " + onOff(r.options.Mouse), Do: r.toggleMouse},
		{Text: "low bandwidth: " + onOff(r.options.LowBandwidth), Do: func() { r.frugal(!r.options.LowBandwidth) }},
	}})
}

func (r *root) whyNoThemes() string { return keys.When(r.options.Themes == nil, "there are no others") }

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
