//go:build !windows

package main

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The first sample is told long before the interval is over, with processes and
// the adapters' total.
func TestPlainSpeaksAtOnce(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), binary(t), "--demo", "--plain", "-i", "1h")
	cmd.Env = stateOf(t.TempDir())
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var heard []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		heard = append(heard, lines.Text())
		if all := strings.Join(heard, "\n"); strings.Contains(all, "Processor Time") && strings.Contains(all, "Network Interface total") && strings.Contains(all, "Process") {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if text := complaints.String(); strings.Contains(text, "look up") {
				t.Errorf("it misses what nobody asked for: %s", text)
			}
			return
		}
	}
	t.Errorf("it says %q", heard)
	_ = cmd.Wait()
}
