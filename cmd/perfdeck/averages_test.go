package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// counted is a counter of a made recording.
type counted struct {
	path string
	typ  cooker.CounterType
}

// rowOf is a row of a made recording: what each counter was read as, and whether it is known to
// go on from the row before.
type rowOf struct {
	at    time.Duration
	raw   []uint64
	base  []uint64
	fresh bool // a restart: another instance
	gap   bool // the host did not answer
}

var recordedAt = time.Date(2026, 11, 28, 18, 0, 0, 0, time.UTC)

// recordRows writes a recording with raw samples, as a recorder does.
func recordRows(t *testing.T, file string, counters []counted, rows []rowOf) {
	t.Helper()
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}}
	for _, c := range counters {
		h.Columns = append(h.Columns, logs.Column{Path: c.path, TypeKnown: true, Type: c.typ})
	}
	format, err := formats.Choose("", file)
	if err != nil {
		t.Fatal(err)
	}
	w, err := formats.Create(file, format, h, logs.WriteOptions{Buffered: true, Set: "made"})
	if err != nil {
		t.Fatal(err)
	}
	before := make([]logs.Raw, len(counters))
	for _, r := range rows {
		row := logs.Row{Time: recordedAt.Add(r.at), Values: make([]cooker.Value, len(counters)), Raw: make([]logs.Raw, len(counters))}
		ticks := uint64(1e12) + uint64(r.at/100)
		for i, c := range counters {
			if r.gap {
				row.Values[i], before[i] = cooker.Absent(cooker.Gap), logs.Raw{}
				continue
			}
			now := logs.Raw{
				Known: true, Reading: cooker.Reading{Raw: r.raw[i], Base: r.base[i], Size: 8, BaseSize: 8},
				Clocks: cooker.Clocks{PerfTime: ticks, PerfFreqHz: 1e7, Time100ns: ticks},
			}
			row.Values[i] = cooker.Cook(c.typ, nil, &now.Reading, nil, &now.Clocks, nil)
			if before[i].Known && !r.fresh {
				row.Values[i] = cooker.Cook(c.typ, &before[i].Reading, &now.Reading, &before[i].Clocks, &now.Clocks, nil)
			}
			row.Raw[i], before[i] = now, now
		}
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// told is what a command prints.
func told(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	errs, err := os.Create(filepath.Join(dir, "errors"))
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	if code := run(args, null, out, errs, []string{"TERM=dumb", "HOME=" + dir, "TZ=UTC"}); code != 0 {
		text, _ := os.ReadFile(errs.Name())
		t.Fatalf("%q: exit code %d: %s", args, code, text)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cells are the values of a column of a recording, as relog prints it; NaN: blank.
func cells(t *testing.T, column int, args ...string) (all []float64) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(told(t, append([]string{"relog", "-o", "-"}, args...)...)), "\n")
	for _, line := range lines[1:] {
		cell := strings.Trim(strings.Split(strings.TrimSpace(line), ",")[column+1], `"`)
		f, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			f = math.NaN()
		}
		all = append(all, f)
	}
	return all
}

