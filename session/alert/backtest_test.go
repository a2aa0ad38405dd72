package alert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/recording/collector"
)

// backtested are the events and outcomes of rules over recordings.
func backtested(t testing.TB, list []alert.Rule, every time.Duration, files ...string) ([]alert.Event, []alert.Outcome, *alert.Backtest) {
	t.Helper()
	p, err := replay.Open(files, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Know(context.Background()); err != nil {
		t.Fatal(err)
	}
	b := alert.NewBacktest(alert.BacktestOptions{Rules: list, Every: every, Zone: p.About().Zone, Timeline: true})
	var events []alert.Event
	err = p.Walk(context.Background(), time.Time{}, func(h *replay.Host) []session.Ask {
		return b.Ask(alert.Recorded{Name: h.Name(), Catalogue: h.Catalogue(), Every: h.Every, Last: h.Last()})
	}, func(h *replay.Host, s *session.Snapshot) error {
		b.Observe(h.Name(), s)
		events = append(events, b.Events()...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events, b.Outcomes(), b
}

// logOf writes events as rig.log does.
func logOf(events []alert.Event) string {
	return (&rig{events: events}).log()
}

// recordedFrom is when the recording and the watch begin: at a beat of all
// intervals, which live feeds keep by the time since the program began.
const recordedFrom = 30 * time.Second

// later is a motion that begins with the recording.
func later(values ...float64) fake.Motion {
	return steps(append(slices.Repeat([]float64{values[0]}, int(recordedFrom/time.Second)), values...)...)
}

func laterDuring(from, to time.Duration) fake.Window {
	return during(recordedFrom+from, recordedFrom+to)
}

// trouble are hosts that get into all kinds of trouble. E: is there from a moment
// on.
func trouble(e time.Duration) []fake.Script {
	web := fake.Script{Name: "web", Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{{Name: "Load", Type: cooker.CounterRawCount, Is: later(0, 0, 9, 9, 9, 0, 3, 9, 9, 0, 0, 7, 0, 8)}}},
		{Name: "Net", Counters: []fake.Counter{{Name: "Bytes/sec", Type: cooker.CounterBulkCount, Is: fake.Burst(fake.Const(10), fake.Const(1000), laterDuring(20*second, 23*second))}}},
	}}
	db := disks("db", row("C:", later(9)), row("D:", later(0, 0, 9)),
		fake.Row{Name: "_Total", Flags: session.FlagTotal},
		fake.Row{Name: "E:", Is: map[string]fake.Motion{"Queue": fake.Const(9)}, Alive: laterDuring(e, 60*second)},
		fake.Row{Name: "F:", Is: map[string]fake.Motion{"Queue": later(0, 0, 0, 0, 0, 0, 9, 0)}})
	return []fake.Script{web, db}
}

var troubleRules = []string{
	`\Memory\Load>5 | every 1s`,
	`\Memory\Load>5 | every 1s | for 2 of 3`,
	`\Memory\Load<5 | every 1s`,
	`\Memory\Load>5 | every 2s | clear 1`,
	`\Memory\Load>5 | every 1s | cooldown 5s`,
	`\Memory\Load>8`,
	`\Net\Bytes/sec>150 | every 1s`,
	`\Net\Bytes/sec>150`,
	`\Net\Bytes/sec>700`,
	`\Disk(*)\Queue>5 | every 1s`,
	`\Disk(C:)\Queue>5 | every once`,
	`absent \Disk(E:)\Queue | every 1s | after 20s`,
	`\Disk(*)\Queue>5 | every 3s | average`,
	`\Disk(*)\Queue>20 | every 1s | total`,
}

// What a live watch tells of hosts that are recorded meanwhile, the recording tells
// at the same times.
func TestBacktestTellsWhatWasLive(t *testing.T) {
	for format, e := range map[string]time.Duration{"db": 4 * second, "jsonl": 4 * second, "csv": -recordedFrom} {
		t.Run(format, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "live."+format)
			list, scripts := rules(t, troubleRules...), trouble(e)
			var live []alert.Event
			onHosts(t, scripts, nil, func(r *rig) {
				r.record(file, func() {
					r.stop()
					r.begin(scripts, list)
				})
				live = slices.Clone(r.events)
			})
			past, _, _ := backtested(t, list, 0, file)
			if a, b := sorted(logOf(live)), sorted(logOf(past)); a != b || len(live) < 40 {
				t.Errorf("live:\n%s\nrecorded:\n%s", a, b)
			}
			values := map[string]float64{}
			key := func(ev *alert.Event) string { return fmt.Sprint(ev.Time.Unix(), ev.Kind, ev.ID.Rule, ev.ID.Name) }
			for i := range live {
				values[key(&live[i])] = valueIn(&live[i])
			}
			for i := range past {
				ev := &past[i]
				was, value := values[key(ev)], valueIn(ev)
				if math.Abs(was-value) > 0.01*was+0.001 {
					t.Errorf("%s: %v was %v live", ev.Text(), value, was)
				}
			}
		})
	}
}

