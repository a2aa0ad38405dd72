package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"perfdeck/paths"
	"perfdeck/session/system/sharedtest"
)

// twin is a language of testdata/twins.tsv: its names of counters as its systems write them.
type twin struct {
	tag, page, zone string
	names           map[[2]string][2]string // of object and counter in English
}

// twins reads them. The first is English.
func twins(t *testing.T) (all []twin) {
	t.Helper()
	text, err := os.ReadFile("testdata/twins.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var object []string
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		cells := strings.Split(line, "\t")
		switch {
		case i == 0:
			for _, tag := range cells {
				one := twin{tag: tag, page: "1252", zone: "W. Europe Standard Time", names: map[[2]string][2]string{}}
				switch tag {
				case "tr":
					one.page, one.zone = "1254", "Turkey Standard Time"
				case "pl", "cs":
					one.page, one.zone = "1250", "Central Europe Standard Time"
				}
				all = append(all, one)
			}
		case cells[0] != "":
			object = cells
		default:
			for n := range all {
				all[n].names[[2]string{object[0], cells[1]}] = [2]string{object[n], cells[n+1]}
			}
		}
	}
	return all
}

// path is a path of the recording in the language.
func (l *twin) path(english string) string {
	p, err := paths.Parse(english)
	if err != nil {
		panic(err)
	}
	to, ok := l.names[[2]string{p.Object, p.Counter}]
	if !ok {
		panic(english + " has no name in " + l.tag)
	}
	p.Object, p.Counter = to[0], to[1]
	return p.String()
}

