package tui

import (
	"sync"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// sources are what the palette finds: everything that has a name.
func (r *root) sources() []dialog.Source {
	out := []dialog.Source{
		dialog.SourceOf(dialog.Screens, r.screenEntries()),
		dialog.SourceOf(dialog.Actions, r.actionEntries()),
		dialog.SourceOf(dialog.Hosts, r.hostEntries()),
		dialog.SourceOf(dialog.Decks, r.deckEntries()),
	}
	for _, h := range r.desk.Hosts {
		if cat := h.Sampler.Catalogue(); cat != nil {
			out = append(out, r.setSource(h, cat), r.counterSource(h, cat))
		}
	}
	return out
}

// coming is the host that has not told its counters yet, but may soon.
func (r *root) coming() (what string, wait func()) {
	for _, w := range r.watched {
		if w.Sampler.Catalogue() == nil && !w.isTried() {
			return w.whatCounters(), w.untilCounters
		}
	}
	return "", nil
}

func (r *root) screenEntries() (out []dialog.Entry) {
	for _, t := range r.tabs {
		out = append(out, dialog.Entry{
			Text: t.screen.Title(), Key: t.key, Does: "open",
			Do: func() { r.desk.Send(pane.GoTo{Tab: t.tab}) },
		})
	}
	if r.options.Themes != nil {
		out = append(out, dialog.Entry{Text: "Themes", Detail: "choose the colours", Does: "open", Do: r.chooseTheme})
		for _, i := range r.options.Themes() {
			if i.Err == nil {
				out = append(out, dialog.Entry{Text: "theme: " + i.Name, Does: "use", Do: func() { r.desk.Send(pane.SetTheme{Name: i.Name}) }})
			}
		}
	}
	return out
}

// actionEntries are the bindings of the screen and of the root.
func (r *root) actionEntries() []dialog.Entry {
	var out []dialog.Entry
	seen := map[string]bool{}
	for _, t := range r.tabs {
		seen[t.screen.Title()] = true // they are screens
	}
	for _, m := range r.maps() {
		for i := range m {
			b := &m[i]
			if seen[b.Text] || b.Do == nil || b.In() == keys.Move {
				continue
			}
			seen[b.Text] = true
			_, why := b.Applies()
			out = append(out, dialog.Entry{Text: b.Text, Key: b.Label(), Why: why, Does: "do", Do: b.Do})
		}
	}
	return append(out, r.rareActions()...)
}

// rareActions are those that have no key.
func (r *root) rareActions() []dialog.Entry {
	mouse := "leave the mouse to the terminal"
	if !r.options.Mouse {
		mouse = "use the mouse"
	}
	var out []dialog.Entry
	for _, u := range usedBy {
		out = append(out, dialog.Entry{Text: "who uses the " + u.what, Detail: "processes, by that", Does: "do", Do: func() { r.whoUses(u.set, u.counter) }})
	}
	if r.desk.Records != nil {
		list, _ := r.desk.Records.List()
		for i := range list {
			if file := list[i].Output; file != "" {
				out = append(out, dialog.Entry{Text: "replay " + list[i].Name, Detail: "open the recording " + file, Does: "do", Do: func() { r.desk.Send(pane.Play{File: file}) }})
			}
		}
	}
	return append(out,
		dialog.Entry{Text: "sample now", Detail: "do not wait for the tick", Why: r.whyNoSample(), Does: "do", Do: r.sampleNow},
		dialog.Entry{Text: mouse, Detail: "mouse", Does: "do", Do: r.toggleMouse})
}

// usedBy are what processes use, and the counters that tell how much.
var usedBy = []struct{ what, set, counter string }{
	{"processor", "Processor Information", "% Processor Time"},
	{"memory", "Memory", "Available MBytes"},
	{"disk", "PhysicalDisk", "Disk Bytes/sec"},
	{"network", "Network Interface", "Bytes Total/sec"},
}

// whoUses shows the processes of the focused host by what they do to a counter.
func (r *root) whoUses(set, counter string) {
	h := r.focused()
	cat := h.Sampler.Catalogue()
	if cat.Processes() == nil {
		r.processesOf(h)
		return
	}
	var t pane.Target
	if s := cat.Set(set); s != nil {
		if c, ok := s.Counter(counter); ok {
			t.Set, t.Counter = s, c
		}
	}
	r.openByCause(pane.OpenTop{Host: h, Set: cat.Processes(), Sort: -1}, t)
}

func (r *root) toggleMouse() {
	r.options.Mouse = !r.options.Mouse
	r.order(r.output.setMouse(r.options.Mouse))
}

func (r *root) hostEntries() (out []dialog.Entry) {
	for _, h := range r.desk.Hosts {
		state := h.Sampler.State()
		out = append(out, dialog.Entry{
			Text: h.Name, Detail: state.Phase.String() + ", " + english.Span(state.Latency), Does: "open deck",
			Do: func() { r.desk.Send(pane.OpenHost{Host: h}) },
			Other: func() []pane.MenuItem {
				return []pane.MenuItem{
					{Text: "its processes", Do: func() { r.processesOf(h) }},
					{Text: "try it again now", Do: func() { r.desk.Send(pane.RetryHost{Host: h}) }},
					{Text: "log on by another account", Do: func() { r.desk.Send(pane.AskAccount{Host: h}) }},
					{Text: "stop watching it", Do: func() { r.desk.Send(pane.RemoveHost{Host: h}) }},
				}
			},
		})
	}
	return out
}

func (r *root) processesOf(h *pane.Host) {
	set := h.Sampler.Catalogue().Processes()
	if set == nil {
		r.desk.Say("this host has no processes to show")
		return
	}
	r.desk.Send(pane.OpenTop{Host: h, Set: set, Sort: -1})
}

func (r *root) deckEntries() (out []dialog.Entry) {
	for _, name := range r.book.Names() {
		out = append(out, dialog.Entry{Text: name, Does: "open", Do: func() { r.desk.Send(pane.OpenDeck{Name: name}) }})
	}
	return out
}

// hostOf is the name of a host where it tells things apart.
func (r *root) hostOf(h *pane.Host) string {
	if len(r.desk.Hosts) == 1 {
		return ""
	}
	return h.Name
}

func (r *root) setSource(h *pane.Host, cat *session.Catalogue) dialog.Source {
	sets := cat.Sets
	return dialog.Source{
		Kind: dialog.Sets, Name: h.Name, Stamp: cat,
		Names: func() []search.Entry {
			out := make([]search.Entry, len(sets))
			for i, s := range sets {
				out[i] = search.Entry{Name: s.Name, Text: s.Description}
			}
			return out
		},
		Entry: func(i int) dialog.Entry {
			s := sets[i]
			browse := func() { r.desk.Send(pane.OpenBrowser{Target: pane.Target{Host: h, Set: s, Counter: -1}}) }
			e := dialog.Entry{Text: s.Name, Host: r.hostOf(h), Does: "browse", Do: browse}
			if s.Instances.Multiple() {
				e.Does, e.Do = "open table", func() { r.desk.Send(pane.OpenTop{Host: h, Set: s, Sort: -1}) }
				e.Other = func() []pane.MenuItem { return []pane.MenuItem{{Text: "browse", Do: browse}} }
			}
			return e
		},
	}
}

// counterRef is a counter by its place in a catalogue.
type counterRef struct {
	set     *session.Counterset
	counter int
}

func (r *root) counterSource(h *pane.Host, cat *session.Catalogue) dialog.Source {
	all := sync.OnceValue(func() []counterRef { // of many hosts few are looked at
		var refs []counterRef
		for _, s := range cat.Sets {
			for i := range s.Counters {
				if !s.Counters[i].Hidden() {
					refs = append(refs, counterRef{s, i})
				}
			}
		}
		return refs
	})
	return dialog.Source{
		Kind: dialog.Counters, Name: h.Name, Stamp: cat,
		Names: func() []search.Entry {
			refs := all()
			out := make([]search.Entry, len(refs))
			for i, ref := range refs {
				out[i] = search.Entry{Name: ref.set.Counters[ref.counter].Name, Of: ref.set.Name}
			}
			return out
		},
		Entry: func(i int) dialog.Entry { return r.counterEntry(h, all()[i]) },
	}
}

func (r *root) counterEntry(h *pane.Host, ref counterRef) dialog.Entry {
	var in *session.Instance
	if ref.set.Instances.Multiple() {
		in = &session.Instance{Key: session.InstanceKey{Name: "*"}}
	}
	path := session.PathOf("", ref.set, ref.counter, in).String()
	return dialog.Entry{
		Text: ref.set.Counters[ref.counter].Name, Host: r.hostOf(h), Detail: ref.set.Name, Does: "add to deck",
		Do: func() { r.desk.Send(pane.AddPaths{Host: h, Paths: []string{path}}) },
		Other: func() []pane.MenuItem {
			items := []pane.MenuItem{
				{Text: "browse", Do: func() {
					r.desk.Send(pane.OpenBrowser{Target: pane.Target{Host: h, Set: ref.set, Counter: ref.counter}})
				}},
				{Text: "copy its path", Do: func() { r.desk.Send(pane.CopyPaths{Paths: []string{path}}) }},
			}
			if in != nil {
				top := pane.MenuItem{Text: "top by it", Do: func() { r.desk.Send(pane.OpenTop{Host: h, Set: ref.set, Sort: ref.counter}) }}
				items = append([]pane.MenuItem{top}, items...)
			}
			return items
		},
	}
}
