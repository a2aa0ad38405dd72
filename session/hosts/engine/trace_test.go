package engine

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/query"
)

// What an engine has of a value is told by the names that its series have there, with their
// own samples, and the engine works the value out of the same two.
func TestTrace(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	now := time.Now().Truncate(time.Second)
	series := func(cpu, mode string, begin int) string {
		return fmt.Sprintf(`{"metric":{"__name__":"node_cpu_seconds_total","instance":"lin07:9100","cpu":%q,"mode":%q},"values":[[%d,"%d"],[%d,"%d"]]}`,
			cpu, mode, now.Unix()-20, begin, now.Unix()-10, begin+4)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		expression := r.FormValue("query")
		mu.Lock()
		asked = append(asked, expression)
		mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL.Path, "/values"):
			_, _ = io.WriteString(w, `{"status":"success","data":["node_cpu_seconds_total"]}`)
		case strings.Contains(expression, "irate("):
			fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"instance":"lin07:9100","cpu":"3"},"value":[%d,"60"]}]}}`, now.Unix()-10)
		default:
			fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[%s,%s,%s]}}`, series("3", "idle", 100), series("4", "idle", 200), series("3", "user", 300))
		}
	}))
	defer server.Close()
	e, err := query.New(link.Engine{URL: server.URL}, query.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	name, of, _ := partOf(query.Labels{{Name: "instance", Value: "lin07:9100"}})
	of.kinds = ofNodeExporter
	source := NewHub(e, func(f func()) { go f() }).Open(Host{Name: name, parts: []part{of}})
	catalogue, err := source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set := catalogue.Set("Processor Information")
	counter, _ := set.Counter("% Processor Time")
	told, err := source.Trace(t.Context(), session.Valued{Set: set, Counter: counter, Key: session.InstanceKey{Name: "0,3"}})
	if err != nil || len(told.Series) != 1 {
		t.Fatalf("%+v, %v", told, err)
	}
	one := told.Series[0]
	if one.Name != `node_cpu_seconds_total{cpu="3", instance="lin07:9100", mode="idle"}` || len(one.At) != 2 || !one.At[1].Equal(now.Add(-10*time.Second)) || one.Values[1] != 104 {
		t.Errorf("%+v", one)
	}
	if !told.Has || told.Result != 60 || !told.At.Equal(now.Add(-10*time.Second)) {
		t.Errorf("%+v", told)
	}
	for _, part := range []string{"irate(node_cpu_seconds_total{", `instance="lin07:9100"`, `mode="idle"`, `cpu="3"`} {
		if !strings.Contains(told.Exact, part) {
			t.Errorf("%s: no %s", told.Exact, part)
		}
	}
	if strings.Contains(told.Recipe, "irate(") || !strings.Contains(told.Recipe, "rate(node_cpu_seconds_total{") {
		t.Errorf("%s", told.Recipe)
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.HasSuffix(asked[len(asked)-2], "ms]") {
		t.Errorf("no raw samples are asked for: %q", asked)
	}
}
