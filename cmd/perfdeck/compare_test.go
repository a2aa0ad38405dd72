package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"perfdeck/session/analysis/difference"

	"github.com/rogpeppe/go-internal/testscript"
)

// writeNight writes a recording of 45 minutes: night FILE HOST SECONDS, a sample each so
// many seconds. After 40 minutes its disk is eight times as slow and a process comes.
func writeNight(ts *testscript.TestScript, _ bool, args []string) {
	var every int
	if _, err := fmt.Sscan(args[2], &every); err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(night(args[1], every, 0)), 0o644))
}

// writeSetBack writes a recording whose clock was set back: setback FILE ROWS MINUTES. A row is of
// a minute, the processor at 99 % in all of them; behind row 20 the clock goes back.
func writeSetBack(ts *testscript.TestScript, _ bool, args []string) {
	var rows, back int
	if _, err := fmt.Sscan(args[1]+" "+args[2], &rows, &back); err != nil {
		ts.Fatalf("%v", err)
	}
	var b strings.Builder
	b.WriteString("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\W\\Memory\\Available MBytes\",\"\\\\W\\Processor(_Total)\\% Processor Time\"\r\n")
	for i := range rows {
		at := time.Date(2026, 3, 2, 1, 30+i, 0, 0, time.UTC)
		if i >= 20 {
			at = at.Add(-time.Duration(back) * time.Minute)
		}
		fmt.Fprintf(&b, "\"%s\",\"%d\",\"99\"\r\n", at.Format("01/02/2006 15:04:05.000"), 1000+i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

// night is that recording. Besides, it has so many counters that do not change.
func night(host string, every, more int) string {
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)"`)
	for _, path := range []string{`PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, `System\System Up Time`, `Memory\Available MBytes`, `Process(backup)\% Processor Time`} {
		fmt.Fprintf(&b, `,"\\%s\%s"`, host, path)
	}
	for i := range more {
		fmt.Fprintf(&b, `,"\\%s\Process(p%d)\%% Processor Time"`, host, i)
	}
	b.WriteString("\r\n")
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	for at := 0; at < 45*60; at += every {
		disk, process := 0.005, " "
		if at >= 40*60 {
			disk, process = 0.04, "12.5"
		}
		noise := float64(at*7919%101)/101 - 0.5
		fmt.Fprintf(&b, `"%s","%.6f","%d","%.1f","%s"`, begin.Add(time.Duration(at)*time.Second).Format("01/02/2006 15:04:05.000"), disk*(1+0.1*noise), 9000+at, 4000+200*noise, process)
		for i := range more {
			fmt.Fprintf(&b, `,"%.12f"`, 10+float64((at+i)*7919%977)/97)
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

// BenchmarkCompare100MB compares two recordings of 100 MB each.
func BenchmarkCompare100MB(b *testing.B) {
	dir := b.TempDir()
	files := []string{dir + "/a.csv", dir + "/b.csv"}
	for _, name := range files {
		if err := os.WriteFile(name, []byte(night("WEB1", 1, 2220)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(files[0])
	if err != nil {
		b.Fatal(err)
	}
	out, err := os.Create(dir + "/out")
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	b.SetBytes(2 * info.Size())
	for b.Loop() {
		if code := run(append([]string{"compare"}, files...), out, out, out, []string{"TERM=dumb"}); code != 0 {
			b.Fatalf("exit code %d", code)
		}
	}
}

// What is compared is named above its values, and the two names differ.
func TestCompareHeads(t *testing.T) {
	one := &difference.Side{Name: "night.db"}
	for _, c := range []struct {
		sides    []*difference.Side
		from, to string
	}{
		{[]*difference.Side{one}, "BEFORE", "DURING"},
		{[]*difference.Side{{Name: "n.db", Host: "sql01"}, {Name: "n.db", Host: "web02"}}, "sql01", "web02"},
		{[]*difference.Side{{Name: "a/monday.db"}, {Name: "b/tuesday.db"}}, "monday.db", "tuesday.db"},
		{[]*difference.Side{{Name: "a/n.db"}, {Name: "b/n.db"}}, "FIRST", "SECOND"},
		{[]*difference.Side{{Name: "n.db", Host: "a-very-long-name.example"}, {Name: "n.db", Host: "web\x1b[2J"}}, "a-very-….example", "web?[2J"},
	} {
		a := &comparedPrint{Difference: &difference.Difference{Was: c.sides[0], Now: c.sides[len(c.sides)-1]}}
		if from, to := a.heads(); from != c.from || to != c.to {
			t.Errorf("%q and %q, want %q and %q", from, to, c.from, c.to)
		}
	}
}
