package formats

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats/printed"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// testSet is a counterset with awkward names.
func testSet() *session.Counterset {
	return &session.Counterset{Name: "Disk, \"fast\"", Instances: session.MultipleInstances, Counters: []session.Counter{
		{Name: "% Busy", Description: "busy\nor \\ not"},
		{Name: "Reads/sec"},
	}}
}

// rowOf makes a row of one host: each counter of each instance has the same
// value.
func rowOf(set *session.Counterset, value cooker.Value, instances ...session.Instance) logs.Beat {
	s := logs.Sample{Host: "SRV", Time: time.Date(2026, 7, 1, 23, 59, 58, 7e6, time.FixedZone("CEST", 7200))}
	r := logs.Beat{Time: s.Time}
	for _, in := range instances {
		for c := range set.Counters {
			path := session.PathOf("", set, c, &in)
			one := &logs.Named{
				Host: "SRV", Path: path, Text: path.String(), Set: set, Counter: &set.Counters[c], Key: in.Key, Index: in.Index, Wild: true, Found: true,
			}
			s.Cells = append(s.Cells, logs.Cell{Named: one, Value: value})
			r.Columns, r.Values = append(r.Columns, one), append(r.Values, value)
		}
	}
	r.Samples = []logs.Sample{s}
	return r
}

func instance(name string, id uint64, index uint32) session.Instance {
	return session.Instance{Key: session.InstanceKey{Name: name, ID: id}, Index: index}
}

// writtenAs gives what a format makes of rows.
func writtenAs(t *testing.T, format, file string, l logs.WriteOptions, all ...logs.Beat) string {
	t.Helper()
	kind, ok := PrintFormat(format, file)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	var b bytes.Buffer
	w := kind.print(logs.Outlet{WriteOptions: l, W: &b, File: file})
	for _, r := range all {
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPDHTextReadBack(t *testing.T) {
	set := testSet()
	r := rowOf(set, cooker.FloatValue(0.1), instance(`a "b", c`, 1, 0), instance("x\ty\nz", 2, 0))
	for format, comma := range map[string]rune{"csv": ',', "tsv": '\t'} {
		text := writtenAs(t, format, "file", logs.WriteOptions{}, r, rowOf(set, cooker.Absent(cooker.FirstSample), instance(`a "b", c`, 1, 0), instance("x\ty\nz", 2, 0)))
		reader := csv.NewReader(strings.NewReader(text))
		reader.Comma = comma
		records, err := reader.ReadAll()
		if err != nil {
			t.Fatalf("%s: %v\n%s", format, err, text)
		}
		if len(records) != 3 || len(records[0]) != 5 {
			t.Fatalf("%s: %d records, %d columns", format, len(records), len(records[0]))
		}
		if want := "(PDH-" + strings.ToUpper(format) + " 4.0) (CEST)(-120)"; records[0][0] != want {
			t.Errorf("header %q, want %q", records[0][0], want)
		}
		if want := `\\SRV\Disk, "fast"(a "b", c)\Reads/sec`; records[0][2] != want {
			t.Errorf("column %q, want %q", records[0][2], want)
		}
		if records[1][0] != "07/01/2026 23:59:58.007" || records[1][1] != "0.10000000000000001" || records[2][1] != " " {
			t.Errorf("rows %q", records[1:])
		}
		if want := "\\\\SRV\\Disk, \"fast\"(x\ty\nz)\\Reads/sec"; records[0][4] != want {
			t.Errorf("column %q, want %q", records[0][4], want)
		}
		if _, rows, _ := strings.Cut(text, "\r\n"); strings.Count(text, "\r\n") != 3 || strings.Count(rows, "\n") != 2 {
			t.Errorf("lines do not end in CRLF: %q", text)
		}
	}
}

// TestPDHTextPython has another implementation read it.
func TestPDHTextPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here to read the file back")
	}
	text := writtenAs(t, "csv", "file", logs.WriteOptions{}, rowOf(testSet(), cooker.WholeValue(math.MaxUint64), instance(`a "b", c`, 1, 0)))
	c := exec.Command(python, "-c", `import csv,sys; print([row for row in csv.reader(sys.stdin.read().splitlines())][1][1:])`)
	c.Stdin = strings.NewReader(text)
	out, err := c.Output()
	if want := "['18446744073709551615', '18446744073709551615']\n"; err != nil || string(out) != want {
		t.Errorf("python reads %q (%v), want %q", out, err, want)
	}
}

