//go:build !windows

package main

import (
	"errors"
	"syscall"
)

// isClosedPipe tells whether the reader of a pipe went away.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
