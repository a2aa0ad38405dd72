package logs_test

import (
	"slices"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// TestWrittenDownWithItsPart holds that what was written down while a recording was made is at the
// moment of the part that was being written, and goes back to the time that it had.
func TestWrittenDownWithItsPart(t *testing.T) {
	begin := time.Date(2026, 3, 2, 1, 30, 0, 0, time.UTC)
	minutes := func(all ...int) (at []time.Time) {
		for _, m := range all {
			at = append(at, begin.Add(time.Duration(m)*time.Minute))
		}
		return at
	}
	set := slices.Concat(every(begin, 30, time.Minute), every(begin.Add(10*time.Minute+7*time.Second), 40, time.Minute)) // by 20 minutes
	hour := slices.Concat(every(begin, 90, time.Minute), every(begin.Add(30*time.Minute), 90, time.Minute))              // as at the end of summer
	for name, c := range map[string]struct {
		at            []time.Time
		format        string
		written, want []time.Time
	}{
		"once":                   {every(begin, 30, time.Minute), "jsonl", minutes(5, 3), minutes(5, 3)},
		"in order":               {set, "jsonl", minutes(5, 15, 25, 15, 25, 40), minutes(5, 15, 25, 35, 45, 60)},
		"in packed files":        {set, "sqlite", minutes(5, 25, 12, 40), minutes(5, 25, 32, 60)},
		"later of earlier":       {set, "jsonl", minutes(49, 5), minutes(69, 5)},
		"before and after":       {set, "jsonl", minutes(-5, 200), minutes(-5, 220)},
		"a clock set by an hour": {hour, "jsonl", minutes(40, 80, 40, 100), minutes(40, 80, 100, 160)},
		"the end of summer":      {hour, "csv", minutes(40, 80, 100, 160), minutes(40, 80, 100, 160)},
		"set in a text":          {set, "csv", minutes(5, 25, 15), minutes(5, 25, 35)},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := formats.Open(t.Context(), stepRows(t, c.format, c.at), logs.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := logs.Know(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			got := slices.Clone(c.written)
			var times []*time.Time
			for i := range got {
				times = append(times, &got[i])
			}
			line := logs.LineOf(r)
			line.Place(times...)
			for i := range got {
				if d := got[i].Sub(c.want[i]).Abs(); d > time.Minute {
					t.Errorf("%d: %v is at %v, want %v", i, c.written[i], got[i], c.want[i])
				}
			}
			line.Written(times...)
			if !slices.EqualFunc(got, c.written, time.Time.Equal) {
				t.Errorf("back: %v, want %v", got, c.written)
			}
		})
	}
}
