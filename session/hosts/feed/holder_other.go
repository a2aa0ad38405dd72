//go:build !unix

package feed

import (
	"context"

	"perfdeck/session/system/osfile"
)

// followPipe reads a named pipe once, as long as somebody writes.
func (in *inlet) followPipe(ctx context.Context) error {
	f, err := osfile.Open(ctx, in.spec.File)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return in.newLines().readAll(ctx, f)
}
