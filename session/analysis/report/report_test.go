package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/report"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/hosts/replay"
	page "perfdeck/session/text"
)

// began is when all recordings of the tests begin.
var began = time.Date(2026, 11, 19, 22, 0, 0, 0, time.UTC)

// column is a column of a recording with its value at each sample; NaN: there is none.
type column struct {
	path string
	at   func(i int) float64
}

// recording writes a PDH-CSV with a sample each 15 seconds.
func recording(t testing.TB, name string, samples int, columns ...column) string {
	t.Helper()
	return recordingAt(t, name, samples, func(i int) time.Duration { return time.Duration(15*i) * time.Second }, columns...)
}

// recordingAt writes one with samples so long after the begin.
func recordingAt(t testing.TB, name string, samples int, at func(i int) time.Duration, columns ...column) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for _, c := range columns {
		b.WriteString(`,"` + strings.ReplaceAll(c.path, `"`, `""`) + `"`)
	}
	b.WriteString("\r\n")
	for i := range samples {
		b.WriteString(`"` + began.Add(at(i)).Format("01/02/2006 15:04:05.000") + `"`)
		for _, c := range columns {
			text := " "
			if v := c.at(i); v == v {
				text = strconv.FormatFloat(v, 'g', -1, 64)
			}
			b.WriteString(`,"` + text + `"`)
		}
		b.WriteString("\r\n")
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// noise is a number around another that is the same in every run.
func noise(mean, part float64, seed int) func(int) float64 {
	return func(i int) float64 {
		return mean * (1 + part*(float64((i*7919+seed*104729)%1009)/1009-0.5))
	}
}

// during is one course, and another from a sample on up to another.
func during(usual, then func(int) float64, from, to int) func(int) float64 {
	return func(i int) float64 {
		if i >= from && i < to {
			return then(i)
		}
		return usual(i)
	}
}

func never(int) float64 { return math.NaN() }

// packRules are the rules of all packs.
func packRules(t testing.TB) (out []alert.Rule) {
	t.Helper()
	for _, name := range rulepack.Names() {
		rules, err := rulepack.Rules(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rules...)
	}
	return out
}

// reported is the report on recordings.
func reported(t testing.TB, o report.Options, rules []alert.Rule, files ...string) *report.Report {
	t.Helper()
	p, err := replay.Open(files, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if o.Name == "" {
		o.Name = filepath.Base(files[0])
	}
	o.Command, o.Version = "perfdeck report "+o.Name, "test"
	if damaged := p.ReadEvents(context.Background()); len(damaged) > 0 {
		t.Fatal(damaged)
	}
	g := report.New(p, o)
	kept := report.NewJudged(p)
	b := alert.NewBacktest(alert.BacktestOptions{Rules: rules, Zone: p.About().Zone, Timeline: true, Judged: kept.Add})
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
	if err := g.Sum(context.Background(), func() {}); err != nil {
		t.Fatal(err)
	}
	r, err := g.Report(context.Background(), report.Judgement{Timeline: b.Timeline(events), Outcomes: b.Outcomes(), Judged: *kept}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// form is one of the forms of a report.
func form(t testing.TB, r *report.Report, name string) string {
	t.Helper()
	f, err := report.FormOf(name, "")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(r, &b, report.TextOptions{Printer: wide80(&b)}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func htmlOf(t testing.TB, r *report.Report) string     { t.Helper(); return form(t, r, "html") }
func terminalOf(t testing.TB, r *report.Report) string { t.Helper(); return form(t, r, "text") }

// night is two hosts of which one has a slow disk, a backup, and a queue.
func night(t testing.TB) string {
	t.Helper()
	slow := during(noise(0.006, 0.3, 1), noise(0.12, 0.4, 2), 600, 760)
	return recording(t, "night.csv", 1920,
		column{`\\sql01\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, noise(0.001, 0.4, 3)},
		column{`\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`, slow},
		column{`\\sql01\PhysicalDisk(1 D:)\Current Disk Queue Length`, during(func(int) float64 { return 2 }, func(i int) float64 { return 60 + float64(i%7) }, 602, 760)},
		column{`\\sql01\Process(backup)\IO Data Bytes/sec`, during(never, noise(200<<20, 0.2, 4), 598, 762)},
		column{`\\sql01\Memory\Available MBytes`, noise(9000, 0.02, 5)},
		column{`\\sql01\Processor Information(_Total)\% Processor Time`, noise(20, 0.4, 6)},
		column{`\\web02\Processor Information(_Total)\% Processor Time`, noise(30, 0.4, 7)},
		column{`\\web02\Memory\Available MBytes`, noise(4000, 0.02, 8)},
	)
}

// Where nothing is known of counters their strips are those of the measures that have values.
func TestStripsOfUnknownCounters(t *testing.T) {
	r := reported(t, report.Options{}, nil, recording(t, "own.csv", 40, column{`\\a\Thing\Never`, never}, column{`\\a\Thing\Often`, noise(10, 0.1, 1)}))
	if len(r.Measures) != 1 || len(r.Strips) != 1 || r.Strips[0].Title != "Often" || !(r.Strips[0].Cells[0][0] > 0) {
		t.Errorf("measures %+v, strips %+v", r.Measures, r.Strips)
	}
}

// A recording whose interval was changed is complete, and has the gaps that it has.
func TestChangedInterval(t *testing.T) {
	at := func(i int) time.Duration {
		if i < 600 {
			return time.Duration(i) * time.Second
		}
		d := 600*time.Second + time.Duration(i-600)*15*time.Second
		if i >= 700 {
			d += 150 * time.Second // ten samples
		}
		return d
	}
	busy := column{`\\w\Processor(_Total)\% Processor Time`, during(noise(10, 0.1, 1), noise(99, 0.001, 2), 620, 690)}
	r := reported(t, report.Options{}, packRules(t), recordingAt(t, "changed.csv", 800, at, busy))
	if h := r.Hosts[0]; h.Samples != 800 || h.Expected != 810 || h.Interval != time.Second || h.Longest != 15*time.Second {
		t.Errorf("%d samples of %d, each %v to %v", h.Samples, h.Expected, h.Interval, h.Longest)
	}
	if told := form(t, r, "json"); !strings.Contains(told, `"longestIntervalSeconds": 15`) {
		t.Errorf("programs are not told that it was changed: %s", told)
	}
	if len(r.Gaps) != 1 || !r.Gaps[0].From.Equal(began.Add(at(699)+15*time.Second)) || !r.Gaps[0].To.Equal(began.Add(at(700))) {
		t.Errorf("gaps %+v", r.Gaps)
	}
	if len(r.Verdicts) != 1 || !r.Verdicts[0].Begin.Equal(began.Add(at(620))) || !r.Verdicts[0].End.Equal(began.Add(at(690))) {
		t.Errorf("verdicts %+v", r.Verdicts)
	}
}

// No cell of a strip is empty where an interval is longer than that of the beginning.
func TestStripsOfAChangedInterval(t *testing.T) {
	at := func(i int) time.Duration {
		return time.Duration(min(i, 120))*time.Second + time.Duration(max(i-120, 0))*time.Minute
	}
	r := reported(t, report.Options{}, nil, recordingAt(t, "slower.csv", 160, at, column{`\\w\Processor(_Total)\% Processor Time`, noise(10, 0.1, 1)}))
	if len(r.Strips) == 0 || slices.ContainsFunc(r.Strips[0].Cells[0], math.IsNaN) {
		t.Errorf("strips %+v", r.Strips)
	}
}

// What interfaces loop back or carry again is in no measure, nor what was recorded as a sum of
// others besides; of disks those count that are in no other.
func TestMeasuresCountOnce(t *testing.T) {
	flat := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	for _, c := range []struct {
		title   string
		columns map[string]float64
		want    float64
	}{
		{"Network, sent and received", map[string]float64{`Network Interface(lo)\Bytes Total/sec`: 1000, `Network Interface(eth0)\Bytes Total/sec`: 1, `Network Interface(docker0)\Bytes Total/sec`: 50, `Network Interface(eth1)\Bytes Total/sec`: 2}, 3},
		{"Network, sent and received", map[string]float64{`Network Interface(eth0)\Bytes Total/sec`: 1, `Network Interface(eth1)\Bytes Total/sec`: 2, `Network Interface(total of *)\Bytes Total/sec`: 7, `Network Interface(total of eth0|lo)\Bytes Total/sec`: 50}, 7},
		{"Network, sent and received", map[string]float64{`Network Interface(Intel[R] X)\Bytes Received/sec`: 1, `Network Interface(Software Loopback Interface 1)\Bytes Received/sec`: 50, `Network Interface(Intel[R] X)\Bytes Sent/sec`: 4}, 5},
		{"Network, sent and received", map[string]float64{`Network Interface(lo)\Bytes Total/sec`: 50, `Network Interface(tap0)\Bytes Total/sec`: 4}, 4},
		{"Disk, read and written", map[string]float64{`PhysicalDisk(sda)\Disk Bytes/sec`: 5, `PhysicalDisk(sda1)\Disk Bytes/sec`: 3, `PhysicalDisk(dm-0)\Disk Bytes/sec`: 2, `PhysicalDisk(sdb)\Disk Bytes/sec`: 1}, 6},
		{"Disk, read and written", map[string]float64{`PhysicalDisk(0 C:)\Disk Bytes/sec`: 5, `PhysicalDisk(_Total)\Disk Bytes/sec`: 8}, 8},
	} {
		var all []column
		for path, v := range c.columns {
			all = append(all, column{`\\a\` + path, flat(v)})
		}
		r := reported(t, report.Options{}, nil, recording(t, "net.csv", 8, all...))
		at := slices.IndexFunc(r.Measures, func(m *report.Measure) bool { return m.Title == c.title })
		if at < 0 || r.Measures[at].Hosts[0].Average != c.want || r.Measures[at].Hosts[0].Max != c.want {
			t.Errorf("%s of %v: %+v, want %v", c.title, c.columns, r.Measures, c.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	r := reported(t, report.Options{}, packRules(t), night(t))
	if len(r.Verdicts) != 1 {
		t.Fatalf("%d verdicts: %v", len(r.Verdicts), r.Headline())
	}
	v := r.Verdicts[0]
	slow := during(noise(0.006, 0.3, 1), noise(0.12, 0.4, 2), 600, 760)
	at := func(i int) time.Time { return began.Add(time.Duration(15*i) * time.Second) }
	if v.Severity != alert.Critical || !v.Begin.Equal(at(600)) || !v.End.Equal(at(760)) {
		t.Errorf("%v from %v to %v", v.Severity, v.Begin, v.End)
	}
	worst, over, in := 0.0, 0, []float64{}
	for i := 600; i <= 760; i++ {
		worst = max(worst, slow(i))
		if slow(i) > 0.025 {
			over++
		}
		in = append(in, slow(i))
	}
	slices.Sort(in)
	if v.Peak == nil || *v.Peak != worst || v.Over != over || v.Of != len(in) || *v.Median != in[80] {
		t.Errorf("worst %v, %v of %v, median %v; not %v, %v of %v, %v", *v.Peak, v.Over, v.Of, *v.Median, worst, over, len(in), in[80])
	}
	if want := []string{"slow disk", "very slow disk", "disk queue"}; !slices.Equal(v.Rules, want) {
		t.Errorf("rules %q, not %q", v.Rules, want)
	}
	if m := v.Moved; len(m.Rows) != 2 || !m.Rows[0].IsNew || m.Rows[0].Instance != "backup" || m.Rows[1].Name != "Current Disk Queue Length" {
		t.Errorf("moved %+v", m)
	}
	if in := v.Instances; in == nil || in.Rows[0][0] != "1 D:" || in.Rows[0][len(in.Head)-1] != fmt.Sprintf("%d of %d", over, v.Of) {
		t.Errorf("instances %+v", in)
	}
	for _, told := range []string{htmlOf(t, r), terminalOf(t, r), form(t, r, "md")} {
		for _, want := range []string{"Disk 1 D:", v.Worst, "backup", "sql01", "web02"} {
			if !strings.Contains(told, want) {
				t.Errorf("%q is not in %.60q", want, told)
			}
		}
	}
	var out struct {
		Verdicts []struct{ Worst, Median float64 }
		Counters []struct {
			Path string
			Max  *float64
		}
	}
	if err := json.Unmarshal([]byte(form(t, r, "json")), &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Verdicts) != 1 || out.Verdicts[0].Worst != worst || len(out.Counters) != 8 {
		t.Errorf("JSON %+v", out)
	}
}

// A course that ends before its picture does leaves the rest of the line blank.
func TestCourseEnds(t *testing.T) {
	short := recording(t, "a.csv", 100, column{`\\a\Memory\Available MBytes`, during(noise(4000, 0.1, 1), noise(40, 0.1, 2), 60, 100)})
	long := recording(t, "b.csv", 400, column{`\\b\Memory\Available MBytes`, noise(4000, 0.1, 3)})
	r := reported(t, report.Options{}, packRules(t), short, long)
	for i := range r.Verdicts {
		if v := r.Verdicts[i]; v.Host != "a" || v.Path == "" {
			r.Verdicts[i].Chart = nil
		}
	}
	lines := strings.Split(terminalOf(t, r), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "▀") })
	if at < 1 {
		t.Fatal("there is no picture")
	}
	if verdict, course := len([]rune(lines[at])), len([]rune(lines[at-1])); verdict < course-1 || verdict > course+1 {
		t.Errorf("the course ends at %d, the verdict at its end at %d:\n%s\n%s", course, verdict, lines[at-1], lines[at])
	}
}

// reportOf is the report on that night.
func reportOf(t testing.TB) *report.Report {
	t.Helper()
	return reported(t, report.Options{}, packRules(t), night(t))
}

// The same input gives the same bytes.
func TestSameBytes(t *testing.T) {
	file := night(t)
	a, b := reported(t, report.Options{}, packRules(t), file), reported(t, report.Options{}, packRules(t), file)
	if htmlOf(t, a) != htmlOf(t, b) || terminalOf(t, a) != terminalOf(t, b) {
		t.Error("two reports of one recording differ")
	}
}

// A gap ends a verdict, unless it is as bad behind it, and is no part of how long it was so; an
// unfinished one says so.
func TestEnds(t *testing.T) {
	bad, well := noise(0.2, 0.1, 1), noise(0.005, 0.1, 2)
	for _, c := range []struct {
		name string
		at   func(int) float64
		end  int // sample
		open bool
		seen int // samples that it lasted
	}{
		{"well again", during(well, bad, 100, 200), 200, false, 100},
		{"a gap, then well", during(during(well, bad, 100, 200), never, 150, 220), 149, false, 49},
		{"a gap, then as bad", during(during(well, bad, 100, 300), never, 150, 180), 300, false, 170},
		{"to the end", during(well, bad, 300, 400), 399, true, 99},
	} {
		file := recording(t, "a.csv", 400, column{`\\h\PhysicalDisk(C:)\Avg. Disk sec/Transfer`, c.at}, column{`\\h\System\Processes`, noise(90, 0.1, 3)})
		r := reported(t, report.Options{}, packRules(t), file)
		if len(r.Verdicts) != 1 {
			t.Errorf("%s: %d verdicts", c.name, len(r.Verdicts))
			continue
		}
		if v := r.Verdicts[0]; !v.End.Equal(began.Add(time.Duration(15*c.end)*time.Second)) || v.IsOpen != c.open {
			t.Errorf("%s: ends %v, open %v", c.name, v.End.Sub(began)/15/time.Second, v.IsOpen)
		} else if v.Lasted != time.Duration(15*c.seen)*time.Second {
			t.Errorf("%s: lasted %v", c.name, v.Lasted/15/time.Second)
		}
		htmlOf(t, r)
	}
}

func TestLittleOrNothing(t *testing.T) {
	quiet := column{`\\h\Memory\Available MBytes`, noise(9000, 0.01, 1)}
	for _, c := range []struct {
		name     string
		rules    []alert.Rule
		samples  int
		columns  []column
		want     []string
		unwanted []string
	}{
		{"nothing wrong", packRules(t), 400, []column{quiet}, []string{"Nothing was wrong on h in what was judged; not judged: processors, disks, network.", "Nearest to its limit", "memory low"}, nil},
		{"no rule had data", nil, 400, []column{quiet}, []string{"No rule had anything to judge on h."}, []string{"Nothing was wrong"}},
		{"no rule of any pack", packRules(t), 400, []column{{`\\h\Own Things\Count`, noise(5, 1, 1)}}, []string{"No rule had anything to judge", "of no pack"}, []string{"Nothing was wrong"}},
		{"few samples", packRules(t), 5, []column{quiet}, []string{"too few samples"}, []string{"p95 9"}},
		{"one sample", packRules(t), 1, []column{quiet}, []string{"Available MBytes"}, nil},
		{"no value at all", packRules(t), 50, []column{{`\\h\Memory\Available MBytes`, never}, {`\\h\System\Processes`, never}}, []string{">none<", "No rule had anything to judge"}, []string{"Nothing was wrong"}},
		{"below zero", packRules(t), 90, []column{{`\\h\Own\Balance`, func(i int) float64 { return float64(i%9) - 20 }}}, []string{"Balance"}, nil},
		{"no path", packRules(t), 90, []column{{`just a name`, noise(5, 1, 1)}}, []string{"just a name"}, nil},
	} {
		r := reported(t, report.Options{}, c.rules, recording(t, "a.csv", c.samples, c.columns...))
		page := htmlOf(t, r)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: %q is not told: %s", c.name, want, r.Headline())
			}
		}
		for _, text := range c.unwanted {
			if strings.Contains(page, text) {
				t.Errorf("%s: %q is told", c.name, text)
			}
		}
		if strings.Contains(page, "NaN") || strings.Contains(page, "+Inf") || strings.Contains(page, "-Inf") {
			t.Errorf("%s: a number that is none is drawn", c.name)
		}
		terminalOf(t, r)
	}
	fits := reported(t, report.Options{Packs: []alert.Pack{{Name: "iis", Rules: must(rulepack.Rules("iis"))}, {Name: "memory", Rules: must(rulepack.Rules("memory"))}}}, must(rulepack.Rules("iis")), recording(t, "a.csv", 90, quiet))
	if !slices.Equal(fits.Rules.Fits, []string{"memory"}) {
		t.Errorf("packs that fit: %q", fits.Rules.Fits)
	}
}

func must(rules []alert.Rule, err error) []alert.Rule {
	if err != nil {
		panic(err)
	}
	return rules
}

// What a recording keeps raw is worked out to the number that is shown.
func TestFold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "night.db")
	f, _ := formats.ByExtension(file)
	const timer, base = cooker.AverageTimer, cooker.AverageBase
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}, Columns: []logs.Column{{Path: `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`, TypeKnown: true, Type: timer, BaseType: base}}}
	w, err := formats.Create(file, f, h, logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	reading, clocks := cooker.Reading{Raw: 918273645120, Base: 70112904, Size: 8, BaseSize: 4}, cooker.Clocks{PerfTime: 1e9, PerfFreqHz: 1e7, Time100ns: 133444987120000000}
	for i := range 400 {
		before, clocksBefore := reading, clocks
		transfers := uint64(7000 + i%13*11)
		seconds := 0.005
		if i >= 200 && i < 300 {
			seconds = 0.06 + float64(i%17)/1000
		}
		reading.Raw += uint64(seconds * float64(transfers) * 1e7)
		reading.Base += transfers
		clocks.PerfTime, clocks.Time100ns = clocks.PerfTime+15e7, clocks.Time100ns+15e7
		row := logs.Row{
			Time:   began.Add(time.Duration(15*i) * time.Second),
			Values: []cooker.Value{cooker.Cook(timer, &before, &reading, &clocksBefore, &clocks, nil)},
			Raw:    []logs.Raw{{Known: true, Reading: reading, Clocks: clocks}},
		}
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := reported(t, report.Options{}, packRules(t), file)
	if len(r.Verdicts) != 1 {
		t.Fatalf("%d verdicts", len(r.Verdicts))
	}
	v := r.Verdicts[0]
	if v.Fold.Raw == nil || len(v.Fold.Worked) < 3 || v.Fold.Shown != v.Worst {
		t.Fatalf("fold %+v, worst %s", v.Fold, v.Worst)
	}
	for _, line := range v.Fold.Worked[:len(v.Fold.Worked)-1] {
		got, err := calculate(strings.TrimPrefix(line, "= "))
		if err != nil || math.Abs(got-*v.Peak) > 1e-9**v.Peak {
			t.Errorf("%s is %v, not %v: %v", line, got, *v.Peak, err)
		}
	}
	last := v.Fold.Worked[len(v.Fold.Worked)-1]
	if !strings.HasSuffix(last, "shown as "+v.Worst) {
		t.Errorf("%q does not end in %q", last, v.Worst)
	}
	difference := func(row []string) float64 {
		digits := strings.ReplaceAll(row[3], "\u202f", "")
		f, _ := strconv.ParseFloat(digits, 64)
		return f
	}
	n, b := difference(v.Fold.Raw.Rows[0]), difference(v.Fold.Raw.Rows[1])
	if got := n / 1e7 / b; math.Abs(got-*v.Peak) > 1e-9 {
		t.Errorf("differences of the table give %v, not %v", got, *v.Peak)
	}
}

// calculate works out arithmetic with + - * x / and brackets.
func calculate(text string) (float64, error) {
	tokens := regexp.MustCompile(`[0-9.]+|[-+*/x()]`).FindAllString(text, -1)
	at := 0
	var sum func() float64
	atom := func() float64 {
		if at >= len(tokens) {
			return math.NaN()
		}
		token := tokens[at]
		at++
		if token == "(" {
			v := sum()
			at++
			return v
		}
		f, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return math.NaN()
		}
		return f
	}
	product := func() float64 {
		v := atom()
		for at < len(tokens) && strings.Contains("*x/", tokens[at]) {
			op := tokens[at]
			at++
			if op == "/" {
				v /= atom()
			} else {
				v *= atom()
			}
		}
		return v
	}
	sum = func() float64 {
		v := product()
		for at < len(tokens) && strings.Contains("+-", tokens[at]) {
			op := tokens[at]
			at++
			if op == "-" {
				v -= product()
			} else {
				v += product()
			}
		}
		return v
	}
	v := sum()
	if v != v || at != len(tokens) {
		return v, fmt.Errorf("cannot be worked out: %q", text)
	}
	return v, nil
}

// A night of 500 counters stays under 2 MB.
func TestPageIsSmall(t *testing.T) {
	var columns []column
	for h := range 4 {
		host := fmt.Sprintf(`\\host%d`, h)
		columns = append(columns, column{host + `\Processor Information(_Total)\% Processor Time`, during(noise(20, 0.9, h), noise(97, 0.02, h), 300*h+100, 300*h+200)},
			column{host + `\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, during(noise(0.004, 0.9, h), noise(0.09, 0.3, h), 200*h+900, 200*h+990)},
			column{host + `\Memory\Available MBytes`, noise(9000, 0.5, h)}, column{host + `\Network Interface(eth0)\Bytes Total/sec`, noise(3e7, 0.9, h)},
			column{host + `\Memory\Pages Input/sec`, noise(30, 0.9, h)})
		for i := range 120 {
			columns = append(columns, column{fmt.Sprintf(`%s\Process(process number %d)\%% Processor Time`, host, i), noise(float64(i)/7, 0.9, i)})
		}
	}
	samples := 1920
	if testing.Short() {
		samples = 1920 / 2
		for i := range columns {
			full := columns[i].at
			columns[i].at = func(k int) float64 { return full(2 * k) }
		}
	}
	r := reported(t, report.Options{}, packRules(t), recording(t, "night.csv", samples, columns...))
	page := htmlOf(t, r)
	if len(page) > 2<<20 || len(r.Verdicts) < 4 {
		t.Errorf("%d counters, %d verdicts: %d bytes", len(columns), len(r.Verdicts), len(page))
	}
}

// What changed is told without rules.
func TestChanges(t *testing.T) {
	file := recording(t, "a.csv", 1200,
		column{`\\h\Web Service(_Total)\Current Connections`, during(noise(100, 0.2, 1), noise(300, 0.2, 2), 800, 1200)},
		column{`\\h\System\Processes`, noise(90, 0.1, 3)}, column{`\\h\Process(new)\Private Bytes`, during(never, noise(1e8, 0.1, 4), 850, 1200)})
	r := reported(t, report.Options{}, nil, file)
	if c := r.Changes; len(c.Rows) != 1 || c.Rows[0].Name != "Current Connections" || !slices.Equal(c.New, []string{"Process(new)"}) {
		t.Errorf("changes %+v", c)
	}
}

// Recordings of several zones and intervals are told of as they are.
func TestClocks(t *testing.T) {
	a := recording(t, "a.csv", 400, column{`\\a\Memory\Available MBytes`, noise(9000, 0.01, 1)})
	b := recording(t, "b.csv", 400, column{`\\b\Memory\Available MBytes`, noise(9000, 0.01, 1)})
	data, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte("(UTC)(0)"), []byte("(Tokyo Standard Time)(-540)"), 1)
	if err := os.WriteFile(b, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r := reported(t, report.Options{}, packRules(t), a, b)
	all := ""
	for _, c := range r.Clocks {
		all += c.String() + "\n"
	}
	for _, want := range []string{"b.csv was recorded in UTC+09:00", "no time in common", "several recordings"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not told: %s", want, all)
		}
	}
	if len(r.Gaps) != 2 {
		t.Errorf("gaps %+v", r.Gaps)
	}
	htmlOf(t, r)
}

// hostile are names that are to be text everywhere.
var hostile = []string{
	`<img src=x onerror=alert(1)>`, `</script><script>alert(1)</script>`, `"><svg onload=alert(2)>`, "\u202Egnp.exe\u2066", `'"&lt;&#60;`, `</title><style>*{display:none}</style>`, "`**[x](javascript:alert(1))**`",
}

// hostileReport has them as names of everything.
func hostileReport(t testing.TB) *report.Report {
	t.Helper()
	var columns []column
	for i, name := range hostile {
		bare := strings.NewReplacer(`\`, "", "/", "", "(", "", ")", "", "#", "").Replace(name)
		columns = append(columns,
			column{`\\` + bare + `\PhysicalDisk(` + bare + `)\Avg. Disk sec/Transfer`, during(noise(0.004, 0.2, i), noise(0.2, 0.2, i), 100+40*i, 130+40*i)},
			column{`\\` + bare + `\` + bare + `(` + bare + `)\` + bare, during(noise(4, 0.2, i), noise(400, 0.2, i), 100+40*i, 130+40*i)},
			column{`\\` + bare + `\Memory\Available MBytes`, noise(9000, 0.1, i)})
	}
	columns = append(columns, column{hostile[0] + hostile[1], noise(1, 1, 1)})
	rules := packRules(t)
	for i := range rules {
		rules[i].Why = hostile[i%len(hostile)]
		rules[i].Next = []string{hostile[i%len(hostile)]}
	}
	var notes []note.Note
	for i, name := range hostile {
		n, err := note.New(began.Add(time.Duration(i)*20*time.Minute), name, name)
		if err != nil {
			t.Fatal(err)
		}
		notes = append(notes, n)
	}
	return reported(t, report.Options{Notes: notes, Name: strings.Join(hostile, " ")}, rules, recording(t, "hostile.csv", 480, columns...))
}

// Hostile names are text in every form.
func TestHostileNames(t *testing.T) {
	r := hostileReport(t)
	if len(r.Verdicts) != len(hostile) {
		t.Errorf("%d verdicts: %s", len(r.Verdicts), r.Headline())
	}
	page := htmlOf(t, r)
	for _, bad := range []string{"<script", "<img", "http:", "https:", "<svg onload", "\u202e", "\u2066", "@import", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(page, "<style"); n != 1 {
		t.Errorf("%d style elements", n)
	}
	for _, told := range []string{terminalOf(t, r), form(t, r, "md")} {
		if strings.ContainsAny(told, "\x1b\u202e\u2066") {
			t.Error("a name steers the terminal")
		}
	}
	if md := form(t, r, "md"); strings.Contains(md, "<img") && !strings.Contains(md, "`") {
		t.Error("Markdown holds an element")
	}
}

// A host that is lost is told by a rule about it; that the recorder paused is no loss.
func TestHostLost(t *testing.T) {
	rule, err := alert.ParseRule("absent host")
	if err != nil {
		t.Fatal(err)
	}
	pause := func(usual func(int) float64) func(int) float64 { return during(usual, never, 50, 70) }
	file := recording(t, "a.csv", 400,
		column{`\\a\System\Processes`, pause(noise(90, 0.1, 1))},
		column{`\\b\System\Processes`, during(pause(noise(80, 0.1, 2)), never, 200, 250)})
	r := reported(t, report.Options{}, []alert.Rule{rule}, file)
	if len(r.Verdicts) != 1 || r.Verdicts[0].Host != "b" || len(r.Gaps) != 2 || r.Gaps[0].Host != "" {
		t.Errorf("%s; gaps %+v", r.Headline(), r.Gaps)
	}
	htmlOf(t, r)
}

// wide80 is a terminal of 80 columns without colours.
func wide80(w *bytes.Buffer) *page.Printer {
	return page.Styled(w, page.Options{Cells: 80})
}
