package session

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// Follower asks a host questions and finds the answers in its samples: it waits
// until the host is known, looks the paths up, asks for what they mean, matches the
// instances of each sample by identity, remembers which questions never had a value
// and why, and does it anew when the host has another catalogue or when there are
// more questions. Every consumer of samples that goes by paths has one: recordings
// of files and of streams.
//
// Its own goroutine looks up; samples are matched in that of the sampler.
type Follower struct {
	o       FollowOptions
	host    string
	sampler FollowedSampler
	feed    *Feed
	more    chan struct{} // there are more questions
	gone    chan struct{} // closed when the host is followed no more
	last    time.Time     // of a beat
	answer  Answer        // its memory is used again

	mu        sync.Mutex // what follows is asked for by others too
	questions []Question
	sought    int           // how many of them were looked up; 0: the host was never known
	unknown   cooker.Status // why it is not
	answered  int           // how many of those the host was asked for in the newest sample
	lacking   []string
	targets   []target
	sets      []followedSet
	items     map[itemKey]int32
	owners    map[Owner]*Owner
	taken     []uint32 // by number of an item: the sample it was last taken in
	samples   uint32
	fresh     bool
	pins      []*Item
	live      int // cells of the sample before
}

// FollowedSampler is what of a Sampler is needed.
type FollowedSampler interface {
	Feed(o FeedOptions) *Feed
	Catalogue() *Catalogue
	Known() <-chan struct{}
	Renewed() <-chan struct{}
}

// FollowOptions are how a Follower goes about it.
type FollowOptions struct {
	Every  time.Duration
	LookUp paths.Options
	Clock  Clock
	Go     func(func()) // starts its goroutine
	Report func(error)  // hears which questions mean nothing on the host, and why
	// Each gets every answer and keeps nothing of it but items. It reports whether
	// it took it; what was new in one that it did not take is new again.
	Each func(*Answer) (taken bool)
	// Cell, if set, is called for each cell behind it: it may look at what the value
	// was made from.
	Cell func(view *SetView, row, column int)
}

// Question is a counter path as it was asked for. Its computer means nothing here.
type Question struct {
	Text    string
	Origin  string   // file and line, empty for an argument
	Combine *Combine // it means this instance, made of others; nil: those that its path means
}

// Resolve looks the question up in a catalogue. The error is a *paths.ParseError or a
// *paths.LookupError.
func (q Question) Resolve(cat *Catalogue, o paths.Options) ([]Selection, error) {
	found, err := cat.Resolve(q.Text, o)
	if err != nil && q.Origin != "" {
		err = fmt.Errorf("%s: %w", q.Origin, err)
	}
	return found, err
}

// Answer is what a host gave on one beat.
type Answer struct {
	Err   error         // the host failed: there is nothing else
	Idle  bool          // nothing is asked of the host: it has nothing of what is meant
	Time  time.Time     // our clock, when it was asked
	Began time.Duration // the same on the monotonic clock

	Fresh  bool    // the numbers of items begin anew
	News   []*Item // that no answer had before, in the order of their numbers
	Pins   []*Item // where set: what questions without wildcards name
	Sought int     // of how many questions it is, those that mean nothing included
	Cells  []Cell  // in the order of the questions, each item once
	Unmet  []Unmet // what was asked for and is not there; of a host that fails, what never was
}

// Unmet is what was asked for as it was asked for, where no instance fits.
type Unmet struct {
	*Item

	Status cooker.Status
}

// Cell is the value of an item.
type Cell struct {
	Number int32 // of the item
	Value  cooker.Value
}

// Item is one counter of one instance. It does not change.
type Item struct {
	Question int         // the first that means it
	Path     paths.Path  // without computer, with the #n that the instance had at first
	Set      *Counterset // nil: the host is not known
	Counter  int         // index in Set.Counters
	Owner    *Owner      // nil: no instance is known
	Wild     bool        // its question may mean several instances
}

// Owner is the identity of an instance for as long as a Follower knows it: the same
// pointer.
type Owner struct {
	Key   InstanceKey
	Index uint32 // where the host has no number for the instance
}

// target is what a question means on the host.
type target struct {
	Selection

	question int
	combine  *Combine
	wild     bool
	progress progress
	asked    []*Item  // by counter: what was asked for
	view     *SetView // of the sample under way
	columns  []int    // of the view, by counter
	members  []member // by row
}

// followedSet is a counterset with the targets in it.
type followedSet struct {
	set     *Counterset
	rows    Rows
	targets []int
}

