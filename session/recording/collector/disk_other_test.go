//go:build !linux

package collector

import "testing"

func smallDisk(t *testing.T, _ int) string {
	t.Helper()
	t.Skip("no disk of its own")
	return ""
}
