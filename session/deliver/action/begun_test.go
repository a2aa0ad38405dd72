package action

import (
	"errors"
	"os"
	"testing"

	"perfdeck/session/system/store"
)

// What rules began is kept, and one file of it of a later version stays as it is.
func TestBegun(t *testing.T) {
	b := newBegun(t.TempDir())
	if err := b.put("night", "memory", &began{Event: "1", Runs: true}); err != nil {
		t.Fatal(err)
	}
	if is, err := b.get("night", "memory"); err != nil || is != (began{"1", true}) {
		t.Errorf("%v, %v", is, err)
	}
	const later = `{"form":2}` + "\n{}"
	err := os.WriteFile(b.file.Name, []byte(later), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.get("night", "memory")
	if text, _ := os.ReadFile(b.file.Name); !errors.Is(err, store.ErrForm) || !errors.Is(b.put("night", "memory", nil), store.ErrForm) || string(text) != later {
		t.Errorf("%v, left %q", err, text)
	}
}