func TestPDHSpreadsheet(t *testing.T) {
	set := testSet()
	set.Counters = set.Counters[:1]
	r := rowOf(set, cooker.TextValue("=1+1"), instance("a", 1, 0))
	if text := writtenAs(t, "csv", "", logs.WriteOptions{Spreadsheet: true}, r); !strings.Contains(text, `"'=1+1"`) {
		t.Errorf("a spreadsheet would run it: %s", text)
	}
	r = rowOf(set, cooker.FloatValue(-1), instance("a", 1, 0))
	if text := writtenAs(t, "csv", "", logs.WriteOptions{Fixed: true, Decimals: 1, Spreadsheet: true}, r); !strings.Contains(text, `"-1.0"`) {
		t.Errorf("a number is no formula: %s", text)
	}
}

func TestTableKeepsColumns(t *testing.T) {
	set := testSet()
	long := rowOf(set, cooker.FloatValue(1), instance("a name that is rather long", 1, 0))
	short := rowOf(set, cooker.FloatValue(1), instance("b", 2, 0))
	lines := strings.Split(writtenAs(t, "table", "", logs.WriteOptions{}, long, short), "\n")
	if len(lines[1]) != len(lines[4]) {
		t.Errorf("the columns moved:\n%s", strings.Join(lines, "\n"))
	}
	for _, name := range []string{"\x1b[2J", "a\u202eb", "new\nline"} {
		text := writtenAs(t, "table", "", logs.WriteOptions{}, rowOf(set, cooker.FloatValue(1), instance(name, 1, 0)))
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Count(text, "\n") != 2 {
			t.Errorf("%q reaches the terminal: %q", name, text)
		}
	}
}

