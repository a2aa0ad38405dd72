package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
)

const csvOfOld = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\W\\A\\B\"\r\n\"03/02/2026 14:07:33.000\",\"1\"\r\n"

// put makes a file, and its folder, below the root.
func (r *rig) put(name, text string) {
	r.Helper()
	file := filepath.Join(r.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// replace puts a new file in the place of another.
func (r *rig) replace(name, text string) {
	r.Helper()
	if err := os.Remove(filepath.Join(r.root, filepath.FromSlash(name))); err != nil {
		r.Fatal(err)
	}
	r.put(name, text)
}

// inArchive lets a set write into a folder of a fixed name.
func inArchive(s *collectorset.Set) {
	s.Subdirectory, s.SubdirectoryFormat, s.SubdirectoryPattern = "archive", 0, ""
	s.Collectors[0].FileNameFormat = 0x200
}

// TestOwned holds that of what is below its root only that goes which runs of the set made,
// by --files as by each rule of the data manager.
func TestOwned(t *testing.T) {
	const file, second = "archive/A_000001.csv", "archive/A_000002.csv"
	for name, c := range map[string]struct {
		change func(*collectorset.Set)
		before func(r *rig) // a run of three seconds
		after  func(r *rig)
		left   string
		told   bool
	}{
		"its own folder":              {left: ""},
		"a folder of the user":        {before: func(r *rig) { r.put("archive/thesis.txt", "precious") }, left: "archive/thesis.txt 8"},
		"an empty folder of the user": {before: func(r *rig) { _ = os.MkdirAll(filepath.Join(r.root, "archive"), 0o700) }, left: "archive/"},
		"a file that came later":      {after: func(r *rig) { r.put("archive/thesis.txt", "precious") }, left: "archive/thesis.txt 8"},
		"a folder that came later":    {after: func(r *rig) { r.put("archive/a/thesis.txt", "precious") }, left: "archive/a/thesis.txt 8"},
		"a file in its place":         {after: func(r *rig) { r.replace(file, "abc") }, left: file + " 3", told: true},
		"a file that was edited":      {after: func(r *rig) { r.put(file, "abcd") }, left: file + " 4", told: true},
		"a link in its place": {after: func(r *rig) {
			r.put("kept", "k")
			_ = os.Remove(filepath.Join(r.root, file))
			_ = os.Symlink("../kept", filepath.Join(r.root, file))
		}, left: file + " 7, kept 1", told: true},
		"a text in the place of notes":   {after: func(r *rig) { r.put(file+".notes.jsonl", "precious") }, left: file + ".notes.jsonl 8"},
		"journals beside a file without": {after: func(r *rig) { r.put(file+"-shm", "s"); r.put(file+"-wal", "w"); r.put(file+"-journal", "j") }, left: file + "-journal 1, " + file + "-shm 1, " + file + "-wal 1"},
		"what another set has":           {after: func(r *rig) { r.other(file) }, left: file + " 3"},
		"a folder that another set has":  {after: func(r *rig) { r.other("archive/B.csv") }, left: "archive/"},
		"a folder that another links to": {after: func(r *rig) { _ = os.Symlink(r.root, r.root+"2"); r.otherIn(r.root+"2", file) }, left: file + " 3"},
		"a run that was killed": {after: func(r *rig) {
			r.killed(func(f *store.Folder) { f.Known[0].Open = true })
		}, left: ""},
		"a file in the place of one that was killed": {after: func(r *rig) {
			if r.entry().State.Folders[0].Known[0].ID == "" {
				r.Skip("files have no identity here")
			}
			r.killed(func(f *store.Folder) { f.Known[0].Open = true })
			r.replace(file, csvOfOld)
		}, left: file + " 67", told: true},
		"killed before it was written down": {after: func(r *rig) {
			r.killed(func(f *store.Folder) { f.Known = nil })
			r.put(file, "precious")
		}, left: file + " 8", told: true},
		"an old journal": {after: func(r *rig) {
			r.put(file, csvOfOld)
			r.put("archive/thesis.txt", "precious")
			r.killed(func(f *store.Folder) { f.Known, f.Made, f.Began = nil, false, time.Now() })
		}, left: "archive/thesis.txt 8"},
		"a folder of an old journal": {after: func(r *rig) {
			r.killed(func(f *store.Folder) { f.Known, f.Made = nil, false })
			r.put(file, csvOfOld)
		}, left: "archive/"},
		"added to a file of the user": {
			change: func(s *collectorset.Set) {
				c := &s.Collectors[0]
				c.LogFileFormat, c.LogAppend, c.FileNameFormat = collectorset.Binary, true, 0
			},
			before: func(r *rig) { r.put("archive/A.db", "precious") }, left: "archive/A.db 3",
		},
		"a report that it did not write": {
			change: func(s *collectorset.Set) { s.Manager.ReportFileName = "thesis.txt" },
			after:  func(r *rig) { r.put("archive/thesis.txt", "precious") }, left: "archive/thesis.txt 8",
		},
	} {
		for rule, manage := range map[string]func(*collectorset.Manager){
			"--files": nil,
			"size":    func(m *collectorset.Manager) { m.MaxSize = 1 },
			"disk":    func(m *collectorset.Manager) { m.MinFreeDisk = 1 << 31 },
			"age": func(m *collectorset.Manager) {
				m.FolderActions = []collectorset.FolderAction{{Actions: collectorset.DeleteData | collectorset.DeleteReport}}
			},
		} {
			t.Run(name+", "+rule, func(t *testing.T) {
				s := set(inArchive, "A")
				s.Manager = collectorset.NewManager()
				if c.change != nil {
					c.change(s)
				}
				inBubble(t, s, func(r *rig) {
					if c.before != nil {
						c.before(r)
					}
					if err := r.ran(3 * time.Second); err != nil {
						t.Fatal(err)
					}
					if c.after != nil {
						c.after(r)
					}
					told := r.apply(manage)
					left := r.tree()
					if _, err := os.Stat(filepath.Join(r.root, "archive")); err == nil && left == "" {
						left = "archive/"
					}
					want := c.left
					if rule == "age" && want == "" { // no folder goes by that
						want = "archive/"
					}
					if rule == "size" { // what is small stays
						if strings.Contains(left, second) || !strings.Contains(left, "archive") {
							t.Errorf("left %s", left)
						}
						return
					}
					if left != want || (told != "") != c.told {
						t.Errorf("left %s, want %s; told %q", left, want, told)
					}
				})
			})
		}
	}
}

// apply lets a rule of the data manager do its work, or removes all, and gives what was told.
func (r *rig) apply(manage func(*collectorset.Manager)) (told string) {
	r.Helper()
	if manage == nil {
		err := Discard(r.store, "T", r.root, r.clock)
		if _, left := errors.AsType[*LeftError](err); err != nil && !left {
			r.Error(err)
		}
		if err != nil {
			told = err.Error()
		}
		if r.apply(func(*collectorset.Manager) {}) != "" {
			r.Error("what is left is told twice")
		}
		return told
	}
	e := r.entry()
	m := e.Set.Manager
	m.Enabled = true
	manage(m)
	d, closed, err := collected(r.store, e, r.root, r.clock)
	if err != nil {
		r.Fatal(err)
	}
	defer closed()
	if err := m.Run(d); err != nil && !errors.Is(err, collectorset.ErrNotMet) {
		r.Error(err)
	}
	for _, err := range d.left {
		told += err.Error()
	}
	return told
}

// killed changes what the journal knows of the newest folder.
func (r *rig) killed(change func(*store.Folder)) {
	r.Helper()
	if err := r.store.Change("run", "T", func(e *store.Entry) error {
		change(&e.State.Folders[len(e.State.Folders)-1])
		return nil
	}); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) other(file string) { r.otherIn(r.root, file) }

// otherIn makes another set that has a file.
func (r *rig) otherIn(root, file string) {
	r.Helper()
	s := set(nil, "B")
	s.Name = "U"
	if err := r.store.Create(&store.Entry{Set: s, State: store.State{Root: root, Folders: []store.Folder{{Name: "archive", Files: []string{file}}}}}); err != nil {
		r.Fatal(err)
	}
}

// TestOwnedWhileRecorded holds that what a recorder has stays, and is still in the journal.
func TestOwnedWhileRecorded(t *testing.T) {
	inBubble(t, set(inArchive, "A"), func(r *rig) {
		if err := r.ran(3 * time.Second); err != nil {
			t.Fatal(err)
		}
		release, err := collector.HoldOutput(filepath.Join(r.root, "archive", "A_000001.csv"), true)
		if err != nil {
			t.Fatal(err)
		}
		if err := Discard(r.store, "T", r.root, r.clock); err == nil || r.tree() == "" || len(r.entry().State.Folders) != 1 {
			t.Errorf("%v, left %s", err, r.tree())
		}
		release()
		if err := Discard(r.store, "T", r.root, r.clock); err != nil || r.tree() != "" {
			t.Errorf("%v, left %s", err, r.tree())
		}
	})
}

// TestLinks holds that a link at the name of a file is refused, whatever is to become of a
// file that is there.
func TestLinks(t *testing.T) {
	for name, change := range map[string]func(*collectorset.Collector){
		"overwrite": func(c *collectorset.Collector) { c.LogOverwrite = true },
		"append":    func(c *collectorset.Collector) { c.LogFileFormat, c.LogAppend = collectorset.Binary, true },
		"circular":  func(c *collectorset.Collector) { c.LogFileFormat, c.LogCircular = collectorset.Binary, true },
		"database":  func(c *collectorset.Collector) { c.LogFileFormat, c.DataSourceName = collectorset.SQL, "SQL:x!y" },
		"new":       func(*collectorset.Collector) {},
	} {
		for _, target := range []string{"victim", "absent"} {
			t.Run(name+", "+target, func(t *testing.T) {
				s := set(inArchive, "A")
				s.Collectors[0].FileNameFormat, s.SegmentMaxSize = 0, 1
				change(&s.Collectors[0])
				inBubble(t, s, func(r *rig) {
					r.put("victim", "precious")
					for _, file := range []string{"A.csv", "A.db"} {
						_ = os.MkdirAll(filepath.Join(r.root, "archive"), 0o700)
						if err := os.Symlink(filepath.Join(r.root, target), filepath.Join(r.root, "archive", file)); err != nil {
							t.Skip(err)
						}
					}
					err := r.ran(time.Second)
					text, _ := os.ReadFile(filepath.Join(r.root, "victim"))
					if _, made := os.Stat(filepath.Join(r.root, "absent")); err == nil || string(text) != "precious" || made == nil || len(r.recorders) > 0 {
						t.Errorf("%v, the file has %q, made: %v", err, text, made)
					}
				})
			})
		}
	}
}