// progress is how far a question came.
type progress struct {
	gave   bool          // it had a value once
	seen   bool          // it had an instance once
	status cooker.Status // the newest reason why it had none
}

type itemKey struct {
	set     *Counterset
	counter int
	owner   *Owner
}

// member is a row that a target means.
type member struct {
	row     int
	numbers []int32 // of the items, by counter of the target
}

// Follow begins to follow a host.
func Follow(host string, s FollowedSampler, questions []Question, o FollowOptions) *Follower {
	f := &Follower{
		o: o, host: host, sampler: s, questions: questions,
		more: make(chan struct{}, 1), gone: make(chan struct{}), unknown: cooker.Unavailable,
	}
	f.feed = s.Feed(FeedOptions{Every: o.Every, Each: f.take})
	f.feed.Ask(nil) // so that a host that fails already says so
	o.Go(f.lookUp)
	return f
}

// Close ends what Follow began.
func (f *Follower) Close() {
	close(f.gone)
	f.feed.Close()
}

// Extend takes more questions, behind those that are there.
func (f *Follower) Extend(questions []Question) {
	f.mu.Lock()
	f.questions = questions
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// lookUp looks the questions up when the host is known, and again when it has
// another catalogue, or when there are more of them.
func (f *Follower) lookUp() {
	known, isKnown := f.sampler.Known(), false
	for {
		select {
		case <-known:
			known, isKnown = f.sampler.Renewed(), true
		case <-f.more:
			if !isKnown {
				continue // they are looked up with the others
			}
		case <-f.gone:
			return
		}
		asks, lacking := f.find(f.sampler.Catalogue())
		for _, err := range lacking {
			f.o.Report(err)
		}
		f.feed.Ask(asks)
		if len(asks) == 0 {
			f.o.Each(&Answer{Idle: true})
		}
	}
}

// find looks the questions up in a catalogue. What is followed so far goes on under
// new numbers. It returns what to ask for, and why some questions mean nothing.
func (f *Follower) find(cat *Catalogue) (asks []Ask, lacking []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	had := map[int]progress{}
	for i := range f.targets {
		had[f.targets[i].question] = f.targets[i].progress
	}
	told := f.lacking
	f.sought, f.targets, f.sets, f.lacking = len(f.questions), nil, nil, nil
	for i, q := range f.questions {
		found, err := q.Resolve(cat, f.o.LookUp)
		if err != nil {
			f.lacking = append(f.lacking, q.Text)
			if !slices.Contains(told, q.Text) {
				lacking = append(lacking, err)
			}
		}
		for _, sel := range found {
			p, known := had[i]
			if !known {
				p.status = cooker.Pending
			}
			t := target{Selection: sel, question: i, combine: q.Combine, progress: p}
			t.wild = sel.Path.Wildcard()&^paths.WildCounter != 0 && q.Combine == nil
			for _, counter := range t.Counters {
				t.asked = append(t.asked, &Item{Question: i, Path: t.pathOf(counter), Set: t.Set, Counter: counter, Wild: t.wild})
			}
			f.watch(t.Set, len(f.targets))
			f.targets = append(f.targets, t)
			ask := Ask{Set: sel.Set, Counters: sel.Counters}
			if q.Combine != nil {
				ask.Combine = []Combine{*q.Combine}
			}
			asks = append(asks, ask)
		}
	}
	f.pins = f.pinned()
	f.forget()
	return asks, lacking
}

// watch notes that a target is in a counterset.
func (f *Follower) watch(set *Counterset, target int) {
	i := slices.IndexFunc(f.sets, func(w followedSet) bool { return w.set == set })
	if i < 0 {
		i = len(f.sets)
		f.sets = append(f.sets, followedSet{set: set})
	}
	f.sets[i].targets = append(f.sets[i].targets, target)
}

// forget lets the numbers of items begin anew.
func (f *Follower) forget() {
	f.fresh, f.samples, f.taken = true, 0, f.taken[:0]
	f.items, f.owners = map[itemKey]int32{}, map[Owner]*Owner{}
	for i := range f.targets {
		f.targets[i].members = nil
	}
	for i := range f.sets {
		f.sets[i].rows = Rows{}
	}
}

// pinned are the items of questions without wildcards: they are meant whether or not
// their instances are there.
func (f *Follower) pinned() (pins []*Item) {
	for i := range f.targets {
		if t := &f.targets[i]; !t.wild {
			pins = append(pins, t.asked...)
		}
	}
	return pins
}

// pathOf is the path of a counter of what was asked for.
func (t *target) pathOf(counter int) paths.Path {
	var in *Instance
	switch {
	case t.combine != nil:
		in = &Instance{Key: InstanceKey{Name: t.combine.Name}}
	case t.wild:
		p := t.Path
		p.Computer, p.Object, p.Counter = "", t.Set.Name, t.Set.Counters[counter].Name
		return p
	case t.Set.Instances.Multiple():
		n, _ := t.Path.Index.Number()
		in = &Instance{Key: InstanceKey{Parent: t.Path.Parent, Name: t.Path.Instance}, Index: uint32(n)}
	}
	return PathOf("", t.Set, counter, in)
}

// Expected are the items of questions without wildcards on a host that is not known
// yet: they mean the same on every host.
func (f *Follower) Expected() (pins []*Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.expected()
}

func (f *Follower) expected() (pins []*Item) {
	for i, q := range f.questions {
		p, err := paths.Parse(q.Text)
		if err != nil || p.Wildcard() != 0 || q.Combine != nil {
			continue
		}
		p.Computer = ""
		pins = append(pins, &Item{Question: i, Path: p})
	}
	return pins
}

// take finds the answers in a sample. One that only serves the next one is none.
func (f *Follower) take(s *Snapshot) {
	a := &f.answer
	*a = Answer{Err: s.State.Err, Time: s.Time, Began: f.o.Clock.Now().Mono - s.State.Latency, Cells: a.Cells[:0], Unmet: a.Unmet[:0]}
	if a.Err == nil {
		if isBeside(s) || s.Time.Equal(f.last) {
			return
		}
		f.last = s.Time
	}
	f.mu.Lock()
	if a.Err == nil {
		f.pick(s, a)
	} else {
		f.fail(a)
	}
	f.mu.Unlock()
	if !f.o.Each(a) && a.Err == nil {
		f.lose(a)
	}
}

// isBeside tells whether a snapshot only serves the next one, so that rates have
// values: it was read at once, before the first beat, or between two beats for
// countersets that were added.
func isBeside(s *Snapshot) bool {
	beats := s.Timeline.Nanos
	return len(beats) == 0 || beats[len(beats)-1] != s.Time.UnixNano()
}

// lose is for an answer that nobody took: what was new in it is new again.
func (f *Follower) lose(a *Answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget()
	if f.pins == nil {
		f.pins = a.Pins
	}
}

// fail notes why nothing could be read.
func (f *Follower) fail(a *Answer) {
	why := StatusOf(a.Err)
	for i := range f.targets {
		t := &f.targets[i]
		if t.progress.status = why; !t.progress.seen {
			a.lack(t, why)
		}
	}
	if f.sought == 0 {
		f.unknown = why
		for _, it := range f.expected() {
			a.Unmet = append(a.Unmet, Unmet{it, why})
		}
	}
}

func (a *Answer) lack(t *target, why cooker.Status) {
	for _, it := range t.asked {
		a.Unmet = append(a.Unmet, Unmet{it, why})
	}
}

// Restart forgets which questions had a value so far.
func (f *Follower) Restart() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.targets {
		f.targets[i].progress.gave = false
	}
}

