package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TZ means what it does to other programs: names and files of the database, and rules.
func TestSystemZone(t *testing.T) {
	summer, winter := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		tz     string
		at     time.Time
		name   string
		offset time.Duration // east of UTC
	}{
		{"EST+5", summer, "EST", -5 * time.Hour},
		{"CST6", winter, "CST", -6 * time.Hour},
		{"CET-1CEST,M3.5.0,M10.5.0/3", summer, "CEST", 2 * time.Hour},
		{"CET-1CEST,M3.5.0,M10.5.0/3", winter, "CET", time.Hour},
		{":CET-1CEST,M3.5.0,M10.5.0/3", time.Date(1995, 7, 1, 0, 0, 0, 0, time.UTC), "CEST", 2 * time.Hour},
		{"CET-1CEST,M3.5.0,M10.5.0/3", time.Date(2099, 3, 29, 0, 59, 59, 0, time.UTC), "CET", time.Hour},
		{"CET-1CEST,M3.5.0,M10.5.0/3", time.Date(2099, 3, 29, 1, 0, 0, 0, time.UTC), "CEST", 2 * time.Hour},
		{"<+0330>-3:30", summer, "+0330", 3*time.Hour + 30*time.Minute},
		{"<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", summer, "-02", -2 * time.Hour},
		{"NZST-12NZDT,M9.5.0,M4.1.0/3", winter, "NZDT", 13 * time.Hour},
		{"EST5EDT4,J60,J300", summer, "EDT", -4 * time.Hour},
		{"EST5EDT,59/1:30:00,300/2", winter, "EST", -5 * time.Hour},
		{"XYZ5XYD", summer, "XYD", -4 * time.Hour}, // without a rule: that of New York
		{"NST3:30:15", winter, "NST", -(3*time.Hour + 30*time.Minute + 15*time.Second)},
		{"Europe/Berlin", summer, "CEST", 2 * time.Hour},
		{":America/New_York", winter, "EST", -5 * time.Hour},
		{"/nowhere/zoneinfo/Asia/Tokyo", winter, "JST", 9 * time.Hour}, // the program has that one
	} {
		zone, lacks := systemZone("/", c.tz, true)
		if zone == nil || lacks != "" {
			t.Errorf("TZ=%s: none (%s)", c.tz, lacks)
			continue
		}
		if name, offset := c.at.In(zone).Zone(); name != c.name || time.Duration(offset)*time.Second != c.offset {
			t.Errorf("TZ=%s: at %v %s %d s, want %s %v", c.tz, c.at, name, offset, c.name, c.offset)
		}
	}
	for _, tz := range []string{"", ":", "UTC"} { // the time package has these itself
		if zone, lacks := systemZone("/", tz, true); zone != nil || lacks != "" {
			t.Errorf("TZ=%q: %v, %s", tz, zone, lacks)
		}
	}
	for _, tz := range []string{"Europe/Berlni", "EST", "E5", "Etc/GMT+99", "/nowhere/zone", "CET-1CEST,M13.5.0,M10.5.0/3", "<+03", "CET-99", "CET-1 ", "../../etc/passwd", "x\x1b[31m"} {
		if zone, lacks := systemZone("/", tz, true); tz != "EST" && (zone != nil || lacks == "") {
			t.Errorf("TZ=%q: %v, %q", tz, zone, lacks)
		}
	}
}

// Without TZ it is /etc/localtime, also where that leads to a file that is not here.
func TestZoneOfSystem(t *testing.T) {
	root := t.TempDir()
	etc := filepath.Join(root, "etc")
	if err := os.Mkdir(etc, 0o755); err != nil {
		t.Fatal(err)
	}
	if zone, lacks := systemZone(root, "", false); zone != nil || lacks == "" {
		t.Errorf("nothing there: %v, %q", zone, lacks)
	}
	link := filepath.Join(etc, "localtime")
	if err := os.Symlink("/nowhere/share/zoneinfo/Europe/Lisbon", link); err != nil {
		t.Skip(err)
	}
	if zone, lacks := systemZone(root, "", false); zone == nil || zone.String() != "Europe/Lisbon" || lacks != "" {
		t.Errorf("a link to nowhere: %v, %q", zone, lacks)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(etc, "timezone"), []byte("Asia/Kolkata\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if zone, lacks := systemZone(root, "", false); zone == nil || zone.String() != "Asia/Kolkata" || lacks != "" {
		t.Errorf("by name: %v, %q", zone, lacks)
	}
}
