//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"perfdeck/session/system/sharedtest"
)

// alertmanager is the real one, on this computer.
type alertmanager struct {
	testing.TB
	address string
	dir     string
	cmd     *exec.Cmd
	said    strings.Builder

	mu   sync.Mutex
	told []string // state and name of each alert that its receiver was told of
}

// startAlertmanager runs Debian's, which tells everything to a receiver at once.
func startAlertmanager(t testing.TB) *alertmanager {
	t.Helper()
	a := &alertmanager{TB: t, dir: t.TempDir()}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		var p struct {
			Alerts []struct {
				Status string
				Labels map[string]string
			}
		}
		if err := json.NewDecoder(q.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, one := range p.Alerts {
			a.told = append(a.told, one.Status+" "+one.Labels["alertname"])
		}
	}))
	t.Cleanup(receiver.Close)
	text := "route: {receiver: here, group_by: ['...'], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}\nreceivers: [{name: here, webhook_configs: [{url: \"" + receiver.URL + "\", send_resolved: true}]}]\n"
	if err := os.WriteFile(filepath.Join(a.dir, "am.yml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a.address = l.Addr().String()
	_ = l.Close()
	a.start()
	t.Cleanup(a.end)
	return a
}

func (a *alertmanager) start() {
	a.Helper()
	name, err := exec.LookPath("prometheus-alertmanager")
	if err != nil {
		a.Skip("prometheus-alertmanager is not installed (Debian's package of that name): alerts are NOT sent to the real one")
	}
	a.cmd = exec.CommandContext(a.Context(), name, "--config.file="+filepath.Join(a.dir, "am.yml"), "--storage.path="+filepath.Join(a.dir, "data"),
		"--web.listen-address="+a.address, "--cluster.listen-address=")
	a.cmd.Stderr = &a.said
	if err := a.cmd.Start(); err != nil {
		a.Fatal(err)
	}
	sharedtest.Until(a, &a.said, func() bool { _, err := a.alerts(); return err == nil })
}

func (a *alertmanager) end() {
	if a.cmd.ProcessState == nil {
		_ = a.cmd.Process.Signal(syscall.SIGTERM) // it keeps what it told
		_ = a.cmd.Process.Signal(syscall.SIGCONT)
		_ = a.cmd.Wait()
	}
}

// amAlert is an alert as the API tells it.
type amAlert struct {
	Labels, Annotations         map[string]string
	StartsAt, EndsAt, UpdatedAt time.Time
	Fingerprint                 string
}

func (a *alertmanager) alerts() (out []amAlert, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+a.address+"/api/v2/alerts", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return out, json.NewDecoder(answer.Body).Decode(&out)
}

// until waits for alerts that are as they should be.
func (a *alertmanager) until(what string, fits func([]amAlert) bool) (got []amAlert) {
	a.Helper()
	sharedtest.Until(a, what, func() (ok bool) {
		var err error
		got, err = a.alerts()
		return err == nil && fits(got)
	})
	return got
}

// hears waits until the receiver was told something so often.
func (a *alertmanager) hears(text string, times int) {
	a.Helper()
	n := 0
	sharedtest.Until(a, text, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		n = strings.Count(strings.Join(a.told, "\n"), text)
		return n >= times
	})
	if n != times {
		a.Errorf("told %q %d times, want %d: %q", text, n, times, a.told)
	}
}

// The real Alertmanager: one alert over many repeats and over restarts of both, and its
// end, also when it comes about while nobody takes it and we are killed.
func TestRealAlertmanager(t *testing.T) {
	t.Parallel()
	am := startAlertmanager(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "c.toml")
	conf := func(rules string) {
		text := fmt.Sprintf("[[alertmanager]]\nname = 'ops'\nurls = ['http://%s/', 'http://127.0.0.1:1']\nrepeat = '5s'\nlabels = {site = 'fra'}\n%s", am.address, rules)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const low, more = "[[alert]]\nname = 'low {{ .x }} \"内存\"'\nwhen = '" + someMemory + "'\ninterval = 1\nthen = ['alertmanager:ops']\n",
		"[[alert]]\nname = 'many'\nwhen = '\\Processor Information(_Total)\\% Processor Time > -1'\ninterval = 1\nthen = ['alertmanager:ops']\n"
	conf(low + more)
	w := startWatch(t, dir, "--config", file)
	first := am.until("both fire", func(all []amAlert) bool { return len(all) == 2 })
	byName := map[string]amAlert{}
	for _, one := range first {
		byName[one.Labels["alertname"]] = one
		if one.Labels["site"] != "fra" || one.Labels["severity"] != "warning" || one.Labels["host"] == "" || one.Annotations["summary"] == "" || one.Annotations["threshold"] == "" {
			t.Errorf("alert %+v", one)
		}
		if ahead := time.Until(one.EndsAt); ahead < 10*time.Second || ahead > 21*time.Second {
			t.Errorf("it ends in %v unless it is repeated", ahead)
		}
	}
	if l := byName["many"].Labels; l["core"] != "_Total" || l["counterset"] != "Processor Information" || l["counter"] != "% Processor Time" || l["instance"] != "" {
		t.Errorf("labels %v", l)
	}
	am.hears(`firing low {{ .x }} "内存"`, 1)
	same := func(all []amAlert, since time.Time) bool {
		n := 0
		for _, one := range all {
			was := byName[one.Labels["alertname"]]
			if one.Fingerprint == was.Fingerprint && one.StartsAt.Equal(was.StartsAt) && one.UpdatedAt.After(since) {
				n++
			}
		}
		return n == 2 && len(all) == 2
	}
	am.until("repeated", func(all []amAlert) bool { return same(all, byName["many"].UpdatedAt.Add(time.Second)) })
	runIn(t, dir, "--config", file, "alerts", "ack", "many")
	am.until("acknowledged", func(all []amAlert) bool {
		for _, one := range all {
			if strings.HasPrefix(one.Annotations["acknowledged"], "by ") && one.Labels["alertname"] == "many" {
				return same(all, time.Time{})
			}
		}
		return false
	})

	// Ours is killed and comes back; theirs, too.
	w.end(syscall.SIGKILL)
	w = startWatch(t, dir, "--config", file)
	killed := time.Now()
	am.until("one alert over a restart of ours", func(all []amAlert) bool { return same(all, killed) })
	am.end()
	am.start()
	am.until("told again after a restart of theirs", func(all []amAlert) bool { return same(all, time.Time{}) })

	// What ends is told, at once.
	conf(low)
	if err := w.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	am.until("the end of one", func(all []amAlert) bool { return len(all) == 1 })
	am.hears("resolved many", 1)

	// An end while theirs hangs, and ours is killed right away: the next run tells it.
	if err := am.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	conf("[[alert]]\nname = 'other'\nwhen = '" + someMemory + "'\ninterval = 1\n")
	if err := w.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	w.until(`cleared "low`)
	w.end(syscall.SIGKILL)
	if err := am.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w = startWatch(t, dir, "--config", file)
	am.until("its end", func(all []amAlert) bool { return len(all) == 0 })
	am.hears("resolved low", 1)
	am.hears("firing", 2) // nothing fired twice
	if _, code := w.end(syscall.SIGTERM); code != 0 || strings.Count(w.err.String(), "127.0.0.1:1") > 1 {
		t.Errorf("exit code %d: %s", code, w.err.String())
	}
}
