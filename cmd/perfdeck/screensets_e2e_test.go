//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A set is started, stopped, looked into and removed from the screens, each after a
// question; a recording that is played gives the terminal back to them.
func TestSetsOnTheScreens(t *testing.T) {
	t.Parallel()
	renderers := []string{"own", "bubbletea"}
	if testing.Short() {
		renderers = renderers[:1]
	}
	for _, renderer := range renderers {
		state := t.TempDir()
		c := onConsole(t, []string{"XDG_STATE_HOME=" + state}, "sh",
			`"$P" collect create counter one --every 1 -f csv '\Memory\Available Bytes' && "$P" collect start one || exit 1
			until [ "$(cat "$XDG_STATE_HOME"/perfdeck/collected/one/*/one.csv | wc -l)" -ge 2 ]; do sleep 0.05; done
			"$P" collect stop one; "$P" --renderer=`+renderer)
		c.awaitText("? help")
		c.write("9")
		c.awaitText("Does not run.")
		c.write("\r")
		c.awaitText("[1 Deck]")
		c.awaitText("one.csv")
		c.write("q")
		c.awaitText("[9 Records]")
		c.write("r")
		c.awaitText("Start one")
		c.write("y")
		c.awaitText("Runs since")
		c.write("r")
		c.awaitText("Stop one")
		c.write("y")
		c.awaitText("Does not run.")
		c.write("d")
		c.awaitText("What it collected stays") // a folder that nothing came into is gone
		c.write("f")
		c.awaitText("cannot be undone")
		c.write("y")
		c.awaitText("No data collector sets")
		c.write("q")
		if code := c.ends(); code != 0 {
			t.Errorf("exit code %d:\n%s", code, c.text())
		}
		c.isGivenBack()
		left, _ := filepath.Glob(filepath.Join(state, "perfdeck", "collected", "*"))
		sets, _ := filepath.Glob(filepath.Join(state, "perfdeck", "sets", "one.xml"))
		if len(left)+len(sets) > 0 {
			t.Errorf("left: %q %q", left, sets)
		}
		if said, _ := os.ReadFile(filepath.Join(state, "perfdeck", "sets", "one.log")); strings.Contains(string(said), "panic") {
			t.Errorf("%s", said)
		}
	}
}
