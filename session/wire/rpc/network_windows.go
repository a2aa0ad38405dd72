package rpc

import "golang.org/x/sys/windows"

// Errors of the network, WinSock's numbers.
const (
	errRefused     = windows.WSAECONNREFUSED
	errNoHost      = windows.WSAEHOSTUNREACH
	errNoNetwork   = windows.WSAENETUNREACH
	errReset       = windows.WSAECONNRESET
	errNoAnswer    = windows.WSAETIMEDOUT
	errInterrupted = windows.WSAECONNABORTED
)
