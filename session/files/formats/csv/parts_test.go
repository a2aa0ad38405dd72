package csv_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// told are the values of rows by the names of their columns, at their times in UTC.
func told(h *logs.Header, rows []formatstest.Kept) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row.Time.UTC().Format("02 15:04:05"))
		for i, v := range row.Values {
			if v.Valid() {
				name := h.Columns[i].Path
				fmt.Fprintf(&b, " %s=%s", name[strings.LastIndexByte(name, '\\')+1:], cooker.AppendMachine(nil, v))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func quotedHeader(comma, zone string, names ...string) string {
	line := `"(PDH-CSV 4.0)` + zone + `"`
	for _, n := range names {
		line += comma + `"\\S\M\` + n + `"`
	}
	return line + "\r\n"
}

// TestHeaders reads files in which another header stands behind rows: no value stands under the
// name of another, and each row goes by its zone.
func TestHeaders(t *testing.T) {
	const utc = " (UTC)(0)"
	ab, row := quotedHeader(",", utc, "a", "b"), "\"01/02/2026 10:00:00.000\",\"1\",\"2\"\r\n"
	later := func(cells string) string { return `"01/03/2026 10:00:00.000"` + cells + "\r\n" }
	for name, c := range map[string]struct {
		text, want string
		faults     int64
	}{
		"other columns": {ab + row + quotedHeader(",", utc, "b", "c") + later(`,"3","4"`), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3 c=4\n", 0},
		"another order": {ab + row + quotedHeader(",", utc, "b", "a") + later(`,"3","4"`), "02 10:00:00 a=1 b=2\n03 10:00:00 a=4 b=3\n", 0},
		"fewer":         {ab + row + quotedHeader(",", utc, "b") + later(`,"3"`), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3\n", 0},
		"more":          {ab + row + quotedHeader(",", utc, "c", "a", "b") + later(`,"3","4","5"`), "02 10:00:00 a=1 b=2\n03 10:00:00 a=4 b=5 c=3\n", 0},
		"the same":      {ab + row + ab + later(`,"3","4"`), "02 10:00:00 a=1 b=2\n03 10:00:00 a=3 b=4\n", 0},
		"another zone":  {ab + row + quotedHeader(",", " (X)(300)", "a", "b") + later(`,"3","4"`), "02 10:00:00 a=1 b=2\n03 15:00:00 a=3 b=4\n", 0},
		"no zone":       {ab + row + quotedHeader(",", "", "b") + later(`,"3"`), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3\n", 0},
		"tabs behind":   {ab + row + strings.ReplaceAll(quotedHeader("\t", utc, "b", "c"), "CSV", "TSV") + later("\t\"3\"\t\"4\""), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3 c=4\n", 0},
		"three, and back": {
			ab + row + quotedHeader(",", utc, "c") + later(`,"3"`) + ab + later(`,"4","5"`),
			"02 10:00:00 a=1 b=2\n03 10:00:00 c=3\n03 10:00:00 a=4 b=5\n", 0,
		},
		"twice in it":      {ab + row + quotedHeader(",", utc, "b", "b") + later(`,"3","4"`), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3 b=4\n", 0},
		"no line end":      {ab + strings.TrimSpace(row) + quotedHeader(",", utc, "b", "c") + later(`,"3","4"`), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3 c=4\n", 0},
		"torn before":      {ab + row + `"01/02/2026 10:00:01.000","1` + quotedHeader(",", utc, "b") + later(`,"3"`), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3\n", 1},
		"a mark before":    {ab + row + "\xEF\xBB\xBF" + quotedHeader(",", utc, "b") + later(`,"3"`), "02 10:00:00 a=1 b=2\n03 10:00:00 b=3\n", 0},
		"one that is torn": {ab + row + strings.TrimSpace(quotedHeader(",", utc, "b")), "02 10:00:00 a=1 b=2\n", 0},
		"names nothing":    {ab + row + "\"(PDH-CSV 4.0) (UTC)(0)\"\r\n" + later(`,"3","4"`), "02 10:00:00 a=1 b=2\n03 10:00:00\n", 1},
		"speaks of it":     {ab + "\"01/02/2026 10:00:00.000\",\"see \"\"(PDH-CSV 4.0)\"\"\",\"2\"\r\n" + later(`,"3","4"`), "02 10:00:00 b=2\n03 10:00:00 a=3 b=4\n", 0},
		"a name of two lines": {
			ab + row + quotedHeader(",", utc, "x\ny", "b") + later(`,"3","4"`) + quotedHeader(",", utc, "x\ny", "b") + later(`,"5","6"`),
			"02 10:00:00 a=1 b=2\n03 10:00:00 b=4 x\ny=3\n03 10:00:00 b=6 x\ny=5\n", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", c.text), logs.OpenOptions{})
			for i := range rows { // a text is a value too
				for v := range rows[i].Values {
					if _, ok := rows[i].Values[v].Text(); ok {
						rows[i].Values[v] = cooker.Absent(cooker.Gap)
					}
				}
			}
			if got := told(&h, rows); got != c.want || faults.Rows+faults.Cells < c.faults || c.faults == 0 && faults.Any() {
				t.Errorf("got\n%swant\n%sfaults %v", got, c.want, faults.First)
			}
		})
	}
}

// largeParts is a file of three headers, of which the third has another zone too. Its rows are
// a second apart, and a names them.
func largeParts(t *testing.T, rows int) string {
	var b strings.Builder
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	headers := []string{
		quotedHeader(",", " (UTC)(0)", "a", "b"), quotedHeader(",", " (UTC)(0)", "b", "a", "c"), quotedHeader(",", " (X)(-60)", "c", "a"),
	}
	for part, h := range headers {
		b.WriteString(h)
		for i := range rows {
			n := part*rows + i
			clock, format := at.Add(time.Duration(n)*time.Second), [...]string{"\"%s\",\"%d\",\"1\"\r\n", "\"%s\",\"1\",\"%d\",\"2\"\r\n", "\"%s\",\"2\",\"%d\"\r\n"}[part]
			if part == 2 {
				clock = clock.Add(time.Hour)
			}
			fmt.Fprintf(&b, format, clock.Format("01/02/2006 15:04:05.000"), n)
		}
	}
	return formatstest.FileOf(t, "x.csv", b.String())
}

// TestSeekHeaders seeks to any part of such a file, and goes back over headers.
func TestSeekHeaders(t *testing.T) {
	const rows = 9000
	name := largeParts(t, rows)
	begin := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, n := range []int{rows - 1, rows, 2*rows - 1, 2 * rows, 3*rows - 1, 5, rows + 7, 2*rows + 7} {
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, n int) {
			got, ok := formatstest.Next(t, r)
			if f, _ := got.Values[0].Float(); !ok || f != float64(n) || !got.Time.Equal(begin.Add(time.Duration(n)*time.Second)) {
				t.Errorf("%s %d: a is %v at %v", what, n, got.Values[0], got.Time)
			}
		}
		if err := r.SeekTime(begin.Add(time.Duration(n) * time.Second)); err != nil {
			t.Fatal(err)
		}
		check("seek to", n)
		if went, err := r.Back(3); went != 3 || err != nil {
			t.Fatalf("back %d, %v", went, err)
		}
		check("back to", n-2)
		span, err := r.Span()
		if err != nil || !span.Last.Equal(begin.Add((3*rows-1)*time.Second)) {
			t.Errorf("span %+v, %v", span, err)
		}
		r.Close()
	}
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if is, err := r.IsComplete(); !is || err != nil || len(r.Header().Columns) != 3 {
		t.Errorf("complete: %t, %v; columns %v", is, err, r.Header().Columns)
	}
	r.Only([]int{2})
	all := formatstest.Rest(t, r)
	if len(all) != 3*rows || all[0].Values[2].Valid() || all[0].Values[0].Valid() || all[rows].Values[2] != cooker.WholeValue(2) {
		t.Errorf("%d rows; the first %v", len(all), all[0].Values)
	}
}

// TestFollowHeader reads a file to which another header is written, piece by piece.
func TestFollowHeader(t *testing.T) {
	name := formatstest.FileOf(t, "x.csv", quotedHeader(",", " (UTC)(0)", "a")+"\"01/02/2026 10:00:00.000\",\"1\"\r\n")
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := formatstest.Rest(t, r)
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	added := quotedHeader(",", " (UTC)(0)", "b", "a") + "\"01/02/2026 10:00:01.000\",\"2\",\"3\"\r\n"
	for i := range added {
		if _, err := io.WriteString(file, added[i:i+1]); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, formatstest.Rest(t, r)...)
	}
	if got, want := told(r.Header(), rows), "02 10:00:00 a=1\n02 10:00:01 a=3 b=2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestResumeHeaders continues a file of two headers: what counts is the last.
func TestResumeHeaders(t *testing.T) {
	name := formatstest.FileOf(t, "x.csv", quotedHeader(",", " (UTC)(0)", "a", "b")+"\"01/02/2026 10:00:00.000\",\"1\",\"2\"\r\n"+
		quotedHeader(",", " (X)(-60)", "b", "c")+"\"01/02/2026 12:00:00.000\",\"3\",\"4\"\r\n")
	header := func(names ...string) *logs.Header {
		h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}}
		for _, n := range names {
			h.Columns = append(h.Columns, logs.Column{Path: `\\S\M\` + n})
		}
		return h
	}
	if _, _, err := formats.Append(name, nil, header("a", "b"), logs.WriteOptions{}); !errors.Is(err, logs.ErrColumnsDiffer) {
		t.Errorf("continued with the columns of the first: %v", err)
	}
	w, tail, err := formats.Append(name, nil, header("b", "c"), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	if !tail.Last.Equal(at.Add(-time.Hour)) {
		t.Errorf("tail %+v", tail)
	}
	if err := w.WriteRow(&logs.Row{Time: at, Values: []cooker.Value{cooker.WholeValue(5), cooker.WholeValue(6)}}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	h, rows, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if got, want := told(&h, rows), "02 10:00:00 a=1 b=2\n02 11:00:00 b=3 c=4\n02 12:00:00 b=5 c=6\n"; got != want || faults.Any() {
		t.Errorf("got\n%swant\n%s%v", got, want, faults.First)
	}
}

// TestWideHeaders finds another header in UTF-16.
func TestWideHeaders(t *testing.T) {
	text := quotedHeader(",", " (UTC)(0)", "a", "Ā") + "\"01/02/2026 10:00:00.000\",\"1\",\"2\"\r\n" +
		quotedHeader(",", " (UTC)(0)", "Ā", "a") + "\"01/02/2026 10:00:01.000\",\"3\",\"4\"\r\n"
	for _, big := range []bool{false, true} {
		b := []byte{0xFF, 0xFE}
		if big {
			b = []byte{0xFE, 0xFF}
		}
		for _, r := range text {
			if big {
				b = append(b, byte(r>>8), byte(r))
			} else {
				b = append(b, byte(r), byte(r>>8))
			}
		}
		h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", string(b)), logs.OpenOptions{})
		if got, want := told(&h, rows), "02 10:00:00 a=1 Ā=2\n02 10:00:01 a=4 Ā=3\n"; got != want || faults.Any() {
			t.Errorf("got\n%swant\n%s%v", got, want, faults.First)
		}
	}
}
