package explain

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/session/text/english"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

const disk = `\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`

// text is what the screen says, without the folds of lines.
func (r *rig) text() string { return strings.Join(strings.Fields(r.Text()), " ") }

// whole shows everything at a width, however high that is.
func (r *rig) whole(w int) string {
	r.Resize(w, 120)
	return r.text()
}

// What a value is made of: type, code, formula, both samples, the difference,
// the result, and where it was read.
func TestExplains(t *testing.T) {
	explained(t, demo, disk, 100, 40, 5, func(r *rig) {
		r.Shows("PERF_AVERAGE_TIMER", "0x30020400", "PERF_AVERAGE_BASE", "0x40030402", "((N1 - N0) / F) / (B1 - B0)",
			"N raw value", "B base counter", "F its frequency", "10 000 000", "constant", "in seconds", "MS-PCQ 2.2.4.2",
			"HKEY_PERFORMANCE_DATA object 234", "idle, never as 0")
		view := r.Desk.Hosts[0].Snap.Set(r.screen.target.Set)
		row, col := view.Find(r.screen.target.Key, -1), view.Column(r.screen.target.Counter)
		older, newer, _, _, _ := view.Raw(row, col)
		r.Shows(english.GroupDigits(number(older.Raw), blank), english.GroupDigits(number(newer.Raw), blank), english.GroupDigits(number(newer.Raw-older.Raw), blank),
			string(cooker.AppendMachine(nil, view.Value(row, col))))
	})
}

func number(n uint64) string { return string(cooker.AppendMachine(nil, cooker.WholeValue(n))) }

// At no width anything is cut: all words of the widest screen are there.
func TestNothingIsCut(t *testing.T) {
	for _, path := range []string{disk, `\Processor Information(_Total)\% Processor Time`, `\Memory\% Committed Bytes In Use`, `\System\System Up Time`} {
		explained(t, demo, path, 200, 60, 5, func(r *rig) {
			wide := r.whole(200)
			for _, w := range []int{40, 50, 60, 70, 80, 95, 100, 130} {
				narrow := r.whole(w)
				for word := range strings.FieldsSeq(wide) {
					if strings.Trim(word, "▁▂▃▄▅▆▇━") == "" || word == "sample" || word == "max" || strings.Count(word, ":") == 2 {
						continue // sparklines and what stands below them follow the width
					}
					if !strings.Contains(narrow, word) && !isStatistic(wide, word) {
						t.Errorf("%s at %d cells: %q is missing in\n%s", path, w, word, r.Canvas)
					}
				}
				if strings.Contains(narrow[strings.Index(narrow, "type"):], "…") {
					t.Errorf("%s at %d cells: something is cut:\n%s", path, w, r.Canvas)
				}
			}
		})
	}
}

// isStatistic tells the numbers below the sparkline, which are of as many
// samples as it shows.
func isStatistic(text, word string) bool {
	i := strings.LastIndex(text, "source")
	return i >= 0 && strings.Contains(text[i:], word)
}

// At the end stands how an engine makes the value of raw series, whole at any width.
func TestRecipe(t *testing.T) {
	for _, w := range []int{60, 120, 200} {
		explained(t, demo, disk, w, 60, 5, func(r *rig) {
			text := strings.Join(strings.Fields(r.text()), "")
			for _, want := range []string{`idelta(windows_physical_disk_read_write_latency_seconds_total{host="sql01",disk="`, "promql", "over5mrate(windows_physical_disk_"} {
				if !strings.Contains(text, want) {
					t.Errorf("at %d cells: no %q in\n%s", w, want, r.text())
				}
			}
		})
	}
}

