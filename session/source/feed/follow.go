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
)

const (
	followEvery = 250 * time.Millisecond
	firstLook   = MaxLine // bytes of a file that are read first: the newest lines tell how things stand
)

var (
	errEnded  = errors.New("it ended")
	errBehind = fmt.Errorf("it grows faster than it can be read: more than %d MiB were passed over", maxBehind>>20)
)

// follow reads a file as it grows, from its last lines on; one that takes its place from
// its beginning. A pipe is read as long as somebody writes, and then again.
func (in *inlet) follow(ctx context.Context) error {
	for first := true; ; first = false {
		f, err := osfile.Open(ctx, in.spec.File)
		if err != nil {
			return err
		}
		if f.Info().Mode().IsRegular() {
			err = in.followFile(ctx, f, first)
		} else {
			err = in.newLines().readAll(ctx, f)
			if err == nil && (f.Info().Mode()&fs.ModeNamedPipe == 0 || strings.HasPrefix(in.spec.File, "/dev/") || strings.HasPrefix(in.spec.File, "/proc/")) {
				err = errEnded // it cannot be opened anew
			}
		}
		_ = f.Close()
		if err != nil {
			return err
		}
		if !in.sleep(ctx, minPause) {
			return context.Cause(ctx)
		}
	}
}

// followFile reads a plain file until another has its name.
func (in *inlet) followFile(ctx context.Context, f *osfile.Input, fromEnd bool) error {
	l := in.newLines()
	var at int64
	if fromEnd {
		at = max(f.Info().Size()-firstLook, 0)
		l.passing = at > 0 // a part of a line
	}
	in.alive()
	for {
		var err error
		if at, err = in.more(ctx, l, f.File(), at); err != nil {
			return err
		}
		in.answer()
		if !in.sleep(ctx, followEvery) {
			return context.Cause(ctx)
		}
		now, err := os.Stat(in.spec.File)
		if err != nil {
			return err
		}
		if !os.SameFile(now, f.Info()) {
			_, err := in.more(ctx, l, f.File(), at) // what was written last
			l.flush()
			return err
		}
	}
}

// more reads what a file has more than before, and gives how far it was read.
func (in *inlet) more(ctx context.Context, l *lines, f *os.File, at int64) (int64, error) {
	for {
		info, err := f.Stat()
		if err != nil {
			return at, err
		}
		switch size := info.Size(); {
		case size < at: // it was cut
			at, l.have, l.passing = 0, 0, false
		case size-at > maxBehind:
			in.complain(errBehind, nil, 1)
			at, l.have, l.passing = size-firstLook, 0, true
		case size == at:
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
