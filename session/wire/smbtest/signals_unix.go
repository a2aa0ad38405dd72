//go:build !windows

package smbtest

import "syscall"

func freeze(pid int) { _ = syscall.Kill(pid, syscall.SIGSTOP) }
func thaw(pid int)   { _ = syscall.Kill(pid, syscall.SIGCONT) }
func kill(pid int)   { _ = syscall.Kill(pid, syscall.SIGKILL) }