// mostForgotten is how many items of vanished instances are remembered at least.
const mostForgotten = 4096

// pick takes the values of a sample in the order of the questions, each item once.
func (f *Follower) pick(s *Snapshot, a *Answer) {
	if len(f.items) > 4*f.live+mostForgotten {
		f.forget() // most of what is known is gone
	}
	f.samples++
	for i := range f.sets {
		f.match(&f.sets[i], s, a)
	}
	whole := true // else the sample was under way when more was looked up
	for i := range f.targets {
		whole = f.pickOne(&f.targets[i], a) && whole
	}
	if whole {
		f.answered = f.sought
	}
	a.Fresh, a.Pins, a.Sought = f.fresh, f.pins, f.answered
	f.fresh, f.pins = false, nil
	f.live = len(a.Cells)
}

// match finds out which rows the targets of a counterset mean now. Only rows that are
// new are matched by name.
func (f *Follower) match(w *followedSet, s *Snapshot, a *Answer) {
	view := s.Set(w.set)
	for _, i := range w.targets {
		f.targets[i].view = view
	}
	if view == nil || w.rows.Same(view) {
		return
	}
	moved, added := w.rows.Next(view)
	for _, i := range w.targets {
		t := &f.targets[i]
		kept := t.members[:0]
		for _, m := range t.members {
			if m.row = moved[m.row]; m.row != GoneRow {
				kept = append(kept, m)
			}
		}
		t.members = kept
		for _, row := range added {
			if in := &view.Rows[row].Instance; t.means(in) {
				t.members = append(t.members, member{row, f.numbers(t, in, a)})
			}
		}
		slices.SortFunc(t.members, func(a, b member) int { return a.row - b.row })
	}
}

