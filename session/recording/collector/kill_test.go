package collector

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/fake"
)

const (
	// victimVariable makes the test binary a recorder that the test kills: the
	// file it records to.
	victimVariable = "PERFDECK_TEST_VICTIM"
	// killsVariable is how often recorders are killed.
	killsVariable = "PERFDECK_TEST_KILLS"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(victimVariable); file != "" {
		victim(file)
	}
	if steps := os.Getenv(successorVariable); steps != "" {
		actSuccessor(steps)
	}
	os.Exit(m.Run())
}

// victimRows are the rows of each file of a victim.
const victimRows = 20

// victim records, or goes on with a recording, until it is killed. For each row
// that was written it prints how many there are.
func victim(file string) {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	clock := session.NewSystemClock()
	script := plain("a")
	sampler := session.NewSampler("a", fake.New(script, clock), clock)
	dir := filepath.Join(filepath.Dir(file), "state")
	o := Options{Subject: Subject{Hosts: []Host{{Name: "a", Paths: []string{`\Memory\*`, `\Disk(*)\*`}}}, Every: session.MinInterval}, Files: Files{File: file}, Keeping: Keeping{Sync: SyncAlways, MinFree: -1}}
	o.Segment.Samples = victimRows
	if list, damaged := List(dir, time.Now()); damaged != nil {
		fail(damaged[0])
	} else if len(list) > 0 {
		var err error
		if o, err = list[0].Restore(); err != nil {
			fail(err)
		}
	}
	o.Dir, o.Clock, o.Hosts[0].Sampler = dir, clock, sampler
	o.Go = func(f func()) { go f() }
	o.Report = func(err error) { fmt.Fprintln(os.Stderr, err) }
	changed := make(chan struct{}, 1)
	o.Changed = func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	rec, err := Start(o)
	if err != nil {
		fail(err)
	}
	go sampler.Run(context.Background())
	for last := int64(-1); ; {
		select {
		case <-changed:
		case <-rec.Done():
			fail(rec.Status().Err)
		}
		if s := rec.Status(); s.Samples != last {
			last = s.Samples
			fmt.Println(last)
		}
	}
}

// TestKill kills recorders at random moments: what was written is there, rows have
// no holes but for those between two lives, and the next process goes on in the same
// file, until that has its rows: none but the newest is empty or short. It does
// so 36 times, or as often as PERFDECK_TEST_KILLS says:
//
//	PERFDECK_TEST_KILLS=200 go test -run Kill ./session/recording/collector
func TestKill(t *testing.T) {
	kills := 36
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		kills = n
	} else if testing.Short() {
		kills = 6
	}
	for _, file := range []string{"n.csv", "n.db", "n.json", "n.blg"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			random := rand.New(rand.NewPCG(uint64(kills), 7))
			for life := range kills/3 + 1 {
				written := written(t, dir, file)
				acknowledged := oneLife(t, filepath.Join(dir, file), written, time.Duration(random.IntN(600))*time.Millisecond)
				after := writtenTimes(t, dir, file)
				if len(after) < written || acknowledged > 0 && len(after) < acknowledged {
					t.Fatalf("life %d: %d rows, %d were there before, %d were written", life, len(after), written, acknowledged)
				}
				for i := max(1, written+1); i < len(after); i++ { // of this life
					if d := after[i].Sub(after[i-1]); d <= 0 || d > 20*session.MinInterval {
						t.Errorf("life %d: row %d comes %v after the one before", life, i, d)
					}
				}
			}
			if n := written(t, dir, file); n < kills/3 {
				t.Errorf("only %d rows in all lives", n)
			}
		})
	}
}

// oneLife lets a recorder live for a while after its first row beside those of
// before, and kills it. It returns how many rows there are with these, 0 if it did
// not tell.
func oneLife(t *testing.T, file string, before int, span time.Duration) (acknowledged int) {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name)
	cmd.Env = append(os.Environ(), victimVariable+"="+file)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for span > 50*time.Millisecond && acknowledged <= before { // some are killed before
		if !lines.Scan() {
			t.Error("the recorder ended by itself")
			break
		}
		acknowledged, _ = strconv.Atoi(strings.TrimSpace(lines.Text()))
	}
	time.Sleep(span)
	_ = cmd.Process.Kill()
	for lines.Scan() {
		if n, err := strconv.Atoi(strings.TrimSpace(lines.Text())); err == nil {
			acknowledged = n
		}
	}
	_ = cmd.Wait()
	return acknowledged
}

func written(t *testing.T, dir, file string) int { return len(writtenTimes(t, dir, file)) }

// writtenTimes are the times of all rows, by the order of the files.
func writtenTimes(t *testing.T, dir, file string) (times []time.Time) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, strings.TrimSuffix(file, filepath.Ext(file))+"_*"+filepath.Ext(file)))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		r, err := formats.Open(context.Background(), name, logs.OpenOptions{})
		if err != nil && i == len(names)-1 {
			continue // it was killed when it had just made the file
		}
		if err != nil {
			t.Errorf("nobody went on with %v", err)
			continue
		}
		r.Close()
		rows := readTable(t, name).times
		if i < len(names)-1 && len(rows) != victimRows {
			t.Errorf("%s has %d rows, want %d", filepath.Base(name), len(rows), victimRows)
		}
		times = append(times, rows...)
	}
	return times
}
