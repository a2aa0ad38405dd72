package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/clocktest"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
)

// recorder stands for a recording: it writes its file when it begins, a row an interval,
// each of so many bytes.
type recorder struct {
	r     *rig
	o     collector.Options
	began time.Duration
	ended time.Duration // it was stopped; 0: it was not
	fails error
	asked bool // how it stands, after it was over
}

func (c *recorder) rows() int64 {
	now := c.r.clock.Now().Mono
	if c.ended > 0 {
		now = c.ended
	}
	n := int64((now - c.began) / c.o.Every)
	if c.o.Count > 0 {
		n = min(n, c.o.Count)
	}
	return n
}

func (c *recorder) Status() collector.Status {
	over := c.ended > 0 || c.fails != nil || c.o.Count > 0 && c.rows() == c.o.Count
	if over && c.r.late && !c.asked { // it ends while it is looked at
		c.asked, over = true, false
	}
	if over && c.r.lazy && c.ended == 0 {
		_ = c.Stop(context.Background(), "")
	}
	return collector.Status{Samples: c.rows(), Bytes: c.rows() * c.r.rowBytes, Ended: over, Err: c.fails}
}

func (c *recorder) Done() <-chan struct{} { return nil }

func (c *recorder) Stop(context.Context, string) error {
	if c.ended == 0 {
		c.ended = c.r.clock.Now().Mono
	}
	size := c.rows()
	if size == 0 && c.r.lazy {
		return nil
	}
	defer c.o.Begun(c.o.File)
	return os.WriteFile(c.o.File, slices.Repeat([]byte("x"), int(size)), 0o600) // a byte a row
}

// rig runs sets on a clock that the test moves.
type rig struct {
	*testing.T
	clock     *clocktest.Clock
	store     *store.Store
	root      string
	rowBytes  int64
	recorders []*recorder
	rules     []alert.Rule
	reports   []string
	cannot    error // of the next recording
	late      bool  // recordings end while they are looked at
	lazy      bool  // a file is made with its first row
}

var start0 = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC) // a Monday

func inBubble(t *testing.T, set *collectorset.Set, test func(r *rig)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := store.Open(filepath.Join(dir, "sets"))
		r := &rig{T: t, clock: clocktest.New(start0, synctest.Wait), store: s, root: filepath.Join(dir, "T"), rowBytes: 1}
		if err := s.Create(&store.Entry{Set: set}); err != nil {
			t.Fatal(err)
		}
		test(r)
	})
}

func (r *rig) options() Options {
	return Options{
		Name: "T", Store: r.store, Root: r.root, Computer: "WEB01", Clock: r.clock, Zone: time.UTC,
		Hosts: func(q []session.Question) ([]collector.Host, error) {
			return []collector.Host{{Name: "WEB01", Questions: q}}, nil
		},
		Record: func(o collector.Options) (Recording, error) {
			if r.cannot != nil {
				return nil, r.cannot
			}
			c := &recorder{r: r, o: o, began: r.clock.Now().Mono}
			r.recorders = append(r.recorders, c)
			if r.lazy {
				return c, nil
			}
			return c, os.WriteFile(o.File, nil, 0o600)
		},
		Judge: func(rules []alert.Rule) (Alerts, error) {
			r.rules = rules
			return endless{}, nil
		},
		Report: func(err error) { r.reports = append(r.reports, err.Error()) },
	}
}

type endless struct{}

func (endless) Done() <-chan struct{} { return nil }
func (endless) Stop()                 {}

// start runs the set; end stops it, if it does not end before, and gives its error.
func (r *rig) start() (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, r.options()) }()
	synctest.Wait()
	return func() error {
		cancel()
		return <-done
	}
}

// ran runs the set for a time.
func (r *rig) ran(d time.Duration) error {
	end := r.start()
	r.clock.Advance(d)
	return end()
}

