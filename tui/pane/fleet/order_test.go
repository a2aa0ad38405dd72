package fleet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The worst comes first: down, denied, alerts by their level, stale, then by
// load; equals keep the order of the desk.
func TestOrder(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(20)
		if got, want := r.listed(), []string{"gone", "locked", "slow", "busy", "middling", "calm"}; !slices.Equal(got, want) {
			t.Errorf("the list is %v, want %v", got, want)
		}
		r.screen.Trouble = judge{"calm": pane.Careful, "middling": pane.Critical, "busy": pane.Warning}.worst
		r.Pass(3)
		if got, want := r.listed(), []string{"gone", "locked", "middling", "busy", "calm", "slow"}; !slices.Equal(got, want) {
			t.Errorf("with alerts the list is %v, want %v", got, want)
		}
		for host, want := range map[string]string{
			"gone": "down", "locked": "denied 2", "slow": "stale", "busy": "97", "middling": "50", "calm": "12",
		} {
			if row := r.row(host); !strings.Contains(row, want) {
				t.Errorf("the line of %s lacks %q: %q", host, want, row)
			}
		}
		for host, sign := range map[string]string{"gone": "■", "locked": "■", "middling": "■", "busy": "▲", "calm": "○", "slow": "~"} {
			if row := []rune(r.row(host)); len(row) < 2 || string(row[1]) != sign {
				t.Errorf("the sign of %s is not %s: %q", host, sign, string(row))
			}
		}
	})
}

// Lines change places at most each 2 s, and not for 2 s after a key.
func TestRest(t *testing.T) {
	hosts := []scripted{{name: "a", cpu: fake.Burst(fake.Const(10), fake.Const(90), fake.Window{From: 20 * time.Second})},
		{name: "b", cpu: fake.Const(50)}, {name: "c", cpu: fake.Const(52)}}
	onFleet(t, hosts, 100, 28, func(r *rig) {
		r.Begin(10)
		calm := []string{"b", "c", "a"} // b and c are in one step of load: they stay
		if got := r.listed(); !slices.Equal(got, calm) {
			t.Fatalf("the list is %v, want %v", got, calm)
		}
		for range 20 {
			r.Press("j", "k")
			r.Pass(1)
			if got := r.listed(); !slices.Equal(got, calm) {
				t.Fatalf("at %v lines change places under a key: %v", r.Desk.Now(), got)
			}
		}
		for range 3 {
			r.Pass(1)
		}
		if got := r.listed(); got[0] != "a" {
			t.Errorf("2 s after the last key the list is %v", got)
		}
	})
}

// A load that only just passes a bound does not move its line.
func TestSlack(t *testing.T) {
	l := line{bucket: -1}
	for _, step := range []struct {
		share float32
		want  int
	}{{0.50, 3}, {0.57, 3}, {0.585, 3}, {0.61, 4}, {0.57, 4}, {0.56, 4}, {0.53, 3}, {1, 6}, {0, 0}} {
		if l.settleBucket(step.share); l.bucket != step.want {
			t.Errorf("at %v the step is %d, want %d", step.share, l.bucket, step.want)
		}
	}
	if l.settleBucket(number(cooker.Absent(cooker.Gone))); l.bucket != -1 {
		t.Errorf("without a value the step is %d", l.bucket)
	}
}

// The selection follows the host as lines change places; as long as nobody
// moved it, it is the worst.
func TestSelectionFollowsTheHost(t *testing.T) {
	hosts := []scripted{{name: "a", cpu: fake.Burst(fake.Const(10), fake.Const(90), fake.Window{From: 30 * time.Second})},
		{name: "b", cpu: fake.Const(50)}, {name: "c", cpu: fake.Const(30)}}
	onFleet(t, hosts, 100, 28, func(r *rig) {
		r.Begin(5)
		if r.screen.host().Name != "b" {
			t.Fatalf("%s is selected first", r.screen.host().Name)
		}
		r.Pass(35)
		if r.screen.host().Name != "a" {
			t.Errorf("the worst is not selected, but %s", r.screen.host().Name)
		}
	})
	onFleet(t, hosts, 100, 28, func(r *rig) {
		r.Begin(5)
		r.Press("j")
		if r.screen.host().Name != "c" {
			t.Fatalf("%s is selected", r.screen.host().Name)
		}
		r.Pass(35)
		if r.screen.host().Name != "c" || r.screen.Line() != 2 {
			t.Errorf("the selection is %s in line %d", r.screen.host().Name, r.screen.Line())
		}
		r.Press("g")
		if r.screen.host().Name != "a" {
			t.Errorf("g selects %s", r.screen.host().Name)
		}
	})
}

