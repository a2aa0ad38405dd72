//go:build !windows

package main

import "os"

// openTerminal opens the terminal that the program runs on.
func openTerminal() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
