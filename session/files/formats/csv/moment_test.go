package csv_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/csv"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// TestDateOrder reads dates that other programs wrote. Which number is the month the file
// tells as a whole.
func TestDateOrder(t *testing.T) {
	daily := func(n int, format string, last ...string) (all []string) {
		for i := range n {
			all = append(all, time.Date(2019, 4, 11, 12, 0, i%60, 0, time.UTC).Add(time.Duration(i/60)*time.Minute).Format(format))
		}
		return append(all, last...)
	}
	for name, c := range map[string]struct {
		times []string
		comma string
		want  string // the first and the last
		rows  int    // that are read; 0: all
		doubt bool
	}{
		"a row that has the day first":  {times: []string{"30/04/2019 15:18:41", "01/05/2019 00:00:11"}, want: "04-30 15:18:41 05-01 00:00:11"},
		"behind many others":            {times: daily(9000, "02/01/2006 15:04:05", "13/04/2019 00:00:11"), want: "04-11 12:00:00 04-13 00:00:11"},
		"as Windows writes the clock":   {times: daily(9000, "02/01/2006 15:04:05.000", "13/04/2019 00:00:11.000"), want: "04-11 12:00:00 04-13 00:00:11"},
		"one that has the month first":  {times: []string{"4/5/2019 10:00", "4/13/2019 10:00"}, want: "04-05 10:00:00 04-13 10:00:00"},
		"a step of a month":             {times: []string{"11/04/2019 23:59:41", "12/04/2019 00:00:11"}, want: "04-11 23:59:41 04-12 00:00:11"},
		"and with milliseconds":         {times: []string{"11/04/2019 23:59:41.000", "12/04/2019 00:00:11.000"}, want: "04-11 23:59:41 04-12 00:00:11"},
		"a step of a day":               {times: []string{"04/11/2019 23:59:41", "04/12/2019 00:00:11"}, want: "04-11 23:59:41 04-12 00:00:11"},
		"days, a row each":              {times: []string{"01/04/2019 10:00", "02/04/2019 10:00", "03/04/2019 10:00"}, want: "04-01 10:00:00 04-03 10:00:00"},
		"the order of rows":             {times: []string{"12/04/2019 10:00", "01/05/2019 10:00"}, want: "04-12 10:00:00 05-01 10:00:00"},
		"two digits of the year":        {times: []string{"30/04/19 15:18", "30/04/19 15:19"}, want: "04-30 15:18:00 04-30 15:19:00"},
		"hyphens":                       {times: []string{"30-04-2019 15:18", "30-04-2019 15:19"}, want: "04-30 15:18:00 04-30 15:19:00"},
		"points":                        {times: []string{"05.04.2019 15:18:41", "05.04.2019 15:18:56"}, want: "04-05 15:18:41 04-05 15:18:56"},
		"PM":                            {times: []string{"30/04/2019 11:59:41 am", "30/04/2019 12:00:11 PM", "30/04/2019 1:00:11 p.m."}, want: "04-30 11:59:41 04-30 13:00:11"},
		"the PM of Spain":               {times: []string{"30/04/2019 11:59:41 a. m.", "30/04/2019 1:00:11 p.\u00a0m."}, want: "04-30 11:59:41 04-30 13:00:11"},
		"saved, then appended":          {times: []string{"30/04/2019 12:00", "01/05/2019 12:00", "05/02/2019 09:00:00.000"}, want: "04-30 12:00:00 05-02 09:00:00"},
		"appended to, under a header":   {times: []string{"30/04/2019 12:00", "01/05/2019 12:00", "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\S\\M\\a\"\n05/02/2019 09:00:00.000"}, want: "04-30 12:00:00 05-02 09:00:00", rows: 3},
		"appended to Windows' own":      {times: daily(9000, "01/02/2006 15:04:05.000", "02/05/2019 09:00", "13/05/2019 09:00", "01/06/2019 09:00"), want: "04-11 12:00:00 06-01 09:00:00"},
		"midnight":                      {times: []string{"30/04/2019 12:00:11 AM"}, want: "04-30 00:00:11 04-30 00:00:11"},
		"ISO":                           {times: []string{"2019-04-05T15:18:41", "2019-04-05T15:18:42.5"}, want: "04-05 15:18:41 04-05 15:18:42"},
		"ISO with offsets":              {times: []string{"2019-04-05T15:18:41Z", "2019-04-05 17:18:42+02:00", "2019-04-05 17:18:43 +0200"}, want: "04-05 15:18:41 04-05 15:18:43"},
		"the year first":                {times: []string{"2019/4/5 15:18"}, want: "04-05 15:18:00 04-05 15:18:00"},
		"nothing tells":                 {times: []string{"04/05/2019 15:18:41", "04/05/2019 15:18:56"}, want: "04-05 15:18:41 04-05 15:18:56", doubt: true},
		"nothing tells, and semicolons": {times: []string{"05/04/2019 15:18:41", "05/04/2019 15:18:56"}, comma: ";", want: "04-05 15:18:41 04-05 15:18:56", doubt: true},
		"both are the same":             {times: []string{"04/04/2019 15:18:41"}, want: "04-04 15:18:41 04-04 15:18:41"},
		"Windows' own":                  {times: []string{"04/05/2019 15:18:41.000", "04/05/2019 15:18:56.000"}, want: "04-05 15:18:41 04-05 15:18:56"},
		"Windows' own, a month apart":   {times: []string{"04/05/2019 10:30:00.000", "05/05/2019 10:00:00.000"}, want: "04-05 10:30:00 05-05 10:00:00"},
		"no such day":                   {times: []string{"4/5/2019 10:00", "4/13/2019 10:00", "4/31/2019 10:00"}, want: "04-05 10:00:00 04-13 10:00:00", rows: 2},
	} {
		t.Run(name, func(t *testing.T) {
			comma := c.comma
			if comma == "" {
				comma = ","
			}
			text := `(PDH-CSV 4.0) (UTC)(0)` + comma + `\\S\M\a` + "\n"
			for i, at := range c.times {
				text += fmt.Sprint(at, comma, i, "\n")
			}
			r, err := formats.Open(t.Context(), formatstest.FileOf(t, "x.csv", text), logs.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			rows, faults := formatstest.Rest(t, r), r.Faults()
			if c.rows == 0 {
				c.rows = len(c.times)
			}
			if len(rows) != c.rows {
				t.Fatalf("%d rows of %d: %v", len(rows), c.rows, faults.First)
			}
			const layout = "01-02 15:04:05"
			if got := rows[0].Time.UTC().Format(layout) + " " + rows[len(rows)-1].Time.UTC().Format(layout); got != c.want || rows[0].Time.Year() != 2019 {
				t.Errorf("%s, want %s", got, c.want)
			}
			if span, err := r.Span(); span.Inferred&logs.InferredDates != 0 != c.doubt || err != nil || len(span.Inferred.Words()) > 0 != c.doubt {
				t.Errorf("inferred %v, %v", span.Inferred.Words(), err)
			}
		})
	}
}

// TestLostTimes tells once what was lost when a file was saved again, and takes no time for
// what it is not.
func TestLostTimes(t *testing.T) {
	for name, c := range map[string]struct {
		times []string
		err   error
	}{
		"minutes and seconds": {[]string{"18:41.5", "18:56.5", "19:11.5"}, csv.ErrDateLost},
		"the time of day":     {[]string{"15:18:41", "15:18:56", "3:19:11 PM"}, csv.ErrDateLost},
		"late minutes":        {[]string{"46:30.9", "46:31.9", "59:59.0"}, csv.ErrDateLost},
		"the clock":           {[]string{"2019-04-30", "2019-05-01", "30/04/2019"}, csv.ErrClockLost},
		"AM and PM":           {[]string{"4/30/2019 11:59:41", "4/30/2019 12:00:11", "4/30/2019 12:59:56", "4/30/2019 1:00:11"}, csv.ErrHalfLost},
		"AM and PM, later":    {append(strings.Split(strings.Repeat("30/04/2019 12:59:41,", 5000), ",")[:5000], "30/04/2019 1:00:11"), csv.ErrHalfLost},
	} {
		t.Run(name, func(t *testing.T) {
			text := "(PDH-CSV 4.0) (Eastern Daylight Time)(240),\\\\S\\M\\a\n"
			for _, at := range c.times {
				text += at + ",1\n"
			}
			h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", text), logs.OpenOptions{})
			if len(rows) != 0 || faults.Rows != int64(len(c.times)) || len(faults.First) != 1 {
				t.Fatalf("%d rows, %d faults, %v", len(rows), faults.Rows, faults.First)
			}
			if e := faults.First[0]; !errors.Is(e, c.err) || e.Hint() == "" || h.Zone.Bias != 240 {
				t.Errorf("%v; %q; zone %v", e, e.Hint(), h.Zone)
			}
		})
	}
}

// TestHeaderCells reads headers of which cells are empty, or without quotes.
func TestHeaderCells(t *testing.T) {
	const begin, at = `(PDH-CSV 4.0) (UTC)(0)`, `01/02/2026 03:04:05.006`
	for name, c := range map[string]struct{ header, row, want, caption string }{
		"empty at the end":           {begin + `,\\S\M\a,,,`, at + `,1,,,`, "a=1", ""},
		"one, of two":                {begin + `,\\S\M\b,\\S\M\a,`, at + `,1,2,`, "b=1 a=2", ""},
		"empty in quotes":            {`"` + begin + `","\\S\M\a","",""`, `"` + at + `","1","",""`, "a=1", ""},
		"blank in quotes":            {`"` + begin + `","\\S\M\a"," "`, `"` + at + `","1"," "`, "a=1", ""},
		"in between":                 {begin + `,\\S\M\a,,\\S\M\b`, at + `,1,2,3`, "a=1 b=3", ""},
		"in between, in quotes":      {`"` + begin + `","\\S\M\a","","\\S\M\b"`, `"` + at + `","1","2","3"`, "a=1 b=3", ""},
		"at the beginning":           {begin + `,,\\S\M\a`, at + `,1,2`, "a=2", ""},
		"semicolons":                 {begin + `;\\S\M\a;;`, at + `;1,5;;`, "a=1.5", ""},
		"tabs":                       {strings.ReplaceAll(begin, "CSV", "TSV") + "\t\\\\S\\M\\a\t\t", at + "\t1\t\t", "a=1", ""},
		"a caption":                  {begin + `,\\S\P(0,14)\a,night, of the long run`, at + `,1`, "a=1", "night, of the long run"},
		"a caption, filled up":       {begin + `,\\S\M\a,night,,`, at + `,1,,,`, "a=1", "night"},
		"a caption that has a value": {begin + `,\\S\M\a,b`, at + `,1,2`, "a=1 b=2", ""},
		"commas within":              {begin + `,\\S\P(0,14)\a,\\S\P(_Total)\b`, at + `,1,2`, "a=1 b=2", ""},
		"commas within, in quotes":   {begin + `,"\\S\P(0,14)\a",\\S\M\b`, at + `,1,2`, "a=1 b=2", ""},
		"a comma in a counter":       {begin + `,\\S\M\x, y,\\S\M\b`, at + `,1,2`, "x, y=1 b=2", ""},
		"quotes within":              {begin + `,"\\S\P(""q"", r)\a",\\S\M\b`, at + `,1,2`, "a=1 b=2", ""},
		"blanks behind commas":       {begin + `, \\S\M\a, \\S\M\b`, at + `, 1, 2`, "a=1 b=2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", c.header+"\n"+c.row+"\n,,,,\n"), logs.OpenOptions{})
			if len(rows) != 1 || faults.Any() {
				t.Fatalf("%d rows, %v", len(rows), faults.First)
			}
			if got := strings.TrimSpace(strings.TrimPrefix(told(&h, rows), "02 03:04:05")); got != c.want || h.Caption != c.caption {
				t.Errorf("%q, want %q; caption %q", got, c.want, h.Caption)
			}
			for i := range h.Columns {
				if h.Columns[i].Path == "" {
					t.Errorf("column %d has no name", i)
				}
			}
		})
	}
}