// Hosts come and go while the screen is open; what is kept of them goes too.
func TestHostsComeAndGo(t *testing.T) {
	onFleet(t, fleetOf(12), 100, 30, func(r *rig) {
		r.Begin(3)
		r.Press("j")
		was := r.screen.host()
		r.Press("space")
		all := r.Desk.Hosts
		r.Desk.Hosts = slices.DeleteFunc(slices.Clone(all), func(h *pane.Host) bool { return h == was })
		r.Draw()
		if r.screen.host() == was || r.screen.host() == nil || len(r.screen.Rows) != 11 {
			t.Errorf("after the selected host went %v is selected of %d", r.screen.host(), len(r.screen.Rows))
		}
		if len(r.screen.marked()) != 0 {
			t.Error("a host that went is marked still")
		}
		r.Desk.Hosts = nil
		r.Draw()
		r.Shows("No host is watched", "add hosts")
		r.Press("j", "G", "space", "s", "v")
		if len(r.screen.Selected()) != 0 {
			t.Errorf("without hosts %v are selected", r.screen.Selected())
		}
		r.Desk.Hosts = all
		r.Pass(3)
		if len(r.screen.Rows) != 12 || r.screen.host() == nil {
			t.Errorf("%d hosts are back", len(r.screen.Rows))
		}
	})
}

func TestSortKey(t *testing.T) {
	onFleet(t, few(), 120, 34, func(r *rig) {
		r.Begin(15)
		for _, want := range []string{
			"busy calm gone locked middling slow", // by name
			"busy middling calm slow gone locked", // cpu
			"busy middling calm slow gone locked", // mem: slow has none of it
			"busy calm middling slow gone locked", // disk
			"busy middling calm slow gone locked", // net
			"gone locked slow busy middling calm", // worst first again
		} {
			r.Press("s")
			if got := strings.Join(r.listed(), " "); got != want {
				t.Errorf("%v: the list is %s, want %s", r.screen.sorting, got, want)
			}
		}
		r.Press("o")
		menu, ok := r.Last().(pane.OpenMenu)
		if !ok || len(menu.Items) != int(sortings) {
			t.Fatalf("o sends %#v", r.Last())
		}
		r.Run(menu.Items[byTrouble].Do)
		r.Draw()
		if got := r.listed(); got[len(got)-1] != "gone" {
			t.Errorf("the other way round the list is %v", got)
		}
		r.ClickAt(layout.SignW, r.screen.places.list.Y+1)
		if got := r.listed(); got[0] != "busy" || got[5] != "slow" {
			t.Errorf("a click on the head of the names sorts %v", got)
		}
		r.Click("mem%")
		r.Click("mem%")
		if got := r.listed(); got[0] != "slow" && got[0] != "calm" {
			t.Errorf("two clicks on a head sort %v", got)
		}
	})
}

// Services are asked for only while hosts are sorted by those that failed, which is when they have a column.
func TestFailedServices(t *testing.T) {
	host := func(name string, failed float64) scripted {
		sets := scripted{name: name}.script().Sets
		return scripted{name: name, sets: append(sets, fake.Set{
			Name: "Service", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "Failed", Type: cooker.CounterRawCount, Is: fake.Const(failed)}},
			Rows: []fake.Row{{Name: "nginx"}, {Name: "_Total", Flags: session.FlagTotal}},
		})}
	}
	onFleet(t, []scripted{host("a", 0), host("b", 7), {name: "c"}}, 120, 34, func(r *rig) {
		asked := func() (n int) {
			for _, h := range r.Desk.Hosts {
				if set := h.Sampler.Catalogue().Set("Service"); set != nil && h.Snap.Set(set) != nil {
					n++
				}
			}
			return n
		}
		r.Begin(5)
		for range sortings {
			r.Press("s")
			r.Begin(3)
			if asked() > 0 || r.screen.showsServices() {
				t.Fatalf("services of %d hosts are asked for, sorted %s", asked(), r.screen.sorting)
			}
		}
		r.screen.sortBy(byMeasure + services)
		r.Begin(5)
		if got := r.listed(); asked() != 2 || !slices.Equal(got, []string{"b", "a", "c"}) {
			t.Errorf("%d are asked, listed %q", asked(), got)
		}
		for _, a := range r.screen.Asks(r.Desk.Hosts[0]) {
			if a.Seldom != (a.Set.Name == "Service") {
				t.Errorf("%s is asked for seldom: %v", a.Set.Name, a.Seldom)
			}
		}
		if head, row := r.row("failed"), r.row("b "); !strings.Contains(head, "failed") || !strings.Contains(row, " 7") {
			t.Errorf("%q, %q", head, row)
		}
		r.screen.sortBy(byName)
		r.Begin(5)
		if asked() > 0 {
			t.Errorf("services of %d hosts are asked for still", asked())
		}
	})
}
