package logs

import (
	"strings"
	"testing"
	"time"
)

func TestLocalZone(t *testing.T) {
	summer, winter := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		zone string
		at   time.Time
		name string
		bias int
	}{
		{"Europe/Berlin", winter, "W. Europe Standard Time", -60},
		{"Europe/Berlin", summer, "W. Europe Daylight Time", -120},
		{"Europe/London", summer, "GMT Daylight Time", -60},
		{"Europe/Dublin", winter, "GMT Standard Time", 0}, // whose winter the database calls daylight time
		{"Europe/Dublin", summer, "GMT Daylight Time", -60},
		{"America/New_York", summer, "Eastern Daylight Time", 240},
		{"US/Eastern", winter, "Eastern Standard Time", 300},
		{"America/Los_Angeles", summer, "Pacific Daylight Time", 420},
		{"Asia/Kolkata", summer, "India Standard Time", -330},
		{"Asia/Calcutta", summer, "India Standard Time", -330},
		{"Europe/Kyiv", winter, "FLE Standard Time", -120},
		{"Australia/Sydney", winter, "AUS Eastern Daylight Time", -660},
		{"UTC", winter, "UTC", 0},
		{"Etc/GMT+11", winter, "UTC-11", 660},
		{"Antarctica/Troll", winter, "+00", 0}, // Windows has no name for it
	} {
		l, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Skipf("the time zone database is not here: %v", err)
		}
		if z := LocalZone(c.at.In(l)); z != (Zone{c.name, c.bias, true}) {
			t.Errorf("%s: %v, want %s %d", c.zone, z, c.name, c.bias)
		}
	}
}

// TestWindowsZones holds the table: real zones, each once.
func TestWindowsZones(t *testing.T) {
	if n := len(windowsZones()); n < 550 {
		t.Fatalf("%d zones", n)
	}
	seen := map[string]string{}
	missing := 0
	for line := range strings.Lines(windowsZonesText) {
		windows, names, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for _, name := range strings.Fields(names) {
			if other, twice := seen[name]; twice {
				t.Errorf("%s is %s and %s", name, other, windows)
			}
			seen[name] = windows
			if _, err := time.LoadLocation(name); err != nil {
				missing++
			}
		}
	}
	if missing > 20 {
		t.Logf("%d names are not in the time zone database of this system", missing)
	}
}

func TestLocalIANAName(t *testing.T) {
	for tz, want := range map[string]string{"": "UTC", ":Europe/Berlin": "Europe/Berlin", "/usr/share/zoneinfo/America/New_York": "America/New_York"} {
		t.Setenv("TZ", tz)
		if got := localIANAName(); got != want {
			t.Errorf("TZ=%s: %s, want %s", tz, got, want)
		}
	}
}
