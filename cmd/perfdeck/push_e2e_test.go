//go:build !windows

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"perfdeck/session/app/inventory"
	"perfdeck/session/engine/enginetest"
	"perfdeck/session/system/sharedtest"
)

// pushRun runs perfdeck until an expression has samples on the engine, or for so long, and
// ends it as ctrl+c does.
func pushRun(t *testing.T, live *enginetest.Engine, until string, args ...string) (said string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	cmd.Env = append(slices.Clone(plainEnviron), "XDG_STATE_HOME="+t.TempDir())
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sharedtest.Until(t, until, func() bool { return len(live.Query(until, time.Now())) > 0 })
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}

// hostsOn are the hosts that the engine had of a selector in the last minutes.
func hostsOn(live *enginetest.Engine, selector string) (names []string) {
	for _, s := range live.Query("count by (host) (last_over_time("+selector+"[5m]))", time.Now()) {
		names = append(names, s.Labels["host"])
	}
	slices.Sort(names)
	return names
}

// Two shards push each host once between them; their series end with them.
func TestPushShards(t *testing.T) {
	t.Parallel()
	live := enginetest.Start(t, enginetest.Prometheus, "")
	var all []string
	for _, shard := range []string{"1/2", "2/2"} {
		selector := fmt.Sprintf("perfdeck_host_up{shard=%q}", shard)
		said, code := pushRun(t, live, selector, "push", "--demo", "--to", live.WriteURL(), "--label", "shard="+shard, "--shard", shard, "--raw")
		if code != 0 || !strings.Contains(said, "of shard "+shard) || !strings.Contains(said, "pushed ") {
			t.Errorf("exit %d\n%s", code, said)
		}
		all = append(all, hostsOn(live, selector)...)
		if left := live.Query(selector, time.Now()); len(left) > 0 {
			t.Errorf("after its end there is %v", left)
		}
	}
	slices.Sort(all)
	if want := []string{"dc01", "sql01", "sql04", "web02"}; !slices.Equal(all, want) {
		t.Errorf("hosts %v, want %v", all, want)
	}
}

// A [[push]] of the config gets what watch samples, and what is recorded.
func TestPushBeside(t *testing.T) {
	t.Parallel()
	live := enginetest.Start(t, enginetest.Prometheus, "")
	config := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("[[push]]\nname = \"here\"\nurl = %q\ncountersets = [\"Memory\"]\ninterval = \"1s\"\nhosts = [\"local\"]\nreplica = \"a\"\nlabels = { site = \"fra\" }\n", live.WriteURL())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	selector := `windows_memory_available_bytes{site="fra",replica="a"}`
	if said, code := pushRun(t, live, selector, "--config", config, "watch"); code != 0 {
		t.Errorf("watch: exit %d\n%s", code, said)
	}
	if got := hostsOn(live, selector); !slices.Equal(got, []string{inventory.LocalName()}) {
		t.Errorf("watch pushed of %v", got)
	}
	other := `perfdeck_system_processes{site="fra"}`
	file := filepath.Join(t.TempDir(), "x.csv")
	said, code := pushRun(t, live, other, "--config", config, "record", "--demo", "-H", "dc01", "--push", "here", "-o", file, `\System\Processes`)
	if code != 0 {
		t.Errorf("record: exit %d\n%s", code, said)
	}
	if got := hostsOn(live, other); !slices.Equal(got, []string{"dc01"}) {
		t.Errorf("record pushed of %v", got)
	}
}

// What cannot be pushed to is said at once, without what is secret.
func TestPushUsage(t *testing.T) {
	t.Parallel()
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, part string }{
		{"push", "no engine is named"},
		{"push --to nowhere", "[[push]]"},
		{"push --to http://u:secret@127.0.0.1/", "must not stand in the address"},
		{"push --to http://127.0.0.1:1 --shard 9/8", "--shard"},
		{"push --to http://127.0.0.1:1 --label a-b=c", "a-b"},
		{"push --to http://127.0.0.1:1 --queue-size 1", "--queue-size 1: at least"},
		{"push --to http://far.test --to-user u --to-password-file PASSWORD", "could be read on the way"},
		{"push --to http://127.0.0.1:1 --token-file a --to-user b", "exclude"},
		{"record --demo -o FILE --push nowhere \\Memory\\*", "[[push]]"},
	} {
		args := strings.NewReplacer("FILE", filepath.Join(t.TempDir(), "none.csv"), "PASSWORD", password).Replace(c.args)
		cmd := exec.CommandContext(t.Context(), binary(t), strings.Fields(args)...)
		cmd.Env = append(slices.Clone(plainEnviron), "XDG_STATE_HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.part) || strings.Contains(string(out), "secret") {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
}
