package csv_test

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/csv"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// TestClockGoesBack reads what Windows writes in the autumn: the wall clock steps
// back, the bias stays. Time goes on, and the clocks are as they were written.
func TestClockGoesBack(t *testing.T) {
	text := strings.Replace(head, "Standard Time)(-60)", "Daylight Time)(-120)", 1)
	for _, clock := range []string{"02:59:58", "02:59:59", "02:00:00", "02:00:01", "02:59:59", "03:00:00"} {
		text += "\"10/25/2026 " + clock + ".000\",\"1\",\"2\"\r\n"
	}
	name := formatstest.FileOf(t, "x.csv", text)
	_, rows, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if len(rows) != 6 || faults.Any() {
		t.Fatalf("%d rows, %v", len(rows), faults.First)
	}
	if d := rows[2].Time.Sub(rows[1].Time); d != time.Second || rows[2].Time.Format(time.TimeOnly) != "02:00:00" {
		t.Errorf("behind 02:59:59 comes, %v later, %v", d, rows[2].Time)
	}
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, row := range rows {
		if err := r.SeekTime(row.Time); err != nil {
			t.Fatal(err)
		}
		if got, ok := formatstest.Next(t, r); !ok || got.Time.Before(row.Time) {
			t.Errorf("seek %v: %v", row.Time, got.Time)
		}
	}
	if got := formatstest.Content(t, formatstest.Convert(t, formatstest.Convert(t, name, "sqlite"), "csv")); string(got) != text {
		t.Errorf("csv > sqlite > csv:\n%s\nwant\n%s", got, text)
	}
}

func TestWallClock(t *testing.T) {
	w := csv.NewWallClock(logs.Zone{Name: "x", Bias: 90, Known: true})
	for _, at := range []time.Time{
		time.Date(2026, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 1e6, time.UTC), time.Date(2028, 2, 29, 1, 29, 59, 0, time.UTC),
		time.Date(1999, 1, 1, 1, 30, 0, 0, time.UTC), time.Date(1, 1, 1, 12, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 12, 0, 0, 0, time.UTC),
	} {
		text := string(w.AppendTo(nil, at))
		if want := at.Add(-90 * time.Minute).Format(csv.WallClockLayout); text != want {
			t.Errorf("%v is written %s, want %s", at, text, want)
		}
		if back, ok := w.Parse([]byte(text)); !ok || !back.Equal(at) {
			t.Errorf("%s is read as %v", text, back)
		}
	}
	for _, bad := range []string{"02/30/2026 00:00:00.000", "13/01/2026 00:00:00.000", "01/02/2026 24:00:00.000", "01/02/2026 00:60:00.000", "01/02/2026 00:00:0x.000", "01/02/2026 00:00:00.00x", "", "x"} {
		if at, ok := w.Parse([]byte(bad)); ok {
			t.Errorf("%q is read as %v", bad, at)
		}
	}
}
