package logs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// stepRows are rows of one column, a number each, at times after one.
func stepRows(t testing.TB, format string, at []time.Time) string {
	t.Helper()
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}, Columns: []logs.Column{{Path: `\\h\Memory\Available MBytes`, TypeKnown: true, Type: cooker.CounterRawCount}}}
	rows := make([]logs.Row, len(at))
	for i := range at {
		v := cooker.WholeValue(uint64(i))
		rows[i] = logs.Row{Time: at[i], Values: []cooker.Value{v}, Raw: []logs.Raw{{Known: true, Reading: cooker.Reading{Raw: uint64(i), Size: 4}}}}
	}
	return formatstest.Recorded(t, format, h, rows)
}

// every is n times, a step apart.
func every(from time.Time, n int, step time.Duration) (at []time.Time) {
	for i := range n {
		at = append(at, from.Add(time.Duration(i)*step))
	}
	return at
}

// TestTimeGoesForward holds that rows of files whose clock was set back come each once, in the
// order of the file, at moments that never fall and with the clocks of then, and that each is
// found by its moment, by whoever opens the file.
func TestTimeGoesForward(t *testing.T) {
	begin := time.Date(2026, 3, 2, 1, 30, 0, 0, time.UTC)
	join := func(runs ...[]time.Time) (all []time.Time) {
		for _, r := range runs {
			all = append(all, r...)
		}
		return all
	}
	cases := map[string]struct {
		at     []time.Time
		shifts []time.Duration // of the parts
	}{
		"half an hour": {join(every(begin, 20, time.Minute), every(begin.Add(-10*time.Minute), 60, time.Minute)), []time.Duration{0, 30 * time.Minute}},
		"an hour, not far behind": {join(every(begin, 20, time.Minute), every(begin.Add(-40*time.Minute), 30, time.Minute)),
			[]time.Duration{0, time.Hour}},
		"twice":   {join(every(begin, 300, time.Second), every(begin, 100, time.Second), every(begin.Add(30*time.Second), 500, time.Second)), []time.Duration{0, 300 * time.Second, 370 * time.Second}},
		"a bit":   {join(every(begin, 2000, time.Second), every(begin.Add(1990*time.Second+400*time.Millisecond), 3000, time.Second)), []time.Duration{0, 10 * time.Second}},
		"by days": {join(every(begin, 50, time.Second), every(begin.Add(-100*24*time.Hour), 50, time.Second)), []time.Duration{0, 100*24*time.Hour + 50*time.Second}},
		"to the end of time": {join(every(begin, 10, time.Second), every(time.Date(2105, 1, 1, 0, 0, 0, 0, time.UTC), 1, 0), every(begin.Add(11*time.Second), 50, time.Second)),
			nil},
		"one row":        {join(every(begin, 1, 0)), []time.Duration{0}},
		"no step at all": {join(every(begin, 5, 0), every(begin.Add(-time.Hour), 5, 0)), []time.Duration{0, time.Hour + time.Second}},
	}
	for name, c := range cases {
		for _, format := range formats.Names() {
			t.Run(name+"/"+format, func(t *testing.T) {
				file := stepRows(t, format, c.at)
				r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				rows := formatstest.Rest(t, r)
				if len(rows) != len(c.at) {
					t.Fatalf("%d rows, want %d", len(rows), len(c.at))
				}
				line := logs.LineOf(r)
				for i := range rows {
					if f, _ := rows[i].Values[0].Float(); f != float64(i) {
						t.Fatalf("row %d is %v", i, f)
					}
					if i > 0 && rows[i].Time.Before(rows[i-1].Time) {
						t.Fatalf("row %d is at %v, behind %v", i, rows[i].Time, rows[i-1].Time)
					}
					if was, _ := line.Recorded(rows[i].Time); !was.Equal(c.at[i]) {
						t.Fatalf("row %d was recorded at %v, told %v", i, c.at[i], was)
					}
					if clock := c.at[i].Format(time.DateTime); c.at[i].Year() == 2026 && name != "to the end of time" &&
						(rows[i].Time.Format(time.DateTime) != clock || rows[i].Time.In(line.Location()).Format(time.DateTime) != clock) {
						t.Fatalf("row %d has the clock %v, %v, want %v", i, rows[i].Time, rows[i].Time.In(line.Location()), clock)
					}
				}
				var shifts []time.Duration
				for _, p := range line.Parts() {
					shifts = append(shifts, p.Shift)
				}
				if c.shifts != nil && fmt.Sprint(shifts) != fmt.Sprint(c.shifts) {
					t.Errorf("shifts %v, want %v", shifts, c.shifts)
				}
				other, err := formats.Open(t.Context(), file, logs.OpenOptions{}) // which knows nothing yet
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				for range 40 {
					i := rand.IntN(len(rows))
					if err := other.SeekTime(rows[i].Time); err != nil {
						t.Fatal(err)
					}
					for i > 0 && rows[i-1].Time.Equal(rows[i].Time) {
						i--
					}
					if got, ok := formatstest.Next(t, other); !ok || got.Values[0] != rows[i].Values[0] || !got.Time.Equal(rows[i].Time) {
						t.Fatalf("row %d at %v: found %v at %v", i, rows[i].Time, got.Values, got.Time)
					}
					back := rand.IntN(5)
					if went, err := other.Back(back + 1); err != nil || went != min(back, i)+1 {
						t.Fatalf("row %d: went %d back of %d, %v", i, went, back+1, err)
					}
					if got, _ := formatstest.Next(t, other); !got.Time.Equal(rows[max(i-back, 0)].Time) {
						t.Fatalf("row %d, %d back: at %v, want %v", i, back, got.Time, rows[max(i-back, 0)].Time)
					}
				}
				span, err := other.Span()
				if err != nil || !span.First.Equal(rows[0].Time) || !span.Last.Equal(rows[len(rows)-1].Time) {
					t.Errorf("span %v to %v, want %v to %v; %v", span.First, span.Last, rows[0].Time, rows[len(rows)-1].Time, err)
				}
				if got := formatstest.Content(t, formatstest.Convert(t, file, "csv")); string(got) != string(formatstest.Content(t, stepRows(t, "csv", c.at))) {
					t.Error("converted, it is another recording")
				}
			})
		}
	}
}

