package main

import "os"

// openTerminal opens the console that the program runs on.
func openTerminal() (*os.File, error) { return os.OpenFile("CONIN$", os.O_RDWR, 0) }
