package logs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// Each visit has the rows of its time, both ends included, whatever lies between and in whatever
// order they are asked for.
func TestVisits(t *testing.T) {
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	at := func(i int) time.Time { return begin.Add(time.Duration(i) * time.Second) }
	var b strings.Builder
	b.WriteString("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\A\\x\",\"\\\\h\\A\\y\"\r\n")
	for i := range 100 {
		fmt.Fprintf(&b, "%q,\"%d\",\"%d\"\r\n", at(i).Format("01/02/2006 15:04:05.000"), i, -i)
	}
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	spans := [][3]int{{60, 70, 1}, {10, 20, 0}, {15, 40, 1}, {40, 41, 0}, {95, 200, 1}}
	got := make([][]int, len(spans))
	var visits []logs.Visit
	for i, s := range spans {
		visits = append(visits, logs.Visit{From: at(s[0]), To: at(s[1]), Columns: []int{s[2]}, Add: func(row *logs.Row) {
			f, _ := row.Values[s[2]].Float()
			got[i] = append(got[i], int(f))
		}})
	}
	if err := (logs.Scan{}).Visit(t.Context(), r, visits); err != nil {
		t.Fatal(err)
	}
	for i, s := range spans {
		var want []int
		for v := s[0]; v <= min(s[1], 99); v++ {
			want = append(want, v*(1-2*s[2]))
		}
		if !slices.Equal(got[i], want) {
			t.Errorf("from %d to %d: %v", s[0], s[1], got[i])
		}
	}
}
