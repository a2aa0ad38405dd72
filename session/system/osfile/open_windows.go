package osfile

import (
	"context"
	"io/fs"
	"os"
)

func openAtOnce(name string) (*os.File, error) { return os.Open(name) }

// openInput opens what a user named: a pipe has somebody who serves it, or opening
// fails.
func openInput(ctx context.Context, name string) (*os.File, error) {
	return opened(ctx, func() (*os.File, error) { return os.Open(name) })
}

// isNull tells the null device.
func isNull(info fs.FileInfo) bool { return info.Name() == os.DevNull }

// isTerminal tells what is read until it ends: the console, a serial line.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}
