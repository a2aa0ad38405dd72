//go:build !windows

package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"perfdeck/session/engine/enginetest"
	"perfdeck/session/system/sharedtest"
)

// The configuration that README gives for engines, with a short interval.
const readmeScrape = `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: perfdeck
    static_configs: [{targets: [%[1]q]}]
  - job_name: perfdeck-hosts
    metrics_path: /probe
    params: {counterset: [Memory]}
    http_sd_configs: [{url: "http://%[1]s/sd"}]
    relabel_configs:
      - {source_labels: [__address__], target_label: __param_target}
      - {source_labels: [__address__], target_label: instance}
      - {replacement: %[1]q, target_label: __address__}
`

// The real engines scrape the exporter as README says: they discover the hosts, have their
// values, and lose them when the exporter ends.
func TestExporterScraped(t *testing.T) {
	t.Parallel()
	for _, kind := range enginetest.Both() {
		t.Run(kind.Name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), binary(t), "exporter", "--demo", "--listen", "127.0.0.1:0", "--expose", "Memory")
			cmd.Env = append(slices.Clone(plainEnviron), "XDG_STATE_HOME="+t.TempDir())
			out, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			lines := bufio.NewScanner(out)
			lines.Scan()
			at := regexp.MustCompile(`http://([^/]+)/metrics`).FindStringSubmatch(lines.Text())
			if at == nil {
				t.Fatal(lines.Text())
			}
			live := enginetest.Start(t, kind, fmt.Sprintf(readmeScrape, at[1]))
			hosts := func(expression string) (names []string) {
				live.Flush()
				for _, s := range live.Query(expression, time.Now()) {
					names = append(names, s.Labels["instance"]+s.Labels["host"])
				}
				slices.Sort(names)
				return slices.Compact(names)
			}
			await := func(what, expression string, want ...string) {
				t.Helper()
				sharedtest.Until(t, what, func() bool { return slices.Equal(hosts(expression), want) })
			}
			await("one scrape of all", `windows_memory_available_bytes{job="perfdeck"} * on (host) group_left () perfdeck_host_up{job="perfdeck"} > 0`, at[1]+"dc01", at[1]+"sql01", at[1]+"web02")
			await("a scrape each", `windows_memory_available_bytes{job="perfdeck-hosts"}`, "dc01dc01", "sql01sql01", "web02web02")
			await("one that is denied", `perfdeck_host_down_info{job="perfdeck-hosts",reason="denied"}`, "sql04sql04")
			await("every host is a target that answers", `up{job="perfdeck-hosts"} == 1`, "dc01", "sql01", "sql04", "web02")
			_ = cmd.Process.Signal(syscall.SIGTERM)
			await("after the end", `windows_memory_available_bytes`)
		})
	}
}