// On a small screen everything can be scrolled to, line by line and by pages.
func TestScroll(t *testing.T) {
	explained(t, demo, disk, 60, 13, 5, func(r *rig) {
		first := r.Canvas.String()
		r.Hides("over 5m")
		for range 80 {
			r.Press("j")
		}
		end := r.Canvas.String()
		r.Shows("over 5m")
		r.Press("g")
		if r.Canvas.String() != first {
			t.Error("g does not show the beginning")
		}
		r.Press("G")
		if r.Canvas.String() != end {
			t.Error("G does not show the end")
		}
		for range 9 {
			r.Press("pgup")
		}
		if r.Canvas.String() != first {
			t.Error("pages up do not lead to the beginning")
		}
		r.screen.Wheel(pane.Hit{}, 999)
		r.Draw()
		if r.Canvas.String() != end {
			t.Error("the wheel does not lead to the end")
		}
		r.screen.Wheel(pane.Hit{}, -999)
		r.Press("ctrl+d", "ctrl+u")
		r.pass(1)
		if r.screen.view.Top() != 0 {
			t.Errorf("a new sample scrolls to line %d", r.screen.view.Top())
		}
	})
}

// The newest sample is explained as it comes.
func TestFollowsTheSamples(t *testing.T) {
	explained(t, demo, `\System\Context Switches/sec`, 100, 40, 3, func(r *rig) {
		before := r.text()
		r.pass(1)
		if r.text() == before {
			t.Error("a new sample changes nothing")
		}
		r.Shows(start.Add(4 * time.Second).Local().Format("15:04:05"))
	})
}

// Of another moment there is the value alone.
func TestPast(t *testing.T) {
	explained(t, demo, disk, 100, 40, 60, func(r *rig) {
		r.Desk.At = start.Add(20 * time.Second)
		r.Draw()
		view := r.Desk.Hosts[0].Snap.Set(r.screen.target.Set)
		series := view.Series(view.Find(r.screen.target.Key, -1), 0)
		v := pane.ValueAt(series, r.Desk.End(r.Desk.Hosts[0].Snap))
		r.Shows(string(cooker.AppendMachine(nil, v)), r.Desk.At.Local().Format("15:04:05"), "raw samples are not kept", "PERF_AVERAGE_TIMER")
		r.Hides("difference", "10 000 000")
		r.Desk.At = start.Add(-time.Hour)
		r.Draw()
		r.Shows("no value is kept")
		r.Desk.At = start.Add(time.Hour) // later than all: the newest
		r.Draw()
		r.Shows("difference", "10 000 000")
	})
}

// All digits of a moment of the past were told then; of a number that is kept with fewer, fewer
// are shown.
func TestDigitsOfThePast(t *testing.T) {
	source := func(c session.Clock) session.Source {
		return fake.New(fake.Script{Name: "h", Sets: []fake.Set{{Name: "Known", Counters: []fake.Counter{
			{Name: "Large", Type: cooker.CounterLargeRawCount, Is: fake.Ramp(1<<53-1000, 7)},
			{Name: "Hex", Type: cooker.CounterLargeRawCountHex, Is: fake.Ramp(0xABEBABE000059, 1)},
			{Name: "Rate/sec", Type: cooker.CounterBulkCount, Is: fake.Sine(100, 7, 31*time.Second)},
		}}}}, c)
	}
	for _, path := range []string{`\Known\Large`, `\Known\Hex`, `\Known\Rate/sec`} {
		explained(t, source, path, 100, 40, 1, func(r *rig) {
			told := map[time.Time]cooker.Value{}
			view := func() *session.SetView { return r.Desk.Hosts[0].Snap.Set(r.screen.target.Set) }
			for range 40 {
				r.pass(1)
				told[view().Time] = view().Value(0, 0)
			}
			r.Desk.At = r.Desk.Hosts[0].Snap.Time.Add(-20 * time.Second)
			r.Draw()
			want := told[r.Desk.At]
			if f, _ := want.Float(); !want.IsWhole() {
				short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
				want = cooker.FloatValue(short)
			}
			r.Shows(string(cooker.AppendMachine(nil, want))+" ", "at "+r.Desk.At.Local().Format(time.TimeOnly))
			if path != `\Known\Hex` {
				return
			}
			most := view().Series(0, 0).Window(r.Desk.End(r.Desk.Hosts[0].Snap), 21).Max
			r.Shows("max " + string(cooker.AppendValue(nil, told[r.Desk.At], cooker.FormatOf(cooker.CounterLargeRawCountHex, cooker.Quantity{}, 0))))
			if n, _ := most.Whole(); n != 0xABEBABE000059+21 {
				t.Errorf("the largest is %v", most)
			}
		})
	}
}

