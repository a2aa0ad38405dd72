//go:build !windows

package rpc

import "syscall"

// Errors of the network, errno's numbers.
const (
	errRefused     = syscall.ECONNREFUSED
	errNoHost      = syscall.EHOSTUNREACH
	errNoNetwork   = syscall.ENETUNREACH
	errReset       = syscall.ECONNRESET
	errNoAnswer    = syscall.ETIMEDOUT
	errInterrupted = syscall.ECONNABORTED
)
