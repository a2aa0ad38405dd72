//go:build !windows

package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/query"
	"perfdeck/session/hosts/engine"
	"perfdeck/session/system/sharedtest"
)

// valuesOf are the values of a recording: by counter, by the millisecond.
func valuesOf(t *testing.T, recording string) map[string]map[int64]float64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.csv")
	if _, stderr, code := perfdeck(t, "", "relog", recording, "-o", file); code != exitDone {
		t.Fatalf("relog %s: exit %d\n%s", recording, code, stderr)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[int64]float64{}
	for _, row := range rows[1:] {
		at, err := time.ParseInLocation("01/02/2006 15:04:05.000", row[0], time.Local)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range row[1:] {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				continue
			}
			name := rows[0][i+1]
			if out[name] == nil {
				out[name] = map[int64]float64{}
			}
			out[name][at.UnixMilli()] = value
		}
	}
	return out
}

// What comes out of an engine is what went into a recording in the same seconds, raw and
// cooked: value by value where both have the sample.
func TestOutOfTheEngineAsRecorded(t *testing.T) {
	t.Parallel()
	for _, kind := range enginetest.Both() {
		for _, raw := range []bool{true, false} {
			t.Run(fmt.Sprint(kind.Name, " raw ", raw), func(t *testing.T) {
				t.Parallel()
				live := enginetest.Start(t, kind, "")
				dir := t.TempDir()
				config := filepath.Join(dir, "config.toml")
				text := fmt.Sprintf("[[push]]\nname = \"here\"\nurl = %q\nraw = %v\ncountersets = [\"Memory\", \"Processor Information\", \"System\", \"PhysicalDisk\", \"LogicalDisk\", \"Network Interface\"]\ninterval = \"1s\"\n", live.WriteURL(), raw)
				if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				direct := filepath.Join(dir, "direct.db")
				if _, stderr, code := perfdeck(t, "", "record", "--config", config, "--push", "here", "-n", "12", "-i", "1", "-o", direct, "-H", "local",
					`\Memory\*`, `\Processor Information(*)\*`, `\System\*`, `\PhysicalDisk(*)\*`, `\LogicalDisk(*)\*`, `\Network Interface(*)\*`); code != exitDone {
					t.Fatalf("exit %d\n%s", code, stderr)
				}
				want, got := valuesOf(t, direct), valuesOf(t, "prom+http://"+live.At+"@-2m")
				same, counters, differ := 0, 0, 0
				for name, values := range want {
					there := got[name]
					if there == nil {
						continue
					}
					counters++
					for at, value := range values {
						other, ok := nearest(there, at)
						if !ok {
							continue
						}
						same++
						within := 1e-9
						if strings.Contains(name, "Disk(") && strings.HasSuffix(name, "Idle Time") {
							within = 1e-4 // it counts from 1601, beyond what a float64 holds exactly
						}
						if math.Abs(other-value) > within*max(1, math.Abs(value)) {
							differ++
							if raw {
								t.Errorf("%s at %d: %v out of the engine, %v recorded", name, at, other, value)
							}
						}
					}
				}
				// Cooked values are of the time since the sample before: the first of the push may
				// be another than that of the recording.
				if differ > same/10 {
					t.Errorf("%d of %d values differ", differ, same)
				}
				if counters < 60 || same < 300 {
					t.Errorf("only %d values of %d counters of %d are on both sides", same, counters, len(want))
				}
				bandsAsRecorded(t, live, got, raw)
			})
		}
	}
}

