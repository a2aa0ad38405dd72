package tui

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/panetest"
	"perfdeck/tui/picture"
)

// The moving picture of the README: so many seconds of the demo, one frame each.
const (
	movingSeconds = 10
	movingMost    = 300 << 10 // bytes
)

// The moving picture is what the canvas draws: `go test ./tui -run Golden -update`
// accepts a change.
func TestGoldenMovingPicture(t *testing.T) {
	busy, err := alert.ParseRule(`\Processor Information(_Total)\% Processor Time>80`)
	if err != nil {
		t.Fatal(err)
	}
	busy.Name = "processor busy"
	var frames []*canvas.Canvas
	var seen picture.Picture
	first := func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[:1] }
	onScreens(t, rigOptions{w: 120, h: 36, hosts: first, alerts: []alert.Rule{busy}}, func(r *rig) {
		r.clock.Advance(0)
		r.send(catalogueReady{r.root.watched[0]})
		r.begin(125)
		for range movingSeconds {
			r.pass(time.Second)
			seen = r.root.seen()
			frames = append(frames, seen.Canvas)
		}
	})
	seen.Title = "perfdeck, the deck of an invented host"
	got := seen.Moving(frames, time.Second)
	if len(got) > movingMost {
		t.Errorf("it has %d bytes", len(got))
	}
	if name := filepath.Join("pictures", "demo.svg"); *update {
		panetest.Golden(t, name, string(got), *update)
	} else if want, err := os.ReadFile(name); err != nil || !bytes.Equal(want, got) { // too long to be told
		t.Errorf("%s is not what is drawn (-update accepts it): %v", name, err)
	}
}