// record records the hosts for a while. begin is called with the first row.
func (r *rig) record(file string, begin func()) {
	r.Helper()
	const head = second * 3 / 5
	r.clock.Advance(recordedFrom - head)
	o := collector.Options{
		Subject: collector.Subject{Every: second}, Files: collector.Files{File: file}, Keeping: collector.Keeping{MinFree: -1},
		Runtime:   collector.Runtime{Clock: r.clock, Zone: time.UTC, Go: func(f func()) { go f() }},
		Listeners: collector.Listeners{Report: func(err error) { r.Error(err) }},
	}
	for name, s := range r.samplers {
		paths := []string{`\Disk(*)\Queue`}
		if name != "db" {
			paths = nil
			for _, set := range s.Catalogue().Sets {
				paths = append(paths, `\`+set.Name+`\*`)
			}
		}
		o.Hosts = append(o.Hosts, collector.Host{Name: name, Sampler: s, Paths: paths})
	}
	rec, err := collector.Start(o)
	if err != nil {
		r.Fatal(err)
	}
	r.clock.Advance(head)
	begin()
	r.clock.Advance(95*second + second/2)
	done := make(chan error, 1)
	go func() { done <- rec.Stop(context.Background(), "") }()
	r.clock.Advance(0)
	if err := <-done; err != nil {
		r.Error(err)
	}
}

func sorted(log string) string {
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sheet writes a recording: a row for each line of cells, at the second that it
// begins with. A cell of - is blank.
func sheet(t testing.TB, columns []string, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "past.csv")
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}}
	for _, c := range columns {
		h.Columns = append(h.Columns, logs.Column{Path: c})
	}
	f, _ := formats.ByExtension(file)
	w, err := formats.Create(file, f, h, logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		var at int
		fields := strings.Fields(line)
		if _, err := fmt.Sscan(fields[0], &at); err != nil {
			t.Fatal(err)
		}
		row := &logs.Row{Time: start.Add(time.Duration(at) * time.Second)}
		for _, cell := range fields[1:] {
			v := cooker.Absent(cooker.Gap)
			var n float64
			if _, err := fmt.Sscan(cell, &n); err == nil {
				v = cooker.FloatValue(n)
			}
			row.Values = append(row.Values, v)
		}
		if err := w.WriteRow(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// every are rows of one value at equal times, from a second on.
func every(from, step int, values ...string) (lines []string) {
	for i, v := range values {
		lines = append(lines, fmt.Sprintf("%d %s", from+i*step, v))
	}
	return lines
}

func TestBacktestOfSheets(t *testing.T) {
	load := []string{`\\web\Memory\Load`}
	for name, c := range map[string]struct {
		columns []string
		rule    string
		lines   []string
		want    string
	}{
		"the first sample counts": {load, `\Memory\Load>5 | every 1s`, every(0, 1, "9", "9", "0"), "0 fired r1 web\n2 cleared r1 web\n"},
		"an interval longer than that of the rows": {
			load, `\Memory\Load>5`, every(0, 1, strings.Fields("0 9 9 9 9 9 9 9 9 9 9 9 9 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0")...),
			"30 fired r1 web\n45 cleared r1 web\n",
		},
		"rows farther apart than the interval count one by one": {
			load, `\Memory\Load>5 | every 1s | for 3 of 3`, every(0, 60, "9", "9", "9", "0"), "120 fired r1 web\n180 cleared r1 web\n",
		},
		"rates are averaged where raw samples are not known": {
			[]string{`\\web\Net\Bytes/sec`}, `\Net\Bytes/sec>50`,
			every(0, 5, "0", "0", "0", "0", "0", "300", "0", "0", "0", "0", "0", "0"), "30 fired r1 web\n45 cleared r1 web\n",
		},
		"a gap longer than the time of a host that is lost": {
			load, `absent host | after 10s`, append(every(0, 1, "1", "1", "1"), every(60, 1, "1", "1")...), "14 fired r1 web\n60 cleared r1 web\n",
		},
		"a short gap is none": {load, `absent host | after 10s`, append(every(0, 1, "1", "1", "1"), every(14, 1, "1", "1")...), ""},
		"blank rows are a host that is lost": {
			load, `absent host | after 3s`, every(0, 1, "1", "-", "-", "-", "-", "-", "1"), "4 fired r1 web\n6 cleared r1 web\n",
		},
		"blank rows are samples that lack":    {load, `\Memory\Load>5 | every 1s | for 2 of 2`, every(0, 1, "9", "-", "9", "9", "0"), "3 fired r1 web\n4 cleared r1 web\n"},
		"the end of the recording is no loss": {load, `absent host | after 1s`, every(0, 1, "1", "1", "1"), ""},
		"a gap counts as samples that lack": {
			load, `\Memory\Load>5 | every 1s | for 2 of 3`, append(every(0, 1, "0", "0", "9"), every(40, 1, "9", "9")...), "41 fired r1 web\n",
		},
		"the clock is set back": {
			load, `\Memory\Load>5 | every 1s | cooldown 60s`,
			append(every(100, 1, "0", "9", "0", "9"), every(50, 1, "9", "0", "9")...), "101 fired r1 web\n102 cleared r1 web\n",
		},
		"a value that is not there": {
			[]string{`\\web\Process(a)\ID Process`, `\\web\Process(b)\ID Process`}, `absent \Process(b)\ID Process | every 1s | after 3s`,
			[]string{"0 1 2", "1 1 -", "2 1 -", "3 1 -", "4 1 -", "5 1 -", "6 1 2"}, "4 fired r1 b\n6 cleared r1 b\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			events, _, _ := backtested(t, rules(t, c.rule), 0, sheet(t, c.columns, c.lines...))
			if got := logOf(events); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// A host whose file ends is not lost while those of other files go on, nor is one
// that begins later.
func TestBacktestOfSeveralFiles(t *testing.T) {
	var short, long []string
	for i := range 120 {
		if i < 30 {
			short = append(short, fmt.Sprintf("%d 1", i))
		}
		long = append(long, fmt.Sprintf("%d 1", i))
	}
	a := sheet(t, []string{`\\a\Memory\Load`}, short...)
	b := sheet(t, []string{`\\b\Memory\Load`}, long...)
	c := sheet(t, []string{`\\c\Memory\Load`}, every(90, 60, "1", "1", "1")...)
	events, outcomes, _ := backtested(t, rules(t, `absent host | after 20s`, `absent \Memory\Load | every 1s | after 20s`), 0, a, b, c)
	if len(events) != 0 || outcomes[0].Problem != "" || outcomes[1].Problem != "" {
		t.Errorf("%s%+v", logOf(events), outcomes)
	}
}

func TestOutcomes(t *testing.T) {
	columns := []string{`\\web\Memory\Load`, `\\db\Memory\Load`}
	file := sheet(t, columns, "0 0 9", "1 9 0", "2 7 0", "3 0 0", "4 8 0", "5 0 0", "6 6 7", "7 6 12")
	list := rules(t, `\Memory\Load>5 | every 1s`, `\Memory\Load>50 | every 1s`, `\Memory\Other>1`, `\\mail\Memory\Load>1`, `\Disk(*)\Queue>1`)
	_, got, _ := backtested(t, list, 0, file)
	if len(got) != 5 {
		t.Fatalf("%d outcomes", len(got))
	}
	o := got[0]
	if o.Fired != 5 || o.Values != 2 || o.Firing != 2 || o.Total != 1*second+2*second+1*second+second+second || o.Longest != 2*second ||
		o.PeakValue != 12 || !o.First.Equal(start) || !o.Last.Equal(start.Add(6*second)) || o.Samples != 16 || o.Problem != "" {
		t.Errorf("%+v", o)
	}
	text, err := json.Marshal(&o)
	if want := `"fired":5,"values":2,"quiet":0,"firing":2,"seconds":6,"longest":2,"peak":12,`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	if text, err := json.Marshal(&got[1]); err != nil || !strings.Contains(string(text), `"peak":null,"first":null,"last":null`) {
		t.Errorf("%s, %v", text, err)
	}
	if o := got[1]; o.Fired != 0 || o.Problem != "" || o.Samples != 16 || o.Peak != "" {
		t.Errorf("%+v", o)
	}
	for _, o := range got[2:] {
		if o.Problem == "" || o.Samples != 0 {
			t.Errorf("%s: %+v", o.Rule.Name, o)
		}
	}
}

// A host that does not answer is lost in the recording when it was lost live, but
// for the sample that it takes to notice.
func TestBacktestOfAHostThatWasLost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lost.csv")
	script := gauge("web", later(1), fake.Fault{Window: laterDuring(10*second, 50*second), Err: errors.New("connection refused")})
	list := rules(t, `absent host | after 10s`, `absent \Memory\Load | every 1s | after 10s`)
	var live []alert.Event
	onHosts(t, []fake.Script{script}, nil, func(r *rig) {
		r.record(file, func() {
			r.stop()
			r.begin([]fake.Script{script}, list)
		})
		live = slices.Clone(r.events)
	})
	past, _, _ := backtested(t, list, 0, file)
	if len(live) != 4 || len(past) != 4 {
		t.Fatalf("live:\n%srecorded:\n%s", logOf(live), logOf(past))
	}
	for i := range past {
		j := slices.IndexFunc(live, func(ev alert.Event) bool { return ev.Kind == past[i].Kind && ev.ID == past[i].ID })
		if j < 0 || live[j].Time.Sub(past[i].Time).Abs() > 3*second {
			t.Errorf("live:\n%srecorded:\n%s", logOf(live), logOf(past))
		}
	}
}

// Time passes in gaps as it does between samples, once.
func TestBacktestTimeOfGaps(t *testing.T) {
	busy := slices.Repeat([]string{"9"}, 30)
	rows := append(every(0, 1, busy...), every(90, 1, busy...)...)
	_, got, b := backtested(t, rules(t, `\Memory\Load>5 | every 1s`, `absent host | after 10s`), 0, sheet(t, []string{`\\web\Memory\Load`}, rows...))
	if passed := b.Now().Wall.Sub(start); b.Now().Mono != passed || got[0].Total != passed {
		t.Errorf("%s passed by the wall clock, %s in all, %s firing", passed, b.Now().Mono, got[0].Total)
	}
}

// A recording whose interval was changed on the way has no gaps by that.
func TestBacktestOfAChangedInterval(t *testing.T) {
	busy := slices.Repeat([]string{"9"}, 60)
	for _, steps := range [][2]int{{1, 15}, {15, 1}} {
		rows := append(every(0, steps[0], busy...), every(60*steps[0], steps[1], busy...)...)
		events, got, b := backtested(t, rules(t, `\Memory\Load>5 | every 1s | for 10 of 10`, `absent host | after 5s`, `absent \Memory\Load | every 1s | after 5s`), 0, sheet(t, []string{`\\web\Memory\Load`}, rows...))
		if len(events) != 1 || got[0].Fired != 1 || b.Now().Mono != b.Now().Wall.Sub(start) {
			t.Errorf("each %v s: %s", steps, logOf(events))
		}
	}
}

// A pack's rule asks for as long a time, whatever the pace of the recording at that moment.
func TestBacktestOfAPackAtAChangedInterval(t *testing.T) {
	list := rules(t, `\Memory\Load>5 | every 5s | for 5 of 5`)
	list[0].Origin = alert.PackOrigin + "x"
	calm := slices.Repeat([]string{"0"}, 60)
	for _, c := range []struct{ step, next, busy, fired int }{{1, 15, 4, 1}, {15, 1, 19, 0}, {15, 1, 40, 1}} {
		rows := append(every(0, c.step, calm...), every(60*c.step, c.next, slices.Concat(calm[:20], slices.Repeat([]string{"9"}, c.busy), calm)...)...)
		events, got, _ := backtested(t, list, 0, sheet(t, []string{`\\web\Memory\Load`}, rows...))
		if got[0].Fired != c.fired {
			t.Errorf("%+v: %s", c, logOf(events))
		}
	}
}

// The timeline tells what fired at any moment, and keeps the values around events.
func TestCourse(t *testing.T) {
	file := sheet(t, []string{`\\web\Memory\Load`}, every(0, 1, strings.Fields("0 0 9 9 0 0 8 8 8")...)...)
	events, _, b := backtested(t, rules(t, `\Memory\Load>5 | every 1s`), 0, file)
	c := b.Timeline(events)
	for at, firing := range []int{0, 0, 1, 1, 0, 0, 1, 1, 1} {
		board := c.At(start.Add(time.Duration(at) * second))
		if board.Rules[0].Firing != firing || len(board.Active) != firing || len(board.History) != 3 || board.Count[alert.Warning] != firing {
			t.Errorf("at %d: %+v", at, board)
		}
		if again := c.At(start.Add(time.Duration(at)*second + second/2)); again != board {
			t.Errorf("at %d: another board for the same", at)
		}
		for _, a := range board.Active {
			if board.Row("web", a.Set, a.Counter, a.Key).State != alert.Firing || len(board.Limits("web", a.Set, a.Counter, nil)) != 1 {
				t.Errorf("at %d: the value is not marked", at)
			}
			p, ok := c.Around(c.EventOf(a))
			if !ok || len(p.Nanos) != 9 || p.Values[2] != 9 {
				t.Errorf("at %d: around %v, %v", at, p.Values, ok)
			}
		}
	}
	if p, ok := c.Around(events[1].Seq); !ok || len(p.Values) != 9 {
		t.Errorf("around the end: %v", p.Values)
	}
}

// BenchmarkBacktest judges a sample of 10,000 values.
func BenchmarkBacktest(b *testing.B) {
	var columns []string
	for i := range 1000 {
		columns = append(columns, fmt.Sprintf(`\\web\Disk(%d)\Queue`, i))
	}
	line := strings.Repeat(" 1", len(columns))
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprint(i)+line)
	}
	file := sheet(b, columns, lines...)
	list := rules(b, `\Disk(*)\Queue>5 | every 1s`)
	for b.Loop() {
		backtested(b, list, 0, file)
	}
}
