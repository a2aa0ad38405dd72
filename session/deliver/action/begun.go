package action

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"

	"perfdeck/session/system/store"
)

// begun is which rules began which sets of hosts, kept over a restart. Many goroutines may use it.
type begun struct {
	file *store.Document // nil: there is none
	mu   *sync.Mutex
	now  map[string]map[string]began // of what is in no file: by set, then by rule
}

// began is that a rule began a run of a set.
type began struct {
	Event string `json:"e"`              // the first one that asked for it
	Runs  bool   `json:"runs,omitempty"` // it did; else the host was asked to
}

const (
	begunName = "alerts.sets"
	begunLock = "alerts.sets.lock"
	mostBegun = 1 << 20 // bytes
)

func newBegun(dir string) begun {
	b := begun{mu: new(sync.Mutex), now: map[string]map[string]began{}}
	if dir != "" {
		b.file = &store.Document{Name: filepath.Join(dir, begunName), Lock: filepath.Join(dir, begunLock), Most: mostBegun, Form: store.FormJSON}
	}
	return b
}

// read is what a file says. One that cannot be read says nothing.
func (b *begun) read(text []byte) map[string]map[string]began {
	if b.file == nil {
		return b.now
	}
	out := map[string]map[string]began{}
	if json.Unmarshal(text, &out) != nil || out == nil {
		return map[string]map[string]began{}
	}
	return out
}

// get is what a rule began of a set; without an event it is nothing.
func (b *begun) get(set, rule string) (is began, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var text []byte
	if b.file != nil {
		if text, err = b.file.Read(); err != nil {
			return is, fmt.Errorf("what rules began: %w", err)
		}
	}
	return b.read(text)[set][rule], nil
}

// put notes what a rule began of a set; nil: nothing.
func (b *begun) put(set, rule string, is *began) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	change := func(text []byte) ([]byte, error) {
		all := b.read(text)
		if all[set] == nil {
			all[set] = map[string]began{}
		}
		if is != nil {
			all[set][rule] = *is
		} else if delete(all[set], rule); len(all[set]) == 0 {
			delete(all, set)
		}
		return json.Marshal(all)
	}
	if b.file == nil {
		_, err := change(nil)
		return err
	}
	if err := b.file.Change(change); err != nil {
		return fmt.Errorf("what rules began: %w", err)
	}
	return nil
}
