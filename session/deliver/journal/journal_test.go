package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/system/store"
	"perfdeck/session/text/field"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

func id(n int) alert.ID {
	return alert.ID{Rule: fmt.Sprint("rule ", n), Host: "db", Set: "Disk", Counter: "Queue", Name: "C:", Number: uint64(n)}
}

func fired(seq, n int) alert.Event {
	return alert.Event{Seq: uint64(seq), Time: start.Add(time.Duration(seq) * time.Second), Kind: alert.Fired, ID: id(n), Severity: alert.Critical,
		Path: `\\db\Disk(C:)\Queue`, Instance: "C:", Op: '>', Limit: 0.025, Value: new(0.0412), Shown: "41.2 ms", ShownLimit: "25.0 ms", Hits: 5, Of: 6, Group: 1}
}

func acked(seq, n int) alert.Event {
	return alert.Event{Seq: uint64(seq), Time: start.Add(time.Duration(seq) * time.Second), Kind: alert.Acked, ID: id(n), By: "ana"}
}

// rule is one with every field.
func rule(t testing.TB) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(`\Disk(*)\Queue>0.025`)
	if err != nil {
		t.Fatal(err)
	}
	level := 0.015
	r.Name, r.Interval, r.Need, r.Of, r.Clear, r.Cooldown = "rule 1", alert.Once, 5, 6, &level, time.Minute
	r.Hosts, r.Except, r.Text, r.Severity, r.Totals = []string{"db*"}, []string{"D:"}, "call ana", alert.Careful, true
	r.Quiet = []alert.QuietHours{{From: 60, To: 120}}
	r.Actions = []alert.Action{{Do: alert.Task, Name: "page"}}
	return r
}

func open(t testing.TB, dir string) (*Journal, *alert.Memory) {
	t.Helper()
	j, memory, damaged, err := Open(dir, start.Add(time.Minute))
	if err != nil || damaged != 0 {
		t.Fatal(damaged, err)
	}
	t.Cleanup(j.Close)
	return j, memory
}

func keep(t testing.TB, j *Journal, events ...alert.Event) {
	t.Helper()
	if err := j.Keep(events); err != nil {
		t.Fatal(err)
	}
}

