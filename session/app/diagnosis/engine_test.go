package diagnosis

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/engine"
)

// asked is what an engine is asked in the steps that it has.
type asked int

const (
	nothing asked = iota
	forHosts
	forNames
	forSamples
)

// engineWith is an engine with hosts, with samples or without, that refuses one of the things it is
// asked. Its clock is ahead of this computer's.
func engineWith(t *testing.T, refuses asked, hosts string, samples bool, ahead time.Duration) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		expression, now, is := r.FormValue("query"), time.Now().Add(ahead).Unix(), forSamples
		switch {
		case strings.HasSuffix(r.URL.Path, "/values"):
			is = forNames
		case strings.HasPrefix(expression, "group by"):
			is = forHosts
		}
		if is == refuses {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"status":"error","error":"the store is away"}`)
			return
		}
		kind, each := "matrix", func(host string) string {
			points := fmt.Sprintf(`[%d,"7"],[%d,"8"]`, now-20, now-10)
			if !samples {
				points = ""
			}
			return fmt.Sprintf(`{"metric":{"__name__":"windows_memory_available_bytes","instance":"%s:9182"},"values":[%s]}`, host, points)
		}
		switch {
		case is == forNames:
			_, _ = io.WriteString(w, `{"status":"success","data":["windows_os_info","windows_memory_available_bytes"]}`)
			return
		case expression == "vector(time())":
			fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[%d,"%d"]}]}}`, now, now)
			return
		case is == forHosts:
			kind, each = "vector", func(host string) string {
				return fmt.Sprintf(`{"metric":{"__name__":"windows_os_info","instance":"%s:9182"},"value":[%d,"1"]}`, host, now)
			}
		}
		var out []string
		for _, host := range strings.Fields(hosts) {
			if is == forHosts && !strings.Contains(expression, "=") || strings.Contains(expression, host) || !strings.Contains(expression, "sql") {
				out = append(out, each(host))
			}
		}
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":%q,"result":[%s]}}`, kind, strings.Join(out, ","))
	}))
	t.Cleanup(server.Close)
	return "prom+" + server.URL
}

// Of an engine it is tried whether it has hosts, has the one that is meant, and has fresh samples
// of it, before that is read.
func TestOverEngine(t *testing.T) {
	steps := []string{"ask which hosts", "find the host", "newest sample"}
	for name, c := range map[string]struct {
		refuses asked
		hosts   string
		samples bool
		host    string
		want    []string
		why     string
	}{
		"first":        {nothing, "sql01 sql02", true, "", slices.Concat(steps, reading), ""},
		"named":        {nothing, "sql01 sql02", true, "#sql02", slices.Concat(steps, reading), ""},
		"no hosts":     {nothing, "", true, "", []string{"!ask which hosts"}, engine.ErrNoHosts.Error()},
		"refuses":      {forHosts, "sql01", true, "", []string{"!ask which hosts"}, "the store is away"},
		"another host": {nothing, "sql01", true, "#sql02", []string{"ask which hosts", "!find the host"}, "sql02"},
		"no samples":   {forSamples, "sql01", true, "", []string{"ask which hosts", "find the host", "!newest sample"}, "the store is away"},
		"old":          {nothing, "sql01", false, "", []string{"ask which hosts", "find the host", "!newest sample"}, ""},
		"no names":     {forNames, "sql01", true, "", slices.Concat(steps, upTo("read the catalogue")), "the store is away"},
	} {
		t.Run(name, func(t *testing.T) {
			clinic := newClinic(t, "", "")
			err := clinic.examine(engineWith(t, c.refuses, c.hosts, c.samples, 0)+c.host, c.want...)
			if err != nil && !strings.Contains(err.Error(), c.why) {
				t.Errorf("it ended with %v, want %q", err, c.why)
			}
			if err != nil {
				return
			}
			if got := clinic.detail("ask which hosts"); got != "2 hosts" {
				t.Errorf("its hosts: %q", got)
			}
			meant := "sql0" + map[string]string{"": "1", "#sql02": "2"}[c.host]
			if got := clinic.detail("find the host"); !strings.HasPrefix(got, meant+", by instance=") {
				t.Errorf("the host: %q", got)
			}
			if got := clinic.detail("newest sample"); !regexp.MustCompile(`^1 series, the newest (9|1\d)(\.\d)? s old$`).MatchString(got) {
				t.Errorf("its samples: %q", got)
			}
		})
	}
	clinic := newClinic(t, "", "")
	_ = clinic.examine(engineWith(t, nothing, "sql01", true, time.Hour), slices.Concat(steps, reading)...)
	if len(clinic.notes) != 1 {
		t.Errorf("of an engine whose clock is an hour ahead it is noted %v", clinic.notes)
	}
	if _, err := clinic.o.Known.EngineHosts(t.Context(), "web01"); err == nil || errors.Is(err, engine.ErrNoHosts) {
		t.Errorf("a host that is none of an engine: %v", err)
	}
}
