package collector

import (
	"errors"
	"slices"
	"sync"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/logs"
)

// picker finds in the snapshots of a host what is recorded of it. It works in the
// goroutine of the host's sampler.
type picker struct {
	host int
	name string // of the host
	raw  bool   // raw samples are kept

	mu         sync.Mutex // what follows is asked for by others too
	texts      []string   // the paths
	sought     int        // how many of them were looked up
	answered   int        // how many of those the host was asked for in the newest snapshot
	lacks      []string
	selections []selection
	columns    [][]int // by selection, by its counters: columns of the view
	memos      [][]memo
	series     map[seriesKey]int32
	owners     map[owner]*owner
	taken      []uint32 // by number of a series: the snapshot it was last taken in
	snapshots  uint32
	fresh      bool
	pins       []*series
	live       int // cells of the snapshot before
}

// selection is a path as the host has it.
type selection struct {
	session.Selection

	text     string
	progress progress
}

// progress is how far a path came.
type progress struct {
	gave   bool          // it had a value once
	status cooker.Status // the newest reason why it had none
}

type seriesKey struct {
	set     *session.Counterset
	counter int
	owner   *owner
}

// memo is what was found out about a row of a view: rows seldom change from one
// snapshot to the next.
type memo struct {
	instance session.Instance
	numbers  []int32 // of the series, by counter of the selection; nil: the row is not meant
}

func newPicker(host int, name string, raw bool, texts []string) *picker {
	return &picker{host: host, name: name, raw: raw, texts: texts}
}

// extend takes more paths, behind those that are there. They are to be found.
func (k *picker) extend(texts []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.texts = texts
}

// find looks the paths up in a catalogue. What is recorded so far goes on under new
// numbers. It returns what to ask for, and why some paths mean nothing.
func (k *picker) find(cat *session.Catalogue, hidden bool) (asks []session.Ask, lacking []error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	told := k.lacks
	k.sought = len(k.texts)
	had := map[string]progress{}
	for _, s := range k.selections {
		had[s.text] = s.progress
	}
	k.selections, k.lacks = nil, nil
	for _, text := range k.texts {
		found, err := cat.Resolve(text, paths.Options{ShowHidden: hidden})
		if err != nil {
			k.lacks = append(k.lacks, text)
			if !slices.Contains(told, text) {
				lacking = append(lacking, err)
			}
		}
		for _, f := range found {
			p, known := had[text]
			if !known {
				p.status = cooker.Pending
			}
			k.selections = append(k.selections, selection{f, text, p})
			asks = append(asks, session.Ask{Set: f.Set, Counters: f.Counters})
		}
	}
	k.pins = k.pinned()
	k.forget()
	return asks, lacking
}

// forget lets the numbers of series begin anew.
func (k *picker) forget() {
	k.fresh, k.snapshots, k.taken = true, 0, k.taken[:0]
	k.series, k.owners = map[seriesKey]int32{}, map[owner]*owner{}
	k.memos, k.columns = make([][]memo, len(k.selections)), make([][]int, len(k.selections))
}

// pinned are the series of paths without wildcards: they have columns whether or
// not their instances are there.
func (k *picker) pinned() (pins []*series) {
	for i := range k.selections {
		sel := &k.selections[i]
		if sel.Path.Wildcard() != 0 {
			continue
		}
		for _, counter := range sel.Counters {
			var in *session.Instance
			if sel.Set.Instances.Multiple() {
				n, _ := sel.Path.Index.Number()
				in = &session.Instance{Key: session.InstanceKey{Parent: sel.Path.Parent, Name: sel.Path.Instance}, Index: uint32(n)}
			}
			s := newSeries(k.host, k.name, sel.Set, counter, in, nil)
			s.selection = i
			pins = append(pins, s)
		}
	}
	return pins
}

// expected are the series of paths without wildcards on a host that is not known
// yet: they mean the same on every host.
func expected(host int, name string, texts []string) (pins []*series) {
	for i, text := range texts {
		p, err := paths.Parse(text)
		if err != nil || p.Wildcard() != 0 {
			continue
		}
		p.Computer = ""
		s := &series{seat: seatOf(host, p), path: p, counter: paths.Fold(p.Counter), selection: i}
		s.column.Path = s.pathOn(name, s.number())
		pins = append(pins, s)
	}
	return pins
}

// pick takes the values of a snapshot in the order of the paths, each series
// once.
func (k *picker) pick(s *session.Snapshot, out *sample) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.series) > 4*k.live+mostForgotten {
		k.forget() // most of what is known is gone
	}
	k.snapshots++
	if k.isWhole(s) {
		k.answered = k.sought
	}
	out.fresh, out.pins, out.sought = k.fresh, k.pins, k.answered
	k.fresh, k.pins = false, nil
	for i := range k.selections {
		first := len(out.cells)
		k.pickOne(i, s, out)
		k.selections[i].progress.note(out.cells[first:])
	}
	k.live = len(out.cells)
}