// tree is what is below the root: names and sizes.
func (r *rig) tree() string {
	var out []string
	_ = filepath.WalkDir(r.root, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			info, _ := e.Info()
			rel, _ := filepath.Rel(r.root, name)
			out = append(out, fmt.Sprintf("%s %d", filepath.ToSlash(rel), info.Size()))
		}
		return nil
	})
	return strings.Join(out, ", ")
}

func (r *rig) entry() *store.Entry {
	r.Helper()
	e, err := r.store.Load("T")
	if err != nil {
		r.Fatal(err)
	}
	return e
}

// set is a set of collectors of counters, each with an interval of a second.
func set(change func(*collectorset.Set), names ...string) *collectorset.Set {
	s := collectorset.New("T")
	for _, name := range names {
		c := collectorset.NewCollector(collectorset.Counters, name)
		c.SampleInterval, c.LogFileFormat, c.Counters = 1, collectorset.CommaSeparated, []string{`\Memory\Seconds`}
		s.Collectors = append(s.Collectors, c)
	}
	if change != nil {
		change(s)
	}
	return s
}

const day = "WEB01_20260302-"

// TestLifeCycle holds the rows of the life cycle that end by themselves, and what is
// left then.
func TestLifeCycle(t *testing.T) {
	for name, c := range map[string]struct {
		set    *collectorset.Set
		runs   time.Duration
		row    int64 // bytes
		tree   string
		serial uint32
		code   string // of the error
	}{
		"stopped":                  {set: set(nil, "A"), runs: 5 * time.Second, tree: day + "000001/A.csv 5", serial: 2},
		"two collectors":           {set: set(nil, "A", "B"), runs: 5 * time.Second, tree: day + "000001/A.csv 5, " + day + "000001/B.csv 5", serial: 2},
		"duration":                 {set: set(func(s *collectorset.Set) { s.Duration = 60 }, "A"), runs: time.Hour, tree: day + "000001/A.csv 60", serial: 2},
		"segments by time":         {set: set(func(s *collectorset.Set) { s.Segment, s.SegmentMaxDuration = true, 3600 }, "A"), runs: 90 * time.Minute, tree: day + "000001/A.csv 3600, " + day + "000002/A.csv 1800", serial: 3},
		"no segments, by time":     {set: set(func(s *collectorset.Set) { s.SegmentMaxDuration = 3600 }, "A"), runs: 90 * time.Minute, tree: day + "000001/A.csv 3600", serial: 2},
		"duration covers segments": {set: set(func(s *collectorset.Set) { s.Segment, s.SegmentMaxDuration, s.Duration = true, 60, 90 }, "A"), runs: time.Hour, tree: day + "000001/A.csv 60, " + day + "000002/A.csv 30", serial: 3},
		"one reaches the size":     {set: set(func(s *collectorset.Set) { s.Segment, s.SegmentMaxSize = true, 1 }, "A", "B"), row: 1 << 19, runs: 3 * time.Second, tree: day + "000001/A.csv 2, " + day + "000001/B.csv 2, " + day + "000002/A.csv 1, " + day + "000002/B.csv 1", serial: 3},
		"samples of one roll all":  {set: set(func(s *collectorset.Set) { s.Segment, s.Collectors[0].SegmentMaxRecords = true, 10 }, "A", "B"), runs: 15 * time.Second, tree: day + "000001/A.csv 0, " + day + "000001/B.csv 10, " + day + "000002/A.csv 5, " + day + "000002/B.csv 5", serial: 3},
		"samples without segments": {set: set(func(s *collectorset.Set) { s.Collectors[0].SegmentMaxRecords = 10 }, "A", "B"), runs: 15 * time.Second, tree: day + "000001/A.csv 0, " + day + "000001/B.csv 15", serial: 2},
		"all complete":             {set: set(func(s *collectorset.Set) { s.Collectors[0].SegmentMaxRecords = 10 }, "A"), runs: time.Hour, tree: day + "000001/A.csv 0", serial: 2},
		"stop on completion": {set: set(func(s *collectorset.Set) {
			s.Segment, s.StopOnCompletion, s.Collectors[0].SegmentMaxRecords = true, true, 5
		}, "A"), runs: time.Hour, tree: day + "000001/A.csv 0", serial: 2},
		"completion without a limit": {set: set(func(s *collectorset.Set) { s.StopOnCompletion = true }, "A"), runs: 5 * time.Second, tree: day + "000001/A.csv 5", serial: 2},
		"segments of one name":       {set: set(func(s *collectorset.Set) { s.Segment, s.SegmentMaxDuration, s.SubdirectoryFormat = true, 60, 0 }, "A"), runs: time.Hour, tree: "A.csv 60", serial: 2, code: "0x800700B7"},
		"segments of one name, binary": {set: set(func(s *collectorset.Set) {
			s.Segment, s.SegmentMaxDuration, s.SubdirectoryFormat = true, 60, 0
			s.Collectors[0].LogFileFormat, s.Collectors[0].LogAppend = collectorset.Binary, true
		}, "A"), runs: 90 * time.Second, tree: "A.db 30", serial: 3},
		"two collectors of one file":   {set: set(func(s *collectorset.Set) { s.Collectors[1].FileName = "A" }, "A", "B"), runs: time.Second, serial: 1, code: "0x800700B7"},
		"SQL without a source is off":  {set: set(func(s *collectorset.Set) { s.Collectors[1].LogFileFormat = collectorset.SQL }, "A", "B"), runs: 2 * time.Second, tree: day + "000001/A.csv 2", serial: 2},
		"nothing to do":                {set: set(func(s *collectorset.Set) { s.Collectors[0].LogFileFormat = collectorset.SQL }, "A"), runs: 2 * time.Second, serial: 1, code: "0x80070057"},
		"the serial numbers are spent": {set: set(func(s *collectorset.Set) { s.SerialNumber = 0 }, "A"), runs: time.Second, serial: 0, code: "0x80070057"},
		"the last serial number":       {set: set(func(s *collectorset.Set) { s.SerialNumber = 4294967295 }, "A"), runs: time.Second, tree: "WEB01_20260302-4294967295/A.csv 1", serial: 0},
		"what is refused does not run": {set: set(func(s *collectorset.Set) { s.Collectors[0].SampleInterval = 0 }, "A"), runs: time.Second, serial: 1, code: "0x80070057"},
		"an alert alone goes on": {set: set(func(s *collectorset.Set) {
			a := collectorset.NewCollector(collectorset.Alerts, "L")
			a.Alerts = []string{`\Memory\Seconds>5`}
			s.Collectors = append(s.Collectors, a)
		}), runs: time.Hour, serial: 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, c.set, func(r *rig) {
				if c.row > 0 {
					r.rowBytes = c.row
				}
				err := r.ran(c.runs)
				if (err != nil) != (c.code != "") || err != nil && !strings.Contains(err.Error(), c.code) {
					t.Errorf("ended with %v, want %q", err, c.code)
				}
				if got := r.tree(); got != c.tree {
					t.Errorf("left %s\nwant %s", got, c.tree)
				}
				e := r.entry()
				if e.Set.SerialNumber != c.serial || e.Set.Status != 0 {
					t.Errorf("serial number %d, status %d; want %d, 0", e.Set.SerialNumber, e.Set.Status, c.serial)
				}
				if r.store.Running("T") {
					t.Error("it is still held")
				}
			})
		})
	}
}

