package collector

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/record/logs"
)

// followed is a host that is recorded: its samples go to the goroutine that writes.
// What follows follower is of that goroutine.
type followed struct {
	number   int // of the recording
	host     Host
	follower *session.Follower

	raws []logs.Raw       // the sampler's own: of the answer under way
	made []*logs.Evidence // the same, for streams

	output  *output
	place   int // in the output
	dropped bool
}

// follow begins to record a host.
func (r *Recording) follow(f *followed) {
	o := session.FollowOptions{
		Every: r.o.Every, LookUp: paths.Options{ShowHidden: r.o.ShowHidden}, Clock: r.o.Clock, Go: r.o.Go, Report: r.o.Report,
		Each: func(a *session.Answer) bool { return r.ended.Load() || r.hand(f, a) },
	}
	switch {
	case r.o.Stream != nil && r.o.Stream.Evidence:
		o.Cell = func(view *session.SetView, row, column int) { f.made = append(f.made, evidenceOf(view, row, column)) }
	case r.o.Stream == nil && r.o.Format.KeepsRaw:
		o.Cell = func(view *session.SetView, row, column int) { f.raws = append(f.raws, rawOf(view, row, column)) }
	}
	f.follower = session.Follow(f.host.Name, f.host.Sampler, f.host.questions(), o)
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
func (r *Recording) hand(f *followed, a *session.Answer) (taken bool) {
	var s *sample
	select {
	case s = <-r.spare:
	default:
		s = new(sample)
	}
	s.fill(f, a)
	if !a.Idle { // else it is not the sampler's goroutine
		f.raws, f.made = f.raws[:0], f.made[:0]
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

// find finds the host of a name.
func (r *Recording) find(name string) (f *followed, ok bool) {
	i := slices.IndexFunc(r.hosts, func(f *followed) bool { return paths.EqualFold(f.host.Name, name) })
	if i < 0 {
		return nil, false
	}
	return r.hosts[i], true
}

// set puts a host in its place among the others, where other goroutines see it.
func (r *writer) set(f *followed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.number == len(r.hosts) {
		r.hosts = append(r.hosts, nil)
	}
	r.hosts[f.number] = f
}

// recorded are the hosts that are recorded now.
func (r *Recording) recorded() (out []Host) {
	for _, f := range r.hosts {
		if !f.dropped {
			out = append(out, f.host)
		}
	}
	return out
}

// drop lets a host go.
func (r *writer) drop(name string) {
	f, ok := r.find(name)
	if !ok || f.dropped {
		return
	}
	f.follower.Close()
	r.mu.Lock()
	f.dropped = true
	r.mu.Unlock()
	f.output.assembler.drop(f.place)
	r.noteFiles()
}

// goOnWithout tells at once why an output ended, and lets its hosts go. When no other
// is left the recording ends, and that tells it.
func (r *writer) goOnWithout(l *output) {
	if r.ended.Load() {
		return // all end now
	}
	if !slices.ContainsFunc(r.hosts, func(f *followed) bool { return !f.dropped && !f.output.ended }) {
		r.ended.Store(true)
		return
	}
	l.blamed = true
	r.o.Report(l.err)
	for _, h := range l.hosts {
		r.drop(h.name)
	}
}

// add lets a host join, or come back, or have more paths.
func (r *writer) add(h Host) error {
	old, known := r.find(h.Name)
	if !known {
		return r.join(h)
	}
	if old.output.ended {
		if err := old.output.restart(r.o.now()); err != nil {
			return err
		}
	}
	texts := slices.Clone(old.host.Paths)
	for _, text := range h.Paths {
		if !slices.ContainsFunc(texts, func(t string) bool { return paths.EqualFold(t, text) }) {
			texts = append(texts, text)
		}
	}
	more := len(texts) > len(old.host.Paths)
	h.Paths = texts
	f := old
	if old.dropped {
		f = &followed{number: old.number, host: h, output: old.output, place: old.place}
		f.output.revive(f.place)
		r.follow(f)
		r.set(f)
	} else if more {
		r.mu.Lock()
		f.host.Paths = texts
		r.mu.Unlock()
		f.follower.Extend(f.host.questions())
	}
	if more {
		f.output.hosts[f.place].awaits = len(texts)
	}
	r.noteFiles()
	return nil
}

// join takes a host in that was not there before.
func (r *writer) join(h Host) error {
	f := &followed{number: len(r.hosts), host: h}
	if r.o.PerHost {
		l := r.newOutput(h.Name)
		if err := l.files.claim(r.o.now().Wall); err != nil {
			return err
		}
		r.outputs = append(r.outputs, l)
	}
	r.addHost(f, r.outputs[len(r.outputs)-1])
	f.output.hosts[f.place].awaits = len(h.Paths)
	r.follow(f)
	r.set(f)
	r.noteFiles()
	return nil
}
