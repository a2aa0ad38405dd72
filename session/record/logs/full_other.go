//go:build !windows

package logs

import "syscall"

// errNoSpace is what the system says of a full disk.
const errNoSpace = syscall.ENOSPC
