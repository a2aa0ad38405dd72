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
	t.Cleanup(func() { _ = stopped.cmd.Process.Signal(syscall.SIGCONT) })
	why := func(name string, args []string, check func(t *testing.T, out, said string, code int)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits as long as the log-on may take
			out, said, code := runs(t, withPassword(testPassword), append([]string{"why", "--user=" + testUser, "--for=2s"}, args...)...)
			check(t, out, said, code)
		})
	}
	why("alone", []string{stopped.host()}, func(t *testing.T, out, said string, code int) {
		if code != exitFailed || !strings.Contains(said, stopped.address) || !strings.Contains(said, "log on") {
			t.Errorf("code %d, %q, %s", code, out, said)
		}
	})
	why("as a plugin", []string{"--check", stopped.host()}, func(t *testing.T, out, _ string, code int) {
		if code != exitPartly || !strings.HasPrefix(out, "UNKNOWN: ") || !strings.Contains(out, stopped.address) {
			t.Errorf("code %d, %q", code, out)
		}
	})
	why("beside another", []string{well.host(), stopped.host()}, func(t *testing.T, out, said string, code int) {
		if code != exitPartly || !strings.Contains(out, "not known: "+stopped.address) || !strings.Contains(out, well.address) {
			t.Errorf("code %d, %s, %s", code, out, said)
		}
	})
	why("as JSON", []string{"-fjson", well.host(), stopped.host()}, func(t *testing.T, out, said string, code int) {
		var told struct{ Missing []string }
		if err := json.Unmarshal([]byte(out), &told); err != nil || code != exitPartly || len(told.Missing) != 1 || !strings.Contains(told.Missing[0], stopped.address) {
			t.Errorf("code %d, missing %q, %v, %s", code, told.Missing, err, said)
		}
	})
}
