package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/recording/collectorset/store"
)

// TestDiscard holds that what goes is what runs of the set made, and nothing when the root
// is a link by now.
func TestDiscard(t *testing.T) {
	inBubble(t, set(nil, "A"), func(r *rig) {
		for range 2 {
			if err := r.ran(2 * time.Second); err != nil {
				t.Fatal(err)
			}
		}
		foreign := filepath.Join(r.root, "WEB01_20260302-000009")
		if err := os.MkdirAll(foreign, 0o700); err != nil {
			t.Fatal(err)
		}
		_ = os.WriteFile(filepath.Join(foreign, "A.csv"), []byte("kept"), 0o600)
		if all, err := Collected(r.store, r.entry(), r.root, r.clock); err != nil || len(all) != 2 || all[0].Bytes != 2 {
			t.Errorf("%+v %v", all, err)
		}
		end := r.start()
		if err := Discard(r.store, "T", r.root, r.clock); !errors.Is(err, store.ErrRunning) {
			t.Errorf("while it runs: %v", err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		link := r.root + " link"
		if err := os.Symlink(r.root, link); err == nil {
			if err := Discard(r.store, "T", link, r.clock); err == nil || !strings.Contains(err.Error(), "link") {
				t.Errorf("a root that is a link: %v", err)
			}
			if _, err := Collected(r.store, r.entry(), link, r.clock); err == nil {
				t.Error("a root that is a link is looked at")
			}
		}
		if !strings.Contains(r.tree(), "000001/A.csv") {
			t.Errorf("something went: %s", r.tree())
		}
		if err := Discard(r.store, "T", r.root, r.clock); err != nil || r.tree() != "WEB01_20260302-000009/A.csv 4" || len(r.entry().State.Folders) > 0 {
			t.Errorf("%v, left %s, %+v", err, r.tree(), r.entry().State)
		}
		if err := os.RemoveAll(r.root); err != nil {
			t.Fatal(err)
		}
		if err := Discard(r.store, "T", r.root, r.clock); err != nil {
			t.Errorf("where nothing is: %v", err)
		}
	})
}
