package logs_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// hostFile records one host: a row at each second, with the second as its value.
func hostFile(t *testing.T, format, host string, seconds ...float64) string {
	t.Helper()
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Bias: 0, Known: true}, Columns: []logs.Column{{Path: `\\` + host + `\Memory\Pages/sec`}}}
	var rows []logs.Row
	for _, s := range seconds {
		rows = append(rows, logs.Row{Time: time.UnixMilli(int64(s * 1000)), Values: []cooker.Value{cooker.FloatValue(s + 0.5)}})
	}
	return formatstest.Recorded(t, format, h, rows)
}

func join(t *testing.T, within time.Duration, names ...string) logs.Reader {
	t.Helper()
	var readers []logs.Reader
	for _, name := range names {
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	r := logs.Join(readers, within)
	t.Cleanup(func() { r.Close() })
	return r
}

func TestJoin(t *testing.T) {
	for name, c := range map[string]struct {
		files  []string
		within time.Duration
		want   string
	}{
		"hosts":     {[]string{hostFile(t, "csv", "a", 1, 2, 3), hostFile(t, "sqlite", "b", 2, 3, 4)}, 0, "1:1.5, 2:2.5,2.5 3:3.5,3.5 4:,4.5"},
		"segments":  {[]string{hostFile(t, "csv", "a", 3, 4), hostFile(t, "tsv", "A", 1, 2)}, 0, "1:1.5 2:2.5 3:3.5 4:4.5"},
		"overlap":   {[]string{hostFile(t, "csv", "a", 1, 2), hostFile(t, "json", "a", 2, 3)}, 0, "1:1.5 2:2.5 3:3.5"},
		"apart":     {[]string{hostFile(t, "csv", "a", 1, 2), hostFile(t, "csv", "b", 1.25, 2.25)}, 0, "1:1.5, 1.25:,1.75 2:2.5, 2.25:,2.75"},
		"near":      {[]string{hostFile(t, "csv", "a", 1, 2), hostFile(t, "csv", "b", 1.25, 2.25), hostFile(t, "csv", "c", 0.875, 1.75)}, 500 * time.Millisecond, "0.875:1.5,1.75,1.375 1.75:2.5,2.75,2.25"},
		"same near": {[]string{hostFile(t, "csv", "a", 1, 2), hostFile(t, "csv", "a", 1.25)}, 500 * time.Millisecond, "1:1.5 1.25:1.75 2:2.5"},
	} {
		t.Run(name, func(t *testing.T) {
			r := join(t, c.within, c.files...)
			all := formatstest.Rest(t, r)
			if got := formatstest.JoinedText(t, all); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			for n := range len(all) + 2 {
				if went, err := r.Back(n); err != nil || went != min(n, len(all)) {
					t.Fatalf("back %d: %d, %v", n, went, err)
				}
				if got, want := formatstest.JoinedText(t, formatstest.Rest(t, r)), formatstest.JoinedText(t, all[len(all)-min(n, len(all)):]); got != want {
					t.Errorf("after back %d: %s, want %s", n, got, want)
				}
			}
		})
	}
}

// TestJoinLarge joins segments and hosts and goes to random places.
func TestJoinLarge(t *testing.T) {
	var names []string
	for i, host := range []string{"a", "a", "b"} {
		var seconds []float64
		for n := range 1000 {
			seconds = append(seconds, float64(1000*(i%2)+n)+1)
		}
		names = append(names, hostFile(t, []string{"csv", "sqlite", "json"}[i], host, seconds...))
	}
	r := join(t, 0, names...)
	all := formatstest.Rest(t, r)
	if len(all) != 2000 || len(r.Header().Columns) != 2 {
		t.Fatalf("%d rows, %d columns", len(all), len(r.Header().Columns))
	}
	span, err := r.Span()
	if err != nil || !span.First.Equal(all[0].Time) || !span.Last.Equal(all[1999].Time) {
		t.Errorf("span %+v, %v", span, err)
	}
	source := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		at := source.IntN(2000)
		if err := r.SeekTime(all[at].Time); err != nil {
			t.Fatal(err)
		}
		if source.IntN(2) == 0 { // with rows that were looked at already
			if _, ok := formatstest.Next(t, r); !ok {
				t.Fatal("no row")
			}
			at++
		}
		back := source.IntN(30)
		went, err := r.Back(back)
		if err != nil || went != min(back, at) {
			t.Fatalf("back %d from %d: %d, %v", back, at, went, err)
		}
		for i := at - went; i < min(at-went+5, 2000); i++ {
			if got, ok := formatstest.Next(t, r); !ok || !got.Time.Equal(all[i].Time) || !slices.Equal(got.Values, all[i].Values) {
				t.Fatalf("row %d: %v %v, want %v %v", i, got.Time, got.Values, all[i].Time, all[i].Values)
			}
		}
	}
	r.Only([]int{1})
	if err := r.SeekTime(all[0].Time); err != nil {
		t.Fatal(err)
	}
	for i, k := range formatstest.Rest(t, r) {
		if k.Values[0].Valid() || k.Values[1] != all[i].Values[1] {
			t.Fatalf("row %d: %v, want %v", i, k.Values, all[i].Values)
		}
	}
	var row logs.Row
	if err := r.Next(&row); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}
