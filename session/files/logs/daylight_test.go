package logs_test

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

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
		h := formatstest.WideHeader(1)
		h.Zone = logs.LocalZone(night)
		var rows []logs.Row
		for i := range 5 {
			rows = append(rows, logs.Row{Time: night.Add(time.Duration(i) * 30 * time.Minute), Values: []cooker.Value{cooker.WholeValue(uint64(i))}})
		}
		for _, format := range formats.Names() {
			name := formatstest.Recorded(t, format, h, rows)
			_, all, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
			var clock []string
			for i := range all {
				if !all[i].Time.Equal(rows[i].Time) {
					t.Errorf("%s: row %d is of %v, want %v", format, i, all[i].Time, rows[i].Time)
				}
				clock = append(clock, all[i].Time.Format("15:04"))
			}
			if got := strings.Join(clock, " "); got != want {
				t.Errorf("%s: %s, want %s", format, got, want)
			}
		}
	}
}
