package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session/alert"
)

// Read says what Open says, of a whole journal, of none, of a damaged one, and
// leaves everything as it was.
func TestRead(t *testing.T) {
	now := start.Add(time.Minute)
	r := rule(t)
	keepSome := func(t *testing.T, dir string) {
		j, _ := open(t, dir)
		keep(t, j, fired(1, 1), acked(2, 1), fired(3, 2), alert.Event{Seq: 4, Time: start, Kind: alert.RulePut, ID: alert.ID{Rule: r.Name}, Rule: &r, By: "ana"})
	}
	for name, prepare := range map[string]func(t *testing.T, dir string) (damaged int){
		"empty": func(*testing.T, string) int { return 0 },
		"whole": func(t *testing.T, dir string) int { keepSome(t, dir); return 0 },
		"torn": func(t *testing.T, dir string) int {
			keepSome(t, dir)
			f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = f.WriteString(`{"w":"x"`)
			_ = f.Close()
			return 1
		},
		"without its lock": func(t *testing.T, dir string) int {
			keepSome(t, dir)
			if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
				t.Fatal(err)
			}
			return 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			want := prepare(t, dir)
			before := contents(t, dir)
			got, damaged, err := Read(dir, now)
			if err != nil || damaged != want {
				t.Fatalf("%d damaged, %v", damaged, err)
			}
			after := contents(t, dir)
			if len(after) != len(before) {
				t.Errorf("files %v, then %v", before, after)
			}
			for name, text := range before {
				if after[name] != text {
					t.Errorf("%s was written", name)
				}
			}
			_, opened, _, err := Open(dir, now)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, opened)
		})
	}
	if got, _, err := Read(filepath.Join(t.TempDir(), "none"), now); err != nil || len(got.History) != 0 {
		t.Errorf("no directory: %v, %v", got, err)
	}
}

// contents are the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range list {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}
