//go:build !windows

package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
)

// A host that stopped ends why in bounded time, by its name and with what was tried; another one is
// answered all the same, in text and in JSON.
func TestWhyOfStoppedHost(t *testing.T) {
	t.Parallel()
	well, stopped := serves(t, "--expose=System,Memory"), serves(t, "--expose=System")
	_ = stopped.cmd.Process.Signal(syscall.SIGSTOP)
	defer func() { _ = stopped.cmd.Process.Signal(syscall.SIGCONT) }()
	why := func(args ...string) (out, said string, code int) {
		return runs(t, withPassword(testPassword), append([]string{"why", "--user=" + testUser, "--for=2s"}, args...)...)
	}
	out, said, code := why(stopped.host())
	if code != exitFailed || !strings.Contains(said, stopped.address) || !strings.Contains(said, "log on") {
		t.Errorf("alone: code %d, %q, %s", code, out, said)
	}
	out, _, code = why("--check", stopped.host())
	if code != exitPartly || !strings.HasPrefix(out, "UNKNOWN: ") || !strings.Contains(out, stopped.address) {
		t.Errorf("as a plugin: code %d, %q", code, out)
	}
	out, said, code = why(well.host(), stopped.host())
	if code != exitPartly || !strings.Contains(out, "not known: "+stopped.address) || !strings.Contains(out, well.address) {
		t.Errorf("beside another: code %d, %s, %s", code, out, said)
	}
	out, said, code = why("-fjson", well.host(), stopped.host())
	var told struct{ Missing []string }
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != exitPartly || len(told.Missing) != 1 || !strings.Contains(told.Missing[0], stopped.address) {
		t.Errorf("as JSON: code %d, missing %q, %v, %s", code, told.Missing, err, said)
	}
}
