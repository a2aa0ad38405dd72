package outbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
)

var now = time.Date(2026, 3, 2, 14, 7, 32, 5, time.UTC)

func event(seq uint64, actions ...string) alert.Event {
	ev := alert.Event{
		Seq: seq, Time: now.Add(time.Duration(seq) * time.Millisecond), Kind: alert.Fired, Severity: alert.Critical,
		ID: alert.ID{Rule: "slow disk", Host: "db", Set: "Disk", Counter: "Queue", Name: fmt.Sprint(seq)}, Path: `\\db\Disk(C:)\Queue`,
		Op: '>', Limit: 5, Value: 9, HasValue: true, Shown: "9",
	}
	for _, text := range actions {
		a, ok := alert.ParseAction(text)
		if !ok {
			panic(text)
		}
		ev.Actions = append(ev.Actions, a)
	}
	return ev
}

func open(t testing.TB, dir string) (*Outbox, Pending) {
	t.Helper()
	o, p, err := Open(dir, now.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return o, p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// signs tells what waits: notices as 1+2:actions, events without one as 3:actions.
func signs(p Pending) string {
	actions := func(ev *alert.Event) string {
		var out []string
		for _, a := range ev.Actions {
			out = append(out, a.String())
		}
		return strings.Join(out, ",")
	}
	var out []string
	for _, n := range p.Notices {
		word := fmt.Sprint(n.Seq)
		for _, ev := range n.More {
			word += fmt.Sprint("+", ev.Seq)
		}
		for _, ev := range n.Passed {
			word += fmt.Sprint("-", ev.Seq)
		}
		out = append(out, word+":"+actions(&n.Event))
	}
	for _, ev := range p.Events {
		out = append(out, fmt.Sprint(ev.Seq)+"?"+actions(&ev))
	}
	return strings.Join(out, " ")
}

// fill notes six events in three notices, of which one is told and another half.
func fill(t testing.TB, o *Outbox) {
	var events []alert.Event
	for seq := range uint64(6) {
		events = append(events, event(seq, "webhook:ops", "bell", "task:page", "record:x"))
	}
	must(t, o.Put(append(events, event(7, "bell"), event(8))))
	told := alert.Notice{Event: events[0]}
	half := alert.Notice{Event: events[1], More: events[2:3], Passed: events[3:4]}
	must(t, o.Form(&told))
	must(t, o.Form(&half))
	for _, a := range events[0].Actions {
		must(t, o.Done(a, &told))
	}
	must(t, o.Done(events[0].Actions[2], &half))
}

const filled = "1+2-3:webhook:ops 4?webhook:ops,task:page 5?webhook:ops,task:page"

// What waits is there again whenever the program is killed: nothing is closed here.
func TestWhatWaitsSurvives(t *testing.T) {
	dir := t.TempDir()
	o, p := open(t, dir)
	if got := signs(p); got != "" {
		t.Fatal(got)
	}
	fill(t, o)
	for range 2 { // reading it again says the same
		_, p := open(t, dir)
		if got := signs(p); got != filled || p.Damaged+p.Old != 0 {
			t.Errorf("%q, want %q; %+v", got, filled, p)
		}
		n := p.Notices[0]
		if want := event(1); n.Text() != want.Text() || n.Key() != want.Key() || n.More[0].Key() != new(event(2)).Key() {
			t.Errorf("%q with ID %s", n.Text(), n.Key())
		}
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// Killed in the middle of a line: that one is lost, and no other.
	name := filepath.Join(dir, fileName)
	text, err := os.ReadFile(name)
	must(t, err)
	o, _ = open(t, dir)
	must(t, os.WriteFile(name, append(text, `{"e":{"seq":9`...), 0o600))
	o, p = open(t, dir)
	if got := signs(p); got != filled || p.Damaged != 1 {
		t.Errorf("%q, %d damaged", got, p.Damaged)
	}
	must(t, o.Put([]alert.Event{event(9, "syslog")}))
	if _, p := open(t, dir); signs(p) != filled+" 9?syslog" {
		t.Errorf("%q", signs(p))
	}
}

// When all is delivered the file is empty.
func TestEmptyAgain(t *testing.T) {
	dir := t.TempDir()
	o, _ := open(t, dir)
	for seq := range uint64(60) {
		ev := event(seq, "webhook:ops")
		must(t, o.Put([]alert.Event{ev}))
		n := alert.Notice{Event: ev}
		must(t, o.Form(&n))
		must(t, o.Done(ev.Actions[0], &n))
		must(t, o.Done(ev.Actions[0], &n))
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Size() != 0 {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

// What is too old is not sent: nobody wants yesterday's alarm.
func TestOld(t *testing.T) {
	dir := t.TempDir()
	o, _ := open(t, dir)
	fill(t, o)
	_, p, err := Open(dir, now.Add(25*time.Hour))
	if err != nil || signs(p) != "" || p.Old != 5 {
		t.Errorf("%q, %d old, %v", signs(p), p.Old, err)
	}
}

// The file is bounded: of too much the newest stays, and it is said once.
func TestBounded(t *testing.T) {
	dir := t.TempDir()
	o, _ := open(t, dir)
	o.most = 64 << 10
	told, seq := 0, uint64(0)
	for range 40 {
		var events []alert.Event
		for range 20 {
			seq++
			events = append(events, event(seq, "webhook:ops"))
		}
		if err := o.Put(events); err != nil {
			if !errors.Is(err, errFull) {
				t.Fatal(err)
			}
			told++
		}
		n := alert.Notice{Event: events[0], More: events[1:]}
		must(t, o.Form(&n))
	}
	info, err := os.Stat(filepath.Join(dir, fileName))
	must(t, err)
	if _, p := open(t, dir); info.Size() > int64(o.most)*3/2 || told < 1 || told > 2 || len(p.Notices) < 2 || p.Notices[len(p.Notices)-1].More[18].Seq != seq {
		t.Errorf("%d bytes, told %d times, %d notices", info.Size(), told, len(p.Notices))
	}
}

// A folder that is gone is an error with a hint, and no more.
func TestNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	_, _, err := Open(dir, now)
	hinted, ok := errors.AsType[*Error](err)
	if !ok || hinted.Hint() == "" {
		t.Errorf("%v", err)
	}
}

// FuzzRead: whatever the file says, what was read is bounded by it, and written down it
// says the same.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	o, _ := open(f, dir)
	fill(f, o)
	text, _ := os.ReadFile(filepath.Join(dir, fileName))
	f.Add(string(text))
	for line := range strings.Lines(string(text)) {
		f.Add(line)
	}
	f.Add(`{"n":["a","a","b"],"p":["b"]}` + "\n" + `{"d":"a","a":"bell"}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		o := &Outbox{waiting: map[string]*entry{}}
		damaged := o.read([]byte(text))
		notices, events := o.pending()
		if lines := strings.Count(text, "\n") + 1; damaged+len(notices)+len(events) > lines {
			t.Fatalf("%d and %d of %d lines", len(notices), len(events), lines)
		}
		for _, n := range notices {
			if slices.ContainsFunc(n.Actions, func(a alert.Action) bool { return !a.Do.IsKept() }) {
				t.Fatal("an action that is not delivered")
			}
		}
		again, err := o.text()
		if err != nil {
			t.Fatal(err)
		}
		second := &Outbox{waiting: map[string]*entry{}}
		if n := second.read(again); n != 0 {
			t.Fatalf("%d lines of ours cannot be read:\n%s", n, again)
		}
		a, b := Pending{Notices: notices, Events: events}, Pending{}
		b.Notices, b.Events = second.pending()
		if signs(a) != signs(b) {
			t.Errorf("%s\n%s", signs(a), signs(b))
		}
	})
}

// What is to be delivered is on the disk before anybody is told of it, and a disk that
// refuses is told; what is done since may be done twice after a power cut.
func TestTakenIsOnTheDisk(t *testing.T) {
	o, _ := open(t, t.TempDir())
	var synced []string
	fails := error(nil)
	o.sync = func(f *os.File) error {
		text, err := os.ReadFile(f.Name())
		synced = append(synced, string(text))
		return errors.Join(err, fails)
	}
	first, second := event(1, "webhook:ops"), event(2, "bell")
	must(t, o.Put([]alert.Event{first, second}))
	if len(synced) != 1 || strings.Count(synced[0], "\n") != 1 || !strings.Contains(synced[0], "webhook:ops") {
		t.Errorf("synced %q", synced)
	}
	must(t, o.Put([]alert.Event{second}))
	must(t, o.Form(&alert.Notice{Event: first}))
	must(t, o.Done(first.Actions[0], &alert.Notice{Event: first}))
	if len(synced) != 1 {
		t.Errorf("synced %d times", len(synced))
	}
	fails = errors.New("input/output error")
	err := o.Put([]alert.Event{event(3, "webhook:ops")})
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Op != "sync" || !errors.Is(err, fails) || e.Hint() == "" {
		t.Errorf("a disk that refuses: %v", err)
	}
}

// BenchmarkTake is an event that is to be delivered, with and without the disk.
func BenchmarkTake(b *testing.B) {
	for name, sync := range map[string]func(*os.File) error{"on disk": (*os.File).Sync, "in memory": func(*os.File) error { return nil }} {
		b.Run(name, func(b *testing.B) {
			o, _ := open(b, b.TempDir())
			o.sync = sync
			for n := uint64(1); b.Loop(); n++ {
				ev := event(n, "webhook:ops")
				must(b, o.Put([]alert.Event{ev}))
				must(b, o.Done(ev.Actions[0], &alert.Notice{Event: ev}))
			}
		})
	}
}

// What the disk had no room for is written when it has, also without another event. A file that
// cannot be written to, and a folder in its place, stand for the full disk.
func TestCatchUp(t *testing.T) {
	for name, then := range map[string]func(*Outbox) error{"a look": (*Outbox).CatchUp, "the end": (*Outbox).Close} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			full := filepath.Join(dir, fileName)
			o, _ := open(t, dir)
			must(t, o.Put([]alert.Event{event(1, "webhook:ops")}))
			must(t, o.file.Close())
			if o.Put([]alert.Event{event(2, "webhook:ops")}) == nil {
				t.Fatal("a full disk is not told")
			}
			must(t, os.Remove(full))
			must(t, os.Mkdir(full, 0o700))
			if o.CatchUp() == nil || o.Put([]alert.Event{event(3, "webhook:ops")}) == nil {
				t.Fatal("a full disk is not told")
			}
			must(t, os.Remove(full))
			must(t, then(o))
			if _, p := open(t, dir); signs(p) != "1?webhook:ops 2?webhook:ops 3?webhook:ops" || p.Damaged != 0 {
				t.Errorf("%q, %d damaged", signs(p), p.Damaged)
			}
		})
	}
}
