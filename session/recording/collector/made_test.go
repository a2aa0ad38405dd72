package collector

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMade holds that files that were recorded stay on the list, those that ended too: with whose
// they are, when they are of and what they hold; and that one that goes on is there, too.
func TestMade(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		a, b := r.host(plain("a"), `\Memory\*`), r.host(plain("b"), `\Disk(*)\*`)
		a.Identity, b.Identity = "1d", "2e"
		o := r.options("n.db", a, b)
		o.Dir = RecordingsDir(r.dir)
		rec := r.start(o)
		r.clock.Advance(3 * time.Second)
		list := ListMade(o.Dir)
		if len(list) != 1 || !list[0].Open || !list[0].End.IsZero() || !list[0].IsMade() {
			t.Fatalf("while it goes on: %+v", list)
		}
		r.clock.Advance(7 * time.Second)
		if err := r.stop(rec); err != nil {
			t.Fatal(err)
		}
		list = ListMade(o.Dir)
		if len(list) != 1 {
			t.Fatalf("there are %+v", list)
		}
		m, table := &list[0], readTable(t, filepath.Join(r.dir, "n.db"))
		if m.Open || !m.Begin.Equal(table.times[0]) || !m.End.Equal(table.times[len(table.times)-1]) || m.Every != time.Second || !m.HasRaw {
			t.Errorf("it is listed as %+v, its rows are from %v to %v", m, table.times[0], table.times[len(table.times)-1])
		}
		if slices.Sort(m.Sets); !slices.Equal(m.Sets, []string{"disk", "memory"}) {
			t.Errorf("it holds %q", m.Sets)
		}
		for identity, want := range map[string]string{"1d": "a", "2e": "b", "3f": "", "": ""} {
			if name, ok := m.NameOf(identity); name != want || ok != (want != "") {
				t.Errorf("%q is %q %v", identity, name, ok)
			}
		}
		if !m.IsMade() {
			t.Error("it is not what was written")
		}
	})
}

// TestMadeIsForeign holds that a file that was removed, replaced, or is somebody else's by now is told
// from what was written, and that a list of whatever bytes is bounded and does no harm.
func TestMadeIsForeign(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.csv")
	listed := func() *Made {
		t.Helper()
		list := ListMade(dir)
		if len(list) != 1 {
			t.Fatalf("there are %d", len(list))
		}
		return &list[0]
	}
	write(t, file, "one")
	m := Made{Begin: start0, End: start0, Hosts: []MadeHost{{"a", "1d"}}}
	if err := in(file, func(root *os.Root, base string) (err error) { m.Written, err = Look(root, base, false); return err }); err != nil {
		t.Fatal(err)
	}
	m.Name = file
	line, err := json.Marshal(&m)
	if err == nil {
		err = madeIn(dir).Append(append(line, '\n'), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !listed().IsMade() {
		t.Fatal("it is not what was written")
	}
	write(t, file, "more")
	if listed().IsMade() {
		t.Error("another text is what was written")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if listed().IsMade() {
		t.Error("what is gone is there")
	}
	if err := os.Symlink("/dev/zero", file); err == nil && listed().IsMade() {
		t.Error("a link is what was written")
	}
	if os.Geteuid() == 0 {
		_ = os.Remove(file)
		write(t, file, "one")
		again := listed()
		again.ID, again.Modified = "", start0
		again.Open = true
		if err := os.Chown(file, 12345, 12345); err != nil {
			t.Skip(err)
		}
		if again.IsMade() {
			t.Error("what is somebody else's was written")
		}
	}
}

// TestMadeIsBounded holds that the list does not grow without end, and keeps the newest.
func TestMadeIsBounded(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	write(t, file, "")
	begin := start0
	add := func(name string) {
		begin = begin.Add(time.Second)
		line, err := json.Marshal(&Made{Written: Written{Name: name, Open: true}, Begin: begin, Sets: []string{strings.Repeat("s", 20000)}})
		if err == nil {
			err = madeIn(dir).Append(append(line, '\n'), false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * mostMadeBytes / 20000 {
		add(filepath.Join(dir, fmt.Sprint("gone", i)))
	}
	add(file)
	info, err := os.Stat(filepath.Join(dir, madeName))
	if err != nil || info.Size() > 2*mostMadeBytes {
		t.Fatal(info, err)
	}
	if list := ListMade(dir); len(list) == 0 || list[0].Name != file {
		t.Errorf("the newest is not the first of %d", len(list))
	}
}

// FuzzMade: whatever a list has, reading it ends, and names nothing but whole names.
func FuzzMade(f *testing.F) {
	f.Add([]byte(`{"name":"/a.db","begin":"2026-03-02T14:07:32Z","hosts":[{"name":"a","id":"1d"}],"every":1000000000,"sets":["memory"]}` + "\n{\n"))
	f.Add([]byte(`{"name":"a.db","begin":"2026-03-02T14:07:32Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, madeName), string(text))
		for _, m := range ListMade(dir) {
			if !filepath.IsAbs(m.Name) || m.Begin.IsZero() || len(m.Hosts) > mostOfMade || m.list.Mode()&fs.ModeType != 0 {
				t.Errorf("%+v", m)
			}
		}
	})
}

// TestKeepFor holds that files of a recording go so long after they ended, those alone that it wrote, and that the
// next one is begun in time without being told.
func TestKeepFor(t *testing.T) {
	inBubble(t, time.Now().UTC().Truncate(time.Second), func(r *rig) {
		o := r.options("n.csv", r.host(plain("a"), `\Memory\*`))
		o.KeepFor = 24 * time.Minute
		write(t, filepath.Join(r.dir, "n_000099.txt"), "mine")
		rec := r.start(o)
		r.clock.Advance(5 * time.Minute)
		files := func() (names []string) {
			for _, name := range r.files() {
				if strings.HasSuffix(name, ".csv") {
					names = append(names, name)
				}
			}
			return names
		}
		if n := len(files()); n < 4 || n > 6 {
			t.Fatalf("after five minutes of a 24th of 24 minutes there are %q", files())
		}
		old := time.Now().Add(-time.Hour)
		for _, w := range r.writer(rec).ring.files[:2] { // as if time had gone by, which files do not know of
			if err := os.Chtimes(w.Name, old, old); err != nil {
				t.Fatal(err)
			}
		}
		before := files()
		r.writer(rec).ring.files[0].Modified, r.writer(rec).ring.files[1].Modified = old, old
		r.clock.Advance(2 * time.Second)
		if after := files(); len(after) < len(before)-2 || !slices.Equal(after[:len(before)-2], before[2:]) {
			t.Errorf("of %q there are %q", before, after)
		}
		if err := r.stop(rec); err != nil {
			t.Fatal(err)
		}
	})
}
