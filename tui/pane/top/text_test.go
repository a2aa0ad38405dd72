package top

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// services are instances with a text each, one without.
func services() fake.Script {
	texts := map[string]string{"a": "running", "b": "Paused: \x1b[2Jby operator", "c": "starting", "d": "7 requests wait"}
	set := fake.Set{Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "State", Type: cooker.CounterText, Text: func(in *session.Instance, _ time.Duration) string { return texts[in.Key.Name] }},
		{Name: "Load", Type: cooker.CounterRawCount, Is: fake.Const(7)},
	}}
	for i, name := range []string{"a", "b", "c", "d"} {
		set.Rows = append(set.Rows, fake.Row{Name: name, Number: uint64(i + 1)})
	}
	return fake.Script{Name: "one", Sets: []fake.Set{set}}
}

// Texts are sorted by their letters, both ways, and filtered as texts.
func TestTexts(t *testing.T) {
	onTop(t, services(), func(r *rig) {
		for i := range r.top.table.Columns {
			r.top.table.Columns[i].Hidden = false
			if r.top.table.Columns[i].Head == "State" {
				r.top.cursor = i
			}
		}
		for _, want := range []string{"[d b a c]", "[c a b d]"} {
			r.top.sortByCursor()
			r.askAgain()
			r.pass(2)
			if got := fmt.Sprint(r.names()); got != want {
				t.Errorf("sorted: %s, want %s", got, want)
			}
		}
		screen := r.canvas.String()
		for _, want := range []string{" running ", "Paused: ?[2Jby operator", "7 requests wait"} {
			if !strings.Contains(screen, want) {
				t.Errorf("no %q in\n%s", want, screen)
			}
		}
		for filter, want := range map[string]string{
			"state:run": "[a]", `state="starting"`: "[c]", "state~operator": "[b]", "wait": "[d]", "state!~run": "[b c d]", "load=7 state:7": "[d]", "operator or wait": "[b d]",
		} {
			_ = r.top.filter.Set(filter)
			r.askAgain()
			r.pass(2)
			if got := fmt.Sprint(slices.Sorted(slices.Values(r.names()))); got != want {
				t.Errorf("%s: %s, want %s", filter, got, want)
			}
		}
		if _, err := r.top.fields().Parse("state>5"); err == nil {
			t.Error("a text is compared with a number")
		}
	})
}

// What the filter's help names, and its error, is what the rows of the counterset can be
// asked for: its own counters, and numbers of processes only where there are processes.
func TestFieldsAreTold(t *testing.T) {
	script := services()
	script.Sets[0].Name = "Jobs"
	script.Sets[0].Counters[1].Name = "Load of it"
	onTop(t, script, func(r *rig) {
		r.top.Show(r.host, r.host.Sampler.Catalogue().Set("Jobs"), session.InstanceKey{}, -1)
		r.ask()
		r.pass(2)
		_, err := r.top.fields().Parse("color>5")
		if err == nil {
			t.Fatal("a field that is not there is taken")
		}
		for _, told := range []string{r.top.fields().Help(), err.Error()} {
			if !strings.Contains(told, `State "Load of it"`) || strings.Contains(told, "pid") {
				t.Errorf("told is %q", told)
			}
		}
		if _, err := r.top.fields().Parse(`"Load of it">5 and state:run`); err != nil {
			t.Error(err)
		}
	})
}
