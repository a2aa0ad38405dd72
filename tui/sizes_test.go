package tui

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// What tells first whether a computer is well stands on the deck at every size, and all
// processors are drawn, or it says how many share a bar.
func TestDeckAtAllSizes(t *testing.T) {
	sizes := [][2]int{
		{40, 12}, {40, 40}, {55, 13}, {60, 15}, {69, 22}, {70, 20}, {80, 24}, {99, 31}, {100, 20}, {120, 36}, {140, 30}, {160, 48}, {200, 60}, {229, 50}, {250, 70},
	}
	for _, cores := range []int{1, 4, 16, 64, 256} {
		m := readMockup(t, "deck-one-200x60")
		h := &mockupHost{mockup: m, more: m, series: map[string][]float64{}, ends: 5 * time.Second, newest: 4, cores: cores}
		onScreens(t, rigOptions{hosts: script(fake.Script{Name: "db07", Sets: h.sets()})}, func(r *rig) {
			host := r.root.desk.Hosts[0]
			r.begin(0)
			r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
			r.root.ask(host)
			r.pass(5 * time.Second)
			for _, size := range sizes {
				r.send(resized{size[0], size[1]})
				r.root.draw()
				text := r.text()
				for _, name := range []string{"72.8", "Used", "Read", "Write", "Received", "Sent", "postgres"} {
					if !strings.Contains(text, name) {
						r.Errorf("%d processors at %v: no %s:\n%s", cores, size, name, text)
					}
				}
				bars, meters := strings.Count(text, "█")-strings.Count(text, "█ Proc"), strings.Count(text, "100.0") // but for the swatch
				if !strings.Contains(text, "max of ") && bars < cores && meters < cores {
					r.Errorf("%d processors at %v: %d bars, %d meters:\n%s", cores, size, bars, meters, text)
				}
			}
		})
	}
}
