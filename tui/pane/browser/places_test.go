package browser

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// Marks stay on what they are on when a catalogue is renewed; one that did not
// change is not indexed again.
func TestRenewal(t *testing.T) {
	onBrowser(t, panetest.Demo(3), func(r *rig) {
		r.press("l", "down", "down", "l", "down", "space")
		before := r.b.counters.Row().name
		marked := r.Text()
		other := &r.b.places[2].refs[0]
		h := r.Desk.Hosts[0]
		old := h.Sampler.Catalogue()
		fresh := &session.Catalogue{Host: old.Host}
		for i, s := range slices.Backward(old.Sets) {
			if i%2 == 0 || s.Name == r.b.sets.Row().name {
				fresh.Sets = append(fresh.Sets, &session.Counterset{
					Name: s.Name, V1Index: s.V1Index, Instances: s.Instances,
					Counters: append([]session.Counter{{ID: 900, Name: "A new one", Type: cooker.CounterRawCount}}, s.Counters...),
				})
			}
		}
		h.Sampler.(*session.Sampler).Renew(fresh)
		r.settle()
		if got := r.b.counters.Row().name; got != before {
			t.Errorf("the mark went from %q to %q:\n%s\n%s", before, got, marked, r.Text())
		}
		r.Shows("1 path chosen", "A new one", "[x] "+before)
		if r.b.places[0].cat != fresh || other != &r.b.places[2].refs[0] {
			t.Error("the wrong catalogue was indexed again")
		}
		refs := &r.b.places[0].refs[0]
		r.pass(3)
		if refs != &r.b.places[0].refs[0] {
			t.Error("a catalogue that is the same was indexed again")
		}
	})
}

func TestHostsComeAndGo(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.Hides("all hosts ")
		r.press("l", "l", "space")
		_, stop := r.Watch(fake.Demo(r.Clock)[3], 2*time.Minute)
		defer stop()
		r.pass(3)
		r.Shows("all hosts    2", "dc01", "[x]")
		r.press("h", "h", "G")
		r.Shows("►  dc01")
		r.press("l", "l", "space")
		r.Shows("2 paths chosen")
		gone := r.Desk.Hosts[1]
		r.Desk.Hosts = r.Desk.Hosts[:1]
		r.settle()
		r.Hides("dc01", "all hosts ")
		r.Shows("1 path chosen", "►  sql01")
		if n := r.b.index.Len(); n != 103 {
			t.Errorf("the index has %d counters", n)
		}
		for _, target := range r.b.Selected() {
			if target.Host == gone {
				t.Error("a host that left is selected")
			}
		}
		r.Desk.Hosts = nil // cannot be, but nothing may break
		r.settle()
		r.press("j", "l", "space", "*", "enter", "v", "n", "x")
	})
}

func TestLevels(t *testing.T) {
	counter := func(name string, d session.DetailLevel) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterRawCount, Is: fake.Const(1), Detail: d}
	}
	script := fake.Script{Sets: []fake.Set{{Name: "Set", Counters: []fake.Counter{
		counter("For novices", session.DetailNovice), counter("Advanced", session.DetailAdvanced),
		counter("Expert", session.DetailExpert), counter("Wizard", session.DetailWizard),
	}}, {Name: "Deep", Counters: []fake.Counter{counter("Only", session.DetailExpert)}}}}
	onBrowser(t, panetest.Scripts(script), func(r *rig) {
		r.Shows("5 counters on 1 host")
		r.press("v")
		r.Shows("For novices", "1 of 5 counters", "up to novice")
		r.Hides("Advanced", "Deep")
		r.press("v")
		r.Shows("Advanced", "2 of 5 counters")
		r.press("v", "l", "j", "l")
		r.Shows("Expert", "4 of 5 counters", "Deep")
		r.Hides("Wizard")
		r.press("v")
		r.Shows("Wizard", "5 counters on 1 host")
		// A counter above the level is shown when somebody asks for it.
		r.press("v")
		set := r.Desk.Hosts[0].Sampler.Catalogue().Set("Deep")
		r.b.Show(pane.Target{Host: r.Desk.Hosts[0], Set: set, Counter: 0})
		r.settle()
		r.Shows("► [ ] Only")
	})
}

