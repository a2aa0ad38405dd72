package pal

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/text/printable"
)

const head = `<?xml version="1.0"?><PAL NAME="Test" VERSION="1"><QUESTION QUESTIONVARNAME="PhysicalMemory"/>`

func source(path string, more string) string {
	return fmt.Sprintf(`<DATASOURCE TYPE="CounterLog" NAME="%s" EXPRESSIONPATH="%s" COLLECTIONVARNAME="C">%s</DATASOURCE>`, path, path, more)
}

func one(source, condition, code string) string {
	return head + `<ANALYSIS NAME="A" ENABLED="True">` + source + `<THRESHOLD NAME="More than it should be" CONDITION="` + condition +
		`"><CODE><![CDATA[` + code + `]]></CODE></THRESHOLD></ANALYSIS></PAL>`
}

func read(t *testing.T, text string) *File {
	t.Helper()
	f, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestStaticThresholds(t *testing.T) {
	for code, want := range map[string]string{
		`StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold 80`:                                  `\P(*)\T>80`,
		"\n  StaticThreshold -CollectionOfCounterInstances $c -Operator \"lt\" -Threshold 0.025  \r\n\r\n":               `\P(*)\T<0.025`,
		"#// a comment\nStaticThreshold -Threshold 100MB -Operator 'gt' `\r\n -CollectionOfCounterInstances $C # more":   `\P(*)\T>104857600`,
		`<# long #> staticthreshold -collectionofcounterinstances:$C -operator:'gt' -threshold:-1e3 -IsTrendOnly $False`: `\P(*)\T>-1000`,
		`StaticThreshold -CollectionOfCounterInstances $C -Operator 'ge' -Threshold 32`:                                  `\P(*)\T>31`,
		`StaticThreshold -CollectionOfCounterInstances $C -Operator 'le' -Threshold 0`:                                   `\P(*)\T<1`,
		`StaticThreshold -CollectionOfCounterInstances $C -Operator 'ge' -Threshold 0.5`:                                 `\P(*)\T>0.49999999999999994`,
	} {
		f := read(t, one(source(`\P(*)\T`, ""), "Warning", code))
		if len(f.Rules) != 1 {
			t.Errorf("%q: %+v", code, f.Skipped)
			continue
		}
		if got := f.Rules[0].Expression(); got != want {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
	f := read(t, one(source(`\P(*)\T/sec`, ""), "Warning", `StaticThreshold -CollectionOfCounterInstances $C -Operator 'ge' -Threshold 32`))
	if got := f.Rules[0].Expression(); got != `\P(*)\T/sec>31.999999999999996` {
		t.Errorf("a rate: %s", got)
	}
	// At least is what the limit beside it says.
	if a, _ := paths.ParseAlert(`\P\T>31.999999999999996`); !a.Holds(32) || a.Holds(31.999999999999996) {
		t.Error("32 is not beyond")
	}
}

func TestSkipped(t *testing.T) {
	const call = "StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold "
	for code, want := range map[string]string{
		"":                                     "no script",
		"# nothing":                            "no script",
		call + "'80":                           "cannot be read",
		call + "$PhysicalMemory":               "$PhysicalMemory",
		call + "$x":                            "script",
		"$x = 5\n" + call + "$x":               "script",
		"$x = $PhysicalMemory\n" + call + "$x": "$PhysicalMemory",
		call + "5; Remove-Item C:\\":           "script",
		call + "5\nRemove-Item C:\\":           "script",
		call + "(5)":                           "script",
		call + "5 -IsTrendOnly $Perhaps":       "trend",
		call + "5 -Other 5":                    "script",
		call + "many":                          "no number",
		call + "1e999":                         "no number",
		"If ($a) {" + call + "5}":              "script",
		strings.Replace(call, "gt", "eq", 1) + "5": "comparison",
		strings.Replace(call, "$C", "$D", 1) + "5": "no counter of the analysis",
		strings.Replace(call, "$C", "C", 1) + "5":  "names no counter",
		"OtherFunction 5":                          "script",
	} {
		f := read(t, one(source(`\P(*)\T`, ""), "Warning", code))
		if len(f.Skipped) != 1 || len(f.Rules) != 0 || !strings.Contains(f.Skipped[0].Reason, want) {
			t.Errorf("%q: %+v %+v, want %q", code, f.Rules, f.Skipped, want)
		}
	}
	generated := strings.Replace(source(`\P(*)\T`, ""), "CounterLog", "Generated", 1)
	pattern := strings.Replace(source(`\MSSQL[$a-z]*:X\T`, ""), "TYPE", `ISCOUNTEROBJECTREGULAREXPRESSION="True" TYPE`, 1)
	for s, want := range map[string]string{generated: "several counters", pattern: "regular expression", source(`P`, ""): "P", source(`\*(*)\T`, ""): "wildcard"} {
		f := read(t, one(s, "Warning", call+"5"))
		if len(f.Skipped) != 1 || !strings.Contains(f.Skipped[0].Reason, want) {
			t.Errorf("%s: %+v, want %q", s, f.Skipped, want)
		}
	}
}

func TestRuleOfThreshold(t *testing.T) {
	const call = "StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold 5"
	f := read(t, one(source(`\Disk(*)\Queue`, `<EXCLUDE INSTANCE="_Total"/><EXCLUDE INSTANCE="HarddiskVolume1"/>`), "Critical", call))
	r := f.Rules[0]
	if r.Severity != alert.Critical || r.Totals || len(r.Except) != 1 || r.Why != "More than it should be" || r.Name != "A critical" || r.Disabled {
		t.Errorf("%+v", r)
	}
	f = read(t, strings.Replace(one(source(`\Disk(*)\Queue`, ""), "Info", call), "True", "False", 1))
	if r := f.Rules[0]; r.Severity != alert.Careful || !r.Totals || !r.Disabled {
		t.Errorf("%+v", r)
	}
	text := one(source(`\Disk(*)\Queue`, ""), "Warning", call)
	twice := strings.Replace(text, "</PAL>", text[len(head):], 1)
	if f := read(t, twice); len(f.Rules) != 2 || f.Rules[0].Name == f.Rules[1].Name {
		t.Errorf("%+v", f.Rules)
	}
}

// The file may be UTF-16, and may be hostile.
func TestRead(t *testing.T) {
	text := "\uFEFF" + one(source(`\P\T`, ""), "Warning", "StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold 5")
	var wide [2][]byte
	for _, u := range utf16.Encode([]rune(text)) {
		wide[0] = append(wide[0], byte(u), byte(u>>8))
		wide[1] = append(wide[1], byte(u>>8), byte(u))
	}
	for _, data := range []string{text, string(wide[0]), string(wide[1]), strings.Replace(text, `version="1.0"`, `version="1.0" encoding="utf-16"`, 1)} {
		if f := read(t, data); len(f.Rules) != 1 {
			t.Errorf("%q: %+v", data[:20], f)
		}
	}
	for _, wrong := range []string{"", "text", "<html></html>", "<PAL", strings.Repeat("<a>", 20_000), string(make([]byte, maxBytes+1))} {
		if _, err := Read(strings.NewReader(wrong)); err == nil {
			t.Errorf("%.20q is read", wrong)
		}
	}
	hostile := strings.Replace(text, `NAME="A"`, `NAME="A&#x202E;"`, 1)
	f, err := Read(strings.NewReader(strings.Replace(hostile, "More than", "More&#x9b;than", 1)))
	if err != nil || len(f.Rules) != 1 || (printable.Text(f.Rules[0].Name) != f.Rules[0].Name || printable.Text(f.Rules[0].Why) != f.Rules[0].Why) {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestRealFiles counts what is taken of PAL's own files: every threshold is taken
// or skipped with a reason.
func TestRealFiles(t *testing.T) {
	dir := sharedtest.Path(t, "data/pal")
	for name, want := range map[string]string{
		"clinthuffman_PAL__IIS.xml":                 "taken 1, skipped 0, charts 49, inherits 3",
		"clinthuffman_PAL__QuickSystemOverview.xml": "taken 69, skipped 14, charts 23, inherits 0",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		f := read(t, string(data))
		got := fmt.Sprintf("taken %d, skipped %d, charts %d, inherits %d", len(f.Rules), len(f.Skipped), f.Charts, len(f.Inherits))
		if got != want || len(f.Rules)+len(f.Skipped) != strings.Count(string(data), "<THRESHOLD ") {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		for _, s := range f.Skipped {
			if s.Reason == "" || s.Analysis == "" {
				t.Errorf("%+v", s)
			}
		}
		for _, r := range f.Rules {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Limits on trends become rules on trends over an hour; all the others judge values.
func TestTrends(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(sharedtest.Path(t, "data/pal"), "clinthuffman_PAL__QuickSystemOverview.xml"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range read(t, string(data)).Rules {
		if r.Trend > 0 {
			got[r.Condition()]++
		}
	}
	want := map[string]int{
		`\Process(_Total)\Private Bytes>104857600/h over 1h`: 1, `\Process(_Total)\Handle Count>100/h over 1h`: 1,
		`\Process(_Total)\Thread Count>100/h over 1h`: 1, `\Process(_Total)\Working Set>104857600/h over 1h`: 1,
		`\TCPv4\Connection Failures>10/h over 1h`: 1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// Values that scripts of known forms work out become formulas, which say what the scripts
// do; a script that differs in a number is left out.
func TestGenerated(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(sharedtest.Path(t, "data/pal"), "clinthuffman_PAL__QuickSystemOverview.xml"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	f := read(t, string(data))
	for _, r := range f.Rules {
		if r.Value != nil {
			got[r.Name] = r.Expression() + " " + r.Value.String()
		}
	}
	const share = " round({Bytes Total/sec} * 8 / {Current Bandwidth} * 100)"
	const overwhelmed = " ({Avg. Disk Queue Length} >= 1) * (({Avg. Disk sec/Transfer} > 0.015) + ({Avg. Disk sec/Transfer} > 0.025 + 0.01 * ({Avg. Disk Bytes/Transfer} > 65536)))"
	for name, want := range map[string]string{
		"Network Interface % Network Utilization warning":       `\Network Interface(*)\Bytes Total/sec>30` + share,
		"Network Interface % Network Utilization critical":      `\Network Interface(*)\Bytes Total/sec>50` + share,
		"Network Interface % Network Utilization Sent critical": `\Network Interface(*)\Bytes Sent/sec>50` + strings.Replace(share, "Total", "Sent", 1),
		"LogicalDisk Disk Overwhelmed critical":                 `\LogicalDisk(*)\Avg. Disk Queue Length>1` + overwhelmed,
		"LogicalDisk Disk Overwhelmed warning":                  `\LogicalDisk(*)\Avg. Disk Queue Length>0` + overwhelmed,
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d formulas: %v", len(got), got)
	}
	changed := read(t, strings.ReplaceAll(string(data), "-gt 65536", "-gt 65537"))
	if n := len(f.Rules) - len(changed.Rules); n != 2 {
		t.Errorf("%d rules less for a script that differs", n)
	}
	renamed := read(t, strings.NewReplacer("ResponseTimeCriticalThreshold", "x", "CollectionOfLogicalDiskAvgDiskQueueLengthAll", "q").Replace(string(data)))
	if len(renamed.Rules) != len(f.Rules) {
		t.Errorf("%d rules where variables are called otherwise", len(renamed.Rules))
	}
}

// FuzzRead: whatever the file says, what is taken are rules that can be shown and
// written.
func FuzzRead(f *testing.F) {
	f.Add(one(source(`\P(*)\T`, `<EXCLUDE INSTANCE="_Total"/>`), "Warning", "StaticThreshold -CollectionOfCounterInstances $C -Operator 'ge' -Threshold 1GB"))
	f.Add(head + `</PAL>`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range file.Rules {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
		for _, s := range file.Skipped {
			if all := s.Analysis + s.Threshold + s.Reason; printable.Text(all) != all {
				t.Errorf("%+q", s)
			}
		}
	})
}
