package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/system/store"
)

var now = time.Date(2026, 3, 2, 14, 7, 32, 5, time.UTC)

func event(seq uint64, actions ...string) alert.Event {
	ev := alert.Event{
		Seq: seq, Time: now.Add(time.Duration(seq) * time.Millisecond), Kind: alert.Fired, Severity: alert.Critical,
		ID: alert.ID{Rule: "slow disk", Host: "db", Set: "Disk", Counter: "Queue", Name: fmt.Sprint(seq)}, Path: `\\db\Disk(C:)\Queue`,
		Op: '>', Limit: 5, Value: new(9.0), Shown: "9",
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

func take(t testing.TB, dir string) (*Journal, Pending) {
	t.Helper()
	j, _ := open(t, dir)
	p, err := j.Take(now.Add(time.Minute))
	must(t, err)
	return j, p
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
func fill(t testing.TB, o *Journal) {
	var events []alert.Event
	for seq := range uint64(6) {
		events = append(events, event(seq, "webhook:ops", "bell", "task:page", "record:x"))
	}
	must(t, o.Keep(append(events, event(7, "bell"), event(8))))
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
	o, p := take(t, dir)
	if got := signs(p); got != "" {
		t.Fatal(got)
	}
	fill(t, o)
	for range 2 { // reading it again says the same
		_, p := take(t, dir)
		if got := signs(p); got != filled || p.Old != 0 {
			t.Errorf("%q, want %q; %+v", got, filled, p)
		}
		n := p.Notices[0]
		if want := event(1); n.Text() != want.Text() || n.Key() != want.Key() || n.More[0].Key() != new(event(2)).Key() {
			t.Errorf("%q with ID %s", n.Text(), n.Key())
		}
	}
	// Killed in the middle of a line: that one is lost, and no other.
	name := filepath.Join(dir, fileName)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(`{"e":{"seq":9`)
	must(t, errors.Join(err, f.Close()))
	o, memory, damaged, err := Open(dir, now)
	if err != nil || damaged != 1 || len(memory.History) != 8 {
		t.Errorf("%d events, %d damaged, %v", len(memory.History), damaged, err)
	}
	p, err = o.Take(now)
	must(t, err)
	if signs(p) != filled { // the file was written anew
		t.Errorf("%q", signs(p))
	}
	must(t, o.Keep([]alert.Event{event(9, "syslog")}))
	if _, p := take(t, dir); signs(p) != filled+" 9?syslog" {
		t.Errorf("%q", signs(p))
	}
}

// Only who takes it keeps what is to be delivered: lines of others have nothing of it. What was
// delivered is not delivered again, whoever writes the file anew.
func TestOneDelivers(t *testing.T) {
	dir := t.TempDir()
	other, _ := open(t, dir)
	must(t, other.Keep([]alert.Event{event(100, "webhook:ops")}))
	o, p := take(t, dir)
	if signs(p) != "" {
		t.Errorf("%q", signs(p))
	}
	other.file.Roomy = 2 << 10
	var ones []string
	for seq := range uint64(60) {
		ev := event(seq, "webhook:ops")
		n := alert.Notice{Event: ev}
		must(t, o.Keep([]alert.Event{ev}))
		must(t, o.Form(&n))
		if seq%20 == 0 {
			ones = append(ones, fmt.Sprint(seq, ":webhook:ops"))
		} else {
			must(t, o.Done(ev.Actions[0], &n))
			must(t, o.Done(ev.Actions[0], &n))
		}
		must(t, other.Keep([]alert.Event{event(200+seq, "webhook:ops")}))
	}
	if text, _ := os.ReadFile(filepath.Join(dir, fileName)); !strings.HasPrefix(string(text), store.FormJSON+"\n"+`{"state"`) {
		t.Error("the file was never written anew")
	}
	if _, p := take(t, dir); signs(p) != strings.Join(ones, " ") {
		t.Errorf("%q, want %q", signs(p), ones)
	}
	// Lines that tell of deliveries are no events.
	memory, damaged, err := Read(dir, now)
	if err != nil || damaged != 0 || len(memory.History) != 121 {
		t.Errorf("%d events, %d damaged, %v", len(memory.History), damaged, err)
	}
}

// Events that wait are there when the history has lost them.
func TestWaitsLongerThanHistory(t *testing.T) {
	dir := t.TempDir()
	o, _ := take(t, dir)
	must(t, o.Keep([]alert.Event{event(1, "webhook:ops")}))
	for seq := uint64(2); seq < 2500; seq += 100 {
		var events []alert.Event
		for n := range uint64(100) {
			events = append(events, event(seq+n))
		}
		must(t, o.Keep(events))
	}
	memory, _, err := Read(dir, now)
	if err != nil || memory.History[0].Seq == 1 {
		t.Fatalf("the history keeps %d, %v", len(memory.History), err)
	}
	o.file.Roomy = 1
	must(t, o.Keep([]alert.Event{event(7000)}))
	for range 2 {
		j, p := take(t, dir)
		if signs(p) != "1?webhook:ops" {
			t.Errorf("%q", signs(p))
		}
		j.file.Roomy = 1
		must(t, j.Keep([]alert.Event{event(7001)}))
	}
	if now, _, err := Read(dir, now); err != nil || now.History[0].Seq == 1 || len(now.History) != len(memory.History) {
		t.Errorf("the history has %d then, %v", len(now.History), err)
	}
}

// What waits stays in its order, however much the history lost.
func TestOrderOfWhatWaits(t *testing.T) {
	dir := t.TempDir()
	o, _ := take(t, dir)
	var want []string
	for seq := uint64(1); seq <= 1500; {
		var events []alert.Event
		for range 50 {
			events = append(events, event(seq, "webhook:ops"))
			want = append(want, fmt.Sprint(seq, "?webhook:ops"))
			seq++
		}
		must(t, o.Keep(events))
	}
	o.file.Roomy = 1
	must(t, o.Keep([]alert.Event{event(1501)}))
	if _, p := take(t, dir); signs(p) != strings.Join(want, " ") {
		t.Errorf("%.300q", signs(p))
	}
}

// What is too old is not sent: nobody wants yesterday's alarm.
func TestOld(t *testing.T) {
	dir := t.TempDir()
	o, _ := take(t, dir)
	fill(t, o)
	for _, old := range []int{5, 0} {
		j, _ := open(t, dir)
		if p, err := j.Take(now.Add(25 * time.Hour)); err != nil || signs(p) != "" || p.Old != old {
			t.Errorf("%q, %d old, %v", signs(p), p.Old, err)
		}
	}
}

// What waits is bounded: of too much the newest stays, and it is said once.
func TestBounded(t *testing.T) {
	dir := t.TempDir()
	o, _ := take(t, dir)
	o.most = 64 << 10
	told, seq := 0, uint64(0)
	for range 40 {
		var events []alert.Event
		for range 20 {
			seq++
			events = append(events, event(seq, "webhook:ops"))
		}
		if err := o.Keep(events); err != nil {
			if !errors.Is(err, errFull) {
				t.Fatal(err)
			}
			told++
		}
		n := alert.Notice{Event: events[0], More: events[1:]}
		must(t, o.Form(&n))
	}
	if _, p := take(t, dir); told != 1 || len(p.Notices) < 2 || len(p.Notices) > 20 || p.Notices[len(p.Notices)-1].More[18].Seq != seq {
		t.Errorf("told %d times, %d notices", told, len(p.Notices))
	}
}

// FuzzRead: whatever the file says, what was read is bounded by it, and written down it
// says the same.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	o, _ := take(f, dir)
	fill(f, o)
	text, _ := os.ReadFile(filepath.Join(dir, fileName))
	f.Add(string(text))
	for line := range strings.Lines(string(text)) {
		f.Add(line)
	}
	f.Add(`{"n":["a","a","b"],"p":["b"]}` + "\n" + `{"d":"a","a":"bell"}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		k := read(bytes.Lines([]byte(text)))
		p := k.waiting.pending()
		if lines := strings.Count(text, "\n") + 1; k.damaged+len(p.Notices)+len(p.Events) > lines {
			t.Fatalf("%d and %d of %d lines", len(p.Notices), len(p.Events), lines)
		}
		for _, n := range p.Notices {
			if slices.ContainsFunc(n.Actions, func(a alert.Action) bool { return !a.Do.IsKept() }) {
				t.Fatal("an action that is not delivered")
			}
		}
		again, err := hold("").live(bytes.Lines([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		second := read(bytes.Lines(again))
		if second.damaged != 0 {
			t.Fatalf("%d lines of ours cannot be read:\n%s", second.damaged, again)
		}
		if after := second.waiting.pending(); signs(after) != signs(p) {
			t.Errorf("%s\n%s", signs(p), signs(after))
		}
	})
}

// BenchmarkTake is an event that is to be delivered, on the disk.
func BenchmarkTake(b *testing.B) {
	o, _ := take(b, b.TempDir())
	for n := uint64(1); b.Loop(); n++ {
		ev := event(n, "webhook:ops")
		must(b, o.Keep([]alert.Event{ev}))
		must(b, o.Done(ev.Actions[0], &alert.Notice{Event: ev}))
	}
}

// What the disk had no room for is written when it has, also without another event, and is not
// said to be kept before. A folder in the place of the file stands for the full disk.
func TestCatchUp(t *testing.T) {
	for name, then := range map[string]func(*Journal){"a look": func(j *Journal) { j.IsKept() }, "the end": (*Journal).Close} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			full := filepath.Join(dir, fileName)
			o, _ := take(t, dir)
			must(t, os.Mkdir(full, 0o700))
			for seq := range uint64(3) {
				if o.Keep([]alert.Event{event(seq, "webhook:ops")}) == nil || o.IsKept() {
					t.Fatal("a full disk is not told")
				}
			}
			must(t, os.Remove(full))
			then(o)
			if _, p := take(t, dir); signs(p) != "0?webhook:ops 1?webhook:ops 2?webhook:ops" {
				t.Errorf("%q", signs(p))
			}
		})
	}
}
