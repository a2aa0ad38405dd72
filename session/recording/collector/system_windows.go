package collector

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isProcess tells whether there is a process of this number.
func isProcess(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	_ = windows.CloseHandle(h)
	return true
}

// isReadOnly tells why nothing could be written.
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
