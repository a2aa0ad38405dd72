package enumerate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/enumerate"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/service"
	"perfdeck/session/text/printable"
)

// listed is what is listed of a host of the demo.
func listed(t *testing.T, object string, o enumerate.Options) (text string, partly bool, err error) {
	t.Helper()
	host := fake.Demo(session.NewSystemClock())[0]
	defer host.Source.Close()
	cat, err := host.Source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var to strings.Builder
	out := bufio.NewWriter(&to)
	o.Report = func(err error) { t.Log(err) }
	l := enumerate.New(out, o)
	err = l.Host(t.Context(), host.Source, cat, "", object)
	err = errors.Join(err, out.Flush())
	return to.String(), l.IsPartly(), err
}

// What is listed are paths, of each instance where that is asked for; descriptions are lines that
// files of counters may hold; as JSON it is as much. That nothing fits is an error.
func TestLinesArePaths(t *testing.T) {
	out := func(o enumerate.Options) string {
		text, _, err := listed(t, "*", o)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	n := 0
	for line := range strings.Lines(out(enumerate.Options{Verbose: true, Instances: true})) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, ";") {
			continue
		}
		n++
		if p, err := paths.Parse(line); err != nil || p.Wildcard() != 0 {
			t.Errorf("%q: %v", line, err)
		}
	}
	counters := 0
	for line := range strings.Lines(out(enumerate.Options{JSON: true})) {
		var set struct{ Counters []struct{ Path string } }
		if err := json.Unmarshal([]byte(line), &set); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		counters += len(set.Counters)
	}
	if plain := strings.Count(out(enumerate.Options{}), "\n"); n <= plain || counters != plain {
		t.Errorf("%d with instances, %d plain, %d as JSON", n, plain, counters)
	}
	if _, _, err := listed(t, "None*", enumerate.Options{}); err == nil {
		t.Error("no counterset fits, and that is no error")
	}
}

// A path of an instance whose name cannot be printed is one that finds the instance.
func TestOddNamesAreFound(t *testing.T) {
	names := []string{"new\nline", "tab\there", "esc\x1b[31mred", "e\u0301\u200bzw", "\u202egnp.exe", "a?b", "plain"}
	script := fake.Script{Name: "h", Sets: []fake.Set{{
		Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "Threads", Type: cooker.CounterRawCount}},
	}}}
	for _, name := range names {
		script.Sets[0].Rows = append(script.Sets[0].Rows, fake.Row{Name: name})
	}
	source := fake.New(script, session.NewSystemClock())
	cat, err := source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	out := bufio.NewWriter(&text)
	if err := enumerate.New(out, enumerate.Options{Instances: true}).Host(t.Context(), source, cat, "", "*"); err != nil {
		t.Fatal(err)
	}
	_ = out.Flush()
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != len(names) {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, line := range lines {
		found, err := cat.Resolve(line, paths.Options{})
		if err != nil || printable.Text(line) != line || !found[0].Matches(&session.Instance{Key: session.InstanceKey{Name: names[i]}}) {
			t.Errorf("%q does not find %q: %v", line, names[i], err)
		}
	}
}

// That a counterset has no instances is said, and why, where that is known.
func TestNoInstances(t *testing.T) {
	clock := session.NewSystemClock()
	counter := []fake.Counter{{Name: "Gauge", Type: cooker.CounterRawCount}}
	source := fake.New(fake.Script{Name: "bare", Sets: []fake.Set{
		{Name: "Thermal Zone Information", Instances: session.MultipleInstances, Counters: counter},
		{Name: "Gadget", Instances: session.MultipleInstances, Counters: counter},
	}}, clock)
	defer source.Close()
	cat, err := source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	l := enumerate.New(bufio.NewWriter(io.Discard), enumerate.Options{Instances: true, Report: func(err error) { told = append(told, err.Error()) }})
	if err := l.Host(t.Context(), source, cat, "", "*"); err != nil {
		t.Fatal(err)
	}
	if len(told) != 2 || !strings.Contains(told[0], "no sensor") || !strings.Contains(told[1], "no instances") {
		t.Errorf("told %q", told)
	}
}

// What asks beside is waited for: who lists asks once.
func TestInstancesThatAreNotThereYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := fake.New(fake.Script{
			Name: "slow",
			Sets: []fake.Set{{
				Name: "Service", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "State", Type: cooker.CounterRawCount}},
				Rows: []fake.Row{{Name: "sshd"}},
			}},
			Faults: []fake.Fault{{Window: fake.Window{To: 3 * time.Second}, Set: "Service", Err: service.ErrPending}},
		}, session.NewSystemClock())
		defer source.Close()
		cat, err := source.Catalogue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 950*time.Millisecond)
		defer cancel()
		if _, err := enumerate.Instances(ctx, source, cat.Sets[0]); !errors.Is(err, service.ErrPending) {
			t.Errorf("within a second: %v", err)
		}
		list, err := enumerate.Instances(t.Context(), source, cat.Sets[0])
		if err != nil || len(list) != 1 || list[0].Key.Name != "sshd" {
			t.Errorf("%v, %v", list, err)
		}
	})
}
