//go:build !windows

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/hosts/pla/platest"
)

// A question about a set of a host is left by ctrl+c, and nothing is changed or held.
func TestQuestionIsLeft(t *testing.T) {
	host := platest.Start(t, platest.Options{})
	host.Add(pla.Service, platest.Set{Name: "Detail", XML: plaXML("Detail"), Status: pla.Running})
	file := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("[[host]]\nname = \"web01\"\naddress = \"127.0.0.1\"\nuser = '%s'\nendpoint_port = %d\n", platest.User, host.Port())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for asked, args := range map[string][]string{"(yes/no)": {"update", "Detail", "--every=5"}, "password of": {"create", "counter", "New", `\Memory\*`, "--run-as=ana"}} {
		c := onConsole(t, []string{passwordVariable + "=" + platest.Password}, append([]string{"collect", "--config=" + file, "--host=web01"}, args...)...)
		c.awaitText(asked)
		c.write("\x03")
		if code := c.ends(); code != exitFailed || strings.Contains(c.written(), "ended by signal") {
			t.Errorf("%q: exit code %d\n%s", args, code, c.written()) // what waits for its end is ended by force, seconds later
		}
		if held, _ := host.References(); held != 0 {
			t.Errorf("%q: %d references are held", args, held)
		}
		if is, _ := host.Set(pla.Name{Set: "Detail"}); is.XML != plaXML("Detail") {
			t.Errorf("%q: it is %+v", args, is)
		}
	}
}
