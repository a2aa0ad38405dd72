package logs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
)

// stepRows are rows of one column, a number each, at times after one.
func stepRows(t testing.TB, format string, at []time.Time) string {
	t.Helper()
	h := &Header{Zone: Zone{Name: "UTC", Known: true}, Columns: []Column{{Path: `\\h\Memory\Available MBytes`, TypeKnown: true, Type: cooker.CounterRawCount}}}
	rows := make([]Row, len(at))
	for i := range at {
		v := cooker.WholeValue(uint64(i))
		rows[i] = Row{Time: at[i], Values: []cooker.Value{v}, Raw: []Raw{{Known: true, Reading: cooker.Reading{Raw: uint64(i), Size: 4}}}}
	}
	return recorded(t, format, h, rows)
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
		for _, format := range FormatNames() {
			t.Run(name+"/"+format, func(t *testing.T) {
				file := stepRows(t, format, c.at)
				r, err := Open(t.Context(), file, OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				rows := rest(t, r)
				if len(rows) != len(c.at) {
					t.Fatalf("%d rows, want %d", len(rows), len(c.at))
				}
				line := LineOf(r)
				for i := range rows {
					if f, _ := rows[i].values[0].Float(); f != float64(i) {
						t.Fatalf("row %d is %v", i, f)
					}
					if i > 0 && rows[i].time.Before(rows[i-1].time) {
						t.Fatalf("row %d is at %v, behind %v", i, rows[i].time, rows[i-1].time)
					}
					if was, _ := line.Recorded(rows[i].time); !was.Equal(c.at[i]) {
						t.Fatalf("row %d was recorded at %v, told %v", i, c.at[i], was)
					}
					if clock := c.at[i].Format(time.DateTime); c.at[i].Year() == 2026 && name != "to the end of time" &&
						(rows[i].time.Format(time.DateTime) != clock || rows[i].time.In(line.Location()).Format(time.DateTime) != clock) {
						t.Fatalf("row %d has the clock %v, %v, want %v", i, rows[i].time, rows[i].time.In(line.Location()), clock)
					}
				}
				var shifts []time.Duration
				for _, p := range line.Parts() {
					shifts = append(shifts, p.Shift)
				}
				if c.shifts != nil && fmt.Sprint(shifts) != fmt.Sprint(c.shifts) {
					t.Errorf("shifts %v, want %v", shifts, c.shifts)
				}
				other, err := Open(t.Context(), file, OpenOptions{}) // which knows nothing yet
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				for range 40 {
					i := rand.IntN(len(rows))
					if err := other.SeekTime(rows[i].time); err != nil {
						t.Fatal(err)
					}
					for i > 0 && rows[i-1].time.Equal(rows[i].time) {
						i--
					}
					if got, ok := next(t, other); !ok || got.values[0] != rows[i].values[0] || !got.time.Equal(rows[i].time) {
						t.Fatalf("row %d at %v: found %v at %v", i, rows[i].time, got.values, got.time)
					}
					back := rand.IntN(5)
					if went, err := other.Back(back + 1); err != nil || went != min(back, i)+1 {
						t.Fatalf("row %d: went %d back of %d, %v", i, went, back+1, err)
					}
					if got, _ := next(t, other); !got.time.Equal(rows[max(i-back, 0)].time) {
						t.Fatalf("row %d, %d back: at %v, want %v", i, back, got.time, rows[max(i-back, 0)].time)
					}
				}
				span, err := other.Span()
				if err != nil || !span.First.Equal(rows[0].time) || !span.Last.Equal(rows[len(rows)-1].time) {
					t.Errorf("span %v to %v, want %v to %v; %v", span.First, span.Last, rows[0].time, rows[len(rows)-1].time, err)
				}
				if got := content(t, convert(t, file, "csv")); string(got) != string(content(t, stepRows(t, "csv", c.at))) {
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
	slow := at[len(at)-1]
	at = append(at, every(slow.Add(20*time.Minute), 100, time.Second)...) // behind a gap
	last := at[len(at)-1]
	at = append(at, last.Add(4*time.Second), last.Add(8*time.Second), last.Add(9*time.Second)) // some lack
	at = append(at, every(begin.Add(5*time.Minute), 20, time.Minute)...)                       // the clock was set back
	first := stepRows(t, "csv", at)
	second := stepRows(t, "csv", every(begin.Add(24*time.Hour), 30, 5*time.Second))
	var readers []Reader
	for _, file := range []string{first, second} {
		r, err := Open(t.Context(), file, OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	r := Join(readers, 0)
	defer r.Close()
	if err := Know(t.Context(), r); err != nil {
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
		if got := Every(r.Lines(), c.at); got != c.want {
			t.Errorf("at %v: %v, want %v", c.at.Sub(begin), got, c.want)
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
	r, err := Open(t.Context(), fileOf(t, "x.csv", b.String()), OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := rest(t, r)
	for i := 1; i < len(rows); i++ {
		if rows[i].time.Before(rows[i-1].time) {
			t.Fatalf("row %d is at %v, behind %v", i, rows[i].time, rows[i-1].time)
		}
	}
	if parts := len(LineOf(r).Parts()); len(rows) != n || parts != mostFalls {
		t.Errorf("%d rows in %d parts", len(rows), parts)
	}
}

// TestFallsWhileItIsRead reads a file that is larger than what is looked at when it is opened.
func TestFallsWhileItIsRead(t *testing.T) {
	begin := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	at := append(every(begin, 60_000, time.Second), every(begin.Add(50_000*time.Second), 60_000, time.Second)...)
	file := stepRows(t, "csv", at)
	r, err := Open(t.Context(), file, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.SeekTime(begin.Add(30_000 * time.Second)); err != nil {
		t.Fatal(err)
	}
	rows := rest(t, r) // over the fall
	if last := rows[len(rows)-1]; last.time.Sub(begin) != 119_999*time.Second || len(LineOf(r).Parts()) != 2 {
		t.Errorf("the last row is at %v, in %d parts", last.time, len(LineOf(r).Parts()))
	}
	known, err := Open(t.Context(), file, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer known.Close()
	if err := Know(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	if at := LineOf(known).Moments(begin.Add(55_000 * time.Second)); len(at) != 2 || at[0].Equal(at[1]) {
		t.Errorf("55,000 s after the begin was at %v", at)
	}
}
