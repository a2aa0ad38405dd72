package tui

import (
	"testing"
	"time"

	"perfdeck/tui/pane"
)

// Fleet's details want counters of countersets of which a deck asked others: until
// they come there is no row of them.
func TestDetailsOfAnotherDeck(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36, paths: []string{
		`\PhysicalDisk(_Total)\Disk Bytes/sec`, `\Network Interface(*)\Current Bandwidth`, `\Memory\Cache Bytes`, `\Processor Information(_Total)\% User Time`,
	}}, func(r *rig) {
		r.begin(3)
		r.want(pane.GoTo{Tab: pane.TabFleet})
		r.shows("cpu%")
		r.pass(3 * time.Second)
		r.shows("Avg. Disk sec/Transfer")
	})
}
