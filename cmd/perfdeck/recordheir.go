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

// bequest are the passwords that were typed or came with the environment: what the
// config refers to another process finds itself.
func (p *program) bequest() map[string][]byte {
	out := map[string][]byte{}
	if p.password != nil {
		out[""] = p.password // of the environment, for whoever has none
	}
	p.access.Lock()
	defer p.access.Unlock()
	for account, s := range p.secrets {
		if password, err := s.ifKnown(); err == nil && password != nil {
			out[account] = password
		}
	}
	return out
}

// ifKnown is the password if it was fetched already.
func (s *secret) ifKnown() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.password == nil {
		return nil, s.err
	}
	return append([]byte(nil), s.password...), nil
}
