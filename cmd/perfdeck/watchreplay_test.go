//go:build !windows

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// triedOn runs watch --replay, with a config, and returns its output, what it said
// beside, and its exit code.
func triedOn(t testing.TB, file, conf string, args ...string) (out, said string, code int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "perfdeck"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "perfdeck", "config.toml"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary(t), append([]string{"watch", "--replay", file}, args...)...)
	cmd.Env = append(plainEnviron[:len(plainEnviron):len(plainEnviron)], "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "TZ=UTC", "NOTE="+dir)
	var errs strings.Builder
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "note*")); len(left) > 0 {
		t.Errorf("an action was done: %v", left)
	}
	return string(text), errs.String(), code
}

// tried are rules that would do all kinds of things if they were live.
const tried = `
[[alert]]
name = "low memory"
when = '\Memory\Available MBytes < 200'
then = ["task:note", "file:~/note-file", "record:all"]

[[alert]]
name = "quiet"
when = '\Memory\Available MBytes < 200'
quiet = ["00:00-06:00"]

[[record]]
name = "all"
file = "~/note-all.db"
paths = ['\Memory\*']

[tasks.note]
command = ["touch", "~/note-task"]
`

func TestWatchReplay(t *testing.T) {
	file := nightCSV(t, "a.csv", "sql01", 2, -60)
	out, said, code := triedOn(t, file, tried, "--json")
	if code != 0 || !strings.Contains(said, "nothing is run") {
		t.Errorf("exit code %d: %s", code, said)
	}
	type line struct {
		Event, Rule string
		Time        time.Time
		Summary     *struct {
			Rule           string
			Fired, Quiet   int
			Seconds, Peak  float64
			First          time.Time
			Judged, Firing int
		}
	}
	var events []string
	summaries := 0
	for text := range strings.Lines(out) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		switch s := l.Summary; {
		case s == nil:
			events = append(events, l.Time.Format(time.RFC3339)+" "+l.Event+" "+l.Rule)
		default:
			summaries++
			quiet := map[string]int{"low memory": 0, "quiet": 1}[s.Rule]
			if s.Fired != 1 || s.Quiet != quiet || s.Seconds != 60 || s.Peak != 100 || s.Judged != 40 || s.Firing != 0 ||
				s.First.Format(time.RFC3339) != "2026-03-03T00:02:00+01:00" {
				t.Errorf("%s", text)
			}
		}
	}
	slices.Sort(events)
	want := "2026-03-03T00:02:00+01:00 fired low memory, 2026-03-03T00:02:00+01:00 fired quiet, " +
		"2026-03-03T00:03:00+01:00 cleared low memory, 2026-03-03T00:03:00+01:00 cleared quiet"
	if got := strings.Join(events, ", "); got != want || summaries != 2 {
		t.Errorf("%d summaries, events %s", summaries, got)
	}

	out, _, code = triedOn(t, file, tried)
	for _, want := range []string{"2026-03-03T00:02:00+01:00 warning fired \"low memory\"", "1, 1 in quiet hours", "1 min", "2026-03-03 00:02:00"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q is not in\n%s", code, want, out)
		}
	}
}

func TestWatchReplaySays(t *testing.T) {
	file := nightCSV(t, "a.csv", "sql01", 2, -60)
	other := nightCSV(t, "b.csv", "web01", 2, -60)
	for name, c := range map[string]struct {
		args []string
		code int
		want string // of all that it says
		not  string
	}{
		"a rule that finds nothing": {[]string{"--alert", `\Memory\Available MBytes<200`, "--alert", `\Memory\Nothing>1`}, exitPartly, `not judged: \Memory\Nothing>1`, ""},
		"a rule of a like name":     {[]string{"--alert", `\Memory\Available MBytes<200`, "--alert", `\Memory\Availabel MBytes>1`}, exitPartly, "did you mean 'Available MBytes'?", ""},
		"none finds anything":       {[]string{"--alert", `\Memory\Nothing>1`}, exitFailed, "nothing that a rule asks for", ""},
		"a pack may find nothing":   {[]string{"--alert", `\Memory\Available MBytes<200`, "--pack", "sqlserver"}, exitDone, "not judged: ", ""},
		"no rule":                   {nil, exitUsage, "there are no rules", ""},
		"begin":                     {[]string{"--alert", `\Memory\Available MBytes<200`, "--begin", "00:02:20"}, exitDone, "2026-03-03T00:02:30+01:00 warning fired", "00:02:00+01:00"},
		"end":                       {[]string{"--alert", `\Memory\Available MBytes<200`, "--end", "00:01"}, exitDone, "fired 0 times", "warning fired"},
		"begin that is no time":     {[]string{"--alert", `\Memory\Available MBytes<200`, "--begin", "99:99"}, exitUsage, "not a time", ""},
		"begin behind the end":      {[]string{"--alert", `\Memory\Available MBytes<200`, "--begin", "2027-01-01"}, exitUsage, "not within the recording", ""},
		"two files":                 {[]string{other, "--alert", `\Memory\Available MBytes<200`}, exitDone, "fired twice", ""},
		"one host of two":           {[]string{other, "--alert", `\Memory\Available MBytes<200`, "-H", "web01"}, exitDone, "fired once", "sql01"},
		"no such file":              {[]string{"nothing.csv", "--alert", `\Memory\Available MBytes<200`}, exitFailed, "nothing.csv", ""},
		"the demo":                  {[]string{"--demo"}, exitUsage, "exclude each other", ""},
		"an interval":               {[]string{"--alert", `\Memory\Available MBytes<200`, "-i", "60"}, exitDone, "fired once", ""},
		"too short an interval":     {[]string{"--alert", `\Memory\Available MBytes<200`, "-i", "0.1"}, exitUsage, "each second at most", ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, said, code := triedOn(t, file, "", c.args...)
			if all := out + said; code != c.code || !strings.Contains(all, c.want) || c.not != "" && strings.Contains(all, c.not) {
				t.Errorf("exit code %d, want %d:\n%s", code, c.code, all)
			}
		})
	}
	p := &program{}
	if err := (&watchFlags{}).check([]string{"a.csv"}, false); p.reportCode(err) != exitUsage {
		t.Errorf("a file without --replay: %v", err)
	}
}

// A recording that makes rules fire without end is judged up to some events, and that is told.
func TestWatchReplayStops(t *testing.T) {
	const instances, samples = 2000, 60
	var text strings.Builder
	text.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for i := range instances {
		fmt.Fprintf(&text, `,"\\sql01\Job(%d)\Errors"`, i)
	}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range samples {
		text.WriteString("\r\n\"" + start.Add(time.Duration(i)*15*time.Second).Format("01/02/2006 15:04:05.000") + `"` + strings.Repeat(fmt.Sprintf(`,"%d"`, i%2), instances))
	}
	file := filepath.Join(t.TempDir(), "flaps.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said, code := triedOn(t, file, "", "--alert", `\Job(*)\Errors > 0`, "--json")
	if !strings.Contains(said, "100000 events") || code != 3 {
		t.Errorf("exit code %d: %s", code, said)
	}
	if n := strings.Count(out, "\n"); n > 110_000 {
		t.Errorf("%d lines", n)
	}
}