// TestEndsWhileLookedAt holds that a segment whose recordings end in the midst of a look is
// followed by the next one.
func TestEndsWhileLookedAt(t *testing.T) {
	inBubble(t, set(func(s *collectorset.Set) { s.Segment, s.Collectors[0].SegmentMaxRecords = true, 2 }, "A"), func(r *rig) {
		r.late = true
		if err := r.ran(9 * time.Second); err != nil || r.entry().Set.SerialNumber < 4 {
			t.Errorf("%v, the next number is %d: %s", err, r.entry().Set.SerialNumber, r.tree())
		}
	})
}

// TestClockStepsBack holds that segments last as long as they should when the clock is set
// back by a day in the midst of one, that none is lost, and that no number comes twice.
func TestClockStepsBack(t *testing.T) {
	inBubble(t, set(func(s *collectorset.Set) { s.Segment, s.SegmentMaxDuration = true, 60 }, "A"), func(r *rig) {
		end := r.start()
		r.clock.Advance(90 * time.Second)
		r.clock.Step(-24 * time.Hour)
		r.clock.Advance(60 * time.Second)
		if err := end(); err != nil {
			t.Error(err)
		}
		want := "WEB01_20260301-000003/A.csv 30, " + day + "000001/A.csv 60, " + day + "000002/A.csv 60"
		if got := r.tree(); got != want || r.entry().Set.SerialNumber != 4 {
			t.Errorf("left %s\nwant %s; the next number is %d", got, want, r.entry().Set.SerialNumber)
		}
	})
}

