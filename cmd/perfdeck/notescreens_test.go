//go:build !windows

package main

import (
	"os/exec"
	"slices"
	"testing"
)

// A note that another process writes is on the screens within seconds.
func TestNotesOfOthersOnScreens(t *testing.T) {
	t.Parallel()
	environ := []string{"HOME=" + t.TempDir()}
	c := onConsole(t, environ, "--demo")
	c.awaitText("sql01")
	c.write("8")
	c.awaitText("8 Log]")
	note := exec.CommandContext(t.Context(), binary(t), "note", "deployed 4.2")
	note.Env = slices.Concat(plainEnviron, environ)
	if out, err := note.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.awaitText("note: deployed 4.2")
}