// What is wider than the terminal has a line for each value, in both kinds of tables;
// no line is wider than the terminal then, unless a path alone is. Where nobody knows
// how wide it is, and in files, a table stays one.
func TestTableOnANarrowTerminal(t *testing.T) {
	set := testSet()
	set.Counters = nil
	for i := range 32 {
		set.Counters = append(set.Counters, session.Counter{Name: fmt.Sprintf("Counter %d", i), Type: cooker.CounterRawCount})
	}
	for _, wild := range []bool{false, true} {
		r := rowOf(set, cooker.FloatValue(12345.5), instance("a", 1, 0), instance("b\x1b[2J", 2, 0))
		for i := range r.Columns {
			r.Columns[i].Wild = wild
		}
		for _, room := range []int{60, 120, 10000} {
			cells := func() int { return room }
			if room == 10000 {
				cells = nil
			}
			text := writtenAs(t, "table", "", logs.WriteOptions{Screen: true, Cells: cells}, r, r)
			if cells == nil {
				if lines := strings.Count(text, "\n"); lines > 9 {
					t.Errorf("wild %v: a table of %d lines", wild, lines)
				}
				continue
			}
			lines := strings.Split(text, "\n")
			if got := strings.Count(text, "12345.500000  \\"); got != 2*64 {
				t.Errorf("wild %v, %d cells: %d values", wild, room, got)
			}
			for _, line := range lines {
				if ansi.StringWidth(line) > room || printable.Text(line) != line {
					t.Errorf("wild %v, %d cells: %q", wild, room, line)
				}
			}
		}
	}
	// It follows the terminal.
	room := 60
	r := rowOf(set, cooker.FloatValue(1), instance("a", 1, 0))
	var b bytes.Buffer
	w := printed.Table(logs.Outlet{WriteOptions: logs.WriteOptions{Cells: func() int { return room }}, W: &b})
	for _, room = range []int{60, 10000, 60} {
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(b.String(), "\n"); got != 33+1+2+1+33 {
		t.Errorf("%d lines:\n%s", got, b.String())
	}
}

func TestJSONIsPrintable(t *testing.T) {
	set := testSet()
	for _, name := range append([]string{"\x1b[2J", "\u202e", "\U000E0001x", "\x9b", "\xff"}, "é") {
		text := writtenAs(t, "json", "", logs.WriteOptions{}, rowOf(set, cooker.WholeValue(math.MaxUint64), instance(name, 1, 0)))
		if line := strings.TrimSuffix(text, "\n"); printable.Text(line) != line {
			t.Errorf("%q steers the terminal: %q", name, line)
		}
		var sample struct{ Values []struct{ Path string } }
		if err := json.Unmarshal([]byte(text), &sample); err != nil {
			t.Fatal(err)
		}
		path := sample.Values[0].Path
		if want := strings.ToValidUTF8(name, "\uFFFD"); !strings.Contains(path, want) {
			t.Errorf("%q is read back as %q", name, path)
		}
		if !strings.Contains(text, `"value":18446744073709551615,`) {
			t.Errorf("digits were lost: %s", text)
		}
	}
}

// TestProm holds the exposition against its grammar.
func TestProm(t *testing.T) {
	set := testSet()
	text := writtenAs(t, "prom", "", logs.WriteOptions{Beats: 1}, rowOf(set, cooker.FloatValue(1.5), instance("a\"b\\c", 1, 0), instance("a\"b\\c", 2, 1)))
	sample := regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\} [-+0-9.e]+$`)
	comment := regexp.MustCompile(`^# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* .+$`)
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !sample.MatchString(line) && !comment.MatchString(line) {
			t.Errorf("not in the format: %s", line)
		}
		series, _, _ := strings.Cut(line, "} ")
		if seen[series] {
			t.Errorf("twice: %s", line)
		}
		seen[series] = true
	}
	if !strings.Contains(text, `perfdeck_disk_fast_percent_busy{host="SRV",name="a\"b\\c",index="1"} 1.5`) {
		t.Errorf("labels: %s", text)
	}
	// Names that differ in what cannot be printed are different series all the same.
	text = writtenAs(t, "prom", "", logs.WriteOptions{Beats: 1}, rowOf(set, cooker.WholeValue(1), instance("z\x1b[", 1, 0), instance("z\x07[", 2, 0), instance("z\u202e[", 3, 0), instance("z\n[", 4, 0), instance("z?[", 5, 0)))
	seen = map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if seen[line] || printable.Text(line) != line {
			t.Errorf("%q comes again, or steers a terminal, in\n%s", line, text)
		}
		seen[line] = true
	}
	if !strings.Contains(text, `name="z\\u001b["`) {
		t.Errorf("the name is not escaped:\n%s", text)
	}
	if got := writtenAs(t, "prom", "", logs.WriteOptions{}, rowOf(set, cooker.Absent(cooker.Gone), instance("a", 1, 0))); got != "" {
		t.Errorf("what is not there was written: %s", got)
	}
}

// promPoint is a line of an exposition with a timestamp.
var promPoint = regexp.MustCompile(`^([a-z0-9_]+)(\{.*\}) (\S+) ([0-9]+)$`)

