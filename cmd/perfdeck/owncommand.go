package main

import (
	"fmt"
	"os"
	"os/exec"
)

// ownCommand is this program with other arguments. Its environment is that of this
// program, without passwords.
func (p *program) ownCommand(args ...string) (*exec.Cmd, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	if _, err := os.Stat(name); err != nil {
		name = "/proc/self/exe" // it was replaced while it ran: Linux still has it
	}
	return &exec.Cmd{Path: name, Args: append([]string{"perfdeck"}, args...), Env: p.environ}, nil
}