// TestStartsTwice holds that a set runs once, and that its next run has the next number.
func TestStartsTwice(t *testing.T) {
	inBubble(t, set(nil, "A"), func(r *rig) {
		end := r.start()
		if err := Run(context.Background(), r.options()); !errors.Is(err, store.ErrRunning) || !strings.Contains(err.Error(), "0x803000AA") {
			t.Errorf("the second start: %v", err)
		}
		if e := r.entry(); e.Set.Status != 1 || !strings.HasSuffix(e.Set.LatestOutputLocation, day+"000001") || !strings.HasSuffix(e.Set.Collectors[0].LatestOutputLocation, "A.csv") {
			t.Errorf("while it runs: %+v", e.Set)
		}
		if err := r.store.WantEnd("t"); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(time.Second)
		if e := r.entry(); e.Set.Status != 0 || e.State.Ended.IsZero() {
			t.Errorf("after it was to end: %+v", e.State)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if err := r.ran(time.Second); err != nil || !strings.Contains(r.tree(), day+"000002/A.csv") {
			t.Errorf("the next run: %v, %s", err, r.tree())
		}
		if err := r.store.WantEnd("T"); err == nil {
			t.Error("what does not run was stopped")
		}
	})
}

// TestFileIsThere holds the rows about files that are there when a set starts.
func TestFileIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		format    uint32
		overwrite bool
		append    bool
		exists    collector.Existing
		refused   bool
	}{
		"nothing said":  {refused: true},
		"overwrite":     {overwrite: true, exists: collector.Overwrite},
		"append binary": {format: collectorset.Binary, append: true, exists: collector.Append},
		"append text":   {append: true, refused: true},
		"database":      {format: collectorset.SQL, exists: collector.Append},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(func(s *collectorset.Set) {
				s.SubdirectoryFormat = 0
				a := &s.Collectors[0]
				a.LogFileFormat, a.LogOverwrite, a.LogAppend, a.DataSourceName = c.format, c.overwrite, c.append, "SQL:x!y"
			}, "A")
			inBubble(t, s, func(r *rig) {
				_ = os.MkdirAll(r.root, 0o700)
				for _, file := range []string{"A.csv", "A.db"} {
					_ = os.WriteFile(filepath.Join(r.root, file), []byte("old"), 0o600)
				}
				err := r.ran(time.Second)
				switch {
				case c.refused:
					if err == nil || !strings.Contains(err.Error(), "0x800700B7") || r.entry().Set.SerialNumber != 1 || r.tree() != "A.csv 3, A.db 3" {
						t.Errorf("%v, %s", err, r.tree())
					}
				case err != nil || r.recorders[0].o.Exists != c.exists:
					t.Errorf("%v, %+v", err, r.recorders)
				}
			})
		})
	}
}

// TestRunThatFails holds that what a disk refuses ends the run and is kept.
func TestRunThatFails(t *testing.T) {
	inBubble(t, set(nil, "A", "B"), func(r *rig) {
		end := r.start()
		r.clock.Advance(3 * time.Second)
		r.recorders[1].fails = errors.New("no space left")
		r.clock.Advance(time.Second)
		err := end()
		if e := r.entry(); err == nil || !strings.Contains(err.Error(), "B ended: no space left") || !strings.Contains(e.State.Why, "no space left") || e.Set.Status != 0 {
			t.Errorf("%v, %+v", err, e.State)
		}
		if got := r.tree(); !strings.Contains(got, "A.csv 3") {
			t.Errorf("left %s", got)
		}
		r.cannot = errors.New("denied")
		if err := r.ran(time.Second); err == nil || r.entry().Set.Status != 0 || r.store.Running("T") {
			t.Errorf("a recording that cannot begin: %v", err)
		}
	})
}