// Several beats are one exposition: each metric is announced once, no line comes
// twice, each has its time, and where their number is known those of a metric stand
// together, at the end.
func TestPromOfSeveralBeats(t *testing.T) {
	set := testSet()
	var beats []logs.Beat
	for i := range 3 {
		r := rowOf(set, cooker.WholeValue(uint64(i)), instance("a", 1, 0), instance("b", 2, 0))
		r.Samples[0].Time = r.Time.Add(time.Duration(i) * time.Second)
		beats = append(beats, r)
	}
	for _, n := range []int{0, 3} {
		text := writtenAs(t, "prom", "", logs.WriteOptions{Beats: n}, beats...)
		announced, seen, closed, last := map[string]bool{}, map[string]bool{}, map[string]bool{}, ""
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if word := strings.Fields(line); word[0] == "#" {
				if seen[word[1]+word[2]] {
					t.Errorf("of %d: twice: %s", n, line)
				}
				seen[word[1]+word[2]], announced[word[2]] = true, true
				continue
			}
			part := promPoint.FindStringSubmatch(line)
			if part == nil || !announced[part[1]] {
				t.Fatalf("of %d: %q has no time, or comes before its metric in\n%s", n, line, text)
			}
			ms, err := strconv.ParseInt(part[4], 10, 64)
			if want := fmt.Sprint(ms/1000 - beats[0].Time.Unix()); err != nil || part[3] != want || seen[line] {
				t.Errorf("of %d: %q twice, or of the time of %q", n, line, want)
			}
			if seen[line] = true; part[1] != last {
				if n > 0 && closed[part[1]] {
					t.Errorf("of %d: %s is parted:\n%s", n, part[1], text)
				}
				closed[last], last = true, part[1]
			}
		}
		if got := strings.Count(text, "} "); got != 3*2*2 {
			t.Errorf("of %d: %d points", n, got)
		}
	}
}

// Texts are labels of a metric that is 1: an exposition has no other place for them.
func TestPromTexts(t *testing.T) {
	set := testSet()
	set.Counters = []session.Counter{{Name: "State", Type: cooker.CounterText, Description: "What it does."}}
	text := writtenAs(t, "prom", "", logs.WriteOptions{Beats: 1}, rowOf(set, cooker.TextValue("a \"b\" \x1b[2J\nc"), instance("x", 1, 0)))
	if want := `perfdeck_disk_fast_state_info{host="SRV",name="x",text="a \"b\" \\u001b[2J\nc"} 1` + "\n"; !strings.HasSuffix(text, want) || strings.Count(text, "\n") != 3 {
		t.Errorf("%s, want %s", text, want)
	}
}

// Columns of texts begin on the left and are as wide as their texts, within bounds.
func TestTableTexts(t *testing.T) {
	set := testSet()
	set.Counters = []session.Counter{{Name: "State", Type: cooker.CounterText}}
	long, endless := strings.Repeat("long ", 8), strings.Repeat("endless ", 1000)
	for _, wild := range []bool{true, false} {
		var rows []logs.Beat
		for _, s := range []string{"short", long, "short", endless} {
			r := rowOf(set, cooker.TextValue(s), instance("x", 1, 0))
			for i := range r.Columns {
				r.Columns[i].Wild = wild
			}
			rows = append(rows, r)
		}
		text := writtenAs(t, "table", "", logs.WriteOptions{}, rows...)
		at, lines := -1, strings.Split(text, "\n")
		for _, line := range lines {
			for _, word := range []string{"State", "short", "long", "endless"} {
				if i := strings.Index(line, word); i >= 0 && at >= 0 && i != at {
					t.Errorf("a text begins in cell %d and in %d:\n%.600s", at, i, text)
				} else if i >= 0 {
					at = i
				}
			}
		}
		if at < 0 || !strings.Contains(text, endless[:cooker.MaxText-1]) {
			t.Errorf("texts are cut:\n%s", text)
		}
	}
}

// TestPromNamesDiffer keeps counters apart whose names differ in signs.
func TestPromNamesDiffer(t *testing.T) {
	set := testSet()
	set.Counters = []session.Counter{{Name: "Read-Bytes"}, {Name: "Read Bytes"}}
	text := writtenAs(t, "prom", "", logs.WriteOptions{}, rowOf(set, cooker.WholeValue(1), instance("a", 1, 0)))
	if strings.Count(text, "# TYPE") != 2 {
		t.Errorf("two counters, %s", text)
	}
}

func TestFormatByFileName(t *testing.T) {
	for file, want := range map[string]string{"": "table", "x.csv": "csv", "x.TSV": "tsv", "x.json": "json", "x.jsonl": "json", "x.db": "csv", "x.lines": "lines", "x.txt": "table", "x.prom": "prom", "x": "csv", "x.dat": "csv"} {
		if f, ok := PrintFormat("", file); !ok || f.Name != want {
			t.Errorf("%q: %v, want %s", file, f, want)
		}
	}
}
