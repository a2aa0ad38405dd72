package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

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

// Recordings of other days are compared at the times of day that they have in common.
func TestSameHours(t *testing.T) {
	at := func(day, hour int) time.Time {
		return time.Date(2026, 3, day, hour, 0, 0, 0, time.FixedZone("", 3600))
	}
	side := func(a, b time.Time) *compareSide { return &compareSide{first: a, last: b} }
	for _, c := range []struct {
		name       string
		was, now   *compareSide
		days       int
		from       time.Time
		skip, long time.Duration
	}{
		{"the same hours of the day before", side(at(1, 0), at(2, 0)), side(at(2, 1), at(2, 9)), 1, at(1, 1), 0, 8 * time.Hour},
		{"of a week, the nearest first", side(at(1, 0), at(7, 23)), side(at(8, 1), at(8, 9)), 7, at(7, 1), 0, 8 * time.Hour},
		{"a part of a night", side(at(1, 22), at(2, 6)), side(at(2, 21), at(3, 5)), 1, at(1, 22), time.Hour, 7 * time.Hour},
		{"hours that they do not have in common", side(at(1, 0), at(1, 6)), side(at(2, 12), at(2, 18)), 0, time.Time{}, 0, 0},
		{"one behind the other", side(at(1, 0), at(1, 6)), side(at(1, 6), at(1, 12)), 0, time.Time{}, 0, 0},
		{"more than a day", side(at(1, 0), at(2, 12)), side(at(3, 0), at(5, 0)), 0, time.Time{}, 0, 0},
	} {
		days := c.now.sameHours(c.was)
		if len(days) != c.days {
			t.Errorf("%s: %v", c.name, days)
			continue
		}
		if len(days) == 0 {
			continue
		}
		if d := days[0]; !d.from.Equal(c.from) || d.skip != c.skip || d.length.Round(time.Second) != c.long {
			t.Errorf("%s: %v, skip %v, %v long", c.name, d.from, d.skip, d.length)
		}
	}
}
