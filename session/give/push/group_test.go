package push

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
)

// Pushes that stay the same go on when the config is read again, those that changed begin
// anew, those that are gone end; each has the hosts that it is meant for.
func TestDesk(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		e := newEngine()
		clock := session.NewSystemClock()
		guarded := guard.New(func(e *guard.PanicError) { panic(e) })
		var told []string
		holds := 0
		d := NewGroup(GroupOptions{
			Report: func(err error) { told = append(told, err.Error()) }, Tell: func(string) {},
			Hold: func() func() { holds++; return func() { holds-- } }, Patience: time.Second,
		})
		began := map[string]int{}
		entry := func(name, of string, hosts ...string) Entry {
			return Entry{Name: name, Of: name + of, Open: func() (Options, Asks, error) {
				began[name]++
				o := Options{
					Engine: link.Engine{URL: "http://engine.test/" + name, Transport: e}, Every: time.Second,
					Queue: filepath.Join(dir, name+of), Bytes: 64 << 20, Clock: clock, Go: guarded.Go,
				}
				if of == "wrong" {
					return o, nil, errors.New("it is wrong")
				}
				asks := func(h Host) ([]session.Question, bool) {
					return []session.Question{{Text: "Memory", Whole: true}}, len(hosts) == 0 || hosts[0] == h.Name
				}
				return o, asks, nil
			}}
		}
		hosts := func() (out string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			for _, g := range d.going {
				g.mu.Lock()
				out += g.Name + ":" + strings.Repeat("x", len(g.hosts)) + " "
				g.mu.Unlock()
			}
			return out
		}
		add := func(name string) {
			s := script()
			s.Name = name
			d.Add(Host{Name: name, Sampler: session.NewSampler(name, fake.New(s, clock), clock)})
		}
		add("sql01")
		d.Set([]Entry{entry("a", ""), entry("b", "", "sql02"), entry("c", "wrong")})
		add("sql02")
		if got := hosts(); got != "a:xx b:x " || len(told) != 1 || !strings.Contains(told[0], "push c: it is wrong") {
			t.Errorf("%s, told %v", got, told)
		}
		d.Set([]Entry{entry("a", ""), entry("b", "2")})
		d.Drop("sql01")
		if got := hosts(); got != "a:x b:x " || began["a"] != 1 || began["b"] != 2 {
			t.Errorf("%s, began %v", got, began)
		}
		d.Close()
		if got := hosts(); got != "" || holds != 0 {
			t.Errorf("%s at the end, %d hold the program", got, holds)
		}
		synctest.Wait()
	})
}
