package session

import (
	"errors"
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
	sampler *Sampler
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
	targets   []*target
	sets      Targets[*target]
	items     map[itemKey]int32
	owners    map[Owner]*Owner
	taken     []uint32 // by number of an item: the sample it was last taken in
	samples   uint32
	fresh     bool
	explicit  []*Item
	live      int // cells of the sample before
}

// Catalogued is a host that tells what it offers, and later what else.
type Catalogued interface {
	Catalogue() *Catalogue    // nil before the host told it
	Known() <-chan struct{}   // closed when the catalogue is there
	Renewed() <-chan struct{} // closed when the next, other one is
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

// Answer is what a host gave on one beat.
type Answer struct {
	Err   error         // the host failed: there is nothing else
	Idle  bool          // nothing is asked of the host: it has nothing of what is meant
	Time  time.Time     // our clock, when it was asked
	Began time.Duration // the same on the monotonic clock

	Fresh    bool    // the numbers of items begin anew
	News     []*Item // that no answer had before, in the order of their numbers
	Explicit []*Item // where set: what questions without wildcards name
	Sought   int     // of how many questions it is, those that mean nothing included
	Cells    []Cell  // in the order of the questions, each item once
	Unmet    []Unmet // what was asked for and is not there; of a host that fails, what never was
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
	Key    InstanceKey
	Number uint64 // of the instance, as its pid
	Index  uint32 // where the host has no number for the instance
}

// target is what a question means on the host.
type target struct {
	in       *Followed[*target]
	places   Places[int32] // of items, by number
	progress progress
	partly   bool // the view lacks some of the counters
	question int
	asked    []*Item // by counter: what was asked for

	Target // last: each sample looks at what stands before it
}

// progress is how far a question came.
type progress struct {
	empty  string        // why its counterset, which answers, has no instances; empty: it has
	gave   bool          // it had a value once
	seen   bool          // it had an instance once
	status cooker.Status // the newest reason why it had none
}

type itemKey struct {
	set     *Counterset
	counter int
	owner   *Owner
}

// Follow begins to follow a host.
func Follow(host string, s *Sampler, questions []Question, o FollowOptions) *Follower {
	f := &Follower{
		o: o, host: host, sampler: s, questions: questions,
		more: make(chan struct{}, 1), gone: make(chan struct{}), unknown: cooker.Unavailable,
	}
	f.feed = s.Feed(FeedOptions{Every: o.Every, Each: f.receive})
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
	Wake(f.more)
}

// lookUp looks the questions up when the host is known, and again when it has
// another catalogue, or when there are more of them.
func (f *Follower) lookUp() {
	cat, next := Newest(f.sampler)
	for {
		if cat != nil {
			asks, lacking := f.find(cat)
			for _, err := range lacking {
				f.o.Report(err)
			}
			f.feed.Ask(asks)
			if len(asks) == 0 {
				f.o.Each(&Answer{Idle: true})
			}
		}
		select {
		case <-next:
		case <-f.more:
		case <-f.gone:
			return
		}
		cat, next = Newest(f.sampler)
	}
}

// find looks the questions up in a catalogue. What is followed so far goes on under
// new numbers. It returns what to ask for, and why some questions mean nothing.
func (f *Follower) find(cat *Catalogue) (asks []Ask, lacking []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	had := map[int]progress{}
	for _, t := range f.targets {
		had[t.question] = t.progress
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
		for _, means := range found {
			p, known := had[i]
			if !known {
				p.status = cooker.Pending
			}
			t := &target{Target: means, question: i, progress: p, in: f.sets.In(means.Set, f.o.Every)}
			for _, counter := range t.Counters {
				t.asked = append(t.asked, &Item{Question: i, Path: t.pathOf(counter), Set: t.Set, Counter: counter, Wild: t.isWild()})
			}
			f.targets, t.in.Targets = append(f.targets, t), append(t.in.Targets, t)
			asks = append(asks, t.Ask())
		}
	}
	f.explicit = f.pinned()
	f.forget()
	return asks, OncePerObject(lacking)
}

// forget lets the numbers of items begin anew.
func (f *Follower) forget() {
	f.fresh, f.samples, f.taken = true, 0, f.taken[:0]
	f.items, f.owners = map[itemKey]int32{}, map[Owner]*Owner{}
	for _, t := range f.targets {
		t.places = nil
	}
	for _, in := range f.sets {
		in.Rows = Rows{}
	}
}

// pinned are the items of questions without wildcards: they are meant whether or not
// their instances are there.
func (f *Follower) pinned() (explicit []*Item) {
	for _, t := range f.targets {
		if !t.isWild() {
			explicit = append(explicit, t.asked...)
		}
	}
	return explicit
}

// isWild tells whether there may be several instances: one is made of all, if any.
func (t *target) isWild() bool { return t.Wild && t.Combine == nil }

// pathOf is the path of a counter of what was asked for.
func (t *target) pathOf(counter int) paths.Path {
	var in *Instance
	switch {
	case t.Combine != nil:
		in = &Instance{Key: InstanceKey{Name: t.Combine.Name}}
	case t.Wild:
		p := t.Path // empty of a whole counterset
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
func (f *Follower) Expected() (explicit []*Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.expected()
}

func (f *Follower) expected() (explicit []*Item) {
	for i, q := range f.questions {
		p, err := paths.Parse(q.Text)
		if err != nil || p.Wildcard() != 0 || q.Combine != nil || q.Whole {
			continue
		}
		p = p.PlainInstance()
		p.Computer = ""
		explicit = append(explicit, &Item{Question: i, Path: p})
	}
	return explicit
}

// receive finds the answers in a sample. One that only serves the next one is none.
func (f *Follower) receive(s *Snapshot) {
	a := &f.answer
	*a = Answer{Err: s.State.Err, Time: s.Time, Began: s.Moment(f.o.Clock.Now()).Mono, Cells: a.Cells[:0], Unmet: a.Unmet[:0]}
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
	if f.explicit == nil {
		f.explicit = a.Explicit
	}
}

// fail notes why nothing could be read.
func (f *Follower) fail(a *Answer) {
	why := StatusOf(a.Err)
	for _, t := range f.targets {
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
	for _, t := range f.targets {
		t.progress.gave = false
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
	for _, in := range f.sets {
		in.Follow(s, func(t *target, moved, added []int) {
			t.partly = slices.ContainsFunc(t.Counters, func(c int) bool { return in.View.Column(c) < 0 })
			t.places.Follow(in.View, &t.Target, moved, added, t.Matches, func(in *Instance, counter int) int32 { return f.itemOf(t, counter, in, a) })
		})
	}
	whole := true // else the sample was under way when more was looked up
	for _, t := range f.targets {
		whole = f.pickOne(t, a) && whole
	}
	if whole {
		f.answered = f.sought
	}
	a.Fresh, a.Explicit, a.Sought = f.fresh, f.explicit, f.answered
	f.fresh, f.explicit = false, nil
	f.live = len(a.Cells)
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
	view := t.in.View
	if view == nil {
		a.lack(t, cooker.Pending)
		return false
	}
	failure := cooker.OK
	if view.Err != nil {
		failure = StatusOf(view.Err)
		t.progress.status = failure
	}
	if t.progress.empty = ""; failure.Good() && len(view.Rows) == 0 {
		t.progress.empty = t.Set.WhyEmpty()
	}
	for i := range t.places {
		at := &t.places[i]
		if at.Column < 0 {
			continue
		}
		value := cooker.Absent(failure)
		if failure.Good() {
			value = view.Value(at.Row, at.Column)
		}
		t.progress.note(value)
		if f.taken[at.As] == f.samples {
			continue
		}
		f.taken[at.As] = f.samples
		a.Cells = append(a.Cells, Cell{at.As, value})
		if f.o.Cell != nil {
			f.o.Cell(view, at.Row, at.Column)
		}
	}
	switch {
	case len(t.places) > 0:
		t.progress.seen = true
	case t.progress.seen:
		a.lack(t, cooker.Gone)
	default:
		a.lack(t, view.Lack())
	}
	return !t.partly
}

// OwnerOf is the identity of an instance.
func OwnerOf(in *Instance) Owner {
	id := Owner{Key: in.Key, Number: in.Number}
	if in.Key.ID == 0 {
		id.Index = in.Index
	}
	return id
}

func (f *Follower) owner(in *Instance) *Owner {
	id := OwnerOf(in)
	if f.owners[id] == nil {
		f.owners[id] = &id
	}
	return f.owners[id]
}

// itemOf finds or makes the number of an item.
func (f *Follower) itemOf(t *target, counter int, in *Instance, a *Answer) int32 {
	who := f.owner(in)
	key := itemKey{t.Set, counter, who}
	number, known := f.items[key]
	if !known {
		number = int32(len(f.taken))
		f.items[key], f.taken = number, append(f.taken, 0)
		a.News = append(a.News, &Item{Question: t.question, Path: PathOf("", t.Set, counter, in), Set: t.Set, Counter: counter, Owner: who, Wild: t.isWild()})
	}
	return number
}

// StatusOf is the status of what could not be read.
func StatusOf(err error) cooker.Status {
	switch {
	case errors.Is(err, ErrDenied):
		return cooker.Denied
	case errors.Is(err, ErrNotRecorded):
		return cooker.NotKept
	}
	return cooker.Unavailable
}

// Silence is a question that never had a value.
type Silence struct {
	Host, Path string
	Status     cooker.Status // the newest reason why
	Empty      string        // why its counterset, which answers, has no instances; empty: it has
}

// Silent are the questions that never had a value, those left out that mean nothing
// on the host.
func (f *Follower) Silent() (out []Silence) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sought == 0 {
		for _, q := range f.questions {
			out = append(out, Silence{Host: f.host, Path: q.Text, Status: f.unknown})
		}
	}
	asked := -1
	for _, t := range f.targets {
		if !t.progress.gave && t.question != asked {
			asked = t.question
			out = append(out, Silence{f.host, f.questions[asked].Text, t.progress.status, t.progress.empty})
		}
	}
	return out
}
