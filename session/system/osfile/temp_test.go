package osfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a process left that was killed goes with the next start; what is used, or is somebody
// else's, stays.
func TestTemp(t *testing.T) {
	if !clearsTemp {
		t.Skip("nothing is cleared here")
	}
	in := t.TempDir()
	if name := os.Getenv("PERFDECK_TEMP"); name != "" { // the process that is killed
		if _, _, err := MakeTemp(name, "perfdeck-"); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("made\n")
		select {}
	}
	used, remove, err := MakeTemp(in, "perfdeck-")
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestTemp$")
	child.Env = append(os.Environ(), "PERFDECK_TEMP="+in)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	kept := []string{used, filepath.Join(in, "perfdeck-thesis"), filepath.Join(in, "perfdeck-open"), filepath.Join(in, "other"), filepath.Join(in, "perfdeck-link")}
	for i, mode := range []os.FileMode{0o700, 0o755, 0o700} {
		if err := os.Mkdir(kept[i+1], mode); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if err := os.WriteFile(filepath.Join(kept[i+1], alive), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink(kept[3], kept[4]); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		all, err := os.ReadDir(in)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if ClearTemp(in, "perfdeck-"); count() != len(kept)+1 {
		t.Errorf("%d are there while both live", count())
	}
	_, _ = child.Process.Kill(), child.Wait()
	if ClearTemp(in, "perfdeck-"); count() != len(kept) {
		t.Errorf("%d are there after one was killed", count())
	}
	for _, name := range kept {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
	if remove(); count() != len(kept)-1 {
		t.Errorf("%d are there after it was removed", count())
	}
}
