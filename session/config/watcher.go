package config

import (
	"context"
	"os"
	"time"
)

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
