//go:build !unix

package logon

import "os/exec"

// detach leaves a command as it is.
func detach(*exec.Cmd) {}