// Instances that end, sets that break, hosts that go: it says so and keeps what
// is known.
func TestEnds(t *testing.T) {
	script := func(faults ...fake.Fault) func(session.Clock) session.Source {
		return func(c session.Clock) session.Source {
			return fake.New(fake.Script{Name: "h", Faults: faults, Sets: []fake.Set{{Name: "Set", Instances: session.MultipleInstances,
				Counters: []fake.Counter{{Name: "n/sec", Type: cooker.CounterCounter, Is: fake.Const(5), Description: "How many."}},
				Rows:     []fake.Row{{Name: "a", Alive: fake.Window{To: 10 * time.Second}}, {Name: "b"}}}}}, c)
		}
	}
	explained(t, script(), `\Set(a)\n/sec`, 100, 40, 5, func(r *rig) {
		r.pass(8)
		r.Shows("gone since", "How many.")
		snap := r.Desk.Hosts[0].Snap
		kept := snap.Sets[0].Series(snap.Sets[0].Find(r.screen.target.Key, -1), 0)
		from, to := snap.Timeline.At(kept.First).Local().Format(time.TimeOnly), snap.Timeline.At(kept.End()-1).Local().Format(time.TimeOnly)
		if kept.End() >= snap.Timeline.Next() {
			t.Error("its history goes on")
		}
		r.Shows(from, to) // below what it was, not below the newest samples
		r.pass(20)
		r.Shows("no sample of it so far")
	})
	explained(t, script(fake.Fault{Window: fake.Window{From: 8 * time.Second}, Set: "Set", Err: errors.New("broken pipe")}), `\Set(b)\n/sec`, 100, 40, 5, func(r *rig) {
		r.pass(6)
		r.Shows("could not be read now", "broken pipe")
	})
	explained(t, script(fake.Fault{Window: fake.Window{From: 8 * time.Second}, Err: errors.New("no route to host")}), `\Set(b)\n/sec`, 100, 40, 5, func(r *rig) {
		r.pass(6)
		r.Shows("stale", "no route to host")
		r.Desk.Hosts = nil
		r.Draw()
		r.Shows("not watched any more")
		if len(r.screen.Selected()) != 0 {
			t.Error("a value of a host that went is selected")
		}
	})
}

// Combined instances say what they are made of.
func TestCombined(t *testing.T) {
	source := func(c session.Clock) session.Source {
		return fake.New(fake.Script{Name: "h", Sets: []fake.Set{{Name: "Set", Instances: session.GlobalAggregate,
			Counters: []fake.Counter{{Name: "n", Type: cooker.CounterRawCount, Is: fake.Const(5)}},
			Rows:     []fake.Row{{Name: "a"}, {Name: "b"}}}}}, c)
	}
	explained(t, source, `\Set(a)\n`, 100, 30, 3, func(r *rig) {
		r.screen.target.Key = session.InstanceKey{Name: cooker.AggregateInstance}
		r.screen.lines = nil
		r.Draw()
		r.Shows("made of", "total", "10", "AggregateFunc", "2 instances", "values", "a 5", "b 5")
		r.screen.target.Key = session.InstanceKey{Name: "minimum of b|c"}
		r.screen.lines = nil
		r.Desk.Hosts[0].Feed.Ask(r.screen.Asks(r.Desk.Hosts[0]))
		r.pass(2)
		r.Shows("minimum", "1 instance", "as it was chosen; the counter itself says total", "b 5")
		r.Hides("a 5")
	})
}

func TestSource(t *testing.T) {
	host := &pane.Host{}
	for want, set := range map[string]*session.Counterset{
		"MS-PCQ, counterset {b4fc721a-0378-476f-89ba-a5a79f810b36}": {GUID: "{b4fc721a-0378-476f-89ba-a5a79f810b36}", V1Index: 3},
		"registry, HKEY_PERFORMANCE_DATA object 234":                {V1Index: 234},
		"MS-RRP, HKEY_PERFORMANCE_DATA object 234":                  {V1Index: 234, Protocol: "MS-RRP"},
		"a file": {Provider: "a file"},
	} {
		if got := host.Origin(set); got != want {
			t.Errorf("%+v is from %q, want %q", set, got, want)
		}
	}
}

func TestGroupedNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"(1234567 - 12) / 9": "(1 234 567 - 12) / 9",
		"= 0.004535644 secs": "= 0.004535644 secs",
		"12345":              "12 345",
		"1234":               "1234",
		"N1 - N0":            "N1 - N0",
		"100 * -1234567":     "100 * -1 234 567",
	} {
		if got := groupNumbers(text, " "); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	s := New(&pane.Desk{Now: time.Now}, pane.Target{Host: &pane.Host{}, Set: &session.Counterset{}})
	if c := panetest.Conflicts(s.Bindings()); len(c) != 0 {
		t.Errorf("conflicts: %q", c)
	}
	for _, k := range []string{"c", "t", "x", "w", "A", "y", "m", "!", "R", "p", "[", "]", "{", "}", "@", ".", "i", "(", ")", "u", ":", "q", "?"} {
		if b := keys.Match(k, s.Bindings()); b != nil {
			t.Errorf("%s is %s", k, b.Text)
		}
	}
}

// hostile is a host whose texts attack the screen.
func hostile(c session.Clock) session.Source {
	text := strings.Join(faketest.HostileNames(), " ")
	return fake.New(fake.Script{Name: "h", Sets: []fake.Set{{Name: "Set", Instances: session.MultipleInstances, GUID: "{\x1b[2J}",
		Counters: []fake.Counter{{Name: "n", Type: cooker.AverageTimer, Is: fake.Walk(0, 1e15, time.Second), Per: fake.Const(1e12), Description: text}},
		Rows:     []fake.Row{{Name: strings.Repeat("long\u202e広 ", 40)}}}}}, c)
}

func TestSweep(t *testing.T) {
	silent := func(c session.Clock) session.Source {
		return fake.New(fake.Script{Name: "h", Sets: []fake.Set{{Name: "Set", Counters: []fake.Counter{{Name: "n", Type: cooker.CounterCounter}}}},
			Faults: []fake.Fault{{Window: fake.Window{From: time.Millisecond}, Err: errors.New(strings.Repeat("no answer ", 50))}}}, c)
	}
	for _, c := range []struct {
		name   string
		source func(session.Clock) session.Source
		path   string
		n      int
	}{
		{"demo", demo, disk, 70}, {"first sample", demo, disk, 1}, {"silent", silent, `\Set\n`, 3}, {"hostile", hostile, `\Set(*)\n`, 5},
	} {
		explained(t, c.source, c.path, 100, 30, c.n, func(r *rig) {
			for _, at := range []time.Time{{}, start.Add(2 * time.Second)} {
				r.Desk.At = at
				for _, key := range []string{"g", "G"} {
					r.Press(key)
					for _, glyphs := range []canvas.GlyphSet{canvas.Full, canvas.ASCII} {
						for _, size := range panetest.GrowingSizes(5) {
							r.Sound(size[0], size[1], glyphs)
						}
					}
				}
			}
		})
	}
}

// A process tells which services it is of, where its host knows them.
func TestServicesOfProcess(t *testing.T) {
	number := func(n float64) fake.Counter {
		return fake.Counter{Name: "ID Process", Type: cooker.CounterRawCount, Is: fake.Const(n)}
	}
	host := func(c session.Clock) session.Source {
		return fake.New(fake.Script{Name: "sql01", Sets: []fake.Set{
			{Name: "Process", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "svchost", Number: 77}}, Counters: []fake.Counter{
				number(77), {Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Const(3)},
			}},
			{Name: "Service", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "Dhcp"}, {Name: "EventLog"}}, Counters: []fake.Counter{number(77)}},
		}}, c)
	}
	explained(t, host, `\Process(svchost)\Thread Count`, 100, 40, 2, func(r *rig) {
		r.Desk.Hosts[0].Feed.Ask(r.screen.Asks(r.Desk.Hosts[0]))
		r.pass(2)
		r.Shows("runs", "Dhcp, EventLog")
	})
}
