package alert_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
)

// withTrend gives rules a trend.
func withTrend(t *testing.T, over time.Duration, texts ...string) []alert.Rule {
	t.Helper()
	all := rules(t, texts...)
	for i := range all {
		all[i].Trend = over
	}
	return all
}

// A recording of a process that leaks, of one as large that only swings, and of one that is
// there for some minutes: the leak fires once, after a quarter of an hour, and no other.
func TestTrendInBacktest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for _, name := range []string{"leaks", "swings", "brief"} {
		fmt.Fprintf(&b, `,"\\web\Process(%s)\Private Bytes"`, name)
	}
	b.WriteString("\r\n")
	for i := range 4 * 60 * 2 { // two hours, every 15 s
		at := start.Add(time.Duration(i) * 15 * time.Second)
		brief := " "
		if i < 40 {
			brief = fmt.Sprint(1e6 * i)
		}
		fmt.Fprintf(&b, "\"%s\",\"%.0f\",\"%.0f\",\"%s\"\r\n", at.Format("01/02/2006 15:04:05.000"),
			500e6+150e6*at.Sub(start).Hours()+5e6*random.Float64(), 500e6+30e6*random.Float64(), brief)
	}
	file := filepath.Join(t.TempDir(), "leak.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	events, outcomes, _ := backtested(t, withTrend(t, time.Hour, `\Process(*)\Private Bytes>104857600 | for 3 of 3`), 15*second, file)
	if len(events) != 1 || events[0].Kind != alert.Fired || events[0].Instance != "leaks" {
		t.Fatalf("events:\n%s", logOf(events))
	}
	if ago := events[0].Time.Sub(start); ago < 15*time.Minute || ago > 17*time.Minute {
		t.Errorf("fired after %v", ago)
	}
	if text := events[0].Text(); !strings.Contains(text, "MB/h > 100.0 MB/h") {
		t.Errorf("told as %s", text)
	}
	if o := outcomes[0]; !strings.HasSuffix(o.Peak, "MB/h") || o.Firing != 1 {
		t.Errorf("%+v", o)
	}
}

// Live it is the same code: another process of the name begins anew.
func TestTrendLive(t *testing.T) {
	grows := func(at time.Duration, _ uint64) float64 { return at.Seconds() }
	script := fake.Script{Name: "web", Sets: []fake.Set{{
		Name: "Process", Instances: session.MultipleInstances,
		Rows: []fake.Row{
			{Name: "stays", ID: 1, Is: map[string]fake.Motion{"Size": grows}},
			{Name: "again", ID: 2, Is: map[string]fake.Motion{"Size": grows}, Alive: during(0, 14*second)},
			{Name: "again", ID: 3, Is: map[string]fake.Motion{"Size": grows}, Alive: during(14*second, 25*second)},
		},
		Counters: []fake.Counter{{Name: "Size", Type: cooker.CounterRawCount}},
	}}}
	onHosts(t, []fake.Script{script}, withTrend(t, time.Minute, `\Process(*)\Size>3000 | every 1s`), func(r *rig) {
		r.clock.Advance(40 * second)
		r.want("15 fired r1 stays")
	})
}

// A rule on a trend is the same after it was written down; one that can have none is refused.
func TestTrendKept(t *testing.T) {
	r := withTrend(t, 90*time.Minute, `\Memory\Load>5`)[0]
	text, err := r.MarshalJSON()
	var again alert.Rule
	if err != nil || again.UnmarshalJSON(text) != nil || again.Trend != r.Trend || again.Condition() != `\Memory\Load>5/h over 1h30m` {
		t.Errorf("%s, %v, %s", text, err, again.Condition())
	}
	for name, change := range map[string]func(r *alert.Rule){
		"short": func(r *alert.Rule) { r.Trend = time.Second }, "long": func(r *alert.Rule) { r.Trend = 1000 * time.Hour },
		"once": func(r *alert.Rule) { r.Interval = alert.Once }, "seldom": func(r *alert.Rule) { r.Interval = time.Hour },
		"absent": func(r *alert.Rule) { r.Kind = alert.NoValue },
	} {
		wrong := r
		change(&wrong)
		if err := wrong.Check(); err == nil || !strings.Contains(err.Error(), "trend") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
