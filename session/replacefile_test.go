package session_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session"
)

// TestReplaceFile replaces a file that another reads for a moment.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "new"), filepath.Join(dir, "old")
	for name, text := range map[string]string{from: "new", to: "old"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	time.AfterFunc(30*time.Millisecond, func() {
		_ = reader.Close()
		close(done)
	})
	if err := session.ReplaceFile(from, to); err != nil {
		t.Error(err)
	}
	<-done
	if text, err := os.ReadFile(to); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if err := session.ReplaceFile(from, to); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
