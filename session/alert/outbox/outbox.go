// Package outbox keeps on disk what alerts have to deliver until it is delivered, so
// that it survives the end of the program, however it ends: what was not delivered then
// is delivered by the next one.
//
// It is one file of JSON lines: events with what is to be done for them, which of them
// are told together, and what is done. Targets stand there by their names alone: what
// they need besides, as addresses and tokens, stays in the config. One process uses it,
// the one that leads: see package journal.
package outbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/system/osfile"
)

const fileName = "alerts.outbox"

// The limits.
const (
	mostBytes  = 4 << 20        // of what waits
	mostFile   = 3 * mostBytes  // that is read
	roomyBytes = 256 << 10      // beyond twice what waits: from here on the file is written anew
	longest    = 24 * time.Hour // for which anything waits
)

// Outbox is what waits. Its methods may be called by many goroutines.
type Outbox struct {
	name string
	most int                  // bytes of what waits
	sync func(*os.File) error // to the disk

	mu      sync.Mutex
	file    *os.File // nil: it lacks some of what waits and is to be written anew, or is closed
	closed  bool
	written int      // bytes of the file
	live    int      // bytes of it that say what waits
	full    bool     // that it is was told
	order   []string // of waiting
	waiting map[string]*entry
}

// entry is an event that waits, with the others of its notice if it is the first.
type entry struct {
	event  alert.Event
	left   []alert.Action
	notice string   // the key of the first event of its notice; empty: it has none yet
	more   []string // keys; of the first
	passed []string
	size   int // bytes of its line
}

// Error says what could not be done.
type Error struct {
	Op, File string
	Err      error
}

func (e *Error) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.File, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Hint says what follows from it.
func (e *Error) Hint() string { return "what alerts deliver may be lost when the program is killed" }

var errFull = fmt.Errorf("%d MiB wait: the oldest would not survive the end of the program", mostBytes>>20)

// Pending is what an earlier program left.
type Pending struct {
	// Notices are those that may have been delivered in part, the oldest first; their
	// actions are those that are left.
	Notices []alert.Notice
	// Events belong to no notice yet.
	Events  []alert.Event
	Damaged int // lines that could not be read
	Old     int // events that waited too long
}

// Open reads what waits in a directory, and makes ready to add to it. One that could be read and
// not written is returned with the error: it is written when that can be done.
func Open(dir string, now time.Time) (*Outbox, Pending, error) {
	o := &Outbox{name: filepath.Join(dir, fileName), most: mostBytes, sync: (*os.File).Sync, waiting: map[string]*entry{}}
	text, err := osfile.ReadPlain(o.name, mostFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, Pending{}, o.fail("read", err)
	}
	var p Pending
	p.Damaged = o.read(text)
	for _, key := range slices.Clone(o.order) {
		if e := o.waiting[key]; e != nil && now.Sub(e.event.Time) > longest {
			p.Old += o.remove(key)
		}
	}
	p.Notices, p.Events = o.pending()
	return o, p, o.rewrite()
}

func (o *Outbox) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{op, o.name, session.Bare(err)}
}

// pending is what waits, for who delivers it.
func (o *Outbox) pending() (notices []alert.Notice, events []alert.Event) {
	pick := func(keys []string) (out []alert.Event) {
		for _, key := range keys {
			if e := o.waiting[key]; e != nil {
				out = append(out, e.event)
			}
		}
		return out
	}
	for _, key := range o.order {
		e := o.waiting[key]
		ev := e.event
		ev.Actions = slices.Clone(e.left)
		switch e.notice {
		case "":
			events = append(events, ev)
		case key:
			notices = append(notices, alert.Notice{Event: ev, More: pick(e.more), Passed: pick(e.passed)})
		}
	}
	return notices, events
}

// Put notes events before anybody is told of them, on the disk: they survive a power
// cut too. Of those for which nothing is to be delivered it takes no note.
func (o *Outbox) Put(events []alert.Event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var text []byte
	for i := range events {
		ev := events[i]
		left := slices.DeleteFunc(slices.Clone(ev.Actions), func(a alert.Action) bool { return !a.Do.IsKept() })
		if len(left) == 0 {
			continue
		}
		line, err := eventLine(&ev, left)
		if err != nil {
			return o.fail("write", err)
		}
		o.add(&entry{event: ev, left: left, size: len(line)})
		text = append(text, line...)
	}
	err := o.append(text)
	if err == nil && len(text) > 0 && o.file != nil {
		err = o.fail("sync", o.sync(o.file))
	}
	if o.live <= o.most {
		return err
	}
	for o.live > o.most*3/4 && len(o.order) > 0 {
		o.remove(o.order[0])
	}
	err = errors.Join(err, o.rewrite())
	if !o.full {
		o.full = true
		err = errors.Join(err, o.fail("keep", errFull))
	}
	return err
}

// Form notes which events are told together, before they are.
func (o *Outbox) Form(n *alert.Notice) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := record{Notice: []string{n.Key()}, Passed: keys(n.Passed)}
	if o.waiting[n.Key()] == nil {
		return nil
	}
	r.Notice = append(r.Notice, keys(n.More)...)
	o.form(&r)
	return o.note(r)
}

