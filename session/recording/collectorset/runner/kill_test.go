package runner

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
)

const (
	// victimVariable makes the test binary a runner that the test kills: the folder that
	// has its sets and what they collect.
	victimVariable = "PERFDECK_TEST_VICTIM"
	// killsVariable is how often runners are killed.
	killsVariable = "PERFDECK_TEST_KILLS"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimVariable); dir != "" {
		victim(dir)
	}
	os.Exit(m.Run())
}

// victimRows are the rows of each file of a victim, victimFolders the folders it keeps.
const (
	victimRows    = 2
	victimFolders = 3
)

// victim runs a set with the recorders of the product on an invented host, as fast as
// they go, until it is killed or the set is to end. For each segment it prints a line.
func victim(dir string) {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	clock := session.NewSystemClock()
	host := fake.Demo(clock)[0]
	sampler := session.NewSampler(host.Name, host.Source, clock)
	go sampler.Run(context.Background())
	s := store.Open(filepath.Join(dir, "sets"))
	err := Run(context.Background(), Options{
		Name: "T", Store: s, Root: filepath.Join(dir, "T"), Computer: "WEB01", Clock: clock, Zone: time.UTC,
		Hosts: func(q []session.Question) ([]collector.Host, error) {
			return []collector.Host{{Name: host.Name, Sampler: sampler, Paths: []string{q[0].Text}}}, nil
		},
		Record: func(o collector.Options) (Recording, error) {
			o.Every, o.MinFree, o.Go = session.MinInterval, -1, func(f func()) { go f() }
			fmt.Println(o.File)
			return collector.Start(o)
		},
		Report: func(err error) { fmt.Println("report", err) },
	})
	if err != nil {
		fail(err)
	}
	os.Exit(0)
}

// TestKill kills runners at random moments of rolling and removing: the set can be read,
// its numbers go on, nothing that is foreign is touched, every folder that holds anything
// is in the journal, and files that were closed are whole. It does so 4 times, or as often
// as PERFDECK_TEST_KILLS says:
//
//	PERFDECK_TEST_KILLS=200 go test -run Kill ./session/recording/collectorset/runner
func TestKill(t *testing.T) {
	kills := 4
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		kills = n
	}
	dir := t.TempDir()
	s := store.Open(filepath.Join(dir, "sets"))
	one := set(func(s *collectorset.Set) {
		s.Segment = true
		s.Collectors[0].SegmentMaxRecords = victimRows
		s.Collectors[0].Counters = []string{`\Memory\Available MBytes`}
		s.Manager = collectorset.NewManager()
		s.Manager.Enabled, s.Manager.MaxFolderCount, s.Manager.ResourcePolicy = true, victimFolders, collectorset.DeleteOldest
	}, "A")
	if err := s.Create(&store.Entry{Set: one}); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "T", "WEB01_foreign", "kept")
	if err := os.MkdirAll(filepath.Dir(foreign), 0o700); err == nil {
		err = os.WriteFile(foreign, []byte("kept"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(uint64(kills), 11))
	serial := uint32(1)
	for life := range kills {
		killed(t, dir, life > 0, time.Duration(random.IntN(400))*time.Millisecond)
		e, err := s.Load("T")
		if err != nil {
			t.Fatalf("life %d: %v", life, err)
		}
		if e.Set.SerialNumber <= serial {
			t.Fatalf("life %d: the next number is %d, it was %d", life, e.Set.SerialNumber, serial)
		}
		serial = e.Set.SerialNumber
		checkLeft(t, life, dir, e)
	}
	ended(t, dir, s)
	e, err := s.Load("T")
	if err != nil || e.Set.Status != 0 || e.State.Ended.IsZero() || len(e.State.Folders) > victimFolders+1 {
		t.Errorf("after a run that ended: %+v %v", e.State, err)
	}
	checkLeft(t, kills, dir, e)
	if text, err := os.ReadFile(foreign); string(text) != "kept" {
		t.Errorf("what is foreign: %q %v", text, err)
	}
}

// runVictim starts one; its lines are to be read.
func runVictim(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name)
	cmd.Env = append(os.Environ(), victimVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// killed lets a runner live for a while after its second segment began, and kills it. One
// that comes after another that died says so.
func killed(t *testing.T, dir string, after bool, span time.Duration) {
	t.Helper()
	cmd, lines := runVictim(t, dir)
	told, segments := false, 0
	for segments < 2 && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "report ") {
			told = told || strings.Contains(lines.Text(), "did not end as it should")
			continue
		}
		segments++
	}
	if told != after || segments < 2 {
		t.Errorf("of the life before was told: %v, want %v; %d segments", told, after, segments)
	}
	time.Sleep(span)
	_ = cmd.Process.Kill()
	for lines.Scan() {
	}
	_ = cmd.Wait()
}

// ended lets a runner live until it is told to end, behind its fifth segment.
func ended(t *testing.T, dir string, s *store.Store) {
	t.Helper()
	cmd, lines := runVictim(t, dir)
	for segments := 0; segments < victimFolders+2 && lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "report ") {
			segments++
		}
	}
	if err := s.WantEnd("T"); err != nil {
		t.Error(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// checkLeft checks what a life left below the root against the journal.
func checkLeft(t *testing.T, life int, dir string, e *store.Entry) {
	t.Helper()
	root := filepath.Join(dir, "T")
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		files, _ := os.ReadDir(filepath.Join(root, f.Name()))
		at := slices.IndexFunc(e.State.Folders, func(known store.Folder) bool { return known.Name == f.Name() })
		switch {
		case f.Name() == "WEB01_foreign":
		case at < 0 && len(files) > 0: // an empty one is that of the segment that was to begin
			t.Errorf("life %d: %s holds %d files and is in no journal", life, f.Name(), len(files))
		case at >= 0 && at < len(e.State.Folders)-1:
			checkWhole(t, life, filepath.Join(root, f.Name(), "A.csv"), e.State.Folders[at+1:])
		}
	}
}

// checkWhole checks the file of a segment that was closed before another one of its life:
// all of its rows are there. One whose process died has fewer, or was being removed.
func checkWhole(t *testing.T, life int, file string, later []store.Folder) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		return // it was being removed
	}
	rows := strings.Count(string(text), "\n") - 1
	if rows > victimRows || rows < 0 && len(text) > 0 && len(later) > victimFolders {
		t.Errorf("life %d: %s has %d rows", life, file, rows)
	}
	if len(text) > 0 && rows >= 0 && !strings.HasPrefix(string(text), `"(PDH-CSV`) {
		t.Errorf("life %d: %s begins with %.40q", life, file, text)
	}
}
