package collector

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// member is a host that is recorded, with its place in the files.
type member struct {
	// The writer changes these under the recording's mutex, under which other goroutines read them.
	host     Host // its paths become more
	follower *session.Follower
	dropped  bool

	heard  *heard // nil: events are not recorded
	number int    // of the recording
	output *output
	place  int // in the output

	known    []*series // by number
	explicit []*series // those of paths without wildcards
	// awaits is how many paths a sample is to be of before counters that were
	// added have their columns; 0: all have.
	awaits int
	left   bool // it was told that it has no columns
}

// isKnown tells that an answer of the host was seen.
func (m *member) isKnown() bool { return len(m.known) > 0 }

// gathered is what belongs to the cells of the answer under way: of the goroutine of the
// host's sampler alone.
type gathered struct {
	raws []logs.Raw
	made []*logs.Evidence // the same, for streams
}

// follow begins to record a host: its samples go to the goroutine that writes.
func (r *Recording) follow(m *member) {
	g := new(gathered)
	o := session.FollowOptions{
		Every: r.o.Every, LookUp: paths.Options{ShowHidden: r.o.ShowHidden}, Clock: r.o.Clock, Go: r.o.Go, Report: r.o.Report,
		Each: func(a *session.Answer) bool { return r.ended.Load() || r.hand(m, a, g) },
	}
	switch {
	case r.o.Stream != nil && r.o.Stream.Evidence:
		o.Cell = func(view *session.SetView, row, column int) { g.made = append(g.made, evidenceOf(view, row, column)) }
	case r.o.Stream == nil && r.o.Format.KeepsRaw:
		o.Cell = func(view *session.SetView, row, column int) { g.raws = append(g.raws, rawOf(view, row, column)) }
	}
	m.follower = session.Follow(m.host.Name, m.host.Sampler, m.host.questions(), o)
	r.hear(m)
}

// questions are those of the paths.
func (h *Host) questions() []session.Question {
	out := slices.Clone(h.Questions)
	for _, text := range h.Paths[len(out):] {
		out = append(out, session.Question{Text: text})
	}
	return out
}

// rawOf is what the batch had for a value. A text is its own raw value.
func rawOf(view *session.SetView, row, column int) logs.Raw {
	newer, clocks, ok := view.Reading(row, column)
	if !ok || view.Err != nil || newer.Size == cooker.SizeText || newer.Size == cooker.SizeCooked || newer.State != cooker.OK && newer.State != cooker.NoBase {
		return logs.Raw{}
	}
	return logs.Raw{Known: true, Reading: *newer, Clocks: *clocks}
}

// hand gives an answer to the goroutine that writes. It does not wait for it.
func (r *Recording) hand(m *member, a *session.Answer, g *gathered) (queued bool) {
	var s *sample
	select {
	case s = <-r.spare:
	default:
		s = new(sample)
	}
	s.fill(m, a, g)
	if !a.Idle { // else it is not the sampler's goroutine
		g.raws, g.made = g.raws[:0], g.made[:0]
	}
	select {
	case r.queue <- s:
		return true
	default: // the disk stands still: the samplers must not
		r.lost.Add(1)
		return false
	}
}

// recycle gives the memory of a sample back.
func (r *Recording) recycle(s *sample) {
	if s == nil {
		return
	}
	select {
	case r.spare <- s:
	default:
	}
}

// numberOf is the number of the host of a name; below 0: there is none.
func (r *Recording) numberOf(name string) int {
	return slices.IndexFunc(r.hosts, func(m *member) bool { return paths.EqualFold(m.host.Name, name) })
}

// set puts a host in its place among the others, where other goroutines see it.
func (r *writer) set(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.number == len(r.hosts) {
		r.hosts = append(r.hosts, nil)
	}
	r.hosts[m.number] = m
}

// recorded are the hosts that are recorded now.
func (r *Recording) recorded() (out []Host) {
	for _, m := range r.hosts {
		if !m.dropped {
			out = append(out, m.host)
		}
	}
	return out
}

// drop lets a host go.
func (r *writer) drop(name string) {
	number := r.numberOf(name)
	if number < 0 || r.hosts[number].dropped {
		return
	}
	m := r.hosts[number]
	m.close()
	r.mu.Lock()
	m.dropped = true
	r.mu.Unlock()
	m.output.assembler.drop(m.place)
	r.noteFiles()
}

// goOnWithout tells at once why an output ended, and lets its hosts go. When no other
// is left the recording ends, and that tells it.
func (r *writer) goOnWithout(l *output) {
	if r.ended.Load() {
		return // all end now
	}
	if !slices.ContainsFunc(r.hosts, func(m *member) bool { return !m.dropped && !m.output.ended }) {
		r.ended.Store(true)
		return
	}
	l.blamed = true
	r.o.Report(l.err)
	for _, m := range l.hosts {
		r.drop(m.host.Name)
	}
}

// add lets a host join, or come back, or have more paths.
func (r *writer) add(h Host) error {
	number := r.numberOf(h.Name)
	if number < 0 {
		return r.join(h)
	}
	old := r.hosts[number]
	if old.output.ended {
		if err := old.output.restart(r.o.now()); err != nil {
			return err
		}
	}
	texts := slices.Clone(old.host.Paths)
	for _, text := range h.Paths {
		if !paths.ContainsFold(texts, text) {
			texts = append(texts, text)
		}
	}
	more := len(texts) > len(old.host.Paths)
	if more {
		old.awaits = len(texts)
	}
	h.Paths, h.Name = texts, old.host.Name // which its columns have
	if old.dropped {
		again := *old
		again.host, again.dropped, again.heard = h, false, nil
		l := again.output
		l.hosts[again.place], l.absent[again.place] = &again, cooker.Pending
		l.assembler.revive(again.place)
		r.follow(&again)
		r.set(&again)
	} else if more {
		r.mu.Lock()
		old.host.Paths = texts
		r.mu.Unlock()
		old.follower.Extend(old.host.questions())
	}
	r.noteFiles()
	return nil
}

// join takes a host in that was not there before.
func (r *writer) join(h Host) error {
	if r.o.PerHost {
		l := r.newOutput(h.Name)
		if err := l.files.claim(r.o.now().Wall); err != nil {
			return err
		}
		r.outputs = append(r.outputs, l)
	}
	m := r.outputs[len(r.outputs)-1].join(h)
	m.awaits = len(h.Paths)
	r.follow(m)
	r.set(m)
	r.noteFiles()
	return nil
}
