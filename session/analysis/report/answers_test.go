package report_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/analysis/report"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
	page "perfdeck/session/text"
)

// answered is the report that the command makes of a recording, with the rules of all packs.
func answered(t *testing.T, samples int, columns ...column) *report.Report {
	t.Helper()
	file := recording(t, "box.csv", samples, columns...)
	p, err := replay.Open([]string{file}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	o := report.Options{Name: filepath.Base(file), Meant: func(string) bool { return true }}
	guarded := guard.New(func(e *guard.PanicError) { panic(e) })
	r, err := report.Make(t.Context(), p, o, report.Judging{Rules: packRules(t), Guard: guarded}, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func always(v float64) func(int) float64 { return func(int) float64 { return v } }

// busyBox is a computer of four processors that are busy from a sample on up to another, with
// the columns of its processes.
func busyBox(from, to int, more ...column) []column {
	busy := during(noise(10, 0.2, 1), noise(99, 0.01, 2), from, to)
	out := []column{{`\\box\Processor Information(_Total)\% Processor Time`, busy}}
	for core := range 4 {
		out = append(out, column{fmt.Sprintf(`\\box\Processor Information(0,%d)\%% Processor Time`, core), busy})
	}
	return append(out, more...)
}

func process(name, counter string, at func(int) float64) column {
	return column{fmt.Sprintf(`\\box\Process(%s)\%s`, name, counter), at}
}

// Who had the processors is named by the seconds of them that he used, whether cores are
// recorded or not, and whoever had less than nobody is not.
func TestCulprits(t *testing.T) {
	const from, to, all = 200, 300, 400
	hog := during(always(1), always(380), from, to)
	for name, c := range map[string]struct {
		processes []column
		want      string
		share     float64
		pid       uint64
	}{
		"one of two of a name": {[]column{
			process("w3wp", "% Processor Time", always(8)), process("w3wp", "ID Process", always(10)),
			process("w3wp#1", "% Processor Time", hog), process("w3wp#1", "ID Process", always(11)),
		}, "w3wp#1", 0.96, 11},
		"short ones are one": {func() (out []column) {
			out = append(out, process("idle one", "% Processor Time", always(1)), process("idle one", "ID Process", always(3)))
			pid := func(i int) float64 { return float64(1000 + i/10) }
			return append(out, process("cc1", "% Processor Time", during(never, always(390), from, to)), process("cc1", "ID Process", during(never, pid, from, to)))
		}(), "cc1 x 10", 0.98, 0},
		"a mean over presence is no share": {[]column{
			process("blink", "% Processor Time", during(never, always(390), from, from+2)), process("blink", "ID Process", during(never, always(5), from, from+2)),
			process("long", "% Processor Time", during(always(1), always(300), from, to)), process("long", "ID Process", always(6)),
		}, "long", 0.76, 6},
		"children that ended, of their parent": {[]column{
			process("make", "% Processor Time", always(4)), process("make", "ID Process", always(6)),
			process("make", "% Ended Children Time", during(always(0), always(370), from, to)),
		}, "ended children of make", 0.94, 6},
		"those that ended, by their names": {[]column{
			process("make", "% Processor Time", always(4)), process("make", "ID Process", always(6)),
			process("make", "% Ended Children Time", during(always(0), always(370), from, to)),
			{`\\box\Process Exits(cc1)\% Processor Time`, during(always(0), always(350), from, to)},
			process("cc1", "% Processor Time", during(never, always(3), from, from+9)), process("cc1", "ID Process", during(never, func(i int) float64 { return float64(5000 + i) }, from, from+9)),
			{`\\box\Process Exits(as)\% Processor Time`, during(always(0), always(20), from, to)},
			{`\\box\Process Exits(_Total)\% Processor Time`, during(always(0), always(370), from, to)},
			{`\\box\Process Exits(_Unattributed)\% Processor Time`, during(always(0), always(25), from, to)},
		}, "ended cc1", 0.88, 0},
		"nobody": {[]column{
			process("calm", "% Processor Time", always(4)), process("calm", "ID Process", always(6)),
			{`\\box\System\Forks/sec`, during(always(1), always(400), from, to)},
		}, "processes that ended between two samples (400 began each second)", 0.99, 0},
	} {
		r := answered(t, all, busyBox(from, to, c.processes...)...)
		if len(r.Verdicts) != 1 || len(r.Verdicts[0].Culprits) == 0 {
			t.Errorf("%s: %d verdicts", name, len(r.Verdicts))
			continue
		}
		got := r.Verdicts[0].Culprits[0]
		if got.Name != c.want || math.Abs(got.Share-c.share) > 0.02 || got.PID != c.pid {
			t.Errorf("%s: %q (%d) has %.3f, want %q (%d) %.2f", name, got.Name, got.PID, got.Share, c.want, c.pid, c.share)
		}
		if !strings.Contains(r.Verdicts[0].Sentence, got.Name) {
			t.Errorf("%s: %q does not name %s", name, r.Verdicts[0].Sentence, got.Name)
		}
	}
}

// What goes on at the end and began too late for its rule is told, milder; what rose and fell is
// not. A recording shorter than the rule needs is judged the same way.
func TestGoesOn(t *testing.T) {
	for name, c := range map[string]struct{ from, to, all, want int }{
		"to the end":    {196, 200, 200, 1},
		"rose and fell": {190, 194, 200, 0},
		"short":         {0, 5, 5, 1},
		"too short":     {198, 200, 200, 0},
	} {
		r := answered(t, c.all, busyBox(c.from, c.to)...)
		if len(r.Verdicts) != c.want {
			t.Errorf("%s: %d verdicts, want %d: %s", name, len(r.Verdicts), c.want, r.Headline())
			continue
		}
		if c.want == 1 {
			if v := r.Verdicts[0]; v.Severity != alert.Careful || !v.IsOpen || !v.Begin.Equal(began.Add(time.Duration(15*c.from)*time.Second)) {
				t.Errorf("%s: %v from %v, open %v", name, v.Severity, v.Begin, v.IsOpen)
			}
		}
	}
}

// That nothing was wrong is said of what was judged alone.
func TestBlind(t *testing.T) {
	whole := busyBox(0, 0, column{`\\box\Memory\Available MBytes`, always(9000)},
		column{`\\box\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, always(0.001)}, column{`\\box\Network Interface(a)\Output Queue Length`, always(0)})
	if got := answered(t, 100, whole...).Headline(); got != "Nothing was wrong on box." {
		t.Errorf("of a whole recording: %q", got)
	}
	for _, lacks := range []string{"processors", "memory", "disks", "network"} {
		var columns []column
		for _, c := range whole {
			if word := map[string]string{"processors": "Processor", "memory": "Memory", "disks": "Disk", "network": "Network"}[lacks]; !strings.Contains(c.path, word) {
				columns = append(columns, c)
			}
		}
		if got := answered(t, 100, columns...).Headline(); !strings.HasSuffix(got, "not judged: "+lacks+".") {
			t.Errorf("without %s: %q", lacks, got)
		}
	}
}

// One task each quarter of an hour is one verdict that says so, with who it is each time.
func TestAgainAndAgain(t *testing.T) {
	again := func(i int) bool { return i > 30 && i%60 < 10 }
	busy := func(i int) float64 {
		if again(i) {
			return 99
		}
		return 10
	}
	task := func(i int) float64 {
		if again(i) {
			return 390
		}
		return math.NaN()
	}
	id := func(i int) float64 {
		if again(i) {
			return float64(100 + i/60)
		}
		return math.NaN()
	}
	columns := []column{{`\\box\Processor Information(_Total)\% Processor Time`, busy}, process("scan", "% Processor Time", task), process("scan", "ID Process", id)}
	for core := range 4 {
		columns = append(columns, column{fmt.Sprintf(`\\box\Processor Information(0,%d)\%% Processor Time`, core), busy})
	}
	r := answered(t, 700, columns...)
	if len(r.Verdicts) != 1 {
		t.Fatalf("%d verdicts: %s", len(r.Verdicts), r.Headline())
	}
	if v := r.Verdicts[0]; v.Spells != 11 || !strings.Contains(v.Sentence, "11 times, each 15 min") || v.Culprits[0].Name != "scan x 11" || *v.Median != 99 {
		t.Errorf("%d times, median %v, %+v: %s", v.Spells, *v.Median, v.Culprits, v.Sentence)
	}
}

// A leak is found at its beginning; what wanders, what comes to rest and what is small against
// what is left is none.
func TestGrowth(t *testing.T) {
	const mega = 1 << 20
	line := func(from int, start, each float64) func(int) float64 {
		return func(i int) float64 { return start*(1+0.01*noise(1, 1, 7)(i)) + each*max(0, float64(i-from)) }
	}
	for name, c := range map[string]struct {
		counter string
		at      func(int) float64
		left    float64 // MB
		begins  int     // sample; 0: it is no leak
	}{
		"leak":             {"Private Bytes", line(300, 400*mega, 2*mega), 4000, 300},
		"handles":          {"Handle Count", line(200, 800, 20), 4000, 200},
		"wanders":          {"Private Bytes", func(i int) float64 { return 900*mega + 300*mega*math.Sin(float64(i)/60) }, 4000, 0},
		"comes to rest":    {"Private Bytes", func(i int) float64 { return 400*mega + 2*mega*math.Min(float64(i), 450) }, 4000, 0},
		"small":            {"Private Bytes", line(300, 400*mega, 2*mega), 400_000, 0},
		"a step":           {"Private Bytes", func(i int) float64 { return 400*mega + 900*mega*math.Floor(float64(i)/500) }, 4000, 0},
		"nearly all of it": {"Private Bytes", line(0, 100*mega, 1*mega), 4000, 1},
	} {
		r := answered(t, 1000, process("app", c.counter, c.at), process("app", "ID Process", always(77)), column{`\\box\Memory\Available MBytes`, always(c.left)})
		if c.begins == 0 {
			if len(r.Verdicts) > 0 {
				t.Errorf("%s: %s", name, r.Verdicts[0].Sentence)
			}
			continue
		}
		if len(r.Verdicts) != 1 || len(r.Verdicts[0].Culprits) != 1 || r.Verdicts[0].Culprits[0].PID != 77 {
			t.Errorf("%s: %s", name, r.Headline())
			continue
		}
		if at := int(r.Verdicts[0].Begin.Sub(began) / (15 * time.Second)); max(at-c.begins, c.begins-at) > 50 {
			t.Errorf("%s begins at sample %d, want about %d", name, at, c.begins)
		}
	}
}

// A disk that fills is told with how long what is left lasts and who writes; memory of the kernel that
// grows is no process's.
func TestFallAndPool(t *testing.T) {
	const mega = 1 << 20
	after := func(from, step float64) func(int) float64 {
		return func(i int) float64 { return from + step*math.Max(0, float64(i-100)) }
	}
	writer := column{`\\box\Process(logger)\IO Write Bytes/sec`, during(always(0), always(3e6), 100, 400)}
	r := answered(t, 400, column{`\\box\LogicalDisk(C:)\Free Megabytes`, after(60_000, -40)}, column{`\\box\LogicalDisk(_Total)\Free Megabytes`, after(60_000, -40)}, writer)
	if len(r.Verdicts) != 1 || !strings.HasPrefix(r.Verdicts[0].Sentence, "Free Megabytes of C: fell from 58.6 GB to 47.") || !strings.HasSuffix(r.Verdicts[0].Sentence, " min of that") || len(r.Verdicts[0].Culprits) != 2 {
		t.Errorf("%+v", r.Verdicts)
	}
	r = answered(t, 400, column{`\\box\Memory\Pool Nonpaged Bytes`, after(100*mega, 4*mega)}, column{`\\box\Process(a)\Private Bytes`, after(100*mega, 1000)})
	if len(r.Verdicts) != 1 || len(r.Verdicts[0].Culprits) > 0 {
		t.Errorf("%+v", r.Verdicts)
	}
}

// What several of a name grow by together is a leak of the family, though none of them grew much;
// one that a restart ended is told with its end, and not what one process gives back by itself.
func TestGrowthOfFamily(t *testing.T) {
	const mega = 1 << 20
	var family, large, starting []column
	for k := range 6 {
		grows := func(i int) float64 { return 80*mega*(1+0.01*noise(1, 1, k)(i)) + 0.09*mega*math.Max(0, float64(i-300)) }
		name := "php"
		if k > 0 {
			name += fmt.Sprintf("#%d", k)
		}
		family = append(family, process(name, "Private Bytes", grows))
		large = append(large, process(name, "Private Bytes", func(i int) float64 { return grows(i) + 0.9*mega*math.Max(0, float64(i-300)) }))
		starting = append(starting, process(name, "Private Bytes", func(i int) float64 {
			if i < 150*k {
				return math.NaN()
			}
			return 200 * mega
		}))
	}
	until := func(end int) func(int) float64 {
		return func(i int) float64 {
			if i >= end {
				return 300 * mega
			}
			return 400*mega + 3*mega*math.Max(0, float64(i-150))
		}
	}
	pid := func(i int) float64 { return 70 + math.Floor(float64(i)/900) }
	for name, c := range map[string]struct {
		columns []column
		want    string // begins the sentence; empty: it is no leak
		end     int
	}{
		"family":              {family, "Private Bytes of 6 php grew from 4", 999},
		"all by themselves":   {large, "Private Bytes of 6 php grew from 4", 999},
		"of which more began": {starting, "", 0},
		"restarted":           {[]column{process("app", "Private Bytes", until(900)), process("app", "ID Process", pid)}, "Private Bytes of app grew from 0.39 GB to 2.5", 900},
		"gave it back":        {[]column{process("app", "Private Bytes", until(900)), process("app", "ID Process", always(70))}, "", 0},
	} {
		r := answered(t, 1000, append(c.columns, column{`\\box\Memory\Available MBytes`, always(4000)})...)
		switch {
		case c.want == "" && len(r.Verdicts) > 0:
			t.Errorf("%s: %s", name, r.Verdicts[0].Sentence)
		case c.want == "":
		case len(r.Verdicts) != 1 || !strings.HasPrefix(r.Verdicts[0].Sentence, c.want):
			t.Errorf("%s: %s %v", name, r.Headline(), r.Verdicts)
		default:
			v := r.Verdicts[0]
			if end := int(v.End.Sub(began) / (15 * time.Second)); max(end-c.end, c.end-end) > 12 || v.IsOpen != (c.end == 999) || len(v.Culprits) != 1 {
				t.Errorf("%s ends at %d, open %v, %v", name, end, v.IsOpen, v.Culprits)
			}
		}
	}
}

// Of two rules on one counter the one that leads tells how often it was.
func TestAgainOfTheLeader(t *testing.T) {
	r := answered(t, 1000, column{`\\box\Memory\Available MBytes`, func(i int) float64 {
		if i > 30 && i%200 < 20 {
			return 90
		}
		return 900 // not well as the milder rule has it
	}})
	if len(r.Verdicts) != 1 || r.Verdicts[0].Spells != 1 || strings.Contains(r.Verdicts[0].Sentence, "each") {
		t.Errorf("%s %v", r.Headline(), r.Verdicts)
	}
}

// What comes between what comes at regular times is told by itself.
func TestBetweenAgain(t *testing.T) {
	busy := func(i int) float64 {
		if i > 30 && i%200 < 12 || i >= 500 && i < 530 {
			return 99
		}
		return 10
	}
	other := during(always(1), always(390), 500, 530)
	r := answered(t, 1000, column{`\\box\Processor Information(_Total)\% Processor Time`, busy}, process("other", "% Processor Time", other), column{`\\box\Process(_Total)\% Processor Time`, always(400)})
	if len(r.Verdicts) != 2 || r.Verdicts[0].Spells+r.Verdicts[1].Spells != 5 {
		t.Fatalf("%s %v", r.Headline(), r.Verdicts)
	}
	for i := range r.Verdicts {
		if v := r.Verdicts[i]; v.Spells == 1 && !strings.Contains(v.Sentence, "other") {
			t.Error(v.Sentence)
		}
	}
}

// Where samples come faster than a rule is judged the beginning is that of the first bad one.
func TestBeginOfFastSamples(t *testing.T) {
	rule := packRules(t)[0]
	rule.Interval = time.Minute
	file := recording(t, "box.csv", 400, busyBox(203, 300)...)
	r := reported(t, report.Options{}, []alert.Rule{rule}, file)
	if len(r.Verdicts) != 1 || !r.Verdicts[0].Begin.Equal(began.Add(203*15*time.Second)) {
		t.Errorf("%s %v", r.Headline(), r.Verdicts)
	}
}

// Each instance of SQL Server is judged, the named one beside the default one.
func TestEachServer(t *testing.T) {
	life := func(server string, at func(int) float64) column {
		return column{`\\box\` + server + `:Buffer Manager\Page life expectancy`, at}
	}
	r := answered(t, 400, life("SQLServer", always(5000)), life("MSSQL$ERP", during(always(5000), always(200), 100, 200)), life("MSSQL$CRM", always(5000)))
	if len(r.Verdicts) != 1 || !strings.Contains(r.Verdicts[0].Path, "MSSQL$ERP") {
		t.Errorf("%s: %+v", r.Headline(), r.Verdicts)
	}
}

// What shows more of a host that was watched is named as a command line names the host.
func TestWhyNamesHostsAsTyped(t *testing.T) {
	r := answered(t, 400, column{`\\box\PhysicalDisk(0)\Avg. Disk sec/Transfer`, during(always(0.002), always(0.3), 60, 90)})
	var b bytes.Buffer
	if err := r.WriteWhy(&b, report.WhyOptions{TextOptions: report.TextOptions{Printer: page.Plain(&b)}, Opens: map[string]string{"box": "local"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "perfdeck -H local,") || strings.Contains(b.String(), "since for") {
		t.Error(b.String())
	}
}

// The short answer has twelve lines a host at most, though sentences take several.
func TestWhyIsShort(t *testing.T) {
	var columns []column
	for k := range 6 {
		name := strings.Repeat("a very long name of a disk ", 5) + strconv.Itoa(k)
		columns = append(columns, column{`\\box\PhysicalDisk(` + name + `)\Avg. Disk sec/Transfer`, during(always(0.002), always(0.3), 60*k, 60*k+30)})
	}
	r := answered(t, 400, columns...)
	for _, all := range []bool{false, true} {
		var b bytes.Buffer
		if err := r.WriteWhy(&b, report.WhyOptions{TextOptions: report.TextOptions{Printer: page.Plain(&b)}, All: all}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); all != (n > 13) || all == strings.Contains(b.String(), "lines more") {
			t.Errorf("all %v: %d lines\n%s", all, n, b.String())
		}
	}
}

// What no store can hold, and what is no number, is nothing that is told.
func TestOddNumbers(t *testing.T) {
	odd := [...]float64{1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), -7, 0}
	for _, v := range odd {
		r := answered(t, 60, busyBox(0, 60, process("p", "% Processor Time", always(v)), process("p", "Private Bytes", always(v)), process("p", "ID Process", always(v)),
			column{`\\box\Memory\Available MBytes`, always(10)})...)
		for i := range r.Verdicts {
			if told := r.Verdicts[i].Sentence + fmt.Sprint(r.Verdicts[i].Facts, r.Verdicts[i].Culprits[:min(len(r.Verdicts[i].Culprits), 1)]); strings.Contains(told, "Inf") || strings.Contains(told, "NaN %") {
				t.Errorf("%v: %s", v, told)
			}
		}
		if len(r.Verdicts) != 2 {
			t.Errorf("%v: %s", v, r.Headline())
		}
	}
}

// One row is too little to say that nothing was wrong.
func TestOneRow(t *testing.T) {
	for _, n := range []int{1, 2} {
		if r := answered(t, n, busyBox(0, n)...); !strings.Contains(r.Headline(), "not judged: processors") {
			t.Error(r.Headline())
		}
	}
}

// Of how many processors a total is has to be known for a share of it.
func TestShareOfUnknown(t *testing.T) {
	hog := process("sqlservr", "% Processor Time", always(90))
	total := column{`\\box\Processor(_Total)\% Processor Time`, during(noise(10, 0.2, 1), noise(99, 0.01, 2), 200, 300)}
	for name, c := range map[string]struct {
		more []column
		want string
	}{
		"not known":        {nil, "The processors were 99.0 % busy"},
		"by the processes": {[]column{process("_Total", "% Processor Time", always(800))}, "The processors were 99.0 % busy: processes that are not recorded, ended between two samples, or the kernel have 89 % of the CPU-seconds"},
	} {
		r := answered(t, 400, append(c.more, total, hog)...)
		if len(r.Verdicts) != 1 || r.Verdicts[0].Sentence != c.want {
			t.Errorf("%s: %s %v", name, r.Headline(), r.Verdicts)
		}
	}
}

// Many of a name that share the load are named together.
func TestEvenFamily(t *testing.T) {
	columns := busyBox(200, 300, column{`\\box\Process(_Total)\% Processor Time`, always(400)})
	for k := range 20 {
		columns = append(columns, process("httpd#"+strconv.Itoa(k+1), "% Processor Time", during(always(0.1), always(19), 200, 300)))
	}
	columns = append(columns, process("one", "% Processor Time", always(3)))
	if r := answered(t, 400, columns...); len(r.Verdicts) != 1 || !strings.Contains(r.Verdicts[0].Sentence, ": httpd x 20 have 96 % of") {
		t.Errorf("%s %v", r.Headline(), r.Verdicts)
	}
}
