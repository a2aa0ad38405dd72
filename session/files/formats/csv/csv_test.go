package csv_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// TestTwins reads a real recording in both text formats.
func TestTwins(t *testing.T) {
	base := "data/pdhtext/PowerShell_PowerShell__CounterSamples"
	ch, csv, cf := formatstest.ReadAll(t, sharedtest.Path(t, base+".csv"), logs.OpenOptions{})
	th, tsv, tf := formatstest.ReadAll(t, sharedtest.Path(t, base+".tsv"), logs.OpenOptions{})
	if len(ch.Columns) != 10 || len(th.Columns) != 10 || len(csv) != 25 || len(tsv) != 25 {
		t.Fatalf("%d and %d columns, %d and %d rows", len(ch.Columns), len(th.Columns), len(csv), len(tsv))
	}
	if cf.Any() || tf.Any() || cf.Torn || tf.Torn {
		t.Errorf("faults: %v, %v", cf.First, tf.First)
	}
	for i := range csv {
		if !csv[i].Time.Equal(tsv[i].Time) {
			t.Errorf("row %d: %v and %v", i, csv[i].Time, tsv[i].Time)
		}
		for c := range csv[i].Values {
			if csv[i].Values[c] != tsv[i].Values[c] {
				t.Errorf("row %d, column %d: %v and %v", i, c, csv[i].Values[c], tsv[i].Values[c])
			}
		}
	}
	if want := time.Date(2016, 11, 26, 21, 46, 30, 874e6, time.UTC); !csv[0].Time.Equal(want) {
		t.Errorf("the first row is of %v, want %v", csv[0].Time, want)
	}
	if csv[0].Values[0].Valid() || csv[0].Values[6] != cooker.FloatValue(86.93735103284412) || csv[1].Values[0] != cooker.WholeValue(0) {
		t.Errorf("first values %v, %v", csv[0].Values, csv[1].Values)
	}
	if z := ch.Zone; z != (logs.Zone{Name: "Pacific Standard Time", Bias: 480, Known: true}) {
		t.Errorf("zone %v", z)
	}
}

// TestTextRoundTrip holds what is written against what Windows wrote.
func TestTextRoundTrip(t *testing.T) {
	base := "data/pdhtext/PowerShell_PowerShell__CounterSamples"
	csv, tsv := sharedtest.Path(t, base+".csv"), sharedtest.Path(t, base+".tsv")
	want := func(name string) []byte {
		return bytes.ReplaceAll(formatstest.Content(t, name), []byte("\n"), []byte("\r\n")) // they went through git
	}
	if got := formatstest.Content(t, formatstest.Convert(t, csv, "csv")); !bytes.Equal(got, want(csv)) {
		t.Errorf("csv > csv differs:\n%.300q\n%.300q", got, want(csv))
	}
	if got := formatstest.Content(t, formatstest.Convert(t, csv, "tsv")); !bytes.Equal(got, want(tsv)) {
		t.Errorf("csv > tsv differs:\n%.300q\n%.300q", got, want(tsv))
	}
	if got := formatstest.Content(t, formatstest.Convert(t, formatstest.Convert(t, csv, "tsv"), "csv")); !bytes.Equal(got, want(csv)) {
		t.Errorf("csv > tsv > csv differs:\n%.300q\n%.300q", got, want(csv))
	}
}

const head = `"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)","\\H\Memory\Available MBytes","\\H\Process(a)\% Processor Time"` + "\r\n"

