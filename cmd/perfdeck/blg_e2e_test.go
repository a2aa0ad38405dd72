//go:build !windows

package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"perfdeck/session/system/sharedtest"
)

// TestMissingInBLG: what a real log has no values of is missing in a conversion, for rules
// and on the screens: of each of 26 computers a sample now and then.
func TestMissingInBLG(t *testing.T) {
	log := sharedtest.Path(t, "data/blg/PowerShell_PowerShell__BadCounterSamples.blg")
	out, _, code := runs(t, nil, "relog", log, "-o", "-")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != 0 || err != nil || len(rows) != 276 {
		t.Fatalf("exit code %d, %d rows, %v", code, len(rows), err)
	}
	missing := map[string]int{}
	for _, row := range rows[1:] {
		for _, cell := range row[1:] {
			if strings.TrimSpace(cell) == "" {
				missing[row[0][:16]]++
			}
		}
	}
	// The first sample of a rate has no value, and so has the one behind a missing one.
	for at, want := range map[string]int{"07/02/2007 14:20": 26, "07/03/2007 04:00": 23, "07/03/2007 04:10": 26, "07/03/2007 04:20": 2, "07/03/2007 16:00": 0} {
		if missing[at] != want {
			t.Errorf("%s: %d cells are blank, want %d", at, missing[at], want)
		}
	}
	out, _, code = runs(t, nil, "watch", "--replay", log, "--alert", `absent \Processor(_Total)\% Processor Time`)
	if code != 0 || !strings.Contains(out, `2007-07-03T04:10:44-03:00 warning fired "absent \Processor(_Total)\% Processor Time": \\s14185404`) {
		t.Errorf("exit code %d: %.2000s", code, out)
	}
	c := onConsole(t, nil, "replay", log, "--at", "2007-07-03 04:05")
	c.awaitText("04:05:00")
	c.await("values that are missing", func(text string) bool {
		return strings.Contains(text, "s14185201") && strings.Contains(text, "gap")
	})
	c.write("q")
	c.ends()
}