// What is kept is what the events say, however often it is opened.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	j, memory := open(t, dir)
	if len(memory.History)+len(memory.Alerts) != 0 {
		t.Errorf("an empty directory says %+v", memory)
	}
	r := rule(t)
	events := []alert.Event{
		fired(1, 1), fired(2, 2), fired(3, 3), acked(4, 1),
		{Seq: 5, Time: start, Kind: alert.Cleared, ID: id(2), Lasted: field.Seconds(3 * time.Second), Peak: "71.0 ms", Why: "gone", Until: start.Add(time.Hour)},
		{Seq: 6, Time: start, Kind: alert.Muted, ID: alert.ID{Host: "db"}, Until: start.Add(time.Hour), By: "ana"},
		{Seq: 7, Time: start, Kind: alert.Muted, ID: id(3), Until: start.Add(time.Second), By: "ana"},
		{Seq: 8, Time: start, Kind: alert.RulePut, ID: alert.ID{Rule: r.Name}, Rule: &r, By: "ana"},
		{Seq: 9, Time: start, Kind: alert.RuleDisabled, ID: alert.ID{Rule: "other"}, By: "ana"},
	}
	want := alert.NewMemory()
	for _, ev := range events {
		keep(t, j, ev)
		want.Add(ev)
	}
	want.Forget(start.Add(time.Minute))
	for range 3 {
		_, got := open(t, dir)
		equal(t, got, want)
	}
	if want.Alerts[id(1)].State != alert.Acknowledged || len(want.Mutes) != 1 || want.Rules["rule 1"].Text != "call ana" {
		t.Errorf("%+v", want)
	}
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func text(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func equal(t testing.TB, got, want *alert.Memory) {
	t.Helper()
	a, b, c, d := text(t, got), text(t, want), text(t, got.History), text(t, want.History)
	if !bytes.Equal(a, b) || !bytes.Equal(c, d) || !reflect.DeepEqual(got.Rules["rule 1"].When, want.Rules["rule 1"].When) {
		t.Fatalf("kept\n%s\n%s\nwant\n%s\n%s", a, c, b, d)
	}
}

// A file that was cut anywhere, as by a power failure, loses what came after the
// cut and nothing before it, and goes on.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, dir)
	keep(t, j, fired(1, 1))
	keep(t, j, acked(2, 1))
	keep(t, j, fired(3, 2))
	whole, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if cut%17 != 0 && !bytes.HasPrefix(whole[cut:], []byte("\n")) && !bytes.HasSuffix(whole[:cut], []byte("\n")) {
			continue // at the ends of lines, and here and there
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		lines := max(0, bytes.Count(whole[:cut], []byte("\n"))-1) // behind that of the form
		torn := cut > 0 && whole[cut-1] != '\n'
		j, memory, damaged, err := Open(dir, start)
		if err != nil || len(memory.History) != lines || damaged > 0 != torn {
			t.Fatalf("cut at %d: %d events, %d damaged, %v", cut, len(memory.History), damaged, err)
		}
		if lines > 1 && memory.Alerts[id(1)].State != alert.Acknowledged {
			t.Fatalf("cut at %d: the acknowledged state is lost", cut)
		}
		keep(t, j, fired(9, 9))
		if _, memory, damaged, _ = Open(dir, start); damaged != 0 || len(memory.History) != lines+1 {
			t.Fatalf("cut at %d: %d events, %d damaged after going on", cut, len(memory.History), damaged)
		}
	}
	// A tear while the journal is open.
	f, _ := os.OpenFile(filepath.Join(dir, fileName), os.O_WRONLY|os.O_APPEND, 0)
	f.WriteString(`{"w":"x","e":{"se`)
	f.Close()
	keep(t, j, acked(5, 2))
	if _, memory, damaged, _ := Open(dir, start); damaged != 1 || memory.Alerts[id(2)].State != alert.Acknowledged {
		t.Errorf("%d damaged, %+v", damaged, memory.Alerts)
	}
}

