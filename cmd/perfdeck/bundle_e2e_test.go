//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/bundle"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/screenlog"
)

// A bundle opens on all screens where nothing of its maker is: its deck comes first, its
// rule is judged, its log is told, what users did to alerts stands in the history; no rule
// of whoever opens it is judged, and nothing is run.
func TestBundleOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := formats.Open(t.Context(), nightCSV(t, "today.csv", "sql01", 9, -60), logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rule, err := alert.ParseRule(`\Memory\Available MBytes<200`)
	if err != nil {
		t.Fatal(err)
	}
	rule.Name, rule.Actions = "low memory", []alert.Action{{Do: alert.Task, Name: "act"}}
	at := time.Date(2026, 3, 9, 23, 57, 0, 0, time.FixedZone("", 3600))
	name := filepath.Join(dir, "incident"+bundle.Extension)
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Write(t.Context(), f, []bundle.Recording{{Title: "today", Reader: r}}, bundle.Extras{
		Decks:  []session.Deck{{Name: "their deck", Panes: []session.DeckPane{{Host: "sql01", Paths: []string{`\Memory\Pages/sec`}}}}},
		Rules:  []alert.Rule{rule},
		Events: []alert.Event{{Seq: 1, Time: at, Kind: alert.Muted, ID: alert.ID{Rule: "low memory", Host: "sql01"}, Until: at.Add(time.Hour), By: "theirs"}},
		Log:    []screenlog.Entry{{Time: at, Level: "warning", Host: "sql01", Text: "no answer, attempt 7"}},
	}, bundle.Options{Folder: dir})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "config", "perfdeck")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	acted := filepath.Join(dir, "acted")
	own := "[[alert]]\nname = \"of my own\"\nwhen = '\\Memory\\Pages/sec > 0'\nthen = [\"task:act\"]\n[tasks.act]\ncommand = [\"touch\", \"" + acted + "\"]\n"
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	c := onConsole(t, []string{"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "TMPDIR=" + dir}, name)
	c.awaitText("Replay incident.perfdeck")
	c.awaitText("their deck")
	c.awaitText("Pages/sec")
	c.awaitText("▲") // its rule, on the bar
	c.write("6")
	c.awaitText("low memory")
	c.awaitText("theirs")
	c.write("8")
	c.awaitText("no answer, attempt 7")
	for _, key := range []string{"2", "3", "4", "5", "7", "9", "1"} {
		c.write(key)
		c.awaitText("[" + key + " ")
	}
	c.write("q")
	c.ends()
	c.isGivenBack()
	if _, err := os.Stat(acted); err == nil {
		t.Error("an action was run")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "perfdeck-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
