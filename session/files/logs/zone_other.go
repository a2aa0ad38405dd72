//go:build !windows

package logs

// localWindowsNames are empty: only Windows knows its zone by those names.
func localWindowsNames() (standard, daylight string) { return "", "" }
