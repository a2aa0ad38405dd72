package browser

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// strange is hosts whose names mean something in paths.
func strange() fake.Script {
	counters := func() []fake.Counter {
		return []fake.Counter{
			{Name: "Plain", Type: cooker.CounterRawCount, Is: fake.Walk(0, 9, time.Second)},
			{Name: `# of (a\b)/sec`, Type: cooker.CounterRawCount, Is: fake.Const(1)},
			{Name: "Avg * of", Type: cooker.RawFraction, Is: fake.Const(1)},
			{Name: "Absent", Type: cooker.CounterRawCount, Absent: "not on this system"},
		}
	}
	numbered := []fake.Row{{Name: "_Total", Flags: session.FlagTotal}, {Name: "0,_Total", Flags: session.FlagTotal}}
	for i := range 12 {
		numbered = append(numbered, fake.Row{Name: fmt.Sprint("0,", i)}, fake.Row{Name: fmt.Sprint("worker_", i), Parent: "pool"},
			fake.Row{Name: "chrome"}, fake.Row{Name: fmt.Sprint("adapter #", i)}, fake.Row{Name: "chrome driver"})
	}
	return fake.Script{Sets: []fake.Set{
		{Name: "Strange", Instances: session.MultipleInstances, Counters: counters(), Rows: faketest.HostileRows()},
		{Name: "WF (System) 4.0", Instances: session.MultipleInstances, Counters: counters(), Rows: numbered},
		{Name: "Alone", Counters: counters()},
	}}
}

// checkMeaning holds what the browser says of itself against package paths and
// the catalogue: every path it would add resolves, to the counters that are
// chosen, and means the instances that are chosen and no others.
func (r *rig) checkMeaning(did string) {
	r.Helper()
	for _, c := range r.b.effective() {
		for _, p := range r.b.placesOf(c) {
			set := p.set(c.key)
			view := p.host.Snap.Set(set)
			found := r.b.resultsOf(c, p)
			if len(found) == 0 && !slices.Contains(c.counters, fold("Absent")) {
				r.Fatalf("%s: no path for %v", did, c)
			}
			for _, one := range found {
				parsed, err := paths.Parse(one.full())
				if err == nil && (parsed.Computer != p.name || parsed.HasInstance != set.Instances.Multiple()) {
					r.Errorf("%s: %q reads as %+v", did, one.full(), parsed)
				}
				means, err := p.cat.Resolve(one.full(), paths.Options{})
				if err != nil || len(means) != 1 || means[0].Set != set {
					r.Errorf("%s: %q means %v: %v", did, one.full(), means, err)
					continue
				}
				for i := range set.Counters {
					name := set.Counters[i].Name
					want := !set.Counters[i].Hidden() && (c.isChosen(fold(name))) && (slices.Contains(c.counters, every) || strings.HasSuffix(one.text, `\`+name))
					if got := slices.Contains(means[0].Counters, i); got != want {
						r.Errorf("%s: %q means counter %q: %v, want %v", did, one.text, name, got, want)
					}
				}
				r.checkInstances(did, c, one, &means[0], view)
			}
		}
	}
}

// checkInstances finds for each chosen instance one that the paths mean.
func (r *rig) checkInstances(did string, c *picks, one path, means *session.Selection, view *session.SetView) {
	r.Helper()
	if view == nil || means.Matcher == nil {
		return
	}
	for _, chosen := range r.b.instancesOf(c) {
		if !strings.Contains(one.text, "("+chosen.text()+`)\`) {
			continue
		}
		for i := range view.Rows {
			in := &view.Rows[i].Instance
			switch matches := means.Matches(in); {
			case chosen.wild == "" && in.Key == chosen.key && !matches:
				r.Errorf("%s: %q does not mean %+v", did, one.text, in.Key)
			case chosen.wild == every && !matches && in.Flags&session.FlagCombined == 0:
				r.Errorf("%s: %q does not mean %+v", did, one.text, in.Key)
			}
		}
	}
}

// Whatever is pressed, what is chosen has paths that mean it.
func TestPathsMeanWhatIsChosen(t *testing.T) {
	keys := []string{"j", "k", "l", "h", "l", "space", "*", "G", "g", "pgdown", "*", "tab", "n", "space", "d", "j", "j"}
	for seed := range uint64(20) {
		onBrowser(t, panetest.Scripts(strange(), strange()), func(r *rig) {
			random := rand.New(rand.NewPCG(seed, 1))
			r.press("l", "l")
			did := ""
			for step := range 120 {
				k := keys[random.IntN(len(keys))]
				did += k + " "
				r.press(k)
				if step%20 == 0 {
					r.pass(1)
				}
				r.checkMeaning(did)
				if t.Failed() {
					t.Fatal(r.Text())
				}
			}
			for _, target := range r.b.Selected() {
				if target.IsValue() && target.Set.Instances.Multiple() && target.Host.Snap.Set(target.Set).Find(target.Key, -1) < 0 {
					t.Errorf("%v is selected and not there", target.Key)
				}
			}
		})
	}
}

// A wildcard of an instance means it and others of its kind.
func TestLike(t *testing.T) {
	for _, c := range []struct {
		in   instance
		want string
	}{
		{instance{key: session.InstanceKey{Name: "worker-12"}}, "worker*"},
		{instance{key: session.InstanceKey{Name: "w3wp_7044"}}, "w3wp*"},
		{instance{key: session.InstanceKey{Name: "svchost"}, index: 3}, "svchost*"},
		{instance{key: session.InstanceKey{Name: "adapter #2"}}, "adapter*"},
		{instance{key: session.InstanceKey{Parent: "pool", Name: "thread 9"}}, "pool/thread*"},
		{instance{key: session.InstanceKey{Name: "svchost"}}, ""},
		{instance{key: session.InstanceKey{Name: "0,3"}}, ""},
		{instance{key: session.InstanceKey{Name: "C:"}}, ""},
		{instance{key: session.InstanceKey{Name: "0,_Total"}}, ""},
		{instance{key: session.InstanceKey{Name: ""}, index: 1}, ""},
		{instance{wild: "x*"}, ""},
	} {
		if got := c.in.like(); got != c.want {
			t.Errorf("like %q: %q, want %q", c.in.text(), got, c.want)
		}
	}
}

// The star goes from the name to the wildcards and back, and says before what
// it will do.
func TestStar(t *testing.T) {
	onBrowser(t, panetest.Scripts(strange()), func(r *rig) {
		r.press("l", "G", "l", "l")
		r.click("worker_1")
		r.take()
		r.press("space", "h", "space", "l")
		r.Shows(`\\host0\WF (System) 4.0(pool/worker_1)\Plain`, `wildcard: \\host0\WF (System) 4.0(pool/worker*)\Plain is 12 instances now`)
		r.press("*")
		r.Shows("1 path chosen", "[x] pool/worker*", `wildcard: \\host0\WF (System) 4.0(*)\Plain is 62 instances now`)
		r.press("*")
		r.Shows("[x] * all, also new", `\\host0\WF (System) 4.0(*)\Plain`)
		if got := r.b.Selected(); len(got) != 62 {
			t.Errorf("%d values are selected", len(got))
		}
		r.press("*")
		r.Shows("[x] pool/worker_1")
		r.press("h", "*", "*")
		r.Shows(`\\host0\WF (System) 4.0(*)\*`)
		r.press("*")
		r.Hides(`(*)\*`)
		r.press("h")
		r.take()
		r.press("*")
		if len(r.take()) != 1 {
			t.Error("it is not said why a counterset is no wildcard")
		}
		r.press("h", "*")
		r.sends(pane.Say{Text: "there is one host"})
	})
}
