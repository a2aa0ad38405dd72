//go:build !linux

package journal

import (
	"cmp"
	"context"
	"runtime"

	"perfdeck/session"
)

// Open tells that there is nothing to read.
func Open(context.Context, session.EventsFrom, Options) (session.EventReader, error) {
	names := map[string]string{"darwin": "macOS", "freebsd": "FreeBSD", "windows": "Windows"}
	return nil, noSource("events of %s cannot be read here: there is no journal, and no log of the kernel that can be followed", cmp.Or(names[runtime.GOOS], runtime.GOOS))
}
