package ssh

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"perfdeck/session/system/store"
)

// Known is what was found out about files, kept between runs: the sum of a perfdeck, what
// an ssh is. It holds while a file has the size and the time that it had, for a day. The
// zero value keeps nothing.
type Known struct {
	File string // where; its folder need not be there. Empty: nowhere

	mu  sync.Mutex
	by  map[string]known // by subject and file; nil: not read yet
	odd error
}

type known struct {
	Size  int64  `json:"size"`
	Time  int64  `json:"time"`  // of its change, ns since 1970
	Found int64  `json:"found"` // when, s since 1970
	Says  string `json:"says"`
}

// Bounds of what is kept.
const (
	mostKnown  = 64
	mostFile   = 64 << 10 // bytes
	knownHolds = 24 * time.Hour
)

// about is what is known of a file; empty: nothing.
func (k *Known) about(subject, file string) string {
	now, ok := look(file)
	if k == nil || !ok {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read()
	was := k.by[subject+" "+file]
	if age := now.Found - was.Found; was.Size != now.Size || was.Time != now.Time || age < 0 || age > int64(knownHolds/time.Second) {
		return ""
	}
	return was.Says
}

// note keeps what was found out about a file; empty: nothing. That it cannot be written
// costs the next run the time to find it out.
func (k *Known) note(subject, file, says string) {
	now, ok := look(file)
	if k == nil || k.File == "" || !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read()
	if len(k.by) >= mostKnown {
		clear(k.by)
	}
	now.Says = says
	k.by[subject+" "+file] = now
	text, err := json.Marshal(k.by)
	if err == nil && os.MkdirAll(filepath.Dir(k.File), 0o700) == nil {
		_ = k.document().Write(text)
	}
}

func (k *Known) document() *store.Document {
	return &store.Document{Name: k.File, Most: mostFile, Cheap: true, Form: store.FormJSON}
}

// Load reads what an earlier run kept, and tells of how many files that is. An error is of what
// another version of perfdeck kept, which stays as it is.
func (k *Known) Load() (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read()
	return len(k.by), k.odd
}

func (k *Known) read() {
	if k.by != nil {
		return
	}
	k.by = map[string]known{}
	if k.File == "" {
		return
	}
	text, err := k.document().Read()
	if errors.Is(err, store.ErrForm) {
		k.odd = err
	}
	if err != nil || json.Unmarshal(text, &k.by) != nil || k.by == nil {
		k.by = map[string]known{}
	}
}

func look(file string) (known, bool) {
	info, err := os.Stat(file)
	if err != nil {
		return known{}, false
	}
	return known{Size: info.Size(), Time: info.ModTime().UnixNano(), Found: time.Now().Unix()}, true
}