// isWhole tells whether a snapshot is of all that was found: one that was under way
// when more was looked up is not.
func (k *picker) isWhole(s *session.Snapshot) bool {
	for i := range k.selections {
		view := s.Set(k.selections[i].Set)
		if view == nil || slices.ContainsFunc(k.selections[i].Counters, func(c int) bool { return view.Column(c) < 0 }) {
			return false
		}
	}
	return true
}

// lose is for a sample that nobody gets: what was new in it is new again.
func (k *picker) lose(s *sample) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget()
	if k.pins == nil {
		k.pins = s.pins
	}
}

// mostForgotten is how many series of vanished instances are remembered at least.
const mostForgotten = 4096

func (p *progress) note(cells []cell) {
	for i := range cells {
		switch v := cells[i].value; {
		case v.Valid() || v.Status() == cooker.ZeroBase: // an idle counter gives what it can
			p.gave = true
		default:
			p.status = v.Status()
		}
	}
}

// pickOne takes the values of one path.
func (k *picker) pickOne(i int, s *session.Snapshot, out *sample) {
	sel := &k.selections[i]
	view := s.Set(sel.Set)
	if view == nil {
		return
	}
	failure := cooker.OK
	if view.Err != nil {
		failure = statusOf(view.Err)
		sel.progress.status = failure
	}
	k.columns[i] = k.columns[i][:0]
	for _, counter := range sel.Counters {
		k.columns[i] = append(k.columns[i], view.Column(counter))
	}
	for row := range view.Rows {
		r := &view.Rows[row]
		if r.Gone {
			continue
		}
		for n, number := range k.numbers(i, row, &r.Instance, out) {
			column := k.columns[i][n]
			if column < 0 || k.taken[number] == k.snapshots {
				continue
			}
			k.taken[number] = k.snapshots
			value := cooker.Absent(failure)
			if failure.Good() {
				value = view.Value(row, column)
			}
			out.cells = append(out.cells, cell{number, value})
			if k.raw {
				out.raws = append(out.raws, rawOf(view, row, column))
			}
		}
	}
}

// rawOf is what a value was cooked from.
func rawOf(view *session.SetView, row, column int) logs.Raw {
	_, newer, _, clocks, ok := view.Raw(row, column)
	if !ok || view.Err != nil || newer.State != cooker.OK && newer.State != cooker.NoBase {
		return logs.Raw{}
	}
	return logs.Raw{Known: true, Reading: *newer, Clocks: *clocks}
}

// numbers are those of the series of a row, by counter of the selection; none if
// the selection does not mean the row.
func (k *picker) numbers(i, row int, in *session.Instance, out *sample) []int32 {
	memos := k.memos[i]
	if row < len(memos) && memos[row].instance == *in {
		return memos[row].numbers
	}
	sel := &k.selections[i]
	var numbers []int32
	if sel.Matches(in) {
		who := k.owner(in)
		for _, counter := range sel.Counters {
			numbers = append(numbers, k.seriesOf(i, counter, in, who, out))
		}
	}
	for len(memos) <= row {
		memos = append(memos, memo{})
	}
	memos[row] = memo{*in, numbers}
	k.memos[i] = memos
	return numbers
}

func (k *picker) owner(in *session.Instance) *owner {
	id := owner{key: in.Key}
	if in.Key.ID == 0 {
		id.index = in.Index
	}
	if k.owners[id] == nil {
		k.owners[id] = &id
	}
	return k.owners[id]
}

// seriesOf finds or makes the number of a series.
func (k *picker) seriesOf(i, counter int, in *session.Instance, who *owner, out *sample) int32 {
	sel := &k.selections[i]
	key := seriesKey{sel.Set, counter, who}
	number, known := k.series[key]
	if !known {
		number = int32(len(k.taken))
		s := newSeries(k.host, k.name, sel.Set, counter, in, who)
		s.selection = i
		k.series[key], k.taken = number, append(k.taken, 0)
		out.news = append(out.news, s)
	}
	return number
}

// statusOf is why nothing could be read.
func statusOf(err error) cooker.Status {
	if errors.Is(err, session.ErrDenied) {
		return cooker.Denied
	}
	return cooker.Unavailable
}

// Silence is a path that never had a value.
type Silence struct {
	Host, Path string
	Status     cooker.Status
}

// silent are the paths that never had a value.
func (k *picker) silent() (out []Silence) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.selections == nil && k.lacks == nil { // the host was never known
		for _, text := range k.texts {
			out = append(out, Silence{k.name, text, cooker.Unavailable})
		}
	}
	for i := range k.selections {
		if s := &k.selections[i]; !s.progress.gave && !slices.ContainsFunc(out, func(o Silence) bool { return o.Path == s.text }) {
			out = append(out, Silence{k.name, s.text, s.progress.status})
		}
	}
	return out
}
