package session

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// How often, and how long, a file that others have open is tried.
const (
	replaceAgain = 20 * time.Millisecond
	replaceFor   = time.Second
)

func replaceFile(rename func() error) error {
	for begun := time.Now(); ; time.Sleep(replaceAgain) {
		err := rename()
		isOpen := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !isOpen || time.Since(begun) > replaceFor {
			return err
		}
	}
}