func TestManifests(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.b.SetManifests([]Manifest{{Name: "gas.man", Catalogue: &session.Catalogue{Sets: []*session.Counterset{{
			Name: "Gas", GUID: "{51d1685c-35ed-45be-99fe-17261a4f27f3}", Instances: session.MultipleInstances, Provider: "Sensors",
			Counters: []session.Counter{{ID: 3, Name: "Pressure", Description: "In pascal.", Type: cooker.CounterLargeRawCount, Detail: session.DetailAdvanced}},
		}}}}})
		r.press("/")
		r.write("pascal")
		r.Shows("1 of 104 counters on 1 host and 1 manifest", "not here; 1 on gas.man")
		r.press("enter", "h", "h", "h", "G", "l", "l")
		r.Shows("In pascal.", "V2 counterset {51d1685c-35ed-45be-99fe-17261a4f27f3}", "of Sensors", "it has no values", "detail  advanced")
		if len(r.b.Selected()) != 0 {
			t.Error("a counter without a host is selected")
		}
		r.press("y", "enter")
		r.sends(pane.CopyPaths{Paths: []string{`\Gas(*)\Pressure`}}, pane.Say{Text: "gas.man is a manifest: it has no values; y copies the path"})
		r.Shows("not on  ", "not here  1")
		src := r.b.places[1].src
		r.b.SetManifests(r.b.manifests)
		if r.b.places[1].src != src {
			t.Error("the same manifest was indexed again")
		}
		r.b.SetManifests(nil)
		r.settle()
		r.Hides("gas.man")
	})
}

// A set that gives no total has one made of its instances, as its counters say.
func TestAggregate(t *testing.T) {
	set := fake.Set{Name: "Pipes", Instances: session.MultipleInstances,
		Counters: []fake.Counter{{Name: "Flow", Type: cooker.CounterRawCount}, {Name: "Heat", Type: cooker.CounterRawCount, Mean: true}},
		Rows:     []fake.Row{{Name: "a", Times: 1}, {Name: "b", Times: 2}, {Name: "c", Times: 3}}}
	set.Counters[0].Is, set.Counters[1].Is = fake.Const(100), fake.Const(10)
	onBrowser(t, panetest.Scripts(fake.Script{Sets: []fake.Set{set}}), func(r *rig) {
		r.press("l", "l", "l", "home", "j")
		r.pass(2)
		if !strings.Contains(r.Row("_Aggregate"), "total") || !strings.Contains(r.Row("] Flow"), "600") {
			t.Errorf("no aggregate:\n%s", r.Text())
		}
		r.Shows(`\\host0\Pipes(_Aggregate)`)
		r.press("space", "h", "space", "j", "space")
		r.Shows(`\\host0\Pipes(_Aggregate)\Flow`, `\\host0\Pipes(_Aggregate)\Heat`)
		r.pass(2)
		if !strings.Contains(r.Row("_Aggregate"), "average") || !strings.Contains(r.Row("] Heat"), "20") {
			t.Errorf("no mean:\n%s", r.Text())
		}
		if n := strings.Count(r.column(instanceColumn), "_Aggregate"); n != 1 {
			t.Errorf("what is chosen and highlighted is combined %d times:\n%s", n, r.Text())
		}
		if got := r.b.Selected(); len(got) != 2 || got[1].Key.Name != "_Aggregate" {
			t.Errorf("selected %v", got)
		}
	})
	onBrowser(t, panetest.Demo(1), func(r *rig) { r.Hides("_Aggregate") }) // where there is a total it is not offered
}

// Instances that are chosen become one, which goes to the deck as a path.
func TestCombine(t *testing.T) {
	set := fake.Set{Name: "Pipes", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "Flow", Type: cooker.CounterRawCount, Is: fake.Const(100)}},
		Rows: []fake.Row{{Name: "a", Times: 1}, {Name: "b", Times: 2}, {Name: "c", Times: 3}}}
	onBrowser(t, panetest.Scripts(fake.Script{Sets: []fake.Set{set}}), func(r *rig) {
		r.press("l", "l", "l", "end", "k", "space")
		if r.b.whyNotCombine() == "" {
			t.Error("one instance becomes one")
		}
		r.press("j", "space", "&")
		menu, ok := r.Sent[len(r.Sent)-1].(pane.OpenMenu)
		if !ok || len(menu.Items) != 4 || !strings.HasPrefix(menu.Items[0].Text, "total") {
			t.Fatalf("%+v", r.Sent)
		}
		r.Run(menu.Items[0].Do)
		r.settle()
		r.pass(2)
		r.Shows(`\\host0\Pipes(total of b|c)\Flow`)
		if !strings.Contains(r.Row("] Flow"), "500") || !strings.Contains(r.Row("[x]"), "of b|c") {
			t.Errorf("no combined value:\n%s", r.Text())
		}
		r.take()
		r.press("h", "space", "enter")
		var added []string
		for _, i := range r.take() {
			if a, ok := i.(pane.AddPaths); ok {
				added = append(added, a.Paths...)
			}
		}
		if !slices.Equal(added, []string{`\Pipes(total of b|c)\Flow`}) {
			t.Errorf("added %q", added)
		}
	})
}

// Of a counterset that means all of its instances that is highlighted first.
func TestWholeFirst(t *testing.T) {
	set := fake.Set{Name: "Pipes", Instances: session.GlobalAggregate, Counters: []fake.Counter{{Name: "Flow", Type: cooker.CounterRawCount, Is: fake.Const(100)}},
		Rows: []fake.Row{{Name: "a", Times: 1}, {Name: "b", Times: 2}}}
	onBrowser(t, panetest.Scripts(fake.Script{Sets: []fake.Set{set}}), func(r *rig) {
		r.press("l", "l", "l")
		r.pass(2)
		r.Shows(`\\host0\Pipes(_Aggregate)\Flow`)
		if !strings.Contains(r.Row("] Flow"), "300") {
			t.Errorf("the value is another:\n%s", r.Text())
		}
	})
}