// TestDiedRun holds that a run that was killed is told of by the next one, whose number is
// not used again.
func TestDiedRun(t *testing.T) {
	inBubble(t, set(nil, "A"), func(r *rig) {
		if err := r.store.Change("run", "T", func(e *store.Entry) error {
			e.Set.Status, e.Set.SerialNumber, e.State.Began = 1, 8, start0.Add(-time.Hour)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := r.ran(time.Second); err != nil || len(r.reports) != 1 || !strings.Contains(r.reports[0], "2026-03-02 13:07:32") || !strings.Contains(r.tree(), "000008") {
			t.Errorf("%v %q %s", err, r.reports, r.tree())
		}
	})
}

// TestRoot holds that nothing outside the root is touched.
func TestRoot(t *testing.T) {
	inBubble(t, set(nil, "A"), func(r *rig) {
		elsewhere := t.TempDir()
		if err := os.Symlink(elsewhere, r.root); err != nil {
			t.Skip(err)
		}
		if err := r.ran(time.Second); err == nil || !strings.Contains(err.Error(), "0x80070003") || r.entry().Set.SerialNumber != 1 {
			t.Errorf("a root that is a link: %v", err)
		}
		if all, _ := os.ReadDir(elsewhere); len(all) > 0 {
			t.Errorf("%v was written elsewhere", all)
		}
	})
}

// TestManages holds that old folders of the set go, and nothing else.
func TestManages(t *testing.T) {
	s := set(func(s *collectorset.Set) {
		s.Segment, s.SegmentMaxDuration = true, 60
		s.Manager = collectorset.NewManager()
		s.Manager.Enabled, s.Manager.MaxFolderCount, s.Manager.ResourcePolicy = true, 2, collectorset.DeleteOldest
	}, "A")
	inBubble(t, s, func(r *rig) {
		elsewhere := t.TempDir()
		kept := filepath.Join(elsewhere, "kept")
		_ = os.MkdirAll(filepath.Join(r.root, "foreign"), 0o700)
		for _, name := range []string{kept, filepath.Join(r.root, "foreign", "f")} {
			if err := os.WriteFile(name, []byte("kept"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		end := r.start()
		r.clock.Advance(65 * time.Second)
		first := filepath.Join(r.root, day+"000001")
		if err := os.Symlink(elsewhere, filepath.Join(first, "link")); err != nil {
			t.Skip(err)
		}
		r.clock.Advance(4 * time.Minute)
		if err := end(); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(filepath.Join(first, "link")) // it is nobody's of the set: it stays, and so does the folder
		if got, want := r.tree(), day+"000005/A.csv 60, "+day+"000006/A.csv 5, foreign/f 4"; got != want {
			t.Errorf("left %s\nwant %s", got, want)
		}
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("what a link led to is gone: %v", err)
		}
		if e := r.entry(); len(e.State.Folders) != 2 || len(r.reports) > 0 {
			t.Errorf("%+v %q", e.State.Folders, r.reports)
		}
	})
}

// TestKeepsNoEmptyFolder holds that a folder into which nothing came goes, and that nothing
// else goes for it: not when its run ends, nor when the run was killed.
func TestKeepsNoEmptyFolder(t *testing.T) {
	s := set(func(s *collectorset.Set) {
		s.Segment, s.Collectors[0].SegmentMaxRecords = true, 3
		s.Manager = collectorset.NewManager()
		s.Manager.Enabled, s.Manager.MaxFolderCount = true, 3 // the largest goes first, as on Windows
	}, "A")
	inBubble(t, s, func(r *rig) {
		r.lazy = true
		for range 5 {
			if err := r.ran(3 * time.Second); err != nil {
				t.Fatal(err)
			}
		}
		want := day + "000005/A.csv 3, " + day + "000007/A.csv 3, " + day + "000009/A.csv 3"
		folders, _ := os.ReadDir(r.root)
		if e := r.entry(); r.tree() != want || len(folders) != 3 || len(e.State.Folders) != 3 || e.Set.LatestOutputLocation != filepath.Join(r.root, day+"000009") ||
			e.Set.Collectors[0].LatestOutputLocation != filepath.Join(r.root, day+"000009", "A.csv") {
			t.Errorf("left %s of %d\nwant %s\n%+v", r.tree(), len(folders), want, e)
		}
		killed := filepath.Join(r.root, "killed")
		err := r.store.Change("run", "T", func(e *store.Entry) error {
			e.State.Folders = append(e.State.Folders, store.Folder{Name: "killed", Files: []string{"killed/A.csv"}, Made: true})
			e.Set.Manager.CheckBeforeRunning = true
			return os.Mkdir(killed, 0o700)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.ran(time.Second); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(killed); err == nil || len(r.reports) > 0 {
			t.Errorf("the empty folder is left: %v %q", err, r.reports)
		}
	})
}

// TestManagesRoot holds that files in the root itself go one by one.
func TestManagesRoot(t *testing.T) {
	s := set(func(s *collectorset.Set) {
		s.SubdirectoryFormat, s.Collectors[0].FileNameFormat = 0, 0x200
		s.Manager = collectorset.NewManager()
		s.Manager.Enabled, s.Manager.FolderActions = true, []collectorset.FolderAction{{Actions: collectorset.DeleteData}}
	}, "A")
	inBubble(t, s, func(r *rig) {
		_ = os.MkdirAll(r.root, 0o700)
		_ = os.WriteFile(filepath.Join(r.root, "foreign"), []byte("kept"), 0o600)
		if err := r.ran(3 * time.Second); err != nil || r.tree() != "foreign 4" {
			t.Errorf("%v, left %s", err, r.tree())
		}
	})
}

// TestCheckBeforeRunning holds that limits may keep a set from its start.
func TestCheckBeforeRunning(t *testing.T) {
	s := set(func(s *collectorset.Set) {
		s.Manager = collectorset.NewManager()
		s.Manager.CheckBeforeRunning, s.Manager.MaxFolderCount = true, 1
	}, "A")
	inBubble(t, s, func(r *rig) {
		for range 2 {
			if err := r.ran(time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.store.Change("update", "T", func(e *store.Entry) error { e.Set.Manager.Enabled = true; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := r.ran(time.Second); err == nil || !strings.Contains(err.Error(), "MaxFolderCount") || r.entry().Set.SerialNumber != 3 {
			t.Errorf("%v", err)
		}
	})
}

// TestRules holds what alerts of a set become.
func TestRules(t *testing.T) {
	s := collectorset.New("T")
	a := collectorset.NewCollector(collectorset.Alerts, "L")
	a.Alerts, a.SampleInterval = []string{`\Memory\A>5`, `\Memory\A`, `\Memory\A<1`, `absent host`}, 30
	once := collectorset.NewCollector(collectorset.Alerts, "M")
	once.Alerts, once.SampleInterval = []string{`\Memory\A>5`}, collectorset.OneSample
	s.Collectors = []collectorset.Collector{a, once}
	var got []string
	for _, r := range Rules(s) {
		got = append(got, fmt.Sprintf("%s %s %v", r.Name, r.Expression(), r.Interval))
		if c := CollectorOf(s, r.Name); c == nil || !strings.HasPrefix(r.Name, "T/"+c.Name) {
			t.Errorf("%s is of %v", r.Name, c)
		}
	}
	want := []string{`T/L[1] \Memory\A>5 30s`, `T/L[3] \Memory\A<1 30s`, fmt.Sprintf(`T/M[1] \Memory\A>5 %v`, alert.Once)}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
