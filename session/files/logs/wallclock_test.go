package logs

import (
	"strings"
	"testing"
	"time"
)

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
