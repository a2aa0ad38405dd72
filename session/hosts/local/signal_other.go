//go:build !linux

package local

import "errors"

type signalRow struct {
	name   string
	number int
}

// signals has no rows: no other system has a handle that cannot come to mean
// another process and is reached without cgo.
var signals []signalRow

func sendSignal(uint32, uint64, string, int) error { return errors.ErrUnsupported }
