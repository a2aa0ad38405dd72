//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"
)

type fileInfo struct {
	mode fs.FileMode
	uid  int
}

func (f fileInfo) Name() string       { return "config.toml" }
func (f fileInfo) Size() int64        { return 0 }
func (f fileInfo) Mode() fs.FileMode  { return f.mode }
func (f fileInfo) ModTime() time.Time { return time.Time{} }
func (f fileInfo) IsDir() bool        { return false }
func (f fileInfo) Sys() any           { return &syscall.Stat_t{Uid: uint32(f.uid)} }

func TestInsecure(t *testing.T) {
	me := os.Geteuid()
	for _, c := range []struct {
		mode     fs.FileMode
		uid      int
		insecure bool
	}{
		{0o600, me, false},
		{0o644, me, false},
		{0o644, 0, false},
		{0o664, me, true},
		{0o646, me, true},
		{0o666, 0, true},
		{0o600, me + 1, true},
	} {
		err := insecure(nil, fileInfo{c.mode, c.uid})
		var e *InsecureError
		if errors.As(err, &e) != c.insecure {
			t.Errorf("mode %o of user %d: %v", c.mode, c.uid, err)
		}
	}
}
