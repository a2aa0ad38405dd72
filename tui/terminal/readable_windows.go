package terminal

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// readable waits until a console has something to read.
func readable(file *os.File, wait time.Duration) bool {
	event, err := windows.WaitForSingleObject(windows.Handle(file.Fd()), uint32(wait.Milliseconds()))
	return err != nil || event == windows.WAIT_OBJECT_0
}
