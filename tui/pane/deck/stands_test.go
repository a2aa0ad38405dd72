package deck

import (
	"fmt"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/layout"
)

// Whatever the values are and whoever comes and goes, the panes of a host stay where they are; each value
// that has a row has one.
func TestDeckStands(t *testing.T) {
	decks := map[string][]session.DeckPane{"default": nil, "own": {
		{Paths: []string{`\Processor Information(_Total)\% Processor Time`}},
		{Paths: []string{`\Process(*)\% Processor Time`}, Kind: "rows"},
		{Paths: []string{`\Network Interface(*)\Bytes Received/sec`, `\Network Interface(*)\Packets Received/sec`}, Kind: "rows"},
		{Paths: []string{`\Memory\Available Bytes`}, Kind: "meters"},
		{Paths: []string{`\Process(*)\% Processor Time`}, Kind: "cells"},
		{Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 5},
	}}
	m := quiet("one")
	m.isLinux = true
	m.cpu, m.queue, m.available = wild(0, 100, 3), wild(1, 1e6, 1e12), wild(6, 0.1, 7.9)
	m.read, m.write, m.packets = wild(0, 1e6, 1e-6), wild(0, 1e-6, 1e6), wild(1, 1e12, 1e3)
	m.processes = m.processes[:1]
	for k := range 40 {
		m.processes = append(m.processes, fake.Row{Name: fmt.Sprint("worker", k), Number: uint64(100 + k), Is: map[string]fake.Motion{"% Processor Time": wild(0, 400, 7)},
			Alive: fake.Window{From: time.Duration(k%5) * 4 * time.Second, To: time.Duration(6+k%7*4) * time.Second, Every: 40 * time.Second}})
	}
	for name, panes := range decks {
		t.Run(name, func(t *testing.T) {
			onDeck(t, 120, 34, []fake.Script{m.script()}, func(r *rig) {
				d := r.book.own[r.Desk.Hosts[0]]
				if panes != nil {
					d.Load(panes)
				}
				r.pass(4)
				before := map[[2]int][]layout.Placed{}
				for range 18 {
					r.pass(2)
					for _, size := range some(matrixSizes) {
						r.Resize(size[0], size[1]-2)
						r.Draw()
						for i, now := range d.laid.places {
							if was := before[size]; was != nil && was[i] != now {
								t.Fatalf("%v: pane %d was at %+v, is at %+v:\n%s", size, i, was[i], now, r.Text())
							}
						}
						before[size] = d.laid.places
						shown := map[rowID]int{}
						for i, b := range d.panes {
							for _, sg := range b.picture.of.signs {
								id := d.panes[sg.pane].lines[sg.line].id()
								if other, is := shown[id]; is && !d.laid.places[i].Hidden {
									t.Fatalf("%v: %v stands in panes %d and %d", size, id.key, other, i)
								}
								if !d.laid.places[i].Hidden {
									shown[id] = i
								}
							}
						}
					}
				}
			})
		})
	}
}
