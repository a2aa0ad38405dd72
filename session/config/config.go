// Package config reads the user's settings: one TOML file, which perfdeck never
// writes, and the environment. It tells where the user's files are.
//
// Every value is checked when it is read. A wrong value is an error with file,
// line, column and key; a key that nobody knows is a warning. Example is a file
// with every setting.
package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/words"
)

// maxFileBytes bounds a config file: one with every setting is about 3 KB.
const maxFileBytes = 256 << 10

// Config is what a file says. The empty Config is that of no file.
type Config struct {
	File     string // as it was opened or named; empty: there is none
	Settings Layer  // see Merge
	Counters *Overrides
	Decks    []session.Deck // in the order of the file
	Hosts    []Host         // in the order of the file
	Groups   []Group        // of hosts, in the order of the file
	Words    words.Book     // what people call counters, besides what perfdeck knows
	Keys     []KeyBinding   // by the names of their actions
	Records  []Record       // in the order of the file
	Alerts   Alerts
	Feeds    []Feed // in the order of the file
	Pushes   []Push // in the order of the file
	Engines  []Engine

	NoteFiles []string // to which other programs append notes; absolute, or below ~/

	Taken Taken // what the file says, to be compared with that of another

	// Ignored is what the usual file says and is not taken, as it is another user's; nil:
	// nothing.
	Ignored error
}

// Load reads a config file. An empty path means DefaultFile, which need not be
// there; a file that is named must be. The warnings are worth showing with an
// error too: they may be its cause. What is wrong in the file is a *FileError,
// a file that cannot be read an *fs.PathError. Waiting for a pipe ends with the
// context.
func Load(ctx context.Context, path string) (*Config, []Warning, error) {
	if path != "" {
		return loadAs(ctx, path, false)
	}
	path, err := DefaultFile()
	if err != nil {
		return new(Config), nil, nil //nolint:nilerr // no home: there is no file
	}
	c, warnings, err := loadAs(ctx, path, true)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return new(Config), nil, nil
	case errors.Is(err, fs.ErrPermission):
		// As under sudo -u, where the home is that of somebody else.
		return new(Config), []Warning{{File: path, Reason: "permission denied, no settings were read"}}, nil
	}
	return c, warnings, err
}

// loadAs reads a file. ignores leaves out what may not be obeyed of one of another user; else
// that is wrong.
func loadAs(ctx context.Context, path string, ignores bool) (*Config, []Warning, error) {
	f, err := osfile.Open(ctx, path)
	if err != nil {
		return nil, nil, fmt.Errorf("load config: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("load config: %w", err)
	}
	distrust := distrustOf(path, f)
	return parse(path, data, distrust, ignores && isAnothers(distrust))
}

// Current is the config in use, for those who read it while another is taken.
type Current = atomic.Pointer[Config]

// Parse reads the text of a config file, which is trusted. name stands for it in
// messages. Every error is a *FileError: the first in the file, with the others. The
// Config then has what could be read, which is fit to look for more mistakes.
func Parse(name string, data []byte) (*Config, []Warning, error) {
	return parse(name, data, nil, false)
}

// parse is Parse of a file that others may write, if distrust is not nil; see loadAs.
func parse(name string, data []byte, distrust error, ignores bool) (*Config, []Warning, error) {
	if len(data) > maxFileBytes {
		return nil, nil, &FileError{File: name, Reason: "the file is larger than 256 KB"}
	}
	data = trimMark(data)
	values, err := parseTOML(name, data)
	if err != nil {
		return nil, nil, err
	}
	d := &decoder{file: name, data: data}
	root := d.table("", values, locate(data))
	c := &Config{File: name}
	if distrust != nil {
		refused := root.distrusted()
		switch {
		case !ignores:
			d.refuse(refused, distrust)
		case len(refused) > 0:
			c.Ignored = ignored(name, refused, distrust)
		}
	}
	c.decode(root)
	for _, t := range d.tables {
		t.warnUnknown()
	}
	if err := d.firstFault(); err != nil {
		return c, d.sortedWarnings(), err
	}
	return c, d.sortedWarnings(), nil
}

// decode takes what a file says.
func (c *Config) decode(root table) {
	c.Taken = takenOf(root)
	c.Settings = decodeSettings(root)
	c.Counters = decodeCounters(root)
	c.Decks = listed(root, deckTable, "deck", func(d *session.Deck) string { return d.Name }, decodeDeck)
	c.Hosts = listed(root, hostTable, "host", func(h *Host) string { return h.Name }, decodeHost)
	c.Groups = decodeGroups(root)
	c.Words = decodeWords(root)
	c.Records = listed(root, recordTable, "recording", func(r *Record) string { return r.Name }, decodeRecord)
	c.Alerts = decodeAlerts(root, c.Records, c.Hosts)
	c.Feeds = listed(root, feedTable, "feed", func(f *Feed) string { return f.Name }, decodeFeed)
	c.Pushes = listed(root, pushTable, "push", func(p *Push) string { return p.Name }, decodePush)
	c.Engines = decodeEngines(root)
	c.NoteFiles = decodeNotes(root)
	c.Keys = decodeKeys(root)
}

// Watcher reads a config again when its file changed. One goroutine uses it.
type Watcher struct {
	name string
	last fileStamp
}

// NewWatcher watches the file that a config was read from, or where there was none the
// usual one: it may come later.
func NewWatcher(c *Config) *Watcher {
	name := c.File
	if name == "" {
		name, _ = DefaultFile()
	}
	return &Watcher{name, stampOf(name)}
}

// Changed reads the file if it is another one than at the last call; else the config is nil.
// What is wrong with it is told once for each change.
func (w *Watcher) Changed(ctx context.Context) (*Config, []Warning, error) {
	now := stampOf(w.name)
	if now == w.last || now == (fileStamp{}) {
		return nil, nil, nil
	}
	w.last = now
	fresh, warnings, err := Load(ctx, w.name)
	if err != nil {
		return nil, warnings, err
	}
	return fresh, warnings, nil
}

// fileStamp tells one state of a file from another.
type fileStamp struct {
	size     int64
	modified time.Time
}

// stampOf is the state of a file, the zero one if it cannot be read.
func stampOf(name string) fileStamp {
	info, err := os.Stat(name)
	if name == "" || err != nil {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime()}
}
