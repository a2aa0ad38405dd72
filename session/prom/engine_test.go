package prom_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/prom"
)

// specimen is two raw samples of a type.
type specimen struct {
	about string
	row   cooker.Row
}

// specimens are the vectors of package cooker, and of each type of two samples a wrap, a
// restart, and a long and odd interval.
func specimens(t *testing.T) (out []specimen) {
	text, err := os.ReadFile("../../cooker/testdata/cooking.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	head := strings.Split(lines[0], "\t")
	for i, line := range lines[1:] {
		cell := func(name string) (c cooker.Cell) {
			for at, value := range strings.Split(line, "\t") {
				if head[at] == name {
					c, err = cooker.ParseCell(value)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		kind, ok := cooker.LookupType(strings.Split(line, "\t")[1])
		if !ok {
			t.Fatal(line)
		}
		out = append(out, specimen{fmt.Sprintf("vector %d, %s", i+2, kind), cooker.Row{
			Type: kind, C0: cell("c0"), C1: cell("c1"), B0: cell("b0"), B1: cell("b1"), T0: cell("t0"), T1: cell("t1"),
			Freq: cell("freq"), Perf100ns0: cell("perf100ns0"), Perf100ns1: cell("perf100ns1"),
		}})
	}
	for _, info := range cooker.Types() {
		if info.Samples != 2 {
			continue
		}
		for _, c := range []struct {
			about          string
			c0, c1, b0, b1 uint64
		}{
			{"odd interval", 123_456_789, 198_765_432, 777, 1501}, {"wrap", math.MaxUint32 - 1234, 98_765_432, 20, 900}, {"restart", 98_765_432, 5, 900, 907},
			{"base wraps", 10, 98_765_432, math.MaxUint32 - 3, 1000}, {"base restarts", 10, 98_765_432, 1000, 3}, {"idle", 500, 500, 9, 9},
		} {
			number := func(n uint64) cooker.Cell { return cooker.Cell{N: n, Set: true} }
			row := cooker.Row{Type: info.Type, C0: number(c.c0), C1: number(c.c1), T0: number(1<<55 + 3), T1: number(1<<55 + 3 + 62_176_698), Freq: number(3_579_545),
				Perf100ns0: number(133_500_000_000_000_007), Perf100ns1: number(133_500_000_173_712_341)}
			if info.Base != cooker.BaseNone {
				row.B0, row.B1 = number(c.b0), number(c.b1)
				if info.Base == cooker.BaseClock { // as far as N may go
					row.B0, row.B1 = number(c.b0*1e6), number(c.b1*1e6)
				}
			}
			out = append(out, specimen{c.about + ", " + info.Name, row})
		}
	}
	return out
}

// beyond are specimens that an engine cannot have the value of, with the reason.
func beyond() map[string]specimen {
	number := func(n uint64) cooker.Cell { return cooker.Cell{N: n, Set: true} }
	clocks := cooker.Row{T0: number(7), T1: number(7 + 35_795_450), Freq: number(3_579_545)}
	large, wrap, gone := clocks, clocks, clocks
	large.Type, large.C0, large.C1 = cooker.CounterLargeDelta, number(1<<60), number(1<<60+5)
	wrap.Type, wrap.C0, wrap.C1 = cooker.CounterBulkCount, number(math.MaxUint64-5), number(94)
	gone.Type, gone.C0, gone.C1, gone.B0 = cooker.CounterMultiTimer, number(10), number(20), number(2)
	return map[string]specimen{
		"a float64 holds whole numbers to 2^53":                              {"large", large},
		"a wrap of 64 bits is beyond what a float64 holds":                   {"wrap of 64 bits", wrap},
		"with timestamps an engine is not told that a series is no more now": {"number of components is gone", gone},
	}
}

// The real Prometheus makes of raw samples, by the recipes, what cooker makes of the same
// two: within 1e-9, and nothing where that gives nothing.
func TestRecipes(t *testing.T) {
	engine, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed (Debian's package prometheus): recipes are NOT compared with the real one")
	}
	type question struct {
		specimen

		exact, over string
		want        cooker.Value
		excepted    string
	}
	newer := time.Now().Add(-time.Minute).Truncate(time.Millisecond)
	older := newer.Add(-17371 * time.Millisecond)
	var e prom.Exposition
	var questions []question
	all, reasons := specimens(t), map[string]string{}
	for reason, s := range beyond() {
		all, reasons[s.about] = append(all, s), reason
	}
	for i, s := range all {
		set := &session.Counterset{Name: "Type " + s.row.Type.String(), Counters: []session.Counter{counter("Value", s.row.Type)}}
		n := &prom.NamesOf(set)[0]
		host := fmt.Sprintf("host\"%d", i)
		labels := n.AppendLabels(nil, host, nil)
		prev, cur, t0, t1 := s.row.Samples()
		if n.Raw.Name == "" || cur == nil || !cur.State.Good() && cur.State != cooker.NoBase {
			continue
		}
		add := func(r *cooker.Reading, c *cooker.Clocks, at time.Time) {
			if n.AsItIs() {
				e.AddCooked(n, labels, cooker.Cook(s.row.Type, nil, r, nil, c, nil), at.UnixMilli())
			}
			e.AddRaw(n, labels, r, c, nil, at.UnixMilli())
			for _, which := range []cooker.Clock{cooker.ClockPerf, cooker.Clock100ns, cooker.ClockObject} {
				e.AddClock(host, set, c, which, at.UnixMilli())
			}
		}
		if prev != nil {
			add(prev, &t0, older)
		}
		add(cur, &t1, newer)
		exact, over, ok := n.Recipe(host, set, 0, nil, cur, &t1, "5m")
		if !ok {
			t.Errorf("%s has raw values and no recipe", s.about)
			continue
		}
		want := cooker.Cook(s.row.Type, prev, cur, &t0, &t1, nil)
		questions = append(questions, question{s, exact, over, want, reasons[s.about]})
	}
	page := e.Append(nil)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) }))
	defer target.Close()
	ask := running(t, engine, target.Listener.Addr().String())
	for _, q := range questions {
		got, there := ask(q.exact, newer)
		want, isNumber := q.want.Float()
		differs := isNumber != there || there && math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want))
		switch {
		case differs && q.excepted == "":
			t.Errorf("%s: %v %v, want %v (%v)\n%s", q.about, got, there, want, q.want.Status(), q.exact)
		case !differs && q.excepted != "":
			t.Errorf("%s is no exception though %s: %v", q.about, q.excepted, got)
		}
		ask(q.over, newer) // it is well formed
	}
	if len(questions) < 200 {
		t.Errorf("only %d recipes were tried", len(questions))
	}
}