func keys(events []alert.Event) (out []string) {
	for i := range events {
		out = append(out, events[i].Key())
	}
	return out
}

// Done notes that an action is done for a notice, or will not be.
func (o *Outbox) Done(a alert.Action, n *alert.Notice) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := record{Done: n.Key(), Action: a.String()}
	e := o.waiting[r.Done]
	if e == nil || !slices.Contains(e.left, a) {
		return nil
	}
	o.finish(&r)
	return o.note(r)
}

// CatchUp writes what could not be written before, if there was anything. The error is that
// some of what waits would not survive the end of the program.
func (o *Outbox) CatchUp() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.append(nil)
}

// Close ends the use of the file. What waits stays.
func (o *Outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.append(nil)
	o.closed = true
	if o.file == nil {
		return err
	}
	err = o.file.Close()
	o.file = nil
	return o.fail("close", err)
}

// add makes an event wait.
func (o *Outbox) add(e *entry) {
	key := e.event.Key()
	if o.waiting[key] != nil {
		return
	}
	o.waiting[key] = e
	o.order = append(o.order, key)
	o.live += e.size
}

// form does what a record about a notice says. An event is told once.
func (o *Outbox) form(r *record) {
	first := o.waiting[r.Notice[0]]
	if first == nil || first.notice != "" {
		return
	}
	first.notice = r.Notice[0]
	join := func(keys []string) (joined []string) {
		for _, key := range keys {
			if e := o.waiting[key]; e != nil && e.notice == "" {
				e.notice = first.notice
				joined = append(joined, key)
			}
		}
		return joined
	}
	first.more, first.passed = join(r.Notice[1:]), join(r.Passed)
}

// finish does what a record about an action that is done says.
func (o *Outbox) finish(r *record) {
	e := o.waiting[r.Done]
	if e == nil {
		return
	}
	e.left = slices.DeleteFunc(e.left, func(a alert.Action) bool { return a.String() == r.Action })
	if len(e.left) == 0 {
		o.remove(r.Done)
	}
}

// remove lets go of an event and of all that is told with it.
func (o *Outbox) remove(key string) (n int) {
	e := o.waiting[key]
	if e == nil {
		return 0
	}
	gone := []string{key}
	if first := o.waiting[e.notice]; first != nil {
		gone = slices.Concat([]string{e.notice}, first.more, first.passed)
	}
	for _, key := range gone {
		if e := o.waiting[key]; e != nil {
			o.live -= e.size
			delete(o.waiting, key)
			n++
		}
	}
	o.order = slices.DeleteFunc(o.order, func(key string) bool { return o.waiting[key] == nil })
	return n
}

// note adds a record to the file. A file of which nothing waits is emptied, one of which
// little does is written anew.
func (o *Outbox) note(r record) error {
	switch {
	case o.file == nil:
		return o.append(nil)
	case len(o.waiting) == 0:
		o.written, o.live, o.full = 0, 0, false
		return o.fail("empty", o.file.Truncate(0))
	case o.written > 2*o.live+roomyBytes:
		return o.rewrite()
	}
	line, err := r.line()
	if err != nil {
		return o.fail("write", err)
	}
	return o.append(line)
}

// append adds lines to the file. What they say is done already.
func (o *Outbox) append(lines []byte) error {
	switch {
	case o.closed:
		return nil
	case o.file == nil:
		return o.rewrite()
	case len(lines) == 0:
		return nil
	}
	n, err := o.file.Write(lines)
	o.written += n
	if err != nil { // as of a full disk: when there is room again all of it is written
		_ = o.file.Close()
		o.file = nil
	}
	return o.fail("write", err)
}

// rewrite puts a file in the place of the old one that says what waits. A crash leaves
// either of them.
func (o *Outbox) rewrite() error {
	text, err := o.text()
	if err != nil {
		return o.fail("write", err)
	}
	if o.file != nil {
		_ = o.file.Close() // Windows replaces no file that is open
		o.file = nil
	}
	if err := osfile.Write(o.name, text, 0o600, len(text) > 0); err != nil {
		return o.fail("write", err)
	}
	_ = osfile.SyncDir(filepath.Dir(o.name)) // not every file system can
	file, err := os.OpenFile(o.name, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return o.fail("write", err)
	}
	o.file, o.written = file, len(text)
	return nil
}

// text is the file that says what waits.
func (o *Outbox) text() (text []byte, err error) {
	for _, key := range o.order {
		e := o.waiting[key]
		line, err := eventLine(&e.event, e.left)
		if err != nil {
			return nil, err
		}
		text = append(text, line...)
	}
	for _, key := range o.order {
		if e := o.waiting[key]; e.notice == key {
			line, err := (&record{Notice: append([]string{key}, e.more...), Passed: e.passed}).line()
			if err != nil {
				return nil, err
			}
			text = append(text, line...)
		}
	}
	return text, nil
}

// eventLine is an event as the file has it.
func eventLine(ev *alert.Event, left []alert.Action) ([]byte, error) {
	r := record{Event: ev}
	for _, a := range left {
		r.Do = append(r.Do, a.String())
	}
	return r.line()
}