// TestTextDialects reads what others made of recordings.
func TestTextDialects(t *testing.T) {
	at := time.Date(2026, 1, 2, 2, 4, 5, 6e6, time.UTC)
	two := []string{`\\H\Memory\Available MBytes`, `\\H\Process(a)\% Processor Time`}
	row := "\"01/02/2026 03:04:05.006\",\"1\",\"2.5\"\r\n"
	wide := func(s string) string {
		var b strings.Builder
		b.WriteString("\xFF\xFE")
		for _, r := range s {
			b.WriteByte(byte(r))
			b.WriteByte(byte(r >> 8))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text, encoding string
		paths          []string
		values         [][]cooker.Value
		caption        string
		faults         int64
		torn           bool
	}{
		"plain":       {text: head + row},
		"LF":          {text: strings.ReplaceAll(head+row, "\r\n", "\n")},
		"CR":          {text: strings.ReplaceAll(head+row, "\r\n", "\r")},
		"CR CR LF":    {text: strings.ReplaceAll(head+row, "\r\n", "\r\r\n")},
		"no last end": {text: strings.TrimSuffix(head+row, "\r\n")},
		"BOM":         {text: "\xEF\xBB\xBF" + head + row},
		"UTF-16":      {text: wide(head + row)},
		"no quotes":   {text: strings.ReplaceAll(head+row, `"`, "")},
		"semicolons":  {text: strings.NewReplacer(`,"\\`, `;"\\`, "\",\"1\",\"2.5\"", "\";1;\"2,5\"").Replace(head + row)},
		"blanks":      {text: head + "\"01/02/2026 03:04:05.006\",\" 1\",\"2.5 \"\r\n"},
		"prompt":      {text: "C:\\> typeperf -o\r\n\r\n" + head + row},
		"empty lines": {text: head + "\r\n" + row + "\r\n\r\n"},
		"same header": {text: head + row + head},
		"caption":     {text: strings.Replace(head, "\r\n", ",\"night, \"\"two\"\"\"\r\n", 1) + row, caption: `night, "two"`},
		"no computer": {
			text:  strings.ReplaceAll(head, `\\H\`, `\`) + row,
			paths: []string{`\Memory\Available MBytes`, `\Process(a)\% Processor Time`},
		},
		"date and time": {
			text: `Date \\H (PDH-CSV 4.0) (W. Europe Standard Time)(-60),Time,Memory\Available MBytes,Process(a)\% Processor Time` + "\n" +
				"01/02/2026,03:04:05.006,1,2.5\n",
		},
		"quotes in names": {
			text:  strings.ReplaceAll(head, "(a)", `(a "b", ""c"")`) + row,
			paths: []string{two[0], `\\H\Process(a "b", ""c"")\% Processor Time`},
		},
		"quotes in names, doubled": {
			text:  strings.ReplaceAll(head, "(a)", `(a"",""b)`) + row,
			paths: []string{two[0], `\\H\Process(a","b)\% Processor Time`},
		},
		"1252": {text: strings.ReplaceAll(head, "(a)", "(\xE4\xDF)") + row, paths: []string{two[0], `\\H\Process(äß)\% Processor Time`}},
		"850":  {text: strings.ReplaceAll(head, "(a)", "(\x84\x81)") + row, paths: []string{two[0], `\\H\Process(äü)\% Processor Time`}},
		"1251, told": {
			text: strings.ReplaceAll(head, "(a)", "(\xE4\xE0)") + row, encoding: "cp1251",
			paths: []string{two[0], `\\H\Process(да)\% Processor Time`},
		},
		"932, told": {
			text: strings.ReplaceAll(head, "(a)", "(\x95\x5C)") + row, encoding: "Shift_JIS", // the second byte is a backslash
			paths: []string{two[0], `\\H\Process(表)\% Processor Time`},
		},
		"cut zone":     {text: strings.Replace(head, "W. Europe Standard Time)(-60)", "Mitteleuropäische Zeit (Sommer)(-60)", 1) + row},
		"garbage":      {text: head + "\"what\",\"1\",\"2\"\r\n" + row, faults: 1},
		"not a number": {text: head + "\"01/02/2026 03:04:05.006\",\"1\",\"2.5.1\"\r\n", faults: 1, values: [][]cooker.Value{{cooker.WholeValue(1), cooker.Absent(cooker.Gap)}}},
		"C runtime":    {text: head + "\"01/02/2026 03:04:05.006\",\"1\",\"-1.#IND\"\r\n", values: [][]cooker.Value{{cooker.WholeValue(1), cooker.Absent(cooker.NotFinite)}}},
		"few cells":    {text: head + "\"01/02/2026 03:04:05.006\",\"1\"\r\n", faults: 1, values: [][]cooker.Value{{cooker.WholeValue(1), cooker.Absent(cooker.Gap)}}},
		"many cells":   {text: head + strings.Replace(row, "\r", ",\"7\"\r", 1), faults: 1},
		"-1 counts":    {text: head + "\"01/02/2026 03:04:05.006\",\"-1\",\" \"\r\n", values: [][]cooker.Value{{cooker.DeltaValue(-1), cooker.Absent(cooker.Gap)}}},
		"text":         {text: head + "\"01/02/2026 03:04:05.006\",\"a \"\"b\"\", c\",\"2.5\"\r\n", values: [][]cooker.Value{{cooker.TextValue(`a "b", c`), cooker.FloatValue(2.5)}}},
		"torn":         {text: head + row + "\"01/02/2026 03:04:06.006\",\"1\",\"2", torn: true},
		"torn time":    {text: head + row + "\"01/02/2026 03:0", torn: true},
		"torn cell":    {text: head + row + "\"01/02/2026 03:04:06.006\",\"1", torn: true},
		"torn quote":   {text: head + row + "\"01/02/2026 03:04:06.006\",\"1\",\"", torn: true},
		"zeros":        {text: head + row + strings.Repeat("\x00", 700_000), torn: true},
		"zeros within": {text: head + strings.Repeat("\x00", 5000) + row, faults: 1},
		"torn, zeros":  {text: head + row + "\"01/02/2026 03:04:06.006\",\"1\",\"2" + strings.Repeat("\x00", 5000), torn: true},
		"US clock":     {text: head + "1/2/2026 3:04:05.006 AM,1,2.5\r\n"},
		"ISO clock":    {text: head + "\"2026-01-02 03:04:05.006\",1,2.5\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", c.text), logs.OpenOptions{Encoding: c.encoding})
			if c.paths == nil {
				c.paths = two
			}
			if c.values == nil {
				c.values = [][]cooker.Value{{cooker.WholeValue(1), cooker.FloatValue(2.5)}}
			}
			if len(h.Columns) != len(c.paths) {
				t.Fatalf("columns %v", h.Columns)
			}
			for i, path := range c.paths {
				if h.Columns[i].Path != path {
					t.Errorf("column %q, want %q", h.Columns[i].Path, path)
				}
			}
			if h.Caption != c.caption || h.Zone.Bias != -60 || !h.Zone.Known {
				t.Errorf("caption %q, zone %v", h.Caption, h.Zone)
			}
			if len(rows) != len(c.values) {
				t.Fatalf("%d rows, want %d; faults %v", len(rows), len(c.values), faults.First)
			}
			for i := range rows {
				if !rows[i].Time.Equal(at) {
					t.Errorf("time %v, want %v", rows[i].Time, at)
				}
				for v := range rows[i].Values {
					if rows[i].Values[v] != c.values[i][v] {
						t.Errorf("values %v, want %v", rows[i].Values, c.values[i])
						break
					}
				}
			}
			if faults.Rows+faults.Cells != c.faults || faults.Torn != c.torn {
				t.Errorf("faults %+v, first %v; want %d, torn %t", faults, faults.First, c.faults, c.torn)
			}
		})
	}
}

// TestLateLetters has the first letter that is not ASCII far behind what the
// encoding is guessed from, and thousands of columns.
func TestLateLetters(t *testing.T) {
	const columns = 5000
	var text, cells strings.Builder
	text.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for i := range columns {
		name := "p"
		if i == columns-1 {
			name = "Ger\xE4tehandb\xFCcher"
		}
		fmt.Fprintf(&text, `,"\\H\Process(%s#%d)\%% Processor Time"`, name, i)
		fmt.Fprintf(&cells, `,"%d"`, i)
	}
	text.WriteString("\r\n\"01/02/2026 03:04:05.006\"" + cells.String() + "\r\n")
	h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", text.String()), logs.OpenOptions{})
	if len(h.Columns) != columns || h.Columns[columns-1].Path != `\\H\Process(Gerätehandbücher#4999)\% Processor Time` {
		t.Errorf("%d columns, the last %q", len(h.Columns), h.Columns[len(h.Columns)-1].Path)
	}
	if len(rows) != 1 || rows[0].Values[columns-1] != cooker.WholeValue(columns-1) || faults.Any() {
		t.Errorf("%d rows, faults %v", len(rows), faults.First)
	}
}

// TestConsole reads what typeperf prints, with its last words.
func TestConsole(t *testing.T) {
	text := "\r\n\"(PDH-CSV 4.0)\",\"\\\\H\\Memory\\Available Bytes\",\"\\\\H\\Memory\\Pages/sec\"\r\n" +
		"\"11/26/2016 13:46:30.874\",\"20261367808.000000\",\"0.000000\"\r\n" +
		"\"11/26/2016 13:46:31.874\",\"-1.000000\",\"\"\r\n" +
		"Exiting, please wait...                         \r\nThe command completed successfully.\r\n\r\r"
	for _, text := range []string{text, strings.ReplaceAll(text, "The command", "Der Befehl")} {
		h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.txt", text), logs.OpenOptions{})
		if len(h.Columns) != 2 || len(rows) != 2 || faults.Any() || faults.Torn {
			t.Fatalf("%d columns, %d rows, %v", len(h.Columns), len(rows), faults.First)
		}
		if f, _ := rows[0].Values[0].Float(); f != 20261367808 || !rows[0].Values[1].Valid() {
			t.Errorf("values %v", rows[0].Values)
		}
		if rows[1].Values[0].Valid() || rows[1].Values[1].Valid() {
			t.Errorf("what is not there has values: %v", rows[1].Values)
		}
		if want := time.Date(2016, 11, 26, 13, 46, 30, 874e6, time.Local); !rows[0].Time.Equal(want) {
			t.Errorf("time %v, want %v", rows[0].Time, want)
		}
	}
}
