package sqlite

import (
	"os"
	"path/filepath"

	"perfdeck/session/files/logs"
)

// Journal is what SQLite adds to the name of a file for what is not in it yet.
const Journal = "-wal"

// Journals are all that it adds for what it keeps beside a file while that is written.
func Journals() []string { return []string{Journal, "-shm", "-journal"} }

// journalOf is where SQLite keeps one of them: beside the file that links lead to.
func journalOf(name, suffix string) string {
	if led, err := filepath.EvalSymlinks(name); err == nil {
		name = led
	}
	return name + suffix
}

// Orphan tells of the journal of a file that is gone, or holds nothing, with samples in it:
// SQLite would remove it. Its header alone has 32 bytes (sqlite.org/fileformat2.html).
func Orphan(name string) error {
	const header = 32
	journal := journalOf(name, Journal)
	if info, err := os.Stat(journal); err != nil || info.Size() <= header {
		return nil //nolint:nilerr // there is none
	}
	return &logs.FileError{File: journal, Err: errOrphan, Advice: "move it to where its file is, or away"}
}

// RemoveJournals removes those of a file that is to be new, or was given up.
func RemoveJournals(name string) {
	for _, suffix := range Journals() {
		_ = os.Remove(journalOf(name, suffix))
	}
}