// A worker that uses 63 to 95 % all the time and is started anew twice never reads low, however
// its rows are thinned, and a rule on high values hears of it.
func TestThinnedOverRestarts(t *testing.T) {
	var rows []rowOf
	raw := uint64(3e6)
	for i := range 25 {
		fresh := i == 9 || i == 17
		if fresh {
			raw = 4_800_000 // it had run for a while
		} else {
			raw += 6_300_000 + uint64(i*7919%32)*100_000
		}
		rows = append(rows, rowOf{at: time.Duration(i) * time.Second, raw: []uint64{raw, uint64(12000 + i/9)}, base: []uint64{0, 0}, fresh: fresh})
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "restarts.db")
	recordRows(t, file, []counted{{`\\vm\Process(worker)\% Processor Time`, cooker.Timer100ns}, {`\\vm\Process(worker)\ID Process`, cooker.CounterRawCount}}, rows)
	for every := 1; every <= 24; every++ {
		thinned := filepath.Join(dir, fmt.Sprintf("%d.", every))
		each := []string{file, "--every", strconv.Itoa(every)}
		told(t, append([]string{"relog", "-o", thinned + "blg"}, each...)...)
		told(t, append([]string{"relog", "-o", thinned + "db"}, each...)...)
		for name, values := range map[string][]float64{
			"csv": cells(t, 0, each...), "blg": cells(t, 0, thinned+"blg"), "db": cells(t, 0, thinned+"db"),
		} {
			for i, f := range values {
				if f < 63 || f > 95 {
					t.Errorf("every %d, %s, row %d: %v", every, name, i, f)
				}
				if f != f && every > 1 && i > 0 && name != "blg" {
					t.Errorf("every %d, %s, row %d is blank", every, name, i)
				}
			}
		}
		if every > 12 {
			continue // of two rows the second is not judged
		}
		if low := told(t, "watch", "--replay", thinned+"db", "--alert", `\Process(worker)\% Processor Time < 50`); !strings.Contains(low, "fired 0 times") {
			t.Errorf("every %d: %s", every, low)
		}
	}
	for _, interval := range []string{"1s", "9s", "10s", "15s"} {
		for op, want := range map[string]string{"<": "fired 0 times", ">": "fired once"} {
			config := filepath.Join(dir, "rule.toml")
			rule := fmt.Sprintf("[[alert]]\nname = \"r\"\nwhen = '\\Process(worker)\\%% Processor Time %s 50'\ninterval = %q\n", op, interval)
			if err := os.WriteFile(config, []byte(rule), 0o600); err != nil {
				t.Fatal(err)
			}
			if text := told(t, "--config", config, "watch", "--replay", file); !strings.Contains(text, want) {
				t.Errorf("%s 50 each %s: %s", op, interval, text)
			}
		}
	}
}

// averages are those of a counter in relog and in the table of report.
func averages(t *testing.T, file, path string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	each := func(text string, do func(map[string]any)) {
		for scan := bufio.NewScanner(strings.NewReader(text)); scan.Scan(); {
			var one map[string]any
			if json.Unmarshal(scan.Bytes(), &one) == nil {
				do(one)
			}
		}
	}
	each(told(t, "relog", "--summary", "--json", file), func(one map[string]any) {
		if one["path"] == path {
			out["relog"] = one["average"].(float64)
		}
	})
	var report struct {
		Counters []struct {
			Path    string
			Average float64
		}
	}
	if err := json.Unmarshal([]byte(told(t, "report", file, "--pack", "none", "-f", "json", "-o", "-")), &report); err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Counters {
		if c.Path == path {
			out["report"] = c.Average
		}
	}
	return out
}

// The average of a counter over uneven intervals, and that of operations, is the change of the
// raw samples by what they are divided by, wherever it is told.
func TestAveragesOfRaw(t *testing.T) {
	var rows []rowOf
	raw, at := uint64(1000), time.Duration(0)
	var operations, amount uint64
	for i := range 25 {
		if i > 0 && i < 20 {
			at, raw, operations, amount = at+500*time.Millisecond, raw+500, operations+1000, amount+8_000_000
		} else if i >= 20 {
			at, operations, amount = at+6*time.Second, operations+1, amount+1_000_000
		}
		rows = append(rows, rowOf{at: at, raw: []uint64{raw, amount}, base: []uint64{0, operations}})
	}
	file := filepath.Join(t.TempDir(), "uneven.db")
	sent, size := `\\vm\UDPv4\Datagrams Sent/sec`, `\\vm\PhysicalDisk(vda)\Avg. Disk Bytes/Transfer`
	recordRows(t, file, []counted{{sent, cooker.CounterCounter}, {size, cooker.AverageBulk}}, rows)
	want := map[string]float64{sent: 19 * 500 / (19*0.5 + 5*6), size: (19*8e6 + 5*1e6) / (19*1000 + 5)}
	for path, want := range want {
		for where, got := range averages(t, file, path) {
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("%s of %s: %v, want %v", where, path, got, want)
			}
		}
	}
	glance := told(t, "report", file, "--pack", "none", "-f", "md", "-o", "-")
	if !strings.Contains(glance, "| Datagrams Sent/sec, /s | 240.5, 1000 |") || !strings.Contains(glance, "| 0 | 240.5 |") {
		t.Errorf("%s", glance)
	}
	// Without raw samples the average of rates is weighted by time, and that is said.
	csv := filepath.Join(t.TempDir(), "uneven.csv")
	told(t, "relog", file, "-o", csv)
	if text := told(t, "relog", "--summary", csv); !strings.Contains(text, "average, weighted by time") || !strings.Contains(text, " 240.506 ") {
		t.Errorf("%s", text)
	}
	if text := told(t, "report", csv, "--pack", "none", "-f", "md", "-o", "-"); !strings.Contains(text, "average, weighted by time") {
		t.Errorf("%s", text)
	}
}

