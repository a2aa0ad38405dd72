package main

import (
	"fmt"
	"os"
	"os/exec"
)

// heirCommand is the program that goes on with a recording. Its environment is
// that of this program, without passwords.
func (p *program) heirCommand(id string) (*exec.Cmd, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	if _, err := os.Stat(name); err != nil {
		name = "/proc/self/exe" // it was replaced while it ran: Linux still has it
	}
	cmd := &exec.Cmd{Path: name, Args: []string{"perfdeck", "record", "--resume", id, "--hand-over"}, Env: p.environ}
	return cmd, nil
}
