package blg_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// pdhCell is a value as PDH writes it in text.
func pdhCell(v cooker.Value) string {
	f, ok := v.Float()
	if !ok {
		return " "
	}
	return string(textfile.AppendNumber(nil, f))
}

const (
	counterSamples = "data/blg/PowerShell_PowerShell__CounterSamples.blg"
	badSamples     = "data/blg/PowerShell_PowerShell__BadCounterSamples.blg"
	wholeObjects   = "data/blg/clinthuffman_PAL__SampleLog.blg"
)

// TestBLGVectors reads real logs and compares with what a reader of our own read in them.
func TestBLGVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/blg.tsv")
	if err != nil {
		t.Fatal(err)
	}
	type log struct {
		header logs.Header
		rows   []formatstest.Kept
		err    error
	}
	known := map[string]*log{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 {
			continue
		}
		l := known[f[0]]
		if l == nil {
			l = &log{}
			known[f[0]] = l
			name := sharedtest.Path(t, "data/blg/"+f[0])
			if r, err := formats.Open(t.Context(), name, logs.OpenOptions{}); err != nil {
				l.err = err
			} else {
				_ = r.Close()
				l.header, l.rows, _ = formatstest.ReadAll(t, name, logs.OpenOptions{})
			}
		}
		if f[1] == "error" {
			if l.err == nil {
				t.Errorf("%s: opened, want an error", f[0])
			}
			continue
		}
		if l.err != nil {
			t.Fatal(l.err)
		}
		got, want := "", f[4]
		clock := clockIn(l.header.Zone)
		switch f[1] {
		case "samples":
			got = strconv.Itoa(len(l.rows))
		case "columns":
			got = strconv.Itoa(len(l.header.Columns))
		case "bias":
			got = strconv.Itoa(l.header.Zone.Bias)
		case "first", "last":
			n, _ := strconv.Atoi(f[3])
			got = clock(l.rows[n].Time)
		case "value":
			n, _ := strconv.Atoi(f[3])
			got = "no column " + f[2]
			for c := range l.header.Columns {
				if paths.EqualFold(l.header.Columns[c].Path, f[2]) {
					got = pdhCell(l.rows[n].Values[c])
				}
			}
		default:
			continue
		}
		if got != want {
			t.Errorf("%s: got %q", line, got)
		}
	}
}

// TestBLGTwin reads a log of which Windows made two texts: every cell of both is the same
// to the last digit.
func TestBLGTwin(t *testing.T) {
	header, rows, faults := formatstest.ReadAll(t, sharedtest.Path(t, counterSamples), logs.OpenOptions{})
	if faults.Any() || faults.Torn {
		t.Errorf("faults %+v", faults)
	}
	for _, twin := range []struct {
		extension string
		comma     rune
	}{{".csv", ','}, {".tsv", '\t'}} {
		file, err := os.Open(sharedtest.Path(t, "data/pdhtext/PowerShell_PowerShell__CounterSamples"+twin.extension))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		in := csv.NewReader(file)
		in.Comma = twin.comma
		in.FieldsPerRecord = -1
		want, err := in.ReadAll()
		if err != nil || len(want) != 1+len(rows) {
			t.Fatalf("%s: %d lines, %d samples, %v", twin.extension, len(want), len(rows), err)
		}
		clock := clockIn(header.Zone)
		zone := "(PDH-" + strings.ToUpper(twin.extension[1:]) + " 4.0) (" + header.Zone.Name + ")(" + strconv.Itoa(header.Zone.Bias) + ")"
		if want[0][0] != zone {
			t.Errorf("zone %q, want %q", zone, want[0][0])
		}
		cells := 0
		for n, line := range want[1:] {
			if got := clock(rows[n].Time); got != line[0] {
				t.Errorf("row %d: time %q, want %q", n, got, line[0])
			}
			for c := range header.Columns {
				if got := pdhCell(rows[n].Values[c]); got != line[1+c] {
					t.Errorf("row %d, %s: %q, want %q", n, header.Columns[c].Path, got, line[1+c])
				}
				cells++
			}
		}
		if cells != 250 {
			t.Errorf("%d cells compared", cells)
		}
	}
}

// clockIn gives times as tools of Windows write them.
func clockIn(z logs.Zone) func(time.Time) string {
	return func(t time.Time) string { return t.In(z.Location()).Format("01/02/2006 15:04:05.000") }
}