// bandsAsRecorded compares the bands that an engine works out with the values of its samples:
// those of cooked values are exact, rates of raw ones are those of a longer window.
func bandsAsRecorded(t *testing.T, live *enginetest.Engine, values map[string]map[int64]float64, raw bool) {
	t.Helper()
	asked, err := query.New(link.Engine{URL: "http://" + live.At}, query.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	hub := engine.NewHub(asked, func(f func()) { go f() })
	hosts, err := hub.HostsIn(t.Context(), time.Now().Add(-2*time.Minute), time.Now())
	if err != nil || len(hosts) != 1 {
		t.Fatalf("%v, %v", hosts, err)
	}
	source := hub.Open(hosts[0])
	catalogue, err := source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var of []session.Valued
	var names []string
	var first, last int64
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path, err := paths.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		set := catalogue.Set(path.Object)
		if set == nil {
			t.Fatal(name)
		}
		counter, ok := set.Counter(path.Counter)
		if !ok {
			t.Fatal(name)
		}
		of, names = append(of, session.Valued{Set: set, Counter: counter, Key: session.InstanceKey{Name: path.Instance, Parent: path.Parent}}), append(names, name)
		for at := range values[name] {
			if first == 0 || at < first {
				first = at
			}
			last = max(last, at)
		}
	}
	open, err := source.Open(t.Context()) // a look at how far samples are apart
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Select(t.Context(), []session.Want{{Set: of[0].Set, Counters: []int{of[0].Counter}, Every: time.Second}}); err != nil {
		t.Fatal(err)
	}
	if err := open.Collect(t.Context(), new(session.Batch)); err != nil {
		t.Fatal(err)
	}
	const step = 3 * time.Second
	bands, err := source.Bands(t.Context(), of, time.UnixMilli(first), time.UnixMilli(last), step)
	if err != nil {
		t.Fatal(err)
	}
	counters, compared, off := 0, 0, 0
	for i, name := range names {
		if len(bands[i]) > 0 {
			counters++
		}
		for _, b := range bands[i] {
			low, high, sum, n := math.Inf(1), math.Inf(-1), 0., 0
			begin, end := b.End/1e6-step.Milliseconds(), b.End/1e6
			if info, _ := of[i].Set.Counters[of[i].Counter].Type.Info(); raw && info.Samples == 2 {
				begin -= 2 * step.Milliseconds() // what the window of a rate has more, and the sample before it
			}
			for at, v := range values[name] {
				if begin <= at && at <= end {
					low, high, sum, n = min(low, v), max(high, v), sum+v, n+1
				}
			}
			if n < 2 {
				continue
			}
			compared++
			slack := 1e-9 * max(1, math.Abs(high))
			around := slack
			if raw {
				around = 0.03 * max(1, math.Abs(high))
			}
			if b.Low > b.Mean+slack || b.Mean > b.High+slack || b.Mean < low-around || b.Mean > high+around {
				off++
				t.Logf("%s: %+v, samples from %v to %v", name, b, low, high)
			}
		}
	}
	if counters < len(names)*9/10 || compared < 300 || !raw && off > 0 || off > compared/50 {
		t.Errorf("%d of %d counters have bands, %d of %d are off", counters, len(names), off, compared)
	}
}

// nearest is the value of the same sample: engines keep milliseconds, a recording's row has one
// time for all countersets.
func nearest(values map[int64]float64, at int64) (value float64, ok bool) {
	best := int64(100)
	for other, v := range values {
		if d := max(other-at, at-other); d < best {
			best, value, ok = d, v, true
		}
	}
	return value, ok
}

// The screens' first asks over an engine: its hosts by their names, one of them alone, and
// what is said where there is none.
func TestHostsOfAnEngine(t *testing.T) {
	t.Parallel()
	live := enginetest.Start(t, enginetest.VictoriaMetrics, "")
	cmd := exec.CommandContext(t.Context(), binary(t), "push", "--demo", "--to", live.WriteURL(), "-i", "0.5")
	cmd.Env = append(slices.Clone(plainEnviron), "XDG_STATE_HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	sharedtest.Until(t, "what is pushed", func() bool { return len(hostsOn(live, "windows_memory_available_bytes")) >= 3 })
	address := "prom+http://" + live.At
	out, stderr, code := perfdeck(t, "", "list", "-H", address+"#WEB02", "Memory")
	if code != exitDone || !strings.Contains(out, `\Memory\Available Bytes`) {
		t.Errorf("exit %d\n%s\n%s", code, out, stderr)
	}
	config := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("[[engine]]\nname = \"vm\"\nurl = %q\n[[host]]\nname = \"db\"\naddress = %q\n[groups]\ng = [\"vm#web02\", \"db\"]\n", address, address+"#sql01")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, name, has string }{{"-H", "vm", `\\dc01\`}, {"-H", "vm#dc01", `\\dc01\`}, {"-H", "db", `\\db\`}, {"--group", "g", `\\web02\`}} {
		out, stderr, code := perfdeck(t, "", "sample", "--config", config, c.flag, c.name, "-n", "1", "-f", "csv", `\Memory\Available Bytes`)
		if code == exitFailed || !strings.Contains(out, c.has) {
			t.Errorf("%s %s: exit %d\n%s\n%s", c.flag, c.name, code, out, stderr)
		}
	}
	for name, says := range map[string]string{
		address + "#none": "no such host", "prom+http://127.0.0.1:1": "ask the engine at 127.0.0.1:1", address + "/else": "prom+http://127.0.0.1:8428", "prom+ftp://x": "http://",
		"prom+http://ana:secretword@127.0.0.1": "password must not stand",
	} {
		_, stderr, code := perfdeck(t, "", "list", "-H", name)
		if code == exitDone || !strings.Contains(stderr, says) || strings.Contains(stderr, "secretword") {
			t.Errorf("%s: exit %d\n%s", name, code, stderr)
		}
	}
	for _, span := range []string{"@soon", "@-0s", "@2999-01-01", "@-1h/x", "@-1h/-5m"} {
		if _, stderr, code := perfdeck(t, "", "relog", "--summary", address+span); code != exitUsage || !strings.Contains(stderr, "hint: write") {
			t.Errorf("%s: exit %d\n%s", span, code, stderr)
		}
	}
	if out, stderr, code := perfdeck(t, "", "relog", "--summary", address+"#web02@-5m"); code != exitDone || !strings.Contains(out, `\\web02\Memory\Available Bytes`) {
		t.Errorf("exit %d\n%s\n%s", code, out, stderr)
	}
}
