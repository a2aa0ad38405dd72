// Package enginetest runs the engines that perfdeck feeds, of Debian's packages, on
// loopback, for tests.
package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session/system/guard"
)

// Kind is a kind of engine.
type Kind struct {
	Name, Command, Package string
	args                   func(dir, at, config string) []string
}

// Prometheus and VictoriaMetrics are those that Debian has.
var (
	Prometheus = Kind{"prometheus", "prometheus", "prometheus", func(dir, at, config string) []string {
		return []string{"--config.file=" + config, "--storage.tsdb.path=" + dir, "--web.listen-address=" + at, "--log.level=error", "--web.enable-remote-write-receiver"}
	}}
	VictoriaMetrics = Kind{"victoria-metrics", "victoria-metrics", "victoria-metrics", func(dir, at, config string) []string {
		args := []string{"-storageDataPath=" + dir, "-httpListenAddr=" + at, "-loggerLevel=ERROR", "-search.latencyOffset=0s", "-search.disableCache", "-retentionPeriod=100y", "-memory.allowedBytes=256MB"}
		if config != "" {
			args = append(args, "-promscrape.config="+config)
		}
		return args
	}}
)

// Both are all of them.
func Both() []Kind { return []Kind{Prometheus, VictoriaMetrics} }

// Engine is one that runs, on one address and with one folder from start to start.
type Engine struct {
	Kind

	At   string // host and port
	t    testing.TB
	path string
	dir  string
	text string // its config

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{}
	said  *strings.Builder
}

// Start runs an engine until the test ends, or skips the test where it is not installed.
// config is the text of a scrape configuration; empty: it scrapes nothing.
func Start(t testing.TB, kind Kind, config string) *Engine {
	t.Helper()
	path, err := exec.LookPath(kind.Command)
	if err != nil {
		t.Skipf("%s is not installed (Debian's package %s): NOT compared with the real one", kind.Command, kind.Package)
	}
	e := &Engine{Kind: kind, t: t, path: path, text: config}
	for attempt := range 5 { // another program may take the port before the engine does
		e.dir = filepath.Join(t.TempDir(), strconv.Itoa(attempt))
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		e.At = l.Addr().String()
		_ = l.Close()
		if e.begin() {
			t.Cleanup(e.Kill)
			return e
		}
		t.Logf("%s ended: %s", kind.Name, e.said)
	}
	t.Fatalf("%s ended each time", kind.Name)
	return nil
}

// Again runs an engine that was killed, with what it had.
func (e *Engine) Again() {
	e.t.Helper()
	if !e.begin() {
		e.t.Fatalf("%s ended: %s", e.Name, e.said)
	}
}

// begin runs it and waits until it answers; it is false where it ended before.
func (e *Engine) begin() bool {
	config := e.dir + ".yml"
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(e.text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	if e.text == "" && e.Name == VictoriaMetrics.Name {
		config = ""
	}
	cmd := exec.CommandContext(e.t.Context(), e.path, e.args(e.dir, e.At, config)...) //nolint:gosec // of a test
	said := &strings.Builder{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	ended := make(chan struct{})
	guard.Beside(func() { _ = cmd.Wait(); close(ended) })
	e.mu.Lock()
	e.cmd, e.ended, e.said = cmd, ended, said
	e.mu.Unlock()
	for {
		if _, err := e.query("vector(1)", time.Now()); err == nil {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// Stop ends it as a user does: it writes down what it has. VictoriaMetrics loses what it
// took in the last seconds when it is killed.
func (e *Engine) Stop() {
	cmd, ended := e.running()
	_ = cmd.Process.Signal(os.Interrupt)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		e.Kill()
	}
}

// Kill ends it at once, as kill -9 does.
func (e *Engine) Kill() {
	cmd, ended := e.running()
	_ = cmd.Process.Kill()
	<-ended
}

func (e *Engine) running() (cmd *exec.Cmd, ended <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cmd, e.ended
}

// WriteURL is where it takes remote write.
func (e *Engine) WriteURL() string { return "http://" + e.At + "/api/v1/write" }

// Point is a sample.
type Point struct {
	Millis int64
	Value  float64
}

// Sample is one of an answer: of a series, at one or several moments.
type Sample struct {
	Labels map[string]string
	Points []Point
}

// Query works an expression out at a moment.
func (e *Engine) Query(expression string, at time.Time) []Sample {
	e.t.Helper()
	got, err := e.query(expression, at)
	if err != nil {
		e.t.Errorf("%s: %s: %v", e.Name, expression, err)
	}
	return got
}

// Flush makes what was written visible.
func (e *Engine) Flush() {
	if e.Name == VictoriaMetrics.Name {
		if r, err := http.Get("http://" + e.At + "/internal/force_flush"); err == nil { //nolint:noctx // of a test
			_ = r.Body.Close()
		}
	}
}

func (e *Engine) query(expression string, at time.Time) ([]Sample, error) {
	form := url.Values{"query": {expression}, "time": {strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64)}}
	req, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, "http://"+e.At+"/api/v1/query", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close() //nolint:errcheck // it was only read
	var a struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   struct {
			Result json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&a); err != nil {
		return nil, fmt.Errorf("status %d: %w", reply.StatusCode, err)
	}
	if a.Status != "success" {
		return nil, fmt.Errorf("%s", a.Error)
	}
	var list []struct {
		Metric map[string]string `json:"metric"`
		Value  *Point            `json:"value"`
		Values []Point           `json:"values"`
	}
	if bytes.HasPrefix(a.Data.Result, []byte("[{")) { // else it is a scalar, or nothing
		err = json.Unmarshal(a.Data.Result, &list)
	}
	var out []Sample
	for _, one := range list {
		if one.Value != nil {
			one.Values = []Point{*one.Value}
		}
		out = append(out, Sample{one.Metric, one.Values})
	}
	return out, err
}

// UnmarshalJSON implements json.Unmarshaler: it is [seconds, "value"].
func (p *Point) UnmarshalJSON(text []byte) error {
	var at float64
	var value string
	err := json.Unmarshal(text, &[]any{&at, &value})
	if err == nil {
		p.Value, err = strconv.ParseFloat(value, 64)
	}
	p.Millis = int64(at*1000 + 0.5)
	return err
}
