package cache

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is kept of the catalogues of a folder: each host that was ever asked has one, of
// about 100 KB.
const (
	keepFor    = 14 * 24 * time.Hour // since it was used
	mostKept   = 512 << 20           // bytes, of all
	pruneEvery = time.Hour
	usedEvery  = 24 * time.Hour // how exactly it is known when one was used
	pruned     = ".pruned"      // its time is that of the last look
)

// prune removes the catalogues of a folder that nobody used for long, and those that were not
// used for longest when all are too large: when one more is kept. It looks each hour at most, whichever process does.
func prune(dir string, now time.Time, most int64) {
	mark := filepath.Join(dir, pruned)
	if at, err := os.Stat(mark); err == nil && now.Sub(at.ModTime()).Abs() < pruneEvery {
		return
	}
	if f, err := os.OpenFile(mark, os.O_WRONLY|os.O_CREATE, 0o600); err != nil || f.Close() != nil || os.Chtimes(mark, now, now) != nil {
		return // nothing can be changed here
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	var sum int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), ".json") && !strings.HasSuffix(e.Name(), ".tmp") { // half a one
			continue
		}
		files = append(files, info)
		sum += info.Size()
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if sum <= most && now.Sub(f.ModTime()) < keepFor {
			return
		}
		if os.Remove(filepath.Join(dir, f.Name())) == nil {
			sum -= f.Size()
		}
	}
}

// used notes that a catalogue is in use.
func (f *File) used(now time.Time) {
	if info, err := os.Stat(f.Path()); err == nil && now.Sub(info.ModTime()) > usedEvery {
		_ = os.Chtimes(f.Path(), now, now)
	}
}
