package formats

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/logs"
)

// TestChoose: a name wins over an extension, and what only Windows has is refused
// with what to do instead, not written as something else.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name, file, want string
		err              error
	}{
		{"tsv", "x.csv", "tsv", nil},
		{"CSV", "", "csv", nil},
		{"", "x.jsonl", "json", nil},
		{"", "x.CSV", "csv", nil},
		{"", "x", "", nil},
		{"", "x.log", "", nil},
		{"bin", "x.csv", "blg", nil},
		{"BINCIRC", "", "", foreign["bincirc"].err},
		{"", "x.blg", "blg", nil},
		{"csv", "x.blg", "csv", nil},
		{"sql", "", "", foreign["sql"].err},
		{"xml", "", "", errNoFormat},
	} {
		f, err := Choose(c.name, c.file)
		got := ""
		if f != nil {
			got = f.Name
		}
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("-f %q %q: %q, %v; want %q, %v", c.name, c.file, got, err, c.want, c.err)
		}
		if hinted, ok := err.(interface{ Hint() string }); err != nil && (!ok || hinted.Hint() == "") {
			t.Errorf("-f %q %q: nothing says what to do: %v", c.name, c.file, err)
		}
	}
	file := filepath.Join(t.TempDir(), "x.blg")
	if err := os.WriteFile(file, []byte{0, 0, 1, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), file, logs.OpenOptions{}); !errors.Is(err, trace.ErrNotTrace) {
		t.Errorf("open: %v", err)
	}
}

// TestCreateFails: a file that could not be begun, as on a full disk, leaves nothing
// behind.
func TestCreateFails(t *testing.T) {
	dir := t.TempDir()
	full := errors.New("disk full")
	f := &Format{create: func(file *os.File, _ *logs.Header, _ logs.WriteOptions) (logs.Writer, error) {
		for _, part := range []string{"-wal", "-shm"} {
			if err := os.WriteFile(file.Name()+part, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return nil, full
	}}
	if _, err := Create(filepath.Join(dir, "x.db"), f, &logs.Header{}, logs.WriteOptions{}); !errors.Is(err, full) {
		t.Errorf("it says %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What is no recording, though users have it beside recordings, is told for what it is, whatever it is called.
func TestOthersAreTold(t *testing.T) {
	for magic, want := range map[string]string{"ElfFile\x00\x00\x00": "event log of Windows", "MSCF\x00\x00\x00\x00": "cabinet"} {
		for _, name := range []string{"x", "x.evtx", "x.blg"} {
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(magic+strings.Repeat("\x00", 4096)), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), file, logs.OpenOptions{})
			if e, ok := errors.AsType[*logs.FileError](err); !ok || !strings.Contains(e.Error(), want) || e.Advice == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
