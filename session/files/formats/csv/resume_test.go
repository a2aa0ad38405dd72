package csv_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/csv"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// TestResumeKeepsDialect continues a file as it is: its line ends, its zone.
func TestResumeKeepsDialect(t *testing.T) {
	text := "\"(PDH-CSV 4.0) (Pacific Daylight Time)(420)\",\"\\\\H\\a\\b\"\n\"01/02/2026 03:04:05.006\",\"1\"\n"
	name := formatstest.FileOf(t, "x.csv", text)
	w, _, err := formats.Append(name, nil, &logs.Header{Zone: logs.Zone{Name: "other", Bias: 0, Known: true}, Columns: []logs.Column{{Path: `\\h\A\B`}}}, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	row := logs.Row{Time: time.Date(2026, 1, 2, 10, 4, 6, 7e6, time.UTC), Values: []cooker.Value{cooker.FloatValue(0.5)}}
	if err := w.WriteRow(&row); err != nil {
		t.Fatal(err)
	}
	if size, _ := w.Size(); int(size) != len(formatstest.Content(t, name)) {
		t.Errorf("size %d", size)
	}
	w.Close()
	if got, want := string(formatstest.Content(t, name)), text+"\"01/02/2026 03:04:06.007\",\"0.5\"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	empty := formatstest.FileOf(t, "empty.csv", "")
	f, _ := formats.Named("csv")
	w, tail, err := formats.Append(empty, f, formatstest.WideHeader(1), logs.WriteOptions{})
	if err != nil || !tail.Last.IsZero() {
		t.Fatalf("an empty file: %v", err)
	}
	w.Close()
	if h, _, _ := formatstest.ReadAll(t, empty, logs.OpenOptions{}); len(h.Columns) != 1 {
		t.Errorf("no header was written")
	}
	wide := formatstest.FileOf(t, "wide.csv", "\xFF\xFE"+strings.Join(strings.Split(text, ""), "\x00")+"\x00")
	if _, _, err := formats.Append(wide, nil, &logs.Header{Columns: []logs.Column{{Path: `\\H\a\b`}}}, logs.WriteOptions{}); !errors.Is(err, csv.ErrWide) {
		t.Errorf("UTF-16: %v", err)
	}
}

// TestResumeBehindZeros tells of a CSV that nothing can follow what a CSV lacks, not what JSON does.
func TestResumeBehindZeros(t *testing.T) {
	header := `"(PDH-CSV 4.0) (Pacific Daylight Time)(420)","\\H\a\b"`
	name := formatstest.FileOf(t, "x.csv", header+"\n"+`"01/02/2026 03:04:05.006","1"`+strings.Replace(header, " Time", "\x00Time", 1)+"\n")
	_, _, err := formats.Append(name, nil, &logs.Header{Columns: []logs.Column{{Path: `\\H\a\b`}}}, logs.WriteOptions{})
	if e, ok := errors.AsType[*logs.FileError](err); !ok || e.Err == nil || strings.Contains(err.Error(), "JSON") {
		t.Errorf("%v", err)
	}
}