// At another moment the value is the one of then.
func TestPast(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.press("l", "l", "j", "j", "j", "j")
		r.pass(5)
		then, at := r.Row("   live ")[:20], r.Desk.Now()
		r.pass(30)
		if r.Row("   live ")[:20] == then {
			t.Fatal("the value stands still")
		}
		r.Desk.At = at
		r.Draw()
		if now := r.Row("   live ")[:20]; now != then {
			t.Errorf("live was %q, and at that time it is %q", then, now)
		}
	})
}

// What is asked for is what is in view, of other hosts the instances alone, and
// what was chosen before.
func TestAsks(t *testing.T) {
	onBrowser(t, panetest.Demo(4), func(r *rig) {
		r.press("l", "j", "j", "j", "j", "j", "l", "space", "h", "j", "l", "j") // a disk is chosen, a process in view
		r.pass(1)
		asks := r.b.Asks(r.Desk.Hosts[0])
		if len(asks) != 2 || asks[0].Set.Name != "Process" || asks[1].Set.Name != "PhysicalDisk" || len(asks[1].Counters) != 1 {
			t.Fatalf("asks %+v", asks)
		}
		if n := len(asks[0].Counters); n != r.b.lists[counterColumn].Count() {
			t.Errorf("%d counters are asked for, %d are in view", n, r.b.lists[counterColumn].Count())
		}
		if len(asks[0].Keep) != 2 || asks[0].Keep[0].Rows[0].Name != "_Total" || !slices.Equal(asks[0].Keep[1].Counters, []int{1}) {
			t.Errorf("kept: %+v", asks[0].Keep)
		}
		if r.b.AskStale() {
			t.Error("what was asked for is not what is shown")
		}
		r.Key(panetest.KeyPress("j"))
		if !r.b.AskStale() {
			t.Error("another counter is asked for as it is")
		}
		if asks := r.b.Asks(r.Desk.Hosts[2]); len(asks) != 0 {
			t.Errorf("another host is asked for %+v", asks)
		}
		r.press("h", "h", "g", "l", "l")
		first, other := r.b.Asks(r.Desk.Hosts[0]), r.b.Asks(r.Desk.Hosts[2])
		if len(first[0].Counters) < 5 || len(other) != 1 || len(other[0].Counters) != 1 || len(other[0].Keep) != 0 {
			t.Errorf("with all hosts asks\n%+v\n%+v", first, other)
		}
		r.press("h")
		r.Resize(70, 10)
		r.settle()
		r.press("l")
		if n := len(r.b.Asks(r.Desk.Hosts[0])[0].Counters); n > 9 {
			t.Errorf("%d counters are asked for, 8 are in view", n)
		}
	})
}

// A manifest's countersets tell which of the hosts have them: by their GUIDs, or by name
// where a host knows none.
func TestManifestsTellWhichHostsHaveThem(t *testing.T) {
	const guid = "{51d1685c-35ed-45be-99fe-17261a4f27f3}"
	counters := []fake.Counter{{Name: "Flow", Is: fake.Const(1), Type: cooker.CounterRawCount}}
	hosts := panetest.Scripts(
		fake.Script{Name: "one", Sets: []fake.Set{{Name: "Pipes", GUID: guid, Counters: counters}, {Name: "Known By Name", Counters: counters}}},
		fake.Script{Name: "two", Sets: []fake.Set{{Name: "Pipes", GUID: "{51d1685c-35ed-45be-99fe-17261a4f27f4}", Counters: counters}, {Name: "known by name", Counters: counters}}},
	)
	set := func(name, guid string) *session.Counterset {
		return &session.Counterset{Name: name, GUID: guid, Counters: []session.Counter{{ID: 1, Name: "Flow", Type: cooker.CounterRawCount}}}
	}
	onBrowser(t, hosts, func(r *rig) {
		m := Manifest{Name: "pipes.man", Catalogue: &session.Catalogue{Sets: []*session.Counterset{
			set("Pipes Here", strings.ToUpper(guid)), set("Known by Name", "{51d1685c-35ed-45be-99fe-17261a4f27f5}"), set("Nowhere", "{51d1685c-35ed-45be-99fe-17261a4f27f6}"),
		}}}
		r.b.SetManifests([]Manifest{m})
		r.b.OpenManifest(m)
		r.settle()
		for name, want := range map[string]string{"Pipes Here": "on 1 host", "Known by Name": "here  1", "Nowhere": "not here"} {
			if got := r.Row(name); !strings.Contains(got, want) {
				t.Errorf("%s is not %q:\n%s", name, want, r.Text())
			}
		}
		r.press("end")
		r.Shows("on  ", "one", "not on  ", "two")
	})
}
