package tui

import (
	"flag"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/tui/canvas"
	"perfdeck/tui/panetest"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// The screens as they are meant to look, on the clock of the tests: a change
// shows as a difference of text. `go test ./tui -run Golden -update` accepts it.
func TestGolden(t *testing.T) {
	for _, g := range []struct {
		name   string
		w, h   int
		glyphs canvas.GlyphSet
		keys   []string
	}{
		{name: "deck", w: 120, h: 36},
		{name: "deck", w: 80, h: 24},
		{name: "deck", w: 60, h: 15},
		{name: "deck", w: 40, h: 12},
		{name: "deck-ascii", w: 80, h: 24, glyphs: canvas.ASCII},
		{name: "zoomed", w: 80, h: 24, keys: []string{"tab", "z"}},
		{name: "top", w: 120, h: 36, keys: []string{"3"}},
		{name: "tree-console", w: 80, h: 24, glyphs: canvas.Console, keys: []string{"3", "v"}},
		{name: "explain", w: 100, h: 30, keys: []string{"x"}},
		{name: "help", w: 100, h: 30, keys: []string{"?"}},
		{name: "counter", w: 100, h: 30, keys: []string{"a"}},
		{name: "too-small", w: 30, h: 8},
	} {
		onScreens(t, rigOptions{w: g.w, h: g.h, glyphs: g.glyphs}, func(r *rig) {
			r.begin(30)
			r.press(g.keys...)
			r.pass(3 * time.Second)
			var b strings.Builder
			for _, row := range r.rows() {
				b.WriteString(strings.TrimRight(row, " ") + "\n")
			}
			golden(r, g.name+"-"+strconv.Itoa(g.w)+"x"+strconv.Itoa(g.h)+".txt", b.String())
		})
	}
}

// golden compares a text with the golden one of a name, or accepts it.
func golden(t testing.TB, name, got string) {
	t.Helper()
	panetest.Golden(t, filepath.Join("testdata", "golden", name), got, *update)
}
