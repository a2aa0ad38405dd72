package tui

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
)

// The default deck shows no less than it once did: names of rows, heads of tables, limits.
func TestDefaultDeckKeepsItsFacts(t *testing.T) {
	list, err := os.ReadFile("testdata/facts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		size, facts, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok { // a comment
			continue
		}
		var o rigOptions
		if _, err := fmt.Sscanf(size, "%dx%d", &o.w, &o.h); err != nil {
			t.Fatal(err)
		}
		onScreens(t, o, func(r *rig) {
			r.begin(30)
			host := r.root.desk.Hosts[0]
			r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
			r.root.ask(host)
			for range 30 {
				r.pass(time.Second)
			}
			wanted := strings.Split(facts, ", ")
			for _, fact := range wanted {
				n := shows(r.text(), fact)
				if fact == "last 60 s" {
					n += shows(r.text(), "command") // which goes before the history where one of them has room
				}
				if most := len(slices.DeleteFunc(slices.Clone(wanted), func(f string) bool { return f != fact })); n < most {
					t.Errorf("%s: %q is there %d times, not %d:\n%s", size, fact, n, most, r.text())
				}
			}
		})
	}
}

// shows is how often a text is on the screen as words of its own.
func shows(screen, text string) int {
	return len(regexp.MustCompile(`(?m)(^|[ ─━])`+regexp.QuoteMeta(text)+`([ ─━]|$)`).FindAllString(screen, -1))
}
