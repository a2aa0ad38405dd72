//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session/system/sharedtest"
)

// saying is an engine with a host whose samples it refuses, in words of its own.
func saying(t *testing.T, refuse http.HandlerFunc) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/values"):
			_, _ = io.WriteString(w, `{"status":"success","data":["windows_os_info","windows_memory_available_bytes"]}`)
		case strings.HasPrefix(r.FormValue("query"), "group by"):
			fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"windows_os_info","instance":"evil:9182"},"value":[%d,"1"]}]}}`, time.Now().Unix())
		default:
			refuse(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return "prom+" + server.URL
}

func refusing(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"status":"error","error":"the store is away"}`)
}

// What an engine says of why there are no samples, commands say.
func TestEngineWords(t *testing.T) {
	at := saying(t, refusing)
	for _, args := range [][]string{
		{"sample", "-n", "2"}, {"explain"},
	} {
		_, stderr, code := perfdeck(t, "", append(args, "-H", at, `\Memory\Available Bytes`)...)
		if code == exitDone || strings.Count(stderr, "503 Service Unavailable: the store is away") != 1 {
			t.Errorf("%s: exit %d: %s", args[0], code, stderr)
		}
	}
}

// watch, too, tells that and why a host gives no values, and when it does again.
func TestWatchTellsTrouble(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	well := make(chan struct{})
	at := saying(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-well:
			now := time.Now().Unix()
			fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"windows_memory_available_bytes","instance":"evil:9182"},"values":[[%d,"7"]]}]}}`, now)
		default:
			refusing(w, r)
		}
	})
	cmd := exec.CommandContext(t.Context(), binary(t), "watch", "-H", at, "-i", "1", "--alert", `\Memory\Available Bytes<1`)
	cmd.Env, cmd.Stderr = stateOf(dir), said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	until := func(text string) {
		t.Helper()
		sharedtest.Until(t, text, func() bool {
			all, err := os.ReadFile(said.Name())
			return err == nil && strings.Contains(string(all), text)
		})
	}
	until("evil: ask the engine")
	until("the store is away")
	close(well)
	until("evil: it answers again")
}

// Samples that are native histograms are told of by doctor, too: they are not none.
func TestDoctorTellsHistograms(t *testing.T) {
	at := saying(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"x","instance":"evil:9182"},"histograms":[[1,{"count":"3"}]]}]}}`)
	})
	if stdout, _, code := perfdeck(t, "", "doctor", at+"#evil"); code != exitFailed || !strings.Contains(stdout, "native histograms") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

// The past of an engine whose clock differs is that of its own clock, which is said.
func TestPastByTheEnginesClock(t *testing.T) {
	for _, ahead := range []time.Duration{time.Hour, -time.Hour, 0} {
		at := saying(t, func(w http.ResponseWriter, r *http.Request) {
			now := time.Now().Add(ahead).Unix()
			if r.FormValue("query") == "vector(time())" {
				fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[%d,"%d"]}]}}`, now, now)
				return
			}
			asked, points := r.FormValue("time"), ""
			if until, err := strconv.ParseFloat(asked, 64); asked == "" || err == nil && int64(until) >= now-10 {
				points = fmt.Sprintf(`{"metric":{"__name__":"windows_memory_available_bytes","instance":"evil:9182"},"values":[[%d,"7"],[%d,"8"]]}`, now-20, now-10)
			}
			fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[%s]}}`, points)
		})
		stdout, stderr, code := perfdeck(t, "", "relog", "--summary", at+"#evil@-1m")
		if said := strings.Contains(stderr, "ahead of") || strings.Contains(stderr, "behind"); code != exitDone || !strings.Contains(stdout, "Available Bytes") || said != (ahead != 0) {
			t.Errorf("%v: exit %d\n%s\n%s", ahead, code, stdout, stderr)
		}
		stdout, stderr, _ = perfdeck(t, "", "doctor", at+"#evil")
		if !regexp.MustCompile(`the newest (9|1\d)(\.\d)? s old`).MatchString(stdout) || strings.Contains(stdout, "its clock is") != (ahead != 0) {
			t.Errorf("%v: %s\n%s", ahead, stdout, stderr)
		}
	}
}

