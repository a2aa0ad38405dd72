//go:build !windows

package main

import (
	"strings"
	"testing"

	"perfdeck/session/deliver/journal/journaltest"
)

// A recording is played on a terminal: the bar shows it in its own zone, keys move
// its time, what is laid over it is a host of its own.
func TestReplayOnATerminal(t *testing.T) {
	t.Parallel()
	c := onConsole(t, []string{"TZ=Asia/Tokyo"}, "replay", "--overlay", nightCSV(t, "today.csv", "sql01", 9, -60), nightCSV(t, "week.csv", "sql01", 2, 0),
		"--at", "00:03", "--alert", `\Memory\Available MBytes<200`)
	c.awaitText("Replay today.csv")
	c.awaitText("paused   00:03:00")
	c.awaitText("sql01 (last week)")
	c.awaitText("▲") // the alert, on the bar
	c.write("!")
	c.awaitText("paused   00:02:00")
	c.write("[")
	c.awaitText("00:01:00")
	c.write(".")
	c.awaitText("the end")
	c.awaitText("00:06:45")
	c.write("@")
	c.awaitText("Go to")
	c.write("23:56\r")
	c.awaitText("paused   23:56:00")
	c.write("i")
	c.awaitText("Speed")
	c.write("1000\r")
	c.await("no dialog", func(text string) bool { return !strings.Contains(text, "Speed") })
	c.write("p")
	c.await("the end", func(text string) bool {
		return strings.Contains(text, "paused   00:06:45   the end")
	})
	c.write("?")
	c.await("one key p", func(text string) bool {
		return strings.Contains(text, "Help: ") && strings.Contains(text, "gap before") && !strings.Contains(text, "pause the screen")
	})
	c.write("?")
	c.await("no help", func(text string) bool { return !strings.Contains(text, "Help: ") })
	c.write("8")
	c.await("the Log of the recording", func(text string) bool {
		return strings.Contains(text, "Mon") && strings.Contains(text, "2026-03-10 00:06:45") && strings.Contains(text, "no samples") &&
			!strings.Contains(text, "answers")
	})
	c.write("q")
	c.ends()
	c.isGivenBack()
}

// A rule that was made on the screens is judged on a recording, too.
func TestReplayHasRulesOfTheScreens(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	journaltest.KeepRules(t, state, "other", "low memory", `\Memory\Available MBytes<200`)
	c := onConsole(t, []string{"XDG_STATE_HOME=" + state}, "replay", nightCSV(t, "today.csv", "sql01", 9, -60))
	c.awaitText("paused   00:02:00") // where it was worst
	c.awaitText("sql01: ")
	c.awaitText("p play")
	c.write("0")
	c.awaitText("paused   23:55:00")
	c.awaitText("■") // what was wrong, on the bar
	c.write("!")
	c.awaitText("paused   00:02:00")
	c.write("q")
	c.ends()
	c.isGivenBack()
}

// Whoever pressed a key before a recording was judged is left where he went.
func TestReplayLeavesWhoMoved(t *testing.T) {
	c := onConsole(t, []string{"XDG_STATE_HOME=" + t.TempDir()}, "replay", "--at", "23:57", nightCSV(t, "today.csv", "sql01", 9, -60))
	c.awaitText("paused   23:57:00")
	c.awaitText("■") // judged
	c.awaitText("paused   23:57:00")
	c.write("q")
	c.ends()
}
