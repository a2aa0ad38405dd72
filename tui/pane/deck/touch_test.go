package deck

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// Whatever a pane is drawn as, and however wide and high the screen is, a blank is between a
// name and its number, or the word in place of one, and between what stands behind it.
func TestNumbersDoNotTouchNames(t *testing.T) {
	mb := func(n float64) fake.Motion { return fake.Const(n * mega) }
	of := func(name string, n float64) fake.Counter { return gaugeOf(name, fake.Const(n)) }
	script := fake.Script{Name: "one", Sets: []fake.Set{
		{Name: "Store", Counters: []fake.Counter{
			gaugeOf("Pool Nonpaged Bytes", mb(1024)), gaugeOf("Pool Pageable Bytes", mb(4711)), gaugeOf("Something Abcdefghijklmn Bytes/sec", mb(1234)),
			of("Quitelongname", 8765), of("Elevenletts", 2345), gaugeOf("Capacity Bytes", mb(9000)),
			{Name: "Hiddennames", Type: cooker.CounterRawCount, Absent: "denied"},
			{Name: "Pendingones", Type: cooker.CounterBulkCount, Is: fake.Const(1)},
			{Name: "Wordsoftext", Type: cooker.CounterText, Text: func(*session.Instance, time.Duration) string { return "words" }},
		}},
		{Name: "Many", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "alphabetagamma"}, {Name: "deltaepsilon"}, {Name: "zetaetathetaiota"}, {Name: "total", Flags: session.FlagTotal}}, Counters: []fake.Counter{
			of("Handles", 5678), gaugeOf("Bytes", mb(1357)),
		}},
	}}
	script.Faults = []fake.Fault{{Window: fake.Window{From: 5 * time.Second}, Err: errors.New("read: connection reset by peer")}}
	const rows = `\Store\`
	list := []string{rows + "Pool Nonpaged Bytes", rows + "Pool Pageable Bytes", rows + "Something Abcdefghijklmn Bytes/sec", rows + "Quitelongname", rows + "Elevenletts", rows + "Hiddennames", rows + "Pendingones", rows + "Wordsoftext"}
	instances := []string{`\Many(*)\Handles`, `\Many(*)\Bytes`}
	touch := regexp.MustCompile(`[\p{L}…]\d|[\p{L}…](none|pending|denied|words)|[^ ~]words|[^ ]~`)
	for name, panes := range map[string][]session.DeckPane{
		"rows":      {{Paths: list, Kind: "rows"}},
		"graph":     {{Paths: list, Kind: "graph"}},
		"meters":    {{Paths: list, Kind: "meters", Limit: rows + "Capacity Bytes"}},
		"cells":     {{Paths: instances[1:], Kind: "cells", Limit: rows + "Capacity Bytes"}},
		"table":     {{Paths: instances, Kind: "table"}},
		"instances": {{Paths: instances, Kind: "rows"}},
		"busiest":   {{Paths: instances[:1], Kind: "rows", Busiest: 3}},
		"more":      {{Paths: list[:1], Kind: "graph", Also: list[1:]}, {Paths: list[3:], Kind: "graph"}},
	} {
		for _, hosts := range [][]fake.Script{{script}, {script, {Name: "two", Sets: script.Sets, Faults: script.Faults}}} {
			onDeck(t, 200, 34, hosts, func(r *rig) {
				decks := []*Deck{r.book.Own(r.Desk.Hosts[0])}
				if len(hosts) > 1 {
					decks = r.book.all.decks
				}
				for _, d := range decks {
					d.Load(panes)
				}
				for phase, seconds := range []int{2, 20} { // live, then stale
					r.pass(seconds)
					for _, h := range []int{12, 22, 34} {
						for w := 40; w <= 200; w += 1 + 2*phase {
							r.Resize(w, h)
							r.Draw()
							for _, row := range r.Canvas.Rows() {
								if at := touch.FindString(row); at != "" {
									t.Errorf("%s of %d hosts, %dx%d: %q in\n%s", name, len(hosts), w, h, at, row)
									return
								}
							}
						}
					}
					if isStale := strings.Contains(r.Text(), "~"); isStale != (phase > 0) {
						t.Errorf("%s: stale after %d s: %v", name, seconds, isStale)
					}
				}
			})
		}
	}
}
