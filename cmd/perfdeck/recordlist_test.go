package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collector"
)

// TestRecordingsNews: the screens begin with what became of recordings, and with
// commands that fit a narrow terminal; what ended is told once.
func TestRecordingsNews(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	dir := collector.RecordingsDir(filepath.Join(state, "perfdeck"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	noted := time.Now().UTC().Format(time.RFC3339)
	for id, more := range map[string]string{
		"aaaaaa": "stopped = " + noted + "\nreason = \"the disk is full\"\n",
		"bbbbbb": "",
		"cccccc": "reason = \"internal error: boom\"\n",
	} {
		text := "version = 1\nid = \"" + id + "\"\nstarted = " + noted + "\nnoted = " + noted + "\n" + more +
			"samples = 3\nmissed = 0\n[[host]]\nname = \"a\"\npaths = ['\\Memory\\*']\n" +
			"[[file]]\nname = \"/var/log/a/folder/whose/name/is/long/" + id + ".db\"\nserial = 1\nrows = 3\n"
		if err := os.WriteFile(filepath.Join(dir, id+".toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &program{}
	news := p.recordingsNews()
	all := strings.Join(news, "\n")
	for _, want := range []string{"aaaaaa.db", "the disk is full", "bbbbbb.db was interrupted", "internal error: boom"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing is said of %q:\n%s", want, all)
		}
	}
	const narrow = 37 // cells that the Log has on 60
	for _, command := range []string{"perfdeck record --resume bbbbbb", "perfdeck record --resume cccccc"} {
		i := slices.IndexFunc(news, func(line string) bool { return strings.Contains(line, command) })
		if i < 0 || len(news[i]) > narrow {
			t.Errorf("%q is not there, or is cut:\n%s", command, all)
		}
	}
	if again := strings.Join(p.recordingsNews(), "\n"); strings.Contains(again, "aaaaaa") || !strings.Contains(again, "--resume bbbbbb") {
		t.Errorf("the next time: %s", again)
	}
}

// A successor logs on to a host as whom the user typed, and goes on without a host that
// it cannot open.
func TestHeirLogsOnAsTyped(t *testing.T) {
	p := loggingOn(t)
	p.config = new(config.Config)
	as, err := p.accounts().Typed(`CORP\ana`, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	typed, err := opened(t, p, "web01:1", as)
	if err != nil {
		t.Fatal(err)
	}
	defer typed.Source.Close()
	described := []collector.Host{
		{Name: "web01:1", Open: typed.Open, Account: typed.Account()},
		{Name: "sql01:1", Open: "sql01:1", Account: func() string { return "" }}, // nothing says as whom
	}
	successor := loggingOn(t)
	successor.config = new(config.Config)
	successor.accounts().SetHandedOn(p.accounts().HandedOn())
	o := collector.Options{Subject: collector.Subject{Hosts: described}}
	hosts, err := successor.reopenHosts(t.Context(), &o, true)
	if err != nil {
		t.Fatal(err)
	}
	defer inventory.CloseAll(hosts)
	if len(hosts) != 1 || len(o.Hosts) != 1 || o.Hosts[0].Name != "web01:1" || o.Hosts[0].Sampler == nil || o.Hosts[0].Account() != `CORP\ana` {
		t.Errorf("reopened %+v", o.Hosts)
	}
	// Who resumes by hand is told instead.
	o = collector.Options{Subject: collector.Subject{Hosts: described}}
	if _, err := successor.reopenHosts(t.Context(), &o, false); err == nil {
		t.Error("resumed without a host")
	}
}
