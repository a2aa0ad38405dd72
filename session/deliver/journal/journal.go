// Package journal keeps what alerts did over a restart, and what is to be delivered of it: a
// file of JSON lines in the state folder, to which all processes of a user add. Each learns
// from it what users did in the others.
package journal

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
)

const (
	fileName = "alerts.jsonl"
	lockName = "alerts.lock" // held while the file is written

	// LeadFile is locked by the process that judges, and runs actions.
	LeadFile = "alerts.lead"
)

const (
	mostLine   = 1 << 20 // but of a state
	mostLate   = 1 << 20 // of lines that the disk had no room for
	roomyBytes = 1 << 20 // from twice this on the file is written anew
)

// Journal is a process' hold of what is kept of alerts. Its methods may be called by many
// goroutines.
type Journal struct {
	dir    string
	writer string // tells this process from others
	file   store.Journal

	mu   sync.Mutex
	now  time.Time         // of what is kept
	seen map[string]uint64 // by writer: the last event that was read
	lead *os.File          // locked while this process leads

	waiting *waiting // what is to be delivered by this process; nil: another one does that
	most    int      // bytes of it
}

// record is a line: an event, or all that came of those before it. What is to be delivered
// stands with an event; lines of notices and of what is done tell of that alone.
type record struct {
	Writer string        `json:"w,omitempty"`
	Event  *alert.Event  `json:"e,omitempty"`
	Past   bool          `json:"past,omitempty"`  // the event is in State already
	Known  bool          `json:"known,omitempty"` // it is in the history, too: it waits, and that is all
	State  *alert.Memory `json:"state,omitempty"`

	Do     []string `json:"do,omitempty"` // what is to be delivered for the event
	Notice []string `json:"n,omitempty"`  // keys of the events of a notice, the first one first
	Passed []string `json:"p,omitempty"`
	Done   string   `json:"d,omitempty"` // key of the first event of a notice
	Action string   `json:"a,omitempty"` // that is done for it; empty: all are, or are given up
}

// hold is a process' hold of a folder.
func hold(dir string) *Journal {
	j := &Journal{dir: dir, seen: map[string]uint64{}, most: mostWaiting}
	j.file = store.Journal{
		Name: filepath.Join(dir, fileName), Lock: filepath.Join(dir, lockName),
		Roomy: roomyBytes, Late: mostLate, Live: j.live, Form: store.FormJSON,
	}
	return j
}

