package relog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// Open opens a recording, until the context ends. Behind ! stands the name of
// a set.
func Open(ctx context.Context, name string, o logs.OpenOptions) (logs.Reader, error) {
	r, err := formats.Open(ctx, name, o)
	if file, set, ok := strings.Cut(name, "!"); ok && err != nil {
		o.Set = set
		other, otherErr := formats.Open(ctx, file, o)
		if otherErr == nil {
			return other, nil
		}
		if errors.Is(err, fs.ErrNotExist) && !errors.Is(otherErr, fs.ErrNotExist) {
			err = otherErr // it is the set that is not there
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read a recording: %w", err)
	}
	return r, nil
}

// OpenJoined opens recordings as one; samples of different files that are within so much are
// one row. Those that cannot be opened are reported and left out, as OpenSome does: missing
// tells that some are. One of several that cannot be read to its end ends there with a fault.
func OpenJoined(ctx context.Context, names []string, o logs.OpenOptions, within time.Duration, report func(error)) (all logs.Reader, missing bool, err error) {
	readers, missing, err := OpenSome(ctx, names, func(name string) (logs.Reader, error) { return Open(ctx, name, o) }, report)
	if err != nil {
		for _, r := range readers {
			_ = r.Close()
		}
		return nil, false, err
	}
	if len(names) > 1 {
		return logs.Salvage(ctx, readers, within), missing, nil
	}
	return logs.Join(readers, within), missing, nil
}

// FormatOf is the format of a file, behind which the name of a set may stand.
func FormatOf(name string) (*formats.Format, error) {
	format, err := formats.Detect(name)
	if err != nil {
		file, _, _ := strings.Cut(name, "!")
		format, err = formats.Detect(file)
	}
	return format, err
}

// Large is from how many bytes on a recording is not read just to be counted.
const Large = 64 << 20

// CountedSpan counts the rows of a small file, and finds what in it cannot be read.
func CountedSpan(ctx context.Context, r logs.Reader) (logs.Span, error) {
	span, err := r.Span()
	if err != nil || span.Exact || span.Bytes > Large {
		return span, err
	}
	for _, err := range (logs.Scan{}).Rows(ctx, r) {
		if err != nil {
			return span, err
		}
	}
	return r.Span()
}

// OpenSome opens recordings. Those that cannot be opened are reported and left out; none is
// an error, that of the last. missing tells that something is: in an empty one nothing was.
// What is opened is the caller's to close, with an error too.
func OpenSome[T any](ctx context.Context, names []string, open func(name string) (T, error), report func(error)) (opened []T, missing bool, err error) {
	var failed []error
	for _, name := range names {
		one, err := open(name)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		opened = append(opened, one)
	}
	if ctx.Err() != nil {
		return opened, false, context.Cause(ctx)
	}
	missing, err = PassOver(failed, len(opened) == 0, report)
	return opened, missing, err
}

// PassOver reports recordings that are left out, as those of failed are. Where that is all,
// the last is returned. missing tells that something is: in an empty one nothing was.
func PassOver(failed []error, all bool, report func(error)) (missing bool, err error) {
	if last := len(failed) - 1; all && last >= 0 {
		for _, err := range failed[:last] {
			report(err)
		}
		return false, failed[last]
	}
	for _, err := range failed {
		if errors.Is(err, logs.ErrEmpty) {
			report(fmt.Errorf("%w: it is passed over", err))
			continue
		}
		report(err)
		missing = true
	}
	return missing, nil
}
