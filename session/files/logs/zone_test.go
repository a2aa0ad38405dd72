package logs

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
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

// TestDaylightNights writes over both changes of the clocks: the bias of the
// header stays, so no time is lost and none is there twice.
func TestDaylightNights(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("the time zone database is not here: %v", err)
	}
	for night, want := range map[time.Time]string{
		time.Date(2026, 3, 29, 1, 30, 0, 0, berlin):  "01:30 02:00 02:30 03:00 03:30", // 02:00 to 03:00 is not on the clock
		time.Date(2026, 10, 25, 2, 30, 0, 0, berlin): "02:30 03:00 03:30 04:00 04:30", // 02:00 to 03:00 is there twice
	} {
		h := wideHeader(1)
		h.Zone = LocalZone(night)
		var rows []Row
		for i := range 5 {
			rows = append(rows, Row{Time: night.Add(time.Duration(i) * 30 * time.Minute), Values: []cooker.Value{cooker.WholeValue(uint64(i))}})
		}
		for _, format := range FormatNames() {
			name := recorded(t, format, h, rows)
			_, all, _ := readAll(t, name, OpenOptions{})
			var clock []string
			for i := range all {
				if !all[i].time.Equal(rows[i].Time) {
					t.Errorf("%s: row %d is of %v, want %v", format, i, all[i].time, rows[i].Time)
				}
				clock = append(clock, all[i].time.Format("15:04"))
			}
			if got := strings.Join(clock, " "); got != want {
				t.Errorf("%s: %s, want %s", format, got, want)
			}
		}
	}
}

// TestClockGoesBack reads what Windows writes in the autumn: the wall clock steps
// back, the bias stays. Time goes on, and the clocks are as they were written.
func TestClockGoesBack(t *testing.T) {
	text := strings.Replace(head, "Standard Time)(-60)", "Daylight Time)(-120)", 1)
	for _, clock := range []string{"02:59:58", "02:59:59", "02:00:00", "02:00:01", "02:59:59", "03:00:00"} {
		text += "\"10/25/2026 " + clock + ".000\",\"1\",\"2\"\r\n"
	}
	name := fileOf(t, "x.csv", text)
	_, rows, faults := readAll(t, name, OpenOptions{})
	if len(rows) != 6 || faults.Any() {
		t.Fatalf("%d rows, %v", len(rows), faults.First)
	}
	if d := rows[2].time.Sub(rows[1].time); d != time.Second || rows[2].time.Format(time.TimeOnly) != "02:00:00" {
		t.Errorf("behind 02:59:59 comes, %v later, %v", d, rows[2].time)
	}
	r, err := Open(t.Context(), name, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, row := range rows {
		if err := r.SeekTime(row.time); err != nil {
			t.Fatal(err)
		}
		if got, ok := next(t, r); !ok || got.time.Before(row.time) {
			t.Errorf("seek %v: %v", row.time, got.time)
		}
	}
	if got := content(t, convert(t, convert(t, name, "sqlite"), "csv")); string(got) != text {
		t.Errorf("csv > sqlite > csv:\n%s\nwant\n%s", got, text)
	}
}

func TestWallClock(t *testing.T) {
	w := newWallClock(Zone{"x", 90, true})
	for _, at := range []time.Time{
		time.Date(2026, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 1e6, time.UTC), time.Date(2028, 2, 29, 1, 29, 59, 0, time.UTC),
		time.Date(1999, 1, 1, 1, 30, 0, 0, time.UTC), time.Date(1, 1, 1, 12, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 12, 0, 0, 0, time.UTC),
	} {
		text := string(w.appendTo(nil, at))
		if want := at.Add(-90 * time.Minute).Format(wallClockLayout); text != want {
			t.Errorf("%v is written %s, want %s", at, text, want)
		}
		if back, ok := w.parse([]byte(text)); !ok || !back.Equal(at) {
			t.Errorf("%s is read as %v", text, back)
		}
	}
	for _, bad := range []string{"02/30/2026 00:00:00.000", "13/01/2026 00:00:00.000", "01/02/2026 24:00:00.000", "01/02/2026 00:60:00.000", "01/02/2026 00:00:0x.000", "01/02/2026 00:00:00.00x", "", "x"} {
		if at, ok := w.parse([]byte(bad)); ok {
			t.Errorf("%q is read as %v", bad, at)
		}
	}
}