// Open opens the journal of a folder. damaged is how many lines could not be read.
func Open(dir string, now time.Time) (j *Journal, memory *alert.Memory, damaged int, err error) {
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails
	j = hold(dir)
	j.writer, j.now = hex.EncodeToString(id[:]), now
	err = j.file.Look(func(lines iter.Seq[[]byte]) (anew bool) {
		k := read(lines)
		k.Forget(now)
		memory, damaged, j.seen = k.Memory, k.damaged, k.seen
		return k.bytes > roomyBytes || damaged > 0
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return j, memory, damaged, nil
}

// Read is what is kept in a folder, for who only looks: nothing is written.
func Read(dir string, now time.Time) (memory *alert.Memory, damaged int, err error) {
	var k *kept
	if err := hold(dir).file.Read(func(lines iter.Seq[[]byte]) { k = read(lines) }); err != nil {
		return nil, 0, err
	}
	k.Forget(now)
	return k.Memory, k.damaged, nil
}

// kept is what a file says.
type kept struct {
	*alert.Memory
	writers []string          // of the events of the history
	seen    map[string]uint64 // by writer
	damaged int               // lines
	bytes   int
	waiting waiting
}

func read(lines iter.Seq[[]byte]) *kept {
	k := &kept{Memory: alert.NewMemory(), seen: map[string]uint64{}, waiting: newWaiting()}
	for line := range lines {
		k.bytes += len(line)
		r, ok := parse(line)
		if !ok {
			k.damaged++
			continue
		}
		k.waiting.read(&r, len(line))
		switch {
		case r.State != nil:
			r.State.History = k.History
			k.Memory = r.State
			continue
		case r.Event == nil || r.Known:
			continue
		case r.Past:
			k.History = append(k.History, *r.Event)
		default:
			k.Add(*r.Event)
		}
		k.writers = append(k.writers, r.Writer)
		k.writers = k.writers[max(0, len(k.writers)-len(k.History)):]
		k.seen[r.Writer] = max(k.seen[r.Writer], r.Event.Seq)
	}
	return k
}

// parse reads a line. The last one of a file is torn when it does not end.
func parse(line []byte) (r record, ok bool) {
	if len(line) > mostLine && !bytes.Contains(line[:64], []byte(`"state"`)) || !bytes.HasSuffix(line, []byte("\n")) {
		return record{}, false
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return record{}, false
	}
	return r, r.Event != nil || r.State != nil || len(r.Notice) > 0 || r.Done != ""
}

// live is what the file says, in fewer lines.
func (j *Journal) live(all iter.Seq[[]byte]) ([]byte, error) {
	k := read(all)
	k.Forget(j.now)
	writers := k.writers[len(k.writers)-len(k.History):]
	told := map[string]bool{}
	for i := range k.History {
		told[k.History[i].Key()] = true
	}
	records := append([]record{{State: k.Memory}}, k.waiting.untold(told)...) // they are older than the history
	for i := range k.History {
		records = append(records, record{Writer: writers[i], Event: &k.History[i], Past: true, Do: k.waiting.left(k.History[i].Key())})
	}
	return lines(append(records, k.waiting.notices()...))
}

func lines(records []record) (text []byte, err error) {
	for i := range records {
		line, err := printable.JSONLine(&records[i])
		if err != nil {
			return nil, err
		}
		text = append(text, line...)
	}
	return text, nil
}

// Keep writes events down, in one go with what is to be delivered of them, which is on the disk
// then, as what users did is.
func (j *Journal) Keep(events []alert.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var records []record
	durable := false
	for i := range events {
		r := record{Writer: j.writer, Event: &events[i]}
		if j.waiting != nil {
			r.Do = toDeliver(&events[i])
		}
		durable = durable || events[i].Kind.IsAct() || len(r.Do) > 0
		records = append(records, r)
		j.now = events[i].Time
	}
	err := j.write(records, durable)
	if j.waiting == nil {
		return err
	}
	gone, _, full := j.waiting.giveUp(time.Time{}, j.most)
	if full && !j.waiting.full {
		j.waiting.full = true
		err = errors.Join(err, store.Fail("keep", j.file.Name, errFull))
	}
	return errors.Join(err, j.write(gone, false))
}

// write adds records, and what follows of them for what waits.
func (j *Journal) write(records []record, durable bool) error {
	if len(records) == 0 {
		return nil
	}
	text, err := lines(records)
	if err != nil {
		return store.Fail("write", j.file.Name, err)
	}
	if j.waiting != nil {
		i := 0
		for line := range bytes.Lines(text) {
			j.waiting.read(&records[i], len(line))
			i++
		}
	}
	return j.file.Append(text, durable)
}

// Acts are the events of what users did that other processes wrote down since the last call.
// Where nothing came it costs a look at the file.
func (j *Journal) Acts() ([]alert.Event, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.file.CatchUp()
	var acts []alert.Event
	err := j.file.Lines(func(line []byte) {
		r, ok := parse(line)
		if !ok || r.Event == nil || r.Known || r.Writer == j.writer || r.Event.Seq <= j.seen[r.Writer] {
			return
		}
		j.seen[r.Writer] = r.Event.Seq
		if r.Event.Kind.IsAct() {
			acts = append(acts, *r.Event)
		}
	})
	return acts, err
}

// Lead tells whether this process is the one that leads. It is from the first call on
// for which no other one does, until Close.
func (j *Journal) Lead() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lead != nil {
		return true
	}
	j.lead, _ = osfile.Take(filepath.Join(j.dir, LeadFile), 0)
	return j.lead != nil
}

// Close ends what Lead began. What waits to be delivered stays.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.file.CatchUp()
	j.waiting = nil
	if j.lead != nil {
		osfile.Release(j.lead)
		j.lead = nil
	}
}

// toDeliver are the actions of an event that outlive a run.
func toDeliver(ev *alert.Event) (out []string) {
	for _, a := range ev.Actions {
		if text := a.String(); a.Do.IsKept() && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
