package fleet

import (
	"strings"
	"testing"
	"time"
)

func TestFilter(t *testing.T) {
	hosts := few()
	onFleet(t, hosts, 120, 34, func(r *rig) {
		r.Begin(20)
		for _, c := range []struct{ text, want string }{
			{"", "busy calm gone locked middling slow"},
			{"calm", "calm"},
			{"CALM", "calm"},
			{"l", "calm locked middling slow"},
			{"!l", "busy gone"},
			{"l !d", "calm slow"},
			{"calm or busy", "busy calm"},
			{"or calm or", "calm"},
			{"web", "busy"},
			{"site:fra", "busy calm"},
			{"site:f", "busy calm"},
			{"site=f", ""},
			{"site=FRA", "busy calm"},
			{"site:web", ""},
			{"group:web", "busy"},
			{"site:hosts", "middling"},
			{"host:c", "calm"},
			{"state:stale", "slow"},
			{"state:down", "gone"},
			{"state:denied", "locked"},
			{"state:ok", "busy calm middling"},
			{"state:trouble", "gone locked slow"},
			{"!state:ok", "gone locked slow"},
			{"cpu>80", "busy"},
			{"cpu>=97", "busy"},
			{"cpu<20", "calm slow"},
			{"cpu>40 cpu<60", "middling"},
			{"cpu=12", "calm"},
			{"mem>=50%", "busy middling"},
			{"disk>20", "busy"},
			{"disk<1.5", "middling slow"},
			{"net>10", "busy middling"},
			{"missed>0", ""},
			{"latency<5", "busy calm gone locked middling slow"},
			{"site:ams state:stale or cpu>90", "busy slow"},
			{"nobody", ""},
			{"!", ""},
			{":", ""},
			{">", ""},
			{"!(site:fra or web)", "gone locked middling slow"},
			{"cpu>=97% and not (site:ams or calm)", "busy"},
			{"disk>20ms", "busy"},
			{"net>10MB/s", "busy middling"},
		} {
			_ = r.screen.Filter.Set(c.text)
			r.Draw()
			got := r.listed()
			var sorted []string
			for _, l := range r.screen.lines {
				if strings.Contains(" "+strings.Join(got, " ")+" ", " "+l.host.Name+" ") {
					sorted = append(sorted, l.host.Name)
				}
			}
			want := strings.Fields(c.want)
			if len(sorted) != len(want) || !sameNames(sorted, want) {
				t.Errorf("%q takes %v, want %v", c.text, sorted, want)
			}
		}
	})
}

func sameNames(a, b []string) bool {
	in := map[string]bool{}
	for _, n := range a {
		in[n] = true
	}
	for _, n := range b {
		if !in[n] {
			return false
		}
	}
	return true
}

// A filter that is wrong is told and leaves the last good one.
func TestFilterFaults(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(5)
		_ = r.screen.Filter.Set("site:fra")
		for _, wrong := range []string{"cpu>", "cpu:many", "size>5", "site:", "site>5", "net<=", "kind:web"} {
			if r.screen.Filter.Set(wrong) == nil || r.screen.Filter.Text() != "site:fra" {
				t.Errorf("%q is taken: the filter is %q", wrong, r.screen.Filter.Text())
			}
		}
	})
}

// The filter is typed in a dialog, shown in the title, and cleared by esc.
func TestFilterIsTyped(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(15)
		r.Press("/")
		if err := r.write("cpu>"); err == nil {
			t.Error("half of a condition is no fault")
		}
		if err := r.write("site:ams"); err != nil {
			t.Error(err)
		}
		r.Shows("3 of 6 hosts", "filter site:ams")
		r.Press("esc")
		r.Shows("6 hosts")
		r.Hides("filter site")
		r.Press("/")
		r.write("nobody")
		r.Shows("No host fits the filter nobody", "esc")
		r.Press("enter", "space", "d", "G")
		if r.screen.whyNoHost() == "" {
			t.Error("a host is selected though none is shown")
		}
		r.Press("esc")
		if r.screen.host() == nil {
			t.Error("no host is selected when the filter is cleared")
		}
	})
}

// A condition on values is looked at as seldom as lines are sorted.
func TestFilterRests(t *testing.T) {
	hosts := few()[:1]
	hosts = append(hosts, scripted{name: "waver", cpu: func(at time.Duration, _ uint64) float64 {
		if at/time.Second%2 == 0 {
			return 90
		}
		return 10
	}})
	onFleet(t, hosts, 100, 30, func(r *rig) {
		r.Begin(10)
		_ = r.screen.Filter.Set("cpu>50 or calm")
		r.Draw()
		was := len(r.listed())
		for range 6 {
			r.Press("j")
			r.Pass(1)
			if n := len(r.listed()); n != was {
				t.Fatalf("lines come and go under a key: %d, then %d", was, n)
			}
		}
	})
}