// night is a recording of an hour with an incident, in the language.
func (l *twin) night(day int) string {
	courses := []struct {
		path string
		at   func(i int) float64
	}{
		{`\\BOX\Processor Information(_Total)\% Processor Time`, func(i int) float64 { return 12 + wave(i) }},
		{`\\BOX\Processor Information(_Total)\% Privileged Time`, func(i int) float64 { return 4 + wave(i)/2 }},
		{`\\BOX\Memory\Available MBytes`, func(i int) float64 { return 4000 - 10*wave(i) }},
		{`\\BOX\Memory\Pages/sec`, func(i int) float64 { return 20 + wave(i) }},
		{`\\BOX\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, func(i int) float64 { return 0.004 + wave(i)/10000 }},
		{`\\BOX\PhysicalDisk(0 C:)\Disk Transfers/sec`, func(i int) float64 { return 200 + 10*wave(i) }},
		{`\\BOX\PhysicalDisk(0 C:)\Current Disk Queue Length`, func(int) float64 { return 1 }},
		{`\\BOX\System\Processor Queue Length`, func(int) float64 { return 0 }},
		{`\\BOX\Process(backup)\% Processor Time`, func(int) float64 { return 1 }},
		{`\\BOX\Process(backup)\ID Process`, func(int) float64 { return 4711 }},
		{`\\BOX\Process(backup)\Private Bytes`, func(i int) float64 { return 5e7 + 1000*wave(i) }},
		{`\\BOX\Process(web)\% Processor Time`, func(i int) float64 { return 10 + wave(i) }},
		{`\\BOX\Process(web)\ID Process`, func(int) float64 { return 815 }},
		{`\\BOX\Process(web)\Private Bytes`, func(i int) float64 { return 3e8 + 1000*wave(i) }},
		{`\\BOX\Network Interface(Intel)\Bytes Total/sec`, func(i int) float64 { return 1e6 + 1e4*wave(i) }},
		{`\\BOX\Network Interface(Intel)\Current Bandwidth`, func(int) float64 { return 1e9 }},
	}
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (` + l.zone + `)(-60)"`)
	for _, c := range courses {
		b.WriteString(`,"` + l.path(c.path) + `"`)
	}
	b.WriteString("\r\n")
	begin := time.Date(2026, 3, day, 1, 0, 0, 0, time.UTC)
	for i := range 240 {
		fmt.Fprintf(&b, `"%s"`, begin.Add(time.Duration(15*i)*time.Second).Format("01/02/2006 15:04:05.000"))
		for n, c := range courses {
			v := c.at(i)
			if day == 2 && i >= 120 && i < 200 { // the backup
				switch n {
				case 0:
					v = 97 + wave(i)/10
				case 4:
					v = 0.2 + wave(i)/100
				case 6:
					v = 60
				case 8:
					v = 380 + wave(i)
				}
			}
			fmt.Fprintf(&b, `,"%g"`, v)
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

func wave(i int) float64 { return math.Sin(float64(i)*1.7) + math.Cos(float64(i)*0.61) }

// in is a text in an encoding.
func in(t *testing.T, text, encoding string) []byte {
	t.Helper()
	switch encoding {
	case "utf-8":
		return []byte(text)
	case "utf-16le":
		out := []byte{0xFF, 0xFE}
		for _, u := range utf16.Encode([]rune(text)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	}
	page := map[string]*charmap.Charmap{"1250": charmap.Windows1250, "1252": charmap.Windows1252, "1254": charmap.Windows1254}[encoding]
	out, err := page.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// printedBy is what a command prints that does all that it is to.
func printedBy(t *testing.T, args ...string) (out, told string) {
	t.Helper()
	out, told, code := ran(t, args...)
	if code != 0 {
		t.Errorf("%q: exit code %d: %s", args, code, told)
	}
	return out, told
}

// ran is what a command prints, and its exit code.
func ran(t *testing.T, args ...string) (out, told string, code int) {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	dir := t.TempDir()
	code = run(args, null, files[0], files[1], []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_STATE_HOME=" + dir, "TZ=UTC"})
	var texts [2]string
	for i, f := range files {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts[0], texts[1], code
}

// english replaces names of the language in what JSON has, and leaves out what was said of names.
func (l *twin) english(t *testing.T, lines string) (out []any) {
	t.Helper()
	var from []string
	to := map[string]string{}
	for english, is := range l.names {
		for n := range is {
			to[is[n]], to[english[n]] = english[n], english[n]
		}
	}
	for name := range to {
		from = append(from, name)
	}
	slices.SortFunc(from, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, name := range from {
		pairs = append(pairs, name, to[name])
	}
	replace := strings.NewReplacer(append([]string{l.zone, "ZONE"}, pairs...)...)
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return replace.Replace(v)
		case []any:
			kept := []any{}
			for _, one := range v {
				if strings.Contains(fmt.Sprint(one), "taken for") {
					continue
				}
				kept = append(kept, walk(one))
			}
			return kept
		case map[string]any:
			for key := range v {
				v[key] = walk(v[key])
			}
		}
		return v
	}
	for d := json.NewDecoder(strings.NewReader(lines)); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, walk(v))
	}
	return walk(out).([]any)
}

// TestTwins: a log in another language gives the report and the comparison of its twin in English, but for
// the names, whatever it is encoded in; with --english those too.
func TestTwins(t *testing.T) {
	all := twins(t)
	type results struct{ Report, Compare, Summary []any }
	made := func(l *twin, as *twin, encoding string, flags ...string) results {
		dir := t.TempDir()
		t.Chdir(dir)
		for n, day := range []int{1, 2} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.csv", n)), in(t, l.night(day), encoding), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		report, told := printedBy(t, append([]string{"report", "1.csv", "-f", "json"}, flags...)...)
		if encoding != "utf-8" && told != "" {
			t.Errorf("%s in %s: it says %s", l.tag, encoding, told)
		}
		compare, _ := printedBy(t, append([]string{"compare", "0.csv", "1.csv", "--json"}, flags...)...)
		summary, _ := printedBy(t, append([]string{"relog", "--summary", "1.csv", "--json", "--counter", `\PhysicalDisk(*)\*`, "--counter", l.path(`\Process(*)\% Processor Time`)}, flags...)...)
		return results{as.english(t, report), as.english(t, compare), as.english(t, summary)}
	}
	want := made(&all[0], &all[0], "utf-8")
	if verdicts := want.Report[0].(map[string]any)["verdicts"].([]any); len(verdicts) == 0 {
		t.Fatal("the report in English finds nothing")
	}
	for i := range all[1:] {
		l := &all[i+1]
		for _, encoding := range []string{"utf-8", "utf-16le", l.page} {
			flagsOf := [][]string{nil}
			if encoding == l.page {
				flagsOf = append(flagsOf, []string{"--english"})
			}
			for _, flags := range flagsOf {
				if got := made(l, l, encoding, flags...); !reflect.DeepEqual(got, want) {
					t.Errorf("%s in %s %q: another answer: %s", l.tag, encoding, flags, differs(want, got))
				}
			}
		}
	}
}

// TestTwinsTogether: a log in one language is compared with one in another as with itself.
func TestTwinsTogether(t *testing.T) {
	all := twins(t)
	t.Chdir(t.TempDir())
	for i := range all {
		if err := os.WriteFile(all[i].tag+".csv", []byte(all[i].night(2)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range [][2]string{{"en", "de"}, {"pl", "tr"}} {
		out, _ := printedBy(t, "compare", pair[0]+".csv", pair[1]+".csv", "--json")
		if strings.Count(out, "\n") != 1 || !strings.Contains(out, `"changed":0,`) || !strings.Contains(out, `"counters":16,`) {
			t.Errorf("%v: %s", pair, out)
		}
	}
}

// TestTwinsByPAL: thresholds of PAL, which are in English, judge a log in another language alike.
func TestTwinsByPAL(t *testing.T) {
	rules := sharedtest.Path(t, "data/pal/clinthuffman_PAL__QuickSystemOverview.xml")
	all := twins(t)
	t.Chdir(t.TempDir())
	var reports []any
	for _, l := range []*twin{&all[0], &all[1], &all[5]} {
		if err := os.WriteFile("1.csv", []byte(l.night(2)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := printedBy(t, "report", "1.csv", "-f", "json", "--pack", "none", "--rules", rules)
		report := l.english(t, out)[0].(map[string]any)
		rules := report["rules"].(map[string]any)
		delete(rules, "unjudged") // what names are like those that are not there
		reports = append(reports, []any{rules, report["verdicts"]})
		if rules["judged"].(float64) == 0 {
			t.Errorf("%s: nothing was judged", l.tag)
		}
	}
	for _, r := range reports[1:] {
		if !reflect.DeepEqual(r, reports[0]) {
			t.Error(differs(reports[0], r))
		}
	}
}

// TestAnonymousTwin: names that everybody's systems have tell nothing of one, and stay.
func TestAnonymousTwin(t *testing.T) {
	all := twins(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("de.csv", []byte(all[1].night(2)), 0o600); err != nil {
		t.Fatal(err)
	}
	printedBy(t, "bundle", "--anonymous", "de.csv", "-o", "de.perfdeck")
	out, _ := printedBy(t, "report", "de.perfdeck", "-f", "json")
	var report struct{ Verdicts []any }
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Verdicts) == 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// differs is where two results are not the same.
func differs(a, b any) string {
	x, errX := json.MarshalIndent(a, "", " ")
	y, errY := json.MarshalIndent(b, "", " ")
	if err := cmp.Or(errX, errY); err != nil {
		return err.Error()
	}
	l, r := strings.Split(string(x), "\n"), strings.Split(string(y), "\n")
	for i := range min(len(l), len(r)) {
		if l[i] != r[i] {
			return fmt.Sprintf("%q, %q", l[i], r[i])
		}
	}
	return fmt.Sprintf("%d lines, %d lines", len(l), len(r))
}
