package health

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/engine/prom"
)

// A program tells of its process, of what it does, and of what went wrong, and that it is not well.
func TestSelf(t *testing.T) {
	s := New("watch", `0.1"`)
	var wrong error
	s.Facts = func() []Fact {
		return []Fact{{prom.Metric{Name: "perfdeck_watch_hosts", Help: "Hosts."}, 3}}
	}
	s.Well = func() error { return wrong }
	s.Failed()
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	code, text := get("/metrics")
	for _, line := range []string{`perfdeck_build_info{version="0.1\"",command="watch"} 1`, "perfdeck_watch_hosts{} 3", "perfdeck_errors_total{} 1", "go_goroutines{} ", "# TYPE perfdeck_errors_total counter"} {
		if code != http.StatusOK || !strings.Contains(text, line) {
			t.Errorf("%d, no %s in\n%s", code, line, text)
		}
	}
	if code, _ := get(Path); code != http.StatusOK {
		t.Error(code)
	}
	wrong = errors.New("engine\x1b[31m takes nothing")
	if code, text := get(Path); code != http.StatusServiceUnavailable || !strings.Contains(text, "takes nothing") || strings.Contains(text, "\x1b") {
		t.Errorf("%d %q", code, text)
	}
}

// What was not done for three times of its interval is not well.
func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Beat
		if b.Check("judged", time.Minute) == nil {
			t.Error("well before it began")
		}
		b.Now()
		time.Sleep(3 * time.Minute)
		if err := b.Check("judged", time.Minute); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if err := b.Check("judged", time.Minute); err == nil || !strings.Contains(err.Error(), "judged for 3 min") {
			t.Error(err)
		}
	})
}
