//go:build unix

package main

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdeck/session/hosts/ssh/sshtest"
)

// TestScriptsOverSSH runs the program as a shell would, with hosts that a real ssh leads
// to: every name is one host, of a made-up computer, on which perfdeck is installed.
func TestScriptsOverSSH(t *testing.T) {
	t.Parallel()
	server := new(sshtest.Shared)
	t.Cleanup(server.Stop)
	h := server.Need(t).Host(t, `export HOME="$D/home" PATH="$D/bin:$PATH" `+computerVariable+`="$D/computer"; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"computer/proc/meminfo": "MemTotal: 4096000 kB\nMemFree: 1048576 kB\nMemAvailable: 2097152 kB\n",
		"computer/proc/stat":    "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 100 0 100 800 0 0 0 0 0 0\nintr 50 1\nctxt 7\nbtime 1700000000\nprocesses 3\nprocs_running 1\nprocs_blocked 0\n",
		"computer/proc/uptime":  "1000.00 900.00\n",
		"computer/sys/empty":    "",
		"computer/proc/net/dev": netDev("lo", 100, "eth0", 5, "lan", 9),

		"computer/sys/class/net/eth0/device/is": "x",
		"bin/empty":                             "",
	} {
		file := filepath.Join(h.Dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(own, filepath.Join(h.Dir, "bin/perfdeck")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/ssh",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("PATH", h.Dir+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("FARHOME", h.Home)
			e.Setenv("ME", me.Username)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode},
	})
}

// netDev are interfaces with so many faulty packets received, as Linux lists them.
func netDev(errs ...any) string {
	text := "Inter-|   Receive  |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
	for i := 0; i < len(errs); i += 2 {
		text += fmt.Sprintf("%s: 1000 10 %d 0 0 0 0 0 500 10 0 0 0 0 0 0\n", errs[i], errs[i+1])
	}
	return text
}