// explain says of a host of an engine what the engine has of a value, and why it does not tell.
func TestExplainHasTrace(t *testing.T) {
	for _, failing := range []bool{false, true} {
		at := saying(t, func(w http.ResponseWriter, r *http.Request) {
			now := time.Now().Unix()
			if failing && strings.Contains(r.FormValue("query"), "[60000ms]") && !strings.Contains(r.FormValue("query"), "|") {
				refusing(w, r)
				return
			}
			kind, values := "matrix", fmt.Sprintf(`"values":[[%d,"7"],[%d,"NaN"],[%d,"8"]]`, now-20, now-10, now)
			if !strings.Contains(r.FormValue("query"), "[") {
				kind, values = "vector", fmt.Sprintf(`"value":[%d,"8"]`, now)
			}
			fmt.Fprintf(w, `{"status":"success","data":{"resultType":%q,"result":[{"metric":{"__name__":"windows_memory_available_bytes","instance":"evil:9182"},%s}]}}`, kind, values)
		})
		args := []string{"explain", "-i", "0.1", "-H", at, `\Memory\Available Bytes`}
		stdout, stderr, code := perfdeck(t, "", args...)
		wants := []string{`windows_memory_available_bytes{instance="evil:9182"}`, "8 there", "the same"}
		if failing {
			wants = []string{"result", "the store is away"}
		}
		for _, want := range wants {
			if !strings.Contains(stdout, want) || code != exitDone {
				t.Errorf("failing %v: no %q: exit %d\n%s\n%s", failing, want, code, stdout, stderr)
			}
		}
		stdout, stderr, _ = perfdeck(t, "", append(args, "--json")...)
		var out struct {
			MadeOf *struct {
				Series []struct{}
				Result json.RawMessage
				Error  string
			} `json:"madeOf"`
		}
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || out.MadeOf == nil || (out.MadeOf.Error != "") != failing || !failing && (len(out.MadeOf.Series) != 1 || string(out.MadeOf.Result) != "8") {
			t.Errorf("failing %v: %v, %s\n%s", failing, err, stdout, stderr)
		}
	}
}

// playedWithoutTerminal is what the program says that plays something and has no terminal. It is a
// process of its own: what is played sets the zone that all of a process has.
func playedWithoutTerminal(t *testing.T, args ...string) (stderr string, code int) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	cmd.Env, cmd.Stderr = plainEnviron, &said
	_ = cmd.Run()
	return said.String(), cmd.ProcessState.ExitCode()
}

// The name of an [[engine]] of the config stands for its address wherever that may stand.
func TestEnginesByName(t *testing.T) {
	at := saying(t, func(w http.ResponseWriter, _ *http.Request) {
		now := time.Now().Unix()
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"windows_memory_available_bytes","instance":"evil:9182"},"values":[[%d,"7"],[%d,"8"]]}]}}`, now-20, now-10)
	})
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[[engine]]\nname = \"m\"\nurl = %q\n", at), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"doctor", "m"}, {"doctor", "m#evil"}, {"report", "m#evil@-1m"}, {"relog", "--summary", "m@-1m"}, {"relog", "--summary", "m#evil@-1m"},
		{"compare", "m@-1m", "m#evil@-1m"}, {"watch", "--replay", "m#evil@-1m", "--alert", `\Memory\Available Bytes<5`},
	} {
		if stdout, stderr, code := perfdeck(t, "", append(args, "--config", config)...); code != exitDone {
			t.Errorf("%v: exit %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
	// Alone it is played, which takes a terminal; what is no engine is a path.
	for name, want := range map[string]string{"m#evil@-1m": "terminal", "n#evil@-1m": "path"} {
		if stderr, code := playedWithoutTerminal(t, name, "--config", config); code == exitDone || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
	// So it is as a host, which commands that watch hosts refuse.
	for _, name := range []string{"m@-1m", "m@yesterday 03:12", "m#evil@-1m/30s", at + "@-1m", at + "#evil@03:12"} {
		if stderr, code := playedWithoutTerminal(t, "-H", name, "--config", config); code == exitDone || !strings.Contains(stderr, "terminal") && !strings.Contains(stderr, "no host") {
			t.Errorf("-H %s: exit %d: %s", name, code, stderr)
		}
		for _, args := range [][]string{
			{"sample", "-n", "1"}, {"list"}, {"explain"}, {"watch", "--alert", `\Memory\Available Bytes<1`}, {"record", "-n", "1", "-o", filepath.Join(t.TempDir(), "x.db")},
			{"exporter", "--listen", "127.0.0.1:0"}, {"-H", "local"},
		} {
			args = append(args, "--config", config, "--host", name)
			if args[0] != "watch" && args[0] != "-H" && args[0] != "exporter" {
				args = append(args, `\Memory\Available Bytes`)
			}
			if _, stderr, code := perfdeck(t, "", args...); code != exitUsage || !strings.Contains(stderr, "past") || !strings.Contains(stderr, "hint") {
				t.Errorf("%v: exit %d: %s", args, code, stderr)
			}
		}
	}
	if _, stderr, code := perfdeck(t, "", "relog", "--summary", "n@-1m", "--config", config); code == exitDone || !strings.Contains(stderr, "no such file") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