func (p *progress) note(v cooker.Value) {
	if v.Valid() || v.Status() == cooker.ZeroBase { // an idle counter gives what it can
		p.gave = true
	} else {
		p.status = v.Status()
	}
}

// pickOne takes the values of one target. It reports whether the sample is of all its
// counters.
func (f *Follower) pickOne(t *target, a *Answer) (whole bool) {
	view := t.view
	t.view = nil
	if view == nil {
		a.lack(t, cooker.Pending)
		return false
	}
	failure := cooker.OK
	if view.Err != nil {
		failure = StatusOf(view.Err)
		t.progress.status = failure
	}
	whole = t.place(view)
	for _, m := range t.members {
		for n, number := range m.numbers {
			column := t.columns[n]
			if column < 0 {
				continue
			}
			value := cooker.Absent(failure)
			if failure.Good() {
				value = view.Value(m.row, column)
			}
			t.progress.note(value)
			if f.taken[number] == f.samples {
				continue
			}
			f.taken[number] = f.samples
			a.Cells = append(a.Cells, Cell{number, value})
			if f.o.Cell != nil {
				f.o.Cell(view, m.row, column)
			}
		}
	}
	switch {
	case len(t.members) > 0:
		t.progress.seen = true
	case t.progress.seen:
		a.lack(t, cooker.Gone)
	case failure.Good():
		a.lack(t, cooker.Pending)
	default:
		a.lack(t, failure)
	}
	return whole
}

// place finds the columns of the target's counters. It reports whether all are there.
func (t *target) place(view *SetView) (all bool) {
	all = true
	if len(t.columns) != len(t.Counters) {
		t.columns = make([]int, len(t.Counters))
	}
	for i, counter := range t.Counters {
		if c := t.columns[i]; c < 0 || c >= len(view.Counters) || view.Counters[c] != counter {
			t.columns[i] = view.Column(counter)
		}
		all = all && t.columns[i] >= 0
	}
	return all
}

// means tells whether the target means an instance. One that was combined goes by its
// name; it is never mixed up with an instance of the host.
func (t *target) means(in *Instance) bool {
	if t.combine != nil {
		return in.Flags&FlagCombined != 0 && in.Key.Name == t.combine.Name
	}
	return t.Matches(in)
}

// numbers are those of the items of an instance, by counter of the target.
func (f *Follower) numbers(t *target, in *Instance, a *Answer) []int32 {
	who := f.owner(in)
	numbers := make([]int32, len(t.Counters))
	for i, counter := range t.Counters {
		numbers[i] = f.itemOf(t, counter, in, who, a)
	}
	return numbers
}

func (f *Follower) owner(in *Instance) *Owner {
	id := Owner{Key: in.Key}
	if in.Key.ID == 0 {
		id.Index = in.Index
	}
	if f.owners[id] == nil {
		f.owners[id] = &id
	}
	return f.owners[id]
}

// itemOf finds or makes the number of an item.
func (f *Follower) itemOf(t *target, counter int, in *Instance, who *Owner, a *Answer) int32 {
	key := itemKey{t.Set, counter, who}
	number, known := f.items[key]
	if !known {
		number = int32(len(f.taken))
		f.items[key], f.taken = number, append(f.taken, 0)
		a.News = append(a.News, &Item{Question: t.question, Path: PathOf("", t.Set, counter, in), Set: t.Set, Counter: counter, Owner: who, Wild: t.wild})
	}
	return number
}

// StatusOf is the status of what could not be read.
func StatusOf(err error) cooker.Status {
	if errors.Is(err, ErrDenied) {
		return cooker.Denied
	}
	return cooker.Unavailable
}

// Silence is a question that never had a value.
type Silence struct {
	Host, Path string
	Status     cooker.Status // the newest reason why
}

// Silent are the questions that never had a value, those left out that mean nothing
// on the host.
func (f *Follower) Silent() (out []Silence) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sought == 0 {
		for _, q := range f.questions {
			out = append(out, Silence{f.host, q.Text, f.unknown})
		}
	}
	asked := -1
	for i := range f.targets {
		if t := &f.targets[i]; !t.progress.gave && t.question != asked {
			asked = t.question
			out = append(out, Silence{f.host, f.questions[asked].Text, t.progress.status})
		}
	}
	return out
}
