package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestLibreOfficeReadsCSV opens a recording as a spreadsheet does and finds the
// same columns and cells.
func TestLibreOfficeReadsCSV(t *testing.T) {
	t.Parallel()
	office, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("LibreOffice is not installed (Debian: libreoffice-calc-nogui)")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "samples.csv")
	args := []string{"--demo", "-H", "sql01", "sample", "-n", "3", "-i", "0.1", "-o", name,
		`\Processor Information(_Total)\% Processor Time`, `\Memory\Available MBytes`, `\PhysicalDisk(*)\Avg. Disk sec/Transfer`}
	if code := run(args, os.Stdin, os.Stdout, os.Stderr, os.Environ()); code != exitDone {
		t.Fatalf("sample: exit code %d", code)
	}
	out := filepath.Join(dir, "out")
	cmd := exec.Command(office, "-env:UserInstallation=file://"+filepath.Join(dir, "profile"),
		"--headless", "--convert-to", `csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false`, "--outdir", out, name)
	timer := time.AfterFunc(90*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("LibreOffice did not run: %v\n%s", err, text)
	}
	want, got := readCSV(t, name), readCSV(t, filepath.Join(out, "samples.csv"))
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Errorf("row %d: %d columns, want %d", i, len(got[i]), len(want[i]))
			continue
		}
		for c := range want[i] {
			if i == 0 && got[i][c] != want[i][c] {
				t.Errorf("column %d is %q, want %q", c, got[i][c], want[i][c])
			}
		}
	}
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
