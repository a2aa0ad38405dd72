//go:build !windows

package main

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/note/notebook"
)

// A user writes a note into a recording that is played: it stands on the chart, on the bar
// and in the Log, and beside the recording, where the next one finds it.
func TestNoteOnATerminal(t *testing.T) {
	t.Parallel()
	file := nightCSV(t, "night.csv", "sql01", 9, 0)
	for round, text := range []string{"deploy 4.2", "and rolled back"} {
		c := onConsole(t, []string{"TZ=UTC"}, "replay", file)
		c.awaitText("Replay night.csv")
		if round > 0 {
			c.write("8")
			c.awaitText("note: deploy 4.2")
		}
		c.write(".")
		c.awaitText("the end")
		if round > 0 {
			c.write("[")
		}
		c.write("I")
		c.awaitText("Note at")
		c.write(text + "\r")
		c.awaitText("noted: " + text)
		c.await("the mark on the bar", func(text string) bool {
			rows := strings.Split(text, "\n")
			return len(rows) > 3 && strings.Contains(rows[len(rows)-2], "n")
		})
		c.write("8")
		c.awaitText("note: " + text)
		c.write("1c")
		c.awaitText("[5 Chart]")
		c.awaitText(text)
		c.write("q")
		c.ends()
	}
	notes, damaged := notebook.Of([]string{file}, nil, time.Time{}, time.Time{})
	if len(damaged) > 0 || len(notes) != 2 || notes[1].Text != "deploy 4.2" {
		t.Errorf("%v, %v", notes, damaged)
	}
}