// An hour with restarts, gaps and three intervals: what relog, report and compare tell of it is
// what was done, by arithmetic of its own.
func TestAnHourOfRaw(t *testing.T) {
	random := rand.New(rand.NewPCG(28, 31))
	path := `\\vm\Net(eth0)\Bytes/sec`
	var rows []rowOf
	var done, over []float64 // in the interval before each row; 0 seconds: nothing is known of it
	raw, at, known := uint64(1e9), time.Duration(0), false
	for at < time.Hour {
		every := [...]time.Duration{time.Second, 5 * time.Second, 500 * time.Millisecond}[at*3/time.Hour]
		at += every
		change := random.Uint64N(1e6)
		if at > 40*time.Minute {
			change *= 20
		}
		raw += change
		r := rowOf{at: at, base: []uint64{0}, fresh: random.IntN(40) == 0, gap: random.IntN(50) == 0}
		if r.fresh {
			raw = random.Uint64N(3e9)
		}
		r.raw = []uint64{raw}
		seconds := every.Seconds()
		if r.gap || r.fresh || !known {
			change, seconds = 0, 0
		}
		known = !r.gap
		rows, done, over = append(rows, r), append(done, float64(change)), append(over, seconds)
	}
	file := filepath.Join(t.TempDir(), "hour.db")
	recordRows(t, file, []counted{{path, cooker.CounterBulkCount}}, rows)
	mean := func(from, to int) float64 {
		var change, seconds float64
		for i := from; i < to; i++ {
			change, seconds = change+done[i], seconds+over[i]
		}
		return change / seconds
	}
	for where, got := range averages(t, file, path) {
		if want := mean(0, len(rows)); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %v, want %v", where, got, want)
		}
	}
	var compared struct {
		Averages [2]struct{ Average float64 }
	}
	line, _, _ := strings.Cut(told(t, "compare", file, "--at", "18:40", "--window", "10m", "--pack", "none", "--json"), "\n")
	if err := json.Unmarshal([]byte(line), &compared); err != nil {
		t.Fatal(err)
	}
	place := func(minute int) int {
		return slices.IndexFunc(rows, func(r rowOf) bool { return r.at >= time.Duration(minute)*time.Minute })
	}
	for i, want := range []float64{mean(0, place(40)), mean(place(40)+1, place(50))} {
		if got := compared.Averages[i].Average; math.Abs(got-want) > 1e-9*want {
			t.Errorf("compare %d: %v, want %v", i, got, want)
		}
	}
	for _, every := range []int{2, 9, 10, 60} {
		for n, got := range cells(t, 0, file, "--every", strconv.Itoa(every)) {
			want := mean(max((n-1)*every+1, 0), n*every+1)
			if rows[n*every].gap && got != got && want != want || want != want && got != got {
				continue
			}
			if math.Abs(got-want) > 1e-9*want || got != got {
				t.Errorf("every %d, row %d: %v, want %v", every, n, got, want)
			}
		}
	}
}

// The largest of counts is told with all of its digits.
func TestSummaryOfLargeCounts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large.db")
	var rows []rowOf
	for i := range 90 {
		rows = append(rows, rowOf{at: time.Duration(i) * time.Second, raw: []uint64{0xCAFEBABE00000000 + uint64(i)}, base: []uint64{0}})
	}
	recordRows(t, file, []counted{{`\\vm\Known\LargeHex`, cooker.CounterLargeRawCountHex}}, rows)
	if text := told(t, "relog", "--summary", file); !strings.Contains(text, "0xCAFEBABE00000059") {
		t.Errorf("%s", text)
	}
	if text := told(t, "relog", "--summary", "--json", file); !strings.Contains(text, `"max":14627333964952502361`) {
		t.Errorf("%s", text)
	}
}
