package collectorset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"perfdeck/paths"
)

// TestNamePatterns holds the patterns of page 7.
func TestNamePatterns(t *testing.T) {
	for _, c := range []struct{ pattern, yes, no string }{
		{"i/avg*/", "Avg. Disk sec/Read", "% Avg"},
		{"/avg*/", "avg x", "Avg. x"},
		{"i/*sec/", "Pages/sec", "sec Pages"},
		{"/% ???? Time/", "% User Time", "% Disk Times"},
		{"/Avg. Disk sec/Read/", "Avg. Disk sec/Read", "Avg"},
		{`/\*x/`, "*x", "ax"},
		{"Pages*", "Pages/sec", "pages/sec"},
		{"i/_total/", "_Total", "0"},
		{"", "", "x"}, {"//", "", "x"}, {"*", "", "\x00"[:0] + "no"}, {"/a*b*c/", "axxbxxbxc", "axxbxxb"}, {"i/\u00c4?/", "\u00e4x", "ax"},
	} {
		p, err := parsePattern(c.pattern)
		if err != nil || !p.fits(c.yes) || c.pattern != "*" && p.fits(c.no) {
			t.Errorf("%s: %v, takes %q: %v, %q: %v", c.pattern, err, c.yes, p.fits(c.yes), c.no, p.fits(c.no))
		}
	}
	for _, bad := range []string{"i/avg*", `/a\/`, "/a", "/", "i/", `a\`} {
		if p, err := parsePattern(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, p)
		}
	}
}

const someSchema = `<Report name="r" version="1" threshold="2"><Import file="other.xml"/>
<Sections><Section name="late" key="7"><EventTable name="e"/><CounterTable name="P" topic="cpu" object="Process" level="2"><Include instance="i/cmd*/"/><Include instance="idle"/></CounterTable></Section>
<Section name="none"/>
<Section name="early" key="1" note="of disks"><CounterTable name="last" object="Memory" topic="m"><Exclude counter="i/avg*/"/><Exclude column="machine"/></CounterTable>
<CounterTable name="first" object="physicaldisk" topic="d" key="0" threshold="9"><Exclude counter="/%*/"/></CounterTable></Section></Sections></Report>`

func TestReport(t *testing.T) {
	r, err := ParseReport(someSchema)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range r.Sections {
		names = append(names, s.Name)
		for _, table := range s.Tables {
			names = append(names, fmt.Sprintf("%s %d %d", table.Name, table.Level, table.Rows))
		}
	}
	if want := []string{"early", "first 1 9", "last 1 2", "late", "P 2 2", "none"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	var stats []Stat
	for _, text := range []string{
		`\\a\PhysicalDisk(0 C:)\% Disk Time`, `\\a\PhysicalDisk(0 C:)\Avg. Disk sec/Read`, `\\a\Process(cmd)\ID Process`, `\\a\Process(CMD#1)\ID Process`,
		`\\a\Process(Idle)\ID Process`, `\\a\Process(idle)\ID Process`, `\\a\Memory\Avg. x`, `\\a\Memory\Available Bytes`,
	} {
		p, err := paths.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		stats = append(stats, Stat{Path: p})
	}
	for table, want := range map[*CounterTable]string{
		&r.Sections[0].Tables[0]: `\\a\PhysicalDisk(0 C:)\Avg. Disk sec/Read | counter machine instance mean min max`,
		&r.Sections[0].Tables[1]: `\\a\Memory\Available Bytes | counter mean min max`,
		&r.Sections[1].Tables[0]: `\\a\Process(cmd)\ID Process \\a\Process(CMD#1)\ID Process \\a\Process(idle)\ID Process | counter machine instance mean min max`,
	} {
		of := table.Of(stats)
		var got []string
		for _, s := range of {
			got = append(got, s.Path.String())
		}
		if text := strings.Join(append(append(got, "|"), table.Columns(of)...), " "); text != want {
			t.Errorf("%s: %s\nwant %s", table.Name, text, want)
		}
	}
	for _, bad := range []string{
		`<Report`, `<Report threshold="x"/>`, `<Report><Section key="-1"/></Report>`, `<Report><Section><CounterTable name="x"/></Section></Report>`,
		`<Report><Section><CounterTable object="x" level="6"/></Section></Report>`, `<Report><Section><CounterTable object="x"><Exclude column="median"/></CounterTable></Section></Report>`,
		`<Report><Section><CounterTable object="x"><Include instance="i/a"/></CounterTable></Section></Report>`,
	} {
		if _, err := ParseReport(bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	if r, err := ParseReport(""); err != nil || len(r.Sections) > 0 {
		t.Errorf("of nothing: %+v %v", r, err)
	}
}

// FuzzReport: whatever stands in a schema, it is a report or an error, and its tables
// take names without an end.
func FuzzReport(f *testing.F) {
	f.Add(someSchema, "cmd")
	f.Add(`<Report><Section><CounterTable object="a"><Exclude counter="*a*a*a*a*b"/></CounterTable></Section></Report>`, strings.Repeat("a", 50))
	f.Fuzz(func(t *testing.T, schema, name string) {
		r, err := ParseReport(schema)
		if err != nil {
			return
		}
		stats := []Stat{{Path: paths.Path{Object: "Process", Counter: name, Instance: name, HasInstance: true}}}
		for _, s := range r.Sections {
			for _, table := range s.Tables {
				if len(table.Of(stats)) > 1 || table.Level < 1 || table.Level > 5 || table.Rows < 0 {
					t.Errorf("%+v", table)
				}
			}
		}
	})
}
