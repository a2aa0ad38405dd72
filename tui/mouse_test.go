package tui

import (
	"strconv"
	"testing"

	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// A click on how many alerts fire opens them: in the header of every screen, and
// beside the selected host in Fleet.
func TestClickOnACountOfAlerts(t *testing.T) {
	rule, err := alert.ParseRule(`\Memory\Available MBytes>1`)
	if err != nil {
		t.Fatal(err)
	}
	rule.Name, rule.Severity, rule.Interval = "some", alert.Critical, alert.MinInterval
	for _, size := range [][2]int{{120, 36}, {60, 15}, {200, 60}} {
		onScreens(t, rigOptions{w: size[0], h: size[1], hosts: demoHosts, alerts: []alert.Rule{rule}}, func(r *rig) {
			r.begin(5)
			sign, _ := pane.SignOf(pane.Critical, r.root.canvas.Glyphs().Glyphs())
			opens := func(on pane.Tab, text string, header bool) {
				r.want(pane.GoTo{Tab: on})
				r.settle()
				x, y, ok := r.find(text)
				if !ok || (y == 0) != header {
					r.Fatalf("%v: tab %d counts no alerts as %s:\n%s", size, on, text, r.text())
				}
				if r.clickAt(x, y); r.root.at != pane.TabAlerts {
					r.Errorf("%v: a click on %s on tab %d leads to %d:\n%s", size, text, on, r.root.at, r.text())
				}
			}
			for _, tab := range r.root.tabs {
				opens(tab.tab, string(sign)+strconv.Itoa(r.root.desk.Board().Count[alert.Critical]), true)
			}
			if size[1] < 20 {
				return // Fleet has no room for details
			}
			r.want(pane.GoTo{Tab: pane.TabFleet})
			r.settle()
			r.click("sql01")
			opens(pane.TabFleet, string(sign)+"1 ", false)
		})
	}
}

// A click selects a row of a list, whichever screen that is on, and the next one does what
// enter does.
func TestClickOnRowsOfLists(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36, hosts: demoHosts}, func(r *rig) {
		r.begin(5)
		for _, tab := range []pane.Tab{pane.TabHosts, pane.TabFleet} {
			r.want(pane.GoTo{Tab: tab})
			r.settle()
			name := r.root.desk.Hosts[1].Name
			r.click(name)
			if list := r.root.screen().(pane.Selector).Selected(); len(list) != 1 || list[0].Host.Name != name {
				r.Fatalf("a click on %s on tab %d selects %v:\n%s", name, tab, list, r.text())
			}
			if r.click(name); r.root.at != pane.TabDeck {
				r.Errorf("another one leads to tab %d", r.root.at)
			}
		}
	})
}
