package osfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// What is there is replaced only where that is said, and keeps its mode; what is wrong is said
// without another name than the user's.
func TestWriteNamed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rules.yml")
	if err := osfile.WriteNamed(name, []byte("a"), false); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := osfile.WriteNamed(name, []byte("b"), false); err == nil || !strings.Contains(failure.Hint(err), "--yes") {
		t.Errorf("over a file that is there: %v", err)
	}
	if err := osfile.WriteNamed(name, []byte("c"), true); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(name)
	info, _ := os.Stat(name)
	if err != nil || string(text) != "c" || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%q, mode %v, %v", text, info.Mode(), err)
	}
	none := filepath.Join(t.TempDir(), "none", "x")
	if err := osfile.WriteNamed(none, nil, true); err == nil || strings.Count(err.Error(), none) != 1 {
		t.Errorf("into a folder that is not there: %v", err)
	}
	if err := osfile.WriteNamed(os.DevNull, []byte("x"), false); err != nil || !osfile.IsDevice(os.DevNull) || osfile.IsDevice(name) {
		t.Errorf("to a device: %v", err)
	}
}
