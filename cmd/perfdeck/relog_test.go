package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// nightFile records so many seconds of a rate, with its raw samples.
func nightFile(t *testing.T, name string, seconds int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	f, _ := formats.ByExtension(name)
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}, Columns: []logs.Column{
		{Path: `\\SRV\Memory\Pages/sec`, TypeKnown: true, Type: cooker.CounterCounter},
		{Path: `\\SRV\Process(a "b", c)\ID Process`, TypeKnown: true, Type: cooker.CounterRawCount},
	}}
	w, err := formats.Create(file, f, h, logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(seconds) {
		clocks := cooker.Clocks{PerfTime: i * 1000, PerfFreqHz: 1000}
		row := logs.Row{
			Time:   time.Unix(int64(i)+1e9, 0),
			Values: []cooker.Value{cooker.FloatValue(float64(2*i) - 1), cooker.WholeValue(i)},
			Raw:    []logs.Raw{{Known: true, Reading: cooker.Reading{Raw: i * i}, Clocks: clocks}, {Known: true, Reading: cooker.Reading{Raw: i}, Clocks: clocks}},
		}
		if i == 0 {
			row.Values[0] = cooker.Absent(cooker.FirstSample)
		}
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRelogCooksAgain: of every tenth sample rates are those over ten seconds if
// the raw samples are there, and else what they were.
func TestRelogCooksAgain(t *testing.T) {
	night := nightFile(t, "night.db", 100)
	dir := t.TempDir()
	raw, values := filepath.Join(dir, "raw.csv"), filepath.Join(dir, "values.csv")
	for _, args := range [][]string{{"relog", night, "--every", "10", "-o", raw}, {"relog", night, "-o", values}} {
		if _, stderr, code := perfdeck(t, "", args...); code != exitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	rows := readCSV(t, raw)
	if len(rows) != 11 {
		t.Fatalf("%d rows", len(rows))
	}
	// (20^2-10^2)/10 is the rate over the ten seconds before the third.
	if rows[1][1] != " " || rows[3][1] != "30" || rows[3][2] != "20" {
		t.Errorf("rows %q", rows[:4])
	}
	if all := readCSV(t, values); len(all) != 101 || all[21][1] != "39" || all[0][2] != `\\SRV\Process(a "b", c)\ID Process` {
		t.Errorf("%d rows, %q", len(all), all[0])
	}
}

// TestRelogOverJournal replaces an SQLite file whose writer was killed: its journal
// must not come over the new one.
func TestRelogOverJournal(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "x.db")
	f, _ := formats.Named("sqlite")
	w, err := formats.Create(out, f, &logs.Header{Columns: []logs.Column{{Path: `\\H\a\b`}}}, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	row := logs.Row{Time: time.Unix(5, 0), Values: []cooker.Value{cooker.WholeValue(7)}}
	if err := w.WriteRow(&row); err != nil {
		t.Fatal(err)
	}
	main, _ := os.ReadFile(out)
	journal, _ := os.ReadFile(out + "-wal")
	w.Close()
	if os.WriteFile(out, main, 0o600) != nil || os.WriteFile(out+"-wal", journal, 0o600) != nil || len(journal) == 0 {
		t.Fatal("no journal to try it with")
	}
	if _, stderr, code := perfdeck(t, "", "relog", nightFile(t, "night.csv", 9), "-y", "-o", out); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	r, err := formats.Open(t.Context(), out, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if span, err := r.Span(); err != nil || span.Rows != 9 || len(r.Header().Columns) != 2 {
		t.Errorf("%+v, %v", span, err)
	}
}

// TestRelogReadByOthers has Python and LibreOffice read what relog wrote.
func TestRelogReadByOthers(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "night.csv")
	if _, stderr, code := perfdeck(t, "", "relog", nightFile(t, "night.db", 20), "-o", out); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	want := readCSV(t, out)
	t.Run("python", func(t *testing.T) {
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("python3 is not here to read the file")
		}
		text, err := exec.Command(python, "-c", `
import csv, sys
csv.writer(sys.stdout).writerows(csv.reader(open(sys.argv[1], newline="")))`, out).Output()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		compareCells(t, rows, want)
	})
	t.Run("libreoffice", func(t *testing.T) {
		office, err := exec.LookPath("soffice")
		if err != nil {
			t.Skip("LibreOffice is not installed (Debian: libreoffice-calc-nogui)")
		}
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, office, "-env:UserInstallation=file://"+filepath.Join(dir, "profile"),
			"--headless", "--convert-to", `csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false`, "--outdir", dir, out)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("LibreOffice did not run: %v\n%s", err, text)
		}
		rows := readCSV(t, filepath.Join(dir, "night.csv"))
		for _, row := range append(rows, want...) {
			row[0] = "" // it writes times in its own way
		}
		compareCells(t, rows, want)
	})
}

// compareCells compares cells, blanks aside.
func compareCells(t *testing.T, got, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("row %d has %d cells, want %d", i, len(got[i]), len(want[i]))
		}
		for c := range want[i] {
			if strings.TrimSpace(got[i][c]) != strings.TrimSpace(want[i][c]) {
				t.Errorf("row %d, cell %d: %q, want %q", i, c, got[i][c], want[i][c])
			}
		}
	}
}