// TestHalvedBackslashes finds the host where one backslash was made of two.
func TestHalvedBackslashes(t *testing.T) {
	for header, want := range map[string]string{
		`"(PDH-CSV 4.0) (UTC)(0)","\SRV\Memory\x","\SRV\Process(a\b)\x"`: `\\SRV\Memory\x \\SRV\Process(a\b)\x`,
		`(PDH-CSV 4.0) (UTC)(0),\SRV\Memory\x,night`:                     `\\SRV\Memory\x`,
		`"(PDH-CSV 4.0) (UTC)(0)","\Memory\x","\Process(a\b)\x"`:         `\Memory\x \Process(a\b)\x`,
		`"(PDH-CSV 4.0) (UTC)(0)","\Memory\x","\SRV\Memory\y"`:           `\Memory\x \SRV\Memory\y`,
	} {
		h, _, _ := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", header+"\n"), logs.OpenOptions{})
		var got []string
		for i := range h.Columns {
			got = append(got, h.Columns[i].Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// TestNoNumbers reads the words that programs have for what is no number.
func TestNoNumbers(t *testing.T) {
	for _, word := range []string{"NaN", "nan", "-nan", "inf", "-Inf", "+INF", "Infinity", "-1.#IND", "1.#QNAN", "-nan(ind)"} {
		_, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", head+"\"01/02/2026 03:04:05.006\",\""+word+"\",\"2.5\"\r\n"), logs.OpenOptions{})
		if len(rows) != 1 || rows[0].Values[0] != cooker.Absent(cooker.NotFinite) || faults.Any() {
			t.Errorf("%s: %v, %v", word, rows, faults.First)
		}
	}
	// In a column of texts it is one of them.
	text := head + "\"01/02/2026 03:04:05.006\",\"eth0\",\"1\"\r\n\"01/02/2026 03:04:06.006\",\"inf\",\"inf\"\r\n\"01/02/2026 03:04:07.006\",\"4.2.1\",\"4.2.1\"\r\n"
	_, rows, faults := formatstest.ReadAll(t, formatstest.FileOf(t, "x.csv", text), logs.OpenOptions{})
	if len(rows) != 3 || rows[1].Values[0] != cooker.TextValue("inf") || rows[2].Values[0] != cooker.TextValue("4.2.1") || rows[1].Values[1].Valid() || faults.Cells != 1 {
		t.Errorf("%v, %v", rows, faults.First)
	}
}
