package collector

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRingOwns holds that a ring removes no file that was there before, and none that took
// the place of one whose recorder was killed.
func TestRingOwns(t *testing.T) {
	const text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\W\\A\\B\"\r\n\"03/02/2026 14:07:33.000\",\"1\"\r\n"
	for name, c := range map[string]struct {
		adds    bool
		there   bool
		replace string
		stays   bool
	}{
		"its own":                             {},
		"added to":                            {adds: true, there: true, stays: true},
		"replaced by it":                      {there: true},
		"new, though it may add":              {adds: true},
		"killed, and another is in its place": {replace: text, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "n.csv")
			if c.there {
				write(t, file, text)
			}
			r := openRing(1<<20, dir, file, naming.Name{})
			if err := r.claim(file, c.adds); err != nil {
				t.Fatal(err)
			}
			write(t, file, text)
			if err := r.take(file, true); err != nil {
				t.Fatal(err)
			}
			if c.replace != "" {
				if i := len(r.files) - 1; r.files[i].ID == "" {
					t.Skip("files have no identity here")
				}
				_ = os.Remove(file)
				write(t, file, c.replace)
			} else if err := r.take(file, false); err != nil {
				t.Fatal(err)
			}
			again := openRing(1<<20, dir, file, naming.Name{})
			for again.removeOldest(func(err error) { t.Error(err) }) {
			}
			if _, err := os.Lstat(file); (err == nil) != c.stays {
				t.Errorf("it stays: %v", err == nil)
			}
		})
	}
}

// TestRingOfBefore holds that a ring goes on with what one of an earlier version wrote down.
func TestRingOfBefore(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "n.csv")
	write(t, file, "12345")
	at := time.Date(2026, 11, 30, 3, 13, 24, 0, time.UTC)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	name := openRing(1<<20, dir, "n.csv", naming.Name{}).store.Name
	if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, name, fmt.Sprintf(`[{"name":%q,"bytes":5,"modified":"2026-11-30T03:13:24Z"}]`, file))
	openRing(1<<20, dir, "n.csv", naming.Name{}).expire(at.Add(1), func(err error) { t.Error(err) })
	if _, err := os.Lstat(file); err == nil {
		t.Error("its file was not removed")
	}
}

// TestLinksBeside holds that nothing of a recording is written to where a link leads that has
// a name beside it.
func TestLinksBeside(t *testing.T) {
	for _, beside := range []string{".n.db.lock", "n.db-wal", "n.db-shm", "n.db-journal", "n.db.notes.jsonl"} {
		inBubble(t, start0, func(r *rig) {
			victim := filepath.Join(r.dir, "victim")
			write(t, victim, "precious")
			if err := os.Symlink(victim, filepath.Join(r.dir, beside)); err != nil {
				t.Skip(err)
			}
			o := r.options("n.db", r.host(plain("a"), `\Memory\Seconds`))
			if rec, err := Start(o); err == nil {
				r.clock.Advance(3 * time.Second)
				_ = r.stop(rec)
				_ = notebook.AddBeside(o.File, note.Note{Time: r.clock.Now().Wall, Text: "x"})
			}
			if text, _ := os.ReadFile(victim); string(text) != "precious" {
				t.Errorf("%s: the file has %q", beside, text)
			}
		})
	}
}

// TestNoLinks holds that files that may be no links are opened by what they are.
func TestNoLinks(t *testing.T) {
	dir := t.TempDir()
	h := &logs.Header{Columns: []logs.Column{{Path: `\\W\A\B`}}}
	for _, f := range []string{"n.csv", "n.db", "n.json", "n.blg"} {
		format, _ := formats.ByExtension(f)
		victim, link := filepath.Join(dir, "victim-"+f), filepath.Join(dir, f)
		w, err := formats.Create(victim, format, h, logs.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		before, _ := os.ReadFile(victim)
		if err := os.Symlink(victim, link); err != nil {
			t.Skip(err)
		}
		o := logs.WriteOptions{NoLinks: true, Overwrite: true}
		_, err = formats.Create(link, format, h, o)
		_, _, appendErr := formats.Append(link, format, h, o)
		for _, err := range []error{err, appendErr} {
			if err == nil || !strings.Contains(err.Error(), "link") {
				t.Errorf("%s: %v", f, err)
			}
		}
		if after, _ := os.ReadFile(victim); string(after) != string(before) {
			t.Errorf("%s: the file it leads to changed", f)
		}
	}
}