// TestEvery holds that it is known of each moment how far apart rows are from there on, whoever
// read them, of files one behind the other, too. Rows that lack are no other pace.
func TestEvery(t *testing.T) {
	begin := time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
	at := every(begin, 60, time.Second)
	at = append(at, every(begin.Add(59*time.Second), 40, 15*time.Second)[1:]...)
	at[60] = at[60].Add(2 * time.Second) // the first of a pace may be late
	slow := at[len(at)-1]
	at = append(at, every(slow.Add(20*time.Minute), 100, time.Second)...) // behind a gap
	last := at[len(at)-1]
	at = append(at, last.Add(4*time.Second), last.Add(8*time.Second), last.Add(9*time.Second)) // some lack
	at = append(at, every(begin.Add(5*time.Minute), 20, time.Minute)...)                       // the clock was set back
	first := stepRows(t, "csv", at)
	second := stepRows(t, "csv", every(begin.Add(24*time.Hour), 30, 5*time.Second))
	var readers []logs.Reader
	for _, file := range []string{first, second} {
		r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	r := logs.Join(readers, 0)
	defer r.Close()
	if err := logs.Know(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   time.Time
		want time.Duration
	}{
		{begin.Add(-1), 0}, {begin, time.Second}, {begin.Add(58 * time.Second), time.Second}, {begin.Add(59 * time.Second), 15 * time.Second},
		{slow, 15 * time.Second}, {slow.Add(20 * time.Minute), time.Second}, {last.Add(5 * time.Second), time.Second},
		{last.Add(15 * time.Minute), time.Minute}, {begin.Add(20 * time.Hour), 0}, {begin.Add(24 * time.Hour), 5 * time.Second},
	} {
		if got := logs.Every(r.Lines(), c.at); got != c.want {
			t.Errorf("at %v: %v, want %v", c.at.Sub(begin), got, c.want)
		}
	}
}

// How many rows there are never falls with the time, and is right at each pace, of files side by side, too.
func TestRowsBetween(t *testing.T) {
	begin := time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
	known := func(names ...string) []*logs.Line {
		t.Helper()
		var lines []*logs.Line
		for _, name := range names {
			r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
			if err == nil {
				err = logs.Know(t.Context(), r)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			lines = append(lines, r.Lines()...)
		}
		return lines
	}
	few := append(every(begin, 3, time.Second), every(begin.Add(2000*time.Second), 1000, time.Second)...)
	slower := append(every(begin, 600, time.Second), every(begin.Add(600*time.Second), 40, 15*time.Second)...)
	for name, c := range map[string]struct {
		lines []*logs.Line
		over  time.Duration
		want  float64 // below 0: not asked, rows lack
	}{
		"appended to a short one": {known(stepRows(t, "csv", few)), 3000 * time.Second, -1},
		"slower":                  {known(stepRows(t, "csv", slower)), 1185 * time.Second, 639},
		"side by side":            {known(stepRows(t, "csv", every(begin, 3000, time.Second)), stepRows(t, "csv", every(begin.Add(time.Second/2), 300, 10*time.Second))), 2999 * time.Second, 2999},
		"nothing is known":        {known(stepRows(t, "csv", every(begin, 3, time.Second))), 100 * time.Second, 100},
	} {
		before := 0.0
		for at := time.Duration(0); at <= c.over; at += 7 * time.Second {
			n := logs.RowsBetween(c.lines, begin, begin.Add(at), time.Second)
			if n < before {
				t.Fatalf("%s: %v rows up to %v, %v before", name, n, at, before)
			}
			before = n
		}
		if got := logs.RowsBetween(c.lines, begin, begin.Add(c.over), time.Second); c.want >= 0 && math.Abs(got-c.want) > 0.01*c.want {
			t.Errorf("%s: %v rows, want %v", name, got, c.want)
		}
	}
}

// TestManyFalls reads times of no order at all: memory is bounded, and times do not fall.
func TestManyFalls(t *testing.T) {
	b := strings.Builder{}
	b.WriteString("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\Memory\\Available MBytes\"\r\n")
	begin := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	const n = 5000
	for range n {
		fmt.Fprintf(&b, "\"%s\",\"1\"\r\n", begin.Add(time.Duration(rand.IntN(86400))*time.Second).Format("01/02/2006 15:04:05.000"))
	}
	r, err := formats.Open(t.Context(), formatstest.FileOf(t, "x.csv", b.String()), logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := formatstest.Rest(t, r)
	for i := 1; i < len(rows); i++ {
		if rows[i].Time.Before(rows[i-1].Time) {
			t.Fatalf("row %d is at %v, behind %v", i, rows[i].Time, rows[i-1].Time)
		}
	}
	if parts := len(logs.LineOf(r).Parts()); len(rows) != n || parts != logs.MostFalls {
		t.Errorf("%d rows in %d parts", len(rows), parts)
	}
}

// TestFallsWhileItIsRead reads a file that is larger than what is looked at when it is opened.
func TestFallsWhileItIsRead(t *testing.T) {
	begin := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	at := append(every(begin, 60_000, time.Second), every(begin.Add(50_000*time.Second), 60_000, time.Second)...)
	file := stepRows(t, "csv", at)
	r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.SeekTime(begin.Add(30_000 * time.Second)); err != nil {
		t.Fatal(err)
	}
	rows := formatstest.Rest(t, r) // over the fall
	if last := rows[len(rows)-1]; last.Time.Sub(begin) != 119_999*time.Second || len(logs.LineOf(r).Parts()) != 2 {
		t.Errorf("the last row is at %v, in %d parts", last.Time, len(logs.LineOf(r).Parts()))
	}
	known, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer known.Close()
	if err := logs.Know(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	if at := logs.LineOf(known).Moments(begin.Add(55_000 * time.Second)); len(at) != 2 || at[0].Equal(at[1]) {
		t.Errorf("55,000 s after the begin was at %v", at)
	}
}