// running runs the engine, which scrapes an address, until it has. ask has it work out an
// expression; there tells whether there is one sample.
func running(t *testing.T, engine, address string) (ask func(expression string, at time.Time) (value float64, there bool)) {
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("scrape_configs:\n- job_name: raw\n  scrape_interval: 1s\n  static_configs: [{targets: [%q]}]\n", address)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for attempt := range 5 { // another program may take the port before the engine does
		folder := filepath.Join(dir, strconv.Itoa(attempt))
		if ask = begin(t, engine, config, folder); ask != nil {
			return ask
		}
	}
	t.Fatal("prometheus ended each time")
	return nil
}

// begin runs the engine once. It returns nil where it ended before it had scraped.
func begin(t *testing.T, engine, config, folder string) (ask func(expression string, at time.Time) (value float64, there bool)) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close()
	var said strings.Builder
	cmd := exec.CommandContext(t.Context(), engine, "--config.file="+config, "--storage.tsdb.path="+folder, "--web.listen-address="+at, "--log.level=warn")
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	wait := session.Beside(func() { _ = cmd.Wait(); close(ended) })
	t.Cleanup(func() { _ = cmd.Process.Kill(); wait() })
	query := func(expression string, when time.Time) (answer [][2]any, err error) {
		form := url.Values{"query": {expression}, "time": {strconv.FormatFloat(float64(when.UnixMilli())/1000, 'f', 3, 64)}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+at+"/api/v1/query", strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		got, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer got.Body.Close()
		var reply struct {
			Error string
			Data  struct{ Result []struct{ Value [2]any } }
		}
		if err := json.NewDecoder(got.Body).Decode(&reply); err != nil {
			return nil, err
		}
		if reply.Error != "" {
			return nil, fmt.Errorf("%s", reply.Error)
		}
		for _, r := range reply.Data.Result {
			answer = append(answer, r.Value)
		}
		return answer, nil
	}
	for {
		if got, err := query("scrape_samples_scraped > 0", time.Now()); err == nil && len(got) > 0 {
			break
		}
		select {
		case <-ended:
			t.Logf("prometheus ended: %s", said.String())
			return nil
		case <-time.After(50 * time.Millisecond):
		}
	}
	return func(expression string, when time.Time) (float64, bool) {
		got, err := query(expression, when)
		if err != nil || len(got) > 1 {
			t.Errorf("%s: %v, %d samples", expression, err, len(got))
		}
		if len(got) != 1 {
			return 0, false
		}
		value, err := strconv.ParseFloat(got[0][1].(string), 64)
		if err != nil {
			t.Error(err)
		}
		return value, true
	}
}
