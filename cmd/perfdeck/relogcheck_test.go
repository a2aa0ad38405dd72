package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"perfdeck/session/recording/relog"
	"strings"
	"testing"
)

const someCSV = `"(PDH-CSV 4.0) (UTC)(0)","\\SRV\A\b","\\SRV\A\c"
"03/01/2026 10:00:00.000","1"," "
"03/01/2026 10:00:01.000","1x"," "
"03/01/2026 10:00:02.000","3"," "
`

// TestRelogBadAmongGood: what cannot be read is told, with exit code 3; nothing of the
// others is lost, whichever of them is bad.
func TestRelogBadAmongGood(t *testing.T) {
	dir := t.TempDir()
	good, empty, bad := filepath.Join(dir, "good.csv"), filepath.Join(dir, "empty.csv"), filepath.Join(dir, "bad.db")
	nowhere, out := filepath.Join(dir, "nowhere.csv"), filepath.Join(dir, "out.csv")
	for name, text := range map[string]string{good: strings.ReplaceAll(someCSV, "1x", "2"), empty: "", bad: "SQLite format 3\x00 and nothing else"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		files []string
		code  int
		says  string
	}{
		{[]string{good, empty}, exitDone, "passed over"},
		{[]string{empty, good}, exitDone, "passed over"},
		{[]string{bad, good}, exitPartly, bad},
		{[]string{good, nowhere}, exitPartly, nowhere},
		{[]string{nowhere, bad}, exitFailed, nowhere},
	} {
		for _, aim := range [][]string{{"-q"}, {"--check"}, {"--summary"}, {"-y", "-o", out}} {
			_ = os.Remove(out)
			stdout, stderr, code := perfdeck(t, "", append(append([]string{"relog"}, c.files...), aim...)...)
			if code != c.code || !strings.Contains(stderr, c.says) {
				t.Errorf("%v %v: exit code %d, want %d: %s", c.files, aim, code, c.code, stderr)
			}
			if code == exitFailed {
				continue
			}
			if aim[0] == "-y" {
				if rows := readCSV(t, out); len(rows) != 4 || rows[3][1] != "3" {
					t.Errorf("%v: %q is written", c.files, rows)
				}
			} else if !strings.Contains(stdout, `\\SRV\A\c`) {
				t.Errorf("%v %v: %s", c.files, aim, stdout)
			}
		}
	}
}

// TestRelogListsFaults: -q says what could not be read, as all else of relog does.
func TestRelogListsFaults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "odd.csv")
	if err := os.WriteFile(name, []byte(someCSV), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-q"}, {"-q", "--json"}} {
		stdout, stderr, code := perfdeck(t, "", append([]string{"relog", name}, args...)...)
		if code != exitPartly || !strings.Contains(stdout, `\A\b`) && !strings.Contains(stdout, `\\A\\b`) || !strings.Contains(stderr, "odd.csv:3: column 2: not a number") {
			t.Errorf("%v: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

// TestRelogCheck: all that is wrong with a recording is told.
func TestRelogCheck(t *testing.T) {
	name := filepath.Join(t.TempDir(), "odd.csv")
	text := `"(PDH-CSV 4.0) (UTC)(0)","\\SRV\A\b","\\SRV\A\c","\\srv\a\B"
"03/01/2026 10:00:05.000","1"," ","1"
"nonsense","1"," ","1"
` + strings.Repeat(`"03/01/2026 10:00:01.000","1x"," ","2"`+"\n", 20) + `"03/01/2026 10:0`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := perfdeck(t, "", "relog", "--check", name)
	for _, want := range []string{
		"something is wrong; 3 counters, 21 samples", "1 row could not be read", "20 cells could not be read", "1 row goes back in time",
		"1 counter stands twice", "1 counter never has a value", "not written to its end", "odd.csv:3: ", "odd.csv:23: column 2: not a number", `twice: \\srv\a\B`, `no value: \\SRV\A\c`,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not told:\n%s", want, stdout)
		}
	}
	if code != exitPartly || stderr != "" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	stdout, _, code = perfdeck(t, "", "relog", "--check", "--json", name)
	var c relog.Check
	if err := json.Unmarshal([]byte(stdout), &c); err != nil || code != exitPartly || c.OK || c.Cells != 20 || c.Rows != 1 || !c.Torn || c.Back != 1 || len(c.Faults) != 23 {
		t.Errorf("%v, %+v", err, c)
	}
	stdout, stderr, code = perfdeck(t, "", "relog", "--check", nightFile(t, "night.db", 9))
	if code != exitDone || !strings.Contains(stdout, "all right; 2 counters, 9 samples") || stderr != "" {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

// TestRelogTruncated: of an SQLite file that was cut off anywhere all samples come that
// are still there, the others are counted, and nothing is made up. Short runs cut a
// smaller file at fewer places.
func TestRelogTruncated(t *testing.T) {
	n, shares := 3000, []int{30, 60, 90, 99}
	if testing.Short() {
		n, shares = 600, []int{60, 90}
	}
	whole, err := os.ReadFile(nightFile(t, "night.db", n))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name, out := filepath.Join(dir, "cut.db"), filepath.Join(dir, "out.csv")
	saved := 0
	for _, share := range shares {
		if err := os.WriteFile(name, whole[:len(whole)*share/100], 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := perfdeck(t, "", "relog", "-y", name, "-o", out)
		if code == exitFailed {
			t.Logf("%d %%: nothing is left: %s", share, stderr)
			continue
		}
		rows := readCSV(t, out)
		if len(rows) == n+1 && code == exitDone {
			continue // what was cut off held nothing
		}
		if code != exitPartly || !strings.Contains(stderr, "damaged") {
			t.Errorf("%d %%: exit code %d: %s%s", share, code, stdout, stderr)
		}
		for _, row := range rows[1:] {
			if row[2] != " " && !strings.Contains(row[0], "2001") || strings.Contains(row[0], "1970") {
				t.Fatalf("%d %%: %q", share, row)
			}
		}
		t.Logf("%d %%: %d of %d rows", share, len(rows)-1, n)
		if len(rows)-1 > saved {
			saved = len(rows) - 1
		}
		check, _, code := perfdeck(t, "", "relog", "--check", name)
		if code != exitPartly || !strings.Contains(check, "damaged") {
			t.Errorf("%d %%: --check: exit code %d: %s", share, code, check)
		}
	}
	if saved < n/2 {
		t.Errorf("at most %d of %d rows were saved", saved, n)
	}
}
