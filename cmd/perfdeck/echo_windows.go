package main

import "golang.org/x/sys/windows"

// muteEcho switches the echo of a console off; lines are read as before.
func muteEcho(fd int) error {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(fd), &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(windows.Handle(fd), mode&^windows.ENABLE_ECHO_INPUT)
}
