package tui

import (
	"bytes"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// A second of a deck costs the line little: graphs shift by cells, meters and numbers
// change where they change.
func TestBytesOfADeck(t *testing.T) {
	const most = 2400 // a second, 160x48 with 256 colours
	onScreens(t, rigOptions{w: 160, h: 48}, func(r *rig) {
		theme, err := themes.Load(themes.Default, nil)
		if err != nil {
			t.Fatal(err)
		}
		var line bytes.Buffer
		p := canvas.NewPainter(&line, theme.Sheet(themes.Colours256, true), canvas.CapsOf("xterm-256color"))
		paint := func() int {
			line.Reset()
			if err := p.Paint(r.root.canvas); err != nil {
				t.Fatal(err)
			}
			return line.Len()
		}
		host := r.root.desk.Hosts[0]
		r.begin(1)
		r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
		r.root.ask(host)
		for range 90 {
			r.pass(time.Second)
		}
		paint()
		sum, highest := 0, 0
		for range 60 {
			r.pass(time.Second)
			n := paint()
			sum, highest = sum+n, max(highest, n)
		}
		if t.Logf("mean %d, highest %d", sum/60, highest); sum/60 > most {
			t.Errorf("a second takes %d bytes, want at most %d", sum/60, most)
		}
	})
}
