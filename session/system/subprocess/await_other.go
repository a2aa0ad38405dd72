//go:build unix && !linux

package subprocess

// awaitEnd cannot wait for a process that is still to be waited for.
func awaitEnd(int) bool { return false }
