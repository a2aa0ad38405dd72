package tui

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// A filter on the deck leaves the rows that it finds in all panes, as it is typed, by
// other names, too; esc ends it, then there is nothing to leave.
func TestDeckFilter(t *testing.T) {
	for name, hosts := range map[string]func(*clocktest.Clock) []fake.Host{"one host": nil, "several": demoHosts} {
		t.Run(name, func(t *testing.T) {
			onScreens(t, rigOptions{hosts: hosts}, func(r *rig) {
				r.begin(5)
				r.shows("Proc Time")
				r.press("/")
				r.write("ram")
				r.press("enter")
				r.pass(2 * time.Second)
				text := r.text()
				if !strings.Contains(text, "Pages/sec") || strings.Contains(text, "sqlservr") || strings.Contains(text, "Queue") {
					t.Errorf("filtered by ram:\n%s", text)
				}
				r.press("/")
				r.write("nothing is called this")
				r.press("enter", "j", "k", "space", "tab", "x", "c") // nothing of it panics
				r.pass(2 * time.Second)
				r.press("esc")
				r.pass(2 * time.Second)
				r.shows("Proc Time", "Queue Len")
				r.press("esc", "esc", "esc", "esc", "esc")
				r.shows("quits")
			})
		})
	}
}

// Of a table the rows are left that the filter finds, not as many of the first ones.
func TestDeckFilterOfTable(t *testing.T) {
	onScreens(t, rigOptions{w: 160, h: 48}, func(r *rig) {
		r.begin(5)
		host := r.root.desk.Hosts[0]
		r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
		r.root.ask(host)
		r.pass(5 * time.Second)
		r.shows("sqlservr", "MsMpEng")
		r.press("/")
		r.write("svchost")
		r.press("enter")
		r.pass(3 * time.Second)
		r.shows("svchost")
		if text := r.text(); strings.Contains(text, "sqlservr") || strings.Contains(text, "MsMpEng") {
			t.Errorf("filtered by svchost:\n%s", text)
		}
		r.press("esc")
		r.pass(3 * time.Second)
		r.shows("sqlservr", "MsMpEng")
	})
}
