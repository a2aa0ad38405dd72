package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
)

const (
	followEvery = 250 * time.Millisecond
	firstLook   = MaxLine // bytes of a file that are read first: the newest lines tell how things stand
)

var (
	errEnded  = errors.New("it ended")
	errBehind = fmt.Errorf("it grows faster than it can be read: more than %s were passed over", english.Size(maxBehind))
)

// follow reads a file as it grows, from its last lines on; one that takes its place from
// its beginning. A pipe is read as long as somebody writes, and then again.
func (in *inlet) follow(ctx context.Context) error {
	for first := true; ; first = false {
		if err := in.followNow(ctx, first); err != nil {
			return err
		}
		if !in.sleep(ctx, minPause) {
			return context.Cause(ctx)
		}
	}
}

// followNow reads what has the name now.
func (in *inlet) followNow(ctx context.Context, first bool) error {
	ours := strings.HasPrefix(in.spec.File, "/dev/") || strings.HasPrefix(in.spec.File, "/proc/") // a descriptor, as /dev/stdin
	if info, err := os.Stat(in.spec.File); err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !ours {
		return in.followPipe(ctx)
	}
	f, err := osfile.Open(ctx, in.spec.File)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if f.Info.Mode().IsRegular() {
		return in.followFile(ctx, f, first)
	}
	if err := in.newLines().readAll(ctx, f); err != nil {
		return err
	}
	return errEnded // it cannot be opened anew
}

// followFile reads a plain file until another has its name. What the first one says already
// is of nobody knows when: its time of change is that of its last line at most, and of none
// where it was copied or touched, or a clock was set.
func (in *inlet) followFile(ctx context.Context, f *osfile.Input, first bool) error {
	l := in.newLines()
	var at int64
	if l.undated = first; first {
		at = max(f.Info.Size()-firstLook, 0)
		l.passing = at > 0 // a part of a line
	}
	in.alive()
	for {
		var err error
		if at, err = in.more(ctx, l, f.File, at); err != nil {
			return err
		}
		l.undated = false
		in.answer()
		if !in.sleep(ctx, followEvery) {
			return context.Cause(ctx)
		}
		now, err := os.Stat(in.spec.File)
		if err != nil {
			return err
		}
		if !os.SameFile(now, f.Info) {
			looked := in.looked
			_, err := in.more(ctx, l, f.File, at) // what was written last
			l.flush()
			in.looked = looked // what the other says already was told since then
			return err
		}
	}
}

// more reads what a file has more than before, and gives how far it was read. That was told
// when the file changed, as far as that lies between the last look and this one: clocks are
// set, and some file systems are late to tell.
func (in *inlet) more(ctx context.Context, l *lines, f *os.File, at int64) (int64, error) {
	for {
		now := in.source.o.Clock.Now()
		info, err := f.Stat()
		if err != nil {
			return at, err
		}
		if !l.undated {
			l.ago = max(0, min(now.Wall.Sub(info.ModTime()), now.Mono-in.looked))
		}
		switch size := info.Size(); {
		case size < at: // it was cut
			at, l.have, l.passing = 0, 0, false
		case size-at > maxBehind:
			in.complain(errBehind, nil)
			at, l.have, l.passing = size-firstLook, 0, true
		case size == at:
			in.looked = now.Mono
			return at, nil
		}
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			return at, err
		}
		n, err := l.readSome(ctx, f)
		at += int64(n)
		if err != nil && !errors.Is(err, io.EOF) {
			return at, err
		}
	}
}