// Several processes write at once; nothing is torn or lost, also when the file is
// written anew meanwhile, and everyone hears of the acts of the others once.
func TestManyProcesses(t *testing.T) {
	const writers, each = 4, 100
	dir := t.TempDir()
	journals := make([]*Journal, writers)
	for n := range writers {
		journals[n], _ = open(t, dir)
		journals[n].file.Roomy = 16 << 10 // so that the file is written anew a few times
	}
	heard := make([]map[string]int, writers)
	var wg sync.WaitGroup
	for n, j := range journals {
		heard[n] = map[string]int{}
		hear := func() {
			acts, err := j.Acts()
			if err != nil {
				t.Error(err)
			}
			for _, ev := range acts {
				heard[n][ev.By]++
			}
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				if err := j.Keep([]alert.Event{fired(i*2+1, n*each+i)}); err != nil {
					t.Error(err)
				}
				if i%20 == 0 {
					act := acked(i*2+2, n*each+i)
					act.By = fmt.Sprint(n, "/", i)
					if err := j.Keep([]alert.Event{act}); err != nil {
						t.Error(err)
					}
				}
				if i%10 == n {
					hear()
				}
			}
		}()
	}
	wg.Wait()
	for n, j := range journals {
		acts, err := j.Acts()
		if err != nil {
			t.Error(err)
		}
		for _, ev := range acts {
			heard[n][ev.By]++
		}
		if len(heard[n]) != (writers-1)*each/20 {
			t.Errorf("%d heard of %v", n, heard[n])
		}
		for who, times := range heard[n] {
			if times != 1 {
				t.Errorf("%d heard %d times of %s", n, times, who)
			}
		}
	}
	_, memory := open(t, dir)
	if len(memory.Alerts) != writers*each || memory.Alerts[id(0)].State != alert.Acknowledged {
		t.Errorf("%d alerts are kept", len(memory.Alerts))
	}
	if text, _ := os.ReadFile(filepath.Join(dir, fileName)); !bytes.HasPrefix(text, []byte(store.FormJSON+"\n"+`{"state":`)) {
		t.Error("the file was never written anew")
	}
	left, _ := filepath.Glob(filepath.Join(dir, fileName+".*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLead(t *testing.T) {
	dir := t.TempDir()
	a, _ := open(t, dir)
	b, _ := open(t, dir)
	if !a.Lead() || !a.Lead() || b.Lead() {
		t.Error("not exactly one leads")
	}
	a.Close()
	if !b.Lead() || a.Lead() {
		t.Error("the other does not take over")
	}
}

func TestFailures(t *testing.T) {
	_, _, _, err := Open(filepath.Join(t.TempDir(), "none"), start)
	var e *store.Error
	if !errors.As(err, &e) || e.Hint() == "" {
		t.Errorf("error %v", err)
	}
	dir := t.TempDir()
	j, _ := open(t, dir)
	if err := os.Mkdir(filepath.Join(dir, fileName), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := j.Keep([]alert.Event{fired(1, 1)}); !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
	if _, err := j.Acts(); !errors.As(err, &e) && runtime.GOOS != "windows" { // where a folder has no size
		t.Errorf("error %v", err)
	}
}

// FuzzOpen: whatever the file holds, it is opened, and what is added then is kept.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	j, _ := open(f, dir)
	r := rule(f)
	keep(f, j, fired(1, 1), acked(2, 1), alert.Event{Kind: alert.RulePut, ID: alert.ID{Rule: r.Name}, Rule: &r}, alert.Event{Kind: alert.Muted, Until: start})
	seed, _ := os.ReadFile(filepath.Join(dir, fileName))
	f.Add(seed)
	f.Add([]byte(`{"state":{"alerts":[{"id":{"rule":"a"},"state":3}],"mutes":[{"scope":{},"until":"2026-03-02T00:00:00Z"}]}}` + "\n"))
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, memory, _, err := Open(dir, start)
		if err != nil {
			t.Fatal(err)
		}
		e := alert.NewEngine([]alert.Rule{rule(t)}, 0, time.UTC, memory)
		if e.Board() == nil {
			t.Fatal("no board")
		}
		keep(t, j, fired(1000, 1))
		_, memory, damaged, err := Open(dir, start)
		if err != nil || damaged != 0 || memory.Alerts[id(1)].State != alert.Firing {
			t.Fatalf("%d damaged, %v, %+v", damaged, err, memory.Alerts)
		}
	})
}

// What the disk had no room for is written when it has, also without another event, in order and
// once; of too much the newest stays. A folder in the place of the file stands for the full disk.
func TestLate(t *testing.T) {
	for name, then := range map[string]func(*Journal) error{
		"the next event": func(j *Journal) error { return j.Keep([]alert.Event{fired(3, 3)}) },
		"a look":         func(j *Journal) error { _, err := j.Acts(); return err },
		"the end":        func(j *Journal) error { j.Close(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j, _ := open(t, dir)
			full := filepath.Join(dir, fileName)
			if err := os.Mkdir(full, 0o700); err != nil {
				t.Fatal(err)
			}
			if j.Keep([]alert.Event{fired(1, 1)}) == nil || j.Keep([]alert.Event{acked(2, 1)}) == nil {
				t.Fatal("a full disk is not told")
			}
			if err := os.Remove(full); err != nil {
				t.Fatal(err)
			}
			if err := then(j); err != nil {
				t.Error(err)
			}
			keep(t, j, fired(4, 4))
			var seqs []uint64
			_, memory := open(t, dir)
			for _, ev := range memory.History {
				seqs = append(seqs, ev.Seq)
			}
			want := []uint64{1, 2, 4}
			if name == "the next event" {
				want = []uint64{1, 2, 3, 4}
			}
			if !reflect.DeepEqual(seqs, want) {
				t.Errorf("kept %v, want %v", seqs, want)
			}
		})
	}
}
