package local

import (
	"errors"
	"fmt"
)

var errEmpty = errors.New("nothing in it that perfdeck understands")

// readError says why nothing could be made of a file under /proc.
func readError(name string, err error) error {
	if err == nil {
		err = errEmpty
	}
	return fmt.Errorf("read /proc/%s: %w", name, err)
}
