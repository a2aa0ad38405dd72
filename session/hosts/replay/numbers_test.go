package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// recorded writes a recording of a host: a row every so often, from a moment on, each value
// the seconds since the first.
func recorded(t *testing.T, name, host string, begin time.Time, every time.Duration, rows int, counters ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for _, c := range counters {
		fmt.Fprintf(&b, `,"\\%s\%s"`, host, c)
	}
	b.WriteString("\r\n")
	for k := range rows {
		fmt.Fprintf(&b, `"%s"`, begin.Add(time.Duration(k)*every).Format("01/02/2006 15:04:05.000"))
		for i := range counters {
			if i == 1 && k%2 == 1 {
				b.WriteString(`," "`)
				continue
			}
			fmt.Fprintf(&b, `,"%d"`, 1000*i+int(time.Duration(k)*every/time.Second))
		}
		b.WriteString("\r\n")
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// All counters of all recordings are read, of several hosts in one row, and nothing outside
// of the time that was asked for.
func TestNumbers(t *testing.T) {
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	p, err := Open([]string{
		recorded(t, "a.csv", "a", begin, time.Second, 600, `Memory\Available Bytes`, `Memory\Pages/sec`),
		recorded(t, "b.csv", "b", begin.Add(200*time.Millisecond), 2*time.Second, 300, `Memory\Available Bytes`),
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	n := p.Numbers()
	var names []string
	for i := range n.Series {
		names = append(names, n.Series[i].Path)
	}
	if want := []string{`\\a\Memory\Available Bytes`, `\\a\Memory\Pages/sec`, `\\b\Memory\Available Bytes`}; !slices.Equal(names, want) {
		t.Fatalf("series %q", names)
	}
	from, to := begin.Add(100*time.Second), begin.Add(200*time.Second)
	rows, share := 0, 0.0
	err = n.Read(t.Context(), from, to, func(at time.Time, values []float64) {
		k := float64(rows + 100)
		if at.Sub(begin) != time.Duration(k)*time.Second {
			t.Fatalf("row %d is of %v", rows, at)
		}
		want := []float64{k, 1000 + k, k}
		if rows%2 == 1 {
			want[1], want[2] = math.NaN(), math.NaN()
		}
		for i, v := range values {
			if v != want[i] && (v == v || want[i] == want[i]) {
				t.Fatalf("at %v: %v, want %v", at, values, want)
			}
		}
		rows++
	}, func(s float64) { share = s })
	if err != nil || rows != 100 || share <= 0 || share > 1 {
		t.Errorf("%d rows, %v read, %v", rows, share, err)
	}
	if err := n.Read(t.Context(), begin.Add(-time.Hour), begin.Add(-time.Minute), func(time.Time, []float64) { t.Error("a row of nothing") }, func(float64) {}); err != nil {
		t.Error(err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	why := errors.New("given up")
	cancel(why)
	if err := n.Read(gone, from, to, func(time.Time, []float64) {}, func(float64) {}); !errors.Is(err, why) {
		t.Errorf("given up: %v", err)
	}
}

// Of a time that is read in parts each number is in one of them, also where the rows of several
// recordings that are one lie before and behind the moment that parts them.
func TestNumbersInParts(t *testing.T) {
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	p, err := Open([]string{
		recorded(t, "a.csv", "a", begin, time.Second, 20, `Memory\Available Bytes`),
		recorded(t, "b.csv", "b", begin.Add(200*time.Millisecond), time.Second, 20, `Memory\Available Bytes`),
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	n, end := p.Numbers(), begin.Add(time.Minute)
	for _, parted := range []time.Duration{10 * time.Second, 10*time.Second + 100*time.Millisecond, 10*time.Second + 200*time.Millisecond} {
		seen := [2][]float64{}
		for _, part := range [][2]time.Time{{begin, begin.Add(parted)}, {begin.Add(parted), end}} {
			err := n.Read(t.Context(), part[0], part[1], func(_ time.Time, values []float64) {
				for i, v := range values {
					if v == v {
						seen[i] = append(seen[i], v)
					}
				}
			}, func(float64) {})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range seen {
			for k, v := range seen[i] {
				if v != float64(k) || len(seen[i]) != 20 {
					t.Fatalf("parted at %v: of recording %d %v", parted, i, seen[i])
				}
			}
		}
	}
}
