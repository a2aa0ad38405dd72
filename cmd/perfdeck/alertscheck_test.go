package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"perfdeck/session/system/guard"
)

// All that is wrong is told, not only what stands first: in the file, in one rule, in
// one list, of its packs and of the command line.
func TestCheckTellsAll(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	name := filepath.Join(dir, "c.toml")
	if err := os.WriteFile(name, []byte(`
[alerts]
packs = ["disk", "nope"]
[[alert]]
name = "one"
when = '\Memory\Available MBytes ? 1'
interval = "x"
then = ["webhook:gone", "boo", "bell", "moo"]
[[alert]]
name = "two"
when = '\Memory\Available MBytes > 1'
clear = 5
aggregate = "total"
for = "9 of 3"
cooldown = -3
[[alert]]
name = "one"
when = '\*\Available MBytes > 1'
[webhooks.x]
url = "ftp://x"
`), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	p := &program{err: said, out: said}
	p.guard = guard.New(func(e *guard.PanicError) { t.Error(e) })
	code := p.report(p.checkAlerts(&cobra.Command{}, []string{name}, []string{"x", `\Memory\Available MBytes<9`, `\*\A>5`}))
	text, err := os.ReadFile(said.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"alert[1].when", "alert[1].interval", "alert[1].then: found \"webhook:gone\"", "alert[1].then[2]", "alert[1].then[4]",
		"alert[2].clear", "alert[2].aggregate", "alert[2].for", "alert[2].cooldown", "alert[3].name", "alert[3].when", "webhooks.x.url", `"nope"`, "--alert: parse x", `\*\A`,
	} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("%s is told %d times", want, strings.Count(string(text), want))
		}
	}
	if n := strings.Count(string(text), "perfdeck: "); code != exitFailed || n != 15 {
		t.Errorf("exit code %d, %d mistakes:\n%s", code, n, text)
	}
}
