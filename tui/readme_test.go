package tui

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/panetest"
)

// The screens that the README shows, of the demo's hosts in the midst of an
// incident. `go test ./tui -run ReadmeScreens -update` accepts a change, and then
// the README's own test writes them into it.
func TestReadmeScreens(t *testing.T) {
	slow, err := alert.ParseRule(`\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.025`)
	if err != nil {
		t.Fatal(err)
	}
	slow.Name, slow.Severity, slow.Need, slow.Of, slow.Origin = "slow disk", alert.Critical, 2, 3, "config"
	busy, err := alert.ParseRule(`\Processor Information(_Total)\% Processor Time>80`)
	if err != nil {
		t.Fatal(err)
	}
	busy.Name, busy.Severity, busy.Origin = "busy", alert.Warning, "config"

	for _, s := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"fleet", 100, 20, []string{"2"}},
		{"top", 100, 16, []string{"t"}},
		{"browse", 100, 25, []string{"4", "/", "=disk sec tr", "enter"}},
		{"chart", 100, 25, []string{"c", "1", "=j", "c", "h", "h", "h", "h", "h", "h"}},
		{"alerts", 100, 17, []string{"6"}},
		{"hosts.svg", 120, 30, nil},
		{"explain.svg", 100, 30, []string{"x"}},
		{"moved.svg", 100, 20, []string{"later", "[", "[", "[", "B", "[", "B", "C"}},
	} {
		hosts := demoHosts
		if strings.HasSuffix(s.name, ".svg") { // when the one that refuses is tried again is left to chance
			hosts = func(c *clocktest.Clock) []fake.Host {
				return slices.DeleteFunc(fake.Demo(c), func(h fake.Host) bool { return h.Name == "sql04" })
			}
		}
		o := rigOptions{w: s.w, h: s.h, hosts: hosts, alerts: []alert.Rule{slow, busy}}
		if slices.Contains(s.keys, "later") {
			o.history = 10 * time.Minute
		}
		onScreens(t, o, func(r *rig) {
			r.begin(135)
			for _, k := range s.keys {
				text, isText := strings.CutPrefix(k, "=")
				switch {
				case isText:
					r.write(text)
				case k == "later": // the incident is over
					r.pass(195 * time.Second)
				default:
					r.press(k)
				}
			}
			r.pass(5 * time.Second)
			var b strings.Builder
			for _, row := range r.rows() {
				b.WriteString(strings.TrimRight(row, " ") + "\n")
			}
			if strings.HasSuffix(s.name, ".svg") {
				seen := r.root.seen()
				seen.Title = "perfdeck, hosts of its demo"
				panetest.Golden(r, filepath.Join("pictures", s.name), string(seen.SVG()), *update)
				return
			}
			golden(r, "readme-"+s.name+".txt", b.String())
		})
	}
}

func demoHosts(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }
