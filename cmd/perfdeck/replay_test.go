package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/cmd/perfdeck/screens"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
	"perfdeck/tui/pane"
	bar "perfdeck/tui/pane/replay"
)

// nightCSV is a recording of ten minutes at 15 s from 23:55 on, with a gap of two
// minutes at midnight; memory falls short for a minute behind it.
func nightCSV(t testing.TB, name, host string, day int, bias int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "\"(PDH-CSV 4.0) (W. Europe)(%d)\"", bias)
	for _, path := range []string{`\Memory\Available MBytes`, `\Memory\Pages/sec`, `\Process(a)\% Processor Time`, `\Process(b)\% Processor Time`} {
		fmt.Fprintf(&b, `,"\\%s%s"`, host, path)
	}
	b.WriteString("\r\n")
	at := time.Date(2026, 3, day, 23, 55, 0, 0, time.UTC)
	for i := range 40 {
		if i == 20 {
			at = at.Add(2 * time.Minute)
		}
		free := 9000 + i
		if i >= 20 && i < 24 {
			free = 100
		}
		fmt.Fprintf(&b, "%q,\"%d\",\"%d\",\"%d\",\"%d\"\r\n", at.Format("01/02/2006 15:04:05.000"), free, i, i%7, 100-i)
		at = at.Add(15 * time.Second)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func testProgram() *program {
	return &program{guard: guard.New(func(e *guard.PanicError) { panic(e) })}
}

// A replay waits at its first sample, or where --at says, until somebody plays it.
func TestReplayBeginsAtTheEnd(t *testing.T) {
	for at, want := range map[string]string{"": "00:06:45", "00:03": "00:03:00", "+90s": "23:56:30"} {
		player, err := testProgram().openReplay(t.Context(), []string{nightCSV(t, "a.csv", "sql01", 2, -60)}, replayFlags{align: "clock", At: at})
		if err != nil {
			t.Fatal(err)
		}
		if got := player.Position().Format(time.TimeOnly); got != want || player.Playing() {
			t.Errorf("--at %q begins at %s, plays %v", at, got, player.Playing())
		}
		player.Close()
	}
}

// Rules are judged over the whole recording; what is laid over it has no marks.
func TestRulesOverARecording(t *testing.T) {
	p := testProgram()
	player, err := p.openReplay(t.Context(), []string{nightCSV(t, "a.csv", "sql01", 2, -60), nightCSV(t, "b.csv", "sql01", 1, -60)}, replayFlags{Overlay: true, align: "clock"})
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	rules, mistakes := ruleset.Parse([]string{`\Memory\Available MBytes<200`, `\Process(*)\% Processor Time>99`, "absent host"})
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	rules[1].Severity = alert.Critical
	past, told := backtest.NewPast(player, rules, nil), false
	past.Judge(t.Context(), alert.BacktestOptions{Rules: rules}, func() { told = true })
	if !told || !past.IsJudged() {
		t.Error("nobody is told that the rules are judged")
	}
	marks := player.Marks()
	want := map[string]replay.MarkKind{"00:00:52": replay.Warning, "00:02:00": replay.Warning, "23:55:00": replay.Critical}
	if len(marks) != len(want) {
		t.Errorf("%d marks: %+v", len(marks), marks)
	}
	for _, m := range marks {
		if kind, ok := want[m.At.Format(time.TimeOnly)]; !ok || kind != m.Kind || m.Text == "" {
			t.Errorf("mark %+v", m)
		}
	}
}

// The bar knows the player by what stands between them.
func TestControllerOfABar(t *testing.T) {
	player, err := testProgram().openReplay(t.Context(), []string{nightCSV(t, "a.csv", "sql01", 2, -60)}, replayFlags{align: "clock", At: "00:03", Speed: "x20"})
	if err != nil {
		t.Fatal(err)
	}
	if got := player.Position().Format("2006-01-02 15:04 -0700"); got != "2026-03-03 00:03 +0100" || !player.Playing() || player.Speed() != 20 {
		t.Errorf("at %s, x%d", got, player.Speed())
	}
	player.Play(false)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); player.Run(ctx) }()
	defer func() { cancel(); <-done }()
	var c bar.Controller = &screens.Player{Player: player}
	host := player.Hosts()[0]
	target := pane.Target{Host: &pane.Host{Name: "sql01", Sampler: host, Feed: host}, Set: host.Catalogue().Set("Memory")}
	for {
		<-c.Changed()
		list, seen := c.Overview(target, 10)
		if seen < 1 {
			continue
		}
		if gaps, _ := c.Gaps(); len(gaps) != 1 || gaps[0].To.Sub(gaps[0].From) != 2*time.Minute+15*time.Second {
			t.Errorf("gaps %v", gaps)
		}
		if list[0].Min != 9000 || list[5] != (bar.Cell{Min: 100, Max: 100, Has: true}) || list[9].Max != 9039 {
			t.Errorf("overview %v", list)
		}
		break
	}
	c.SetBookmark(player.Position(), true)
	player.SetAlerts([]replay.Mark{{At: player.Position().Add(1), Kind: replay.Critical, Text: "disk"}})
	if marks := c.Marks(); len(marks) != 2 || marks[0].Level != pane.Info || marks[1].Level != pane.Critical || marks[1].Text != "disk" {
		t.Errorf("marks %+v", marks)
	}
	if about := c.About(); about.Counters != 4 || about.Interval != 15*time.Second || len(about.Hosts) != 1 {
		t.Errorf("about %+v", about)
	}
}

func TestReplayUsage(t *testing.T) {
	p, file := testProgram(), nightCSV(t, "a.csv", "sql01", 2, -60)
	for name, f := range map[string]replayFlags{
		"align": {align: "moon"}, "speed": {align: "clock", Speed: "0"}, "at": {align: "clock", At: "noon"},
		"outside": {align: "clock", At: "2026-03-05 12:00"}, "within": {align: "clock", Within: "x"},
	} {
		if _, err := p.openReplay(t.Context(), []string{file}, f); err == nil || p.reportCode(err) != exitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// reportCode is the exit code of an error.
func (p *program) reportCode(err error) int {
	null, openErr := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if openErr != nil {
		return -1
	}
	defer null.Close()
	p.err = null
	return p.report(err)
}

// A recording that is played at once begins with the first sample that has rates: rates that
// were cooked from raw values have none at first.
func TestRecordingBeginsWithRates(t *testing.T) {
	for name, c := range map[string]struct{ first, second string }{
		"rates": {`"1"," "," "`, "01"},
		"all":   {`"1","1","1"`, "00"},
	} {
		file := filepath.Join(t.TempDir(), "some.csv")
		text := `"(PDH-CSV 4.0) (UTC)(0)","\\a\M\A","\\a\M\B/sec","\\a\M\C/sec"` +
			"\r\n\"03/02/2026 09:00:00.000\"," + c.first + "\r\n\"03/02/2026 09:00:01.000\",\"1\",\"1\",\"1\"" + "\r\n\"03/02/2026 09:00:02.000\",\"1\",\"1\",\"1\"\r\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		player, err := testProgram().openReplay(t.Context(), []string{file}, replayFlags{align: "clock", Speed: "1"})
		if err != nil {
			t.Fatal(err)
		}
		player.Play(false)
		if at := player.Position().Format("05"); at != c.second {
			t.Errorf("%s: begins at %s, want %s", name, at, c.second)
		}
		player.Close()
	}
}
