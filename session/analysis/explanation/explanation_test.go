package explanation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
	"perfdeck/session/text"
	"perfdeck/session/text/printable"
)

var at = time.Date(2026, 3, 2, 3, 12, 0, 500_000_000, time.UTC)

// rig is a counter of a disk, of which there are two samples a second apart.
type rig struct {
	set       session.Counterset
	prev, cur cooker.Reading
	o         Options
}

func newRig(kind cooker.CounterType) *rig {
	return &rig{
		set: session.Counterset{Name: "Disk", Instances: session.MultipleInstances, Protocol: "V2", Counters: []session.Counter{
			{Name: "Reads/sec", Description: "How many\x1b[31m reads", Type: kind, Quantity: cooker.QuantityIn(kind, "", "Reads/sec"), Companions: session.NoCompanions, Aggregate: cooker.AggregateTotal},
		}},
		prev: cooker.Reading{Raw: 1000}, cur: cooker.Reading{Raw: 1500},
	}
}

// cell is the counter's value of an instance.
func (r *rig) cell(instance string) logs.Cell {
	clocks := func(seconds uint64) *cooker.Clocks {
		return &cooker.Clocks{PerfTime: seconds * 1000, PerfFreqHz: 1000, Time100ns: seconds * 1e7}
	}
	c := &r.set.Counters[0]
	e := cooker.Evidence{Type: c.Type, Prev: &r.prev, Cur: &r.cur, PrevClocks: clocks(10), CurClocks: clocks(12), Attributes: c.Attributes}
	path, err := paths.Parse(`\Disk(` + instance + `)\Reads/sec`)
	if err != nil {
		panic(err)
	}
	return logs.Cell{
		Named: &logs.Named{Host: "web01", Path: path, Text: path.String(), Set: &r.set, Counter: c, Key: session.InstanceKey{Name: instance}, Found: true},
		Value: cooker.Cook(e.Type, e.Prev, e.Cur, e.PrevClocks, e.CurClocks, nil),
		From:  &logs.Evidence{Evidence: e, Interval: 2 * time.Second},
	}
}

// lost is the cell of a host that gave nothing.
func (r *rig) lost(why cooker.Status) logs.Cell {
	c := r.cell("C:")
	c.From, c.Value = nil, cooker.Absent(why)
	return c
}

// text is a cell for reading, by the labels of its lines. Those of lines without one are put to the
// one before.
func (r *rig) text(t *testing.T, c logs.Cell) (title string, lines map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(text.Plain(&b), logs.Sample{Host: "web01", Time: at}, c, r.o); err != nil {
		t.Fatal(err)
	}
	if printable.Text(strings.ReplaceAll(b.String(), "\n", "")) != strings.ReplaceAll(b.String(), "\n", "") {
		t.Errorf("it steers a terminal: %q", b.String())
	}
	title, rest, _ := strings.Cut(b.String(), "\n")
	lines, label := map[string]string{}, ""
	for line := range strings.Lines(rest) {
		name, text, found := strings.Cut(strings.TrimSpace(line), "  ")
		if indented := strings.HasPrefix(line, "   "); !found || indented {
			name, text = label, strings.TrimSpace(line)
		}
		label = name
		lines[label] = strings.TrimSpace(lines[label] + "\n" + strings.TrimSpace(text))
	}
	return title, lines
}

// json is a cell as JSON.
func (r *rig) json(t *testing.T, c logs.Cell) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, logs.Sample{Host: "web01", Time: at}, c, r.o); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if line, more, _ := strings.Cut(b.String(), "\n"); more != "" || json.Unmarshal([]byte(line), &out) != nil || strings.Contains(line, "\x1b") {
		t.Fatalf("it is no line of JSON: %q", b.String())
	}
	return out
}

// A value that was cooked is told with the numbers that it was made of, in either form.
func TestCooked(t *testing.T) {
	for name, c := range map[string]struct {
		kind         cooker.CounterType
		before, then uint64
		base         uint64 // of the newer; 0: none
		formula      string
		worked       string
		value        float64
		operands     string
	}{
		"rate":     {cooker.CounterBulkCount, 1000, 1500, 0, "(N1 - N0) / ((T1 - T0) / F)", "= 500 / (2000 / 1000)", 250, "N T F"},
		"raw":      {cooker.CounterLargeRawCount, 1000, 1500, 0, "N1", "1500", 1500, "N"},
		"fraction": {cooker.RawFraction, 0, 30, 120, "N1 / B1 * 100", "30 / 120 * 100", 25, "N B"},
	} {
		r := newRig(c.kind)
		r.prev.Raw, r.cur.Raw, r.cur.Base = c.before, c.then, c.base
		title, lines := r.text(t, r.cell("C:"))
		if title != `\\web01\Disk(C:)\Reads/sec` || !strings.HasPrefix(lines["type"], c.kind.String()) {
			t.Errorf("%s: it is told of %s, %s", name, title, lines["type"])
		}
		if lines["formula"] != c.formula || !strings.HasSuffix(lines["worked"], c.worked) {
			t.Errorf("%s: by %q, worked as %q; want %q and %q", name, lines["formula"], lines["worked"], c.formula, c.worked)
		}
		if want := fmt.Sprint(c.value); !strings.HasPrefix(lines["result"], want) || !strings.HasPrefix(lines["shown"], want) || lines["status"] != "OK" {
			t.Errorf("%s: %q, shown as %q, is %s; want %s", name, lines["result"], lines["shown"], lines["status"], want)
		}
		if lines["read by"] != "V2" || lines["sampled"] != "2026-03-02 03:12:00.500, 2s after the sample before" {
			t.Errorf("%s: read by %q, sampled %q", name, lines["read by"], lines["sampled"])
		}
		out := r.json(t, r.cell("C:"))
		for key, want := range map[string]any{
			"path": `\Disk(C:)\Reads/sec`, "host": "web01", "time": "2026-03-02T03:12:00.500000000Z", "type": c.kind.String(), "known": true,
			"code": fmt.Sprintf("0x%08X", uint32(c.kind)), "formula": c.formula, "value": c.value, "status": "ok", "protocol": "V2",
		} {
			if out[key] != want {
				t.Errorf("%s: %s is %v, want %v", name, key, out[key], want)
			}
		}
		symbols := ""
		for _, one := range out["operands"].([]any) {
			operand := one.(map[string]any)
			symbols = strings.TrimSpace(symbols + " " + operand["symbol"].(string))
			if is := operand["symbol"]; is == "N" && (operand["newer"] != float64(c.then) || strings.HasPrefix(name, "rate") && operand["difference"] != 500.0) {
				t.Errorf("%s: its operand is %v", name, operand)
			}
		}
		if symbols != c.operands {
			t.Errorf("%s: made of %s, want %s", name, symbols, c.operands)
		}
		if has := out["base"] != ""; has != (c.base != 0) {
			t.Errorf("%s: its base is %v", name, out["base"])
		}
		for _, key := range []string{"promql", "promqlOver", "madeOf", "dispute"} {
			if _, has := out[key]; has && (key != "dispute" || name != "rate") {
				t.Errorf("%s: nobody asked for %s: %v", name, key, out[key])
			}
		}
	}
}

// What there is no value of says why, whether samples are there or not.
func TestWithoutValue(t *testing.T) {
	r := newRig(cooker.CounterBulkCount)
	r.cur.Raw = 1 // of a counter that fell: it was set back
	_, lines := r.text(t, r.cell("C:"))
	if !strings.HasPrefix(lines["status"], "NEGATIVE_VALUE  PDH_CALC_NEGATIVE_VALUE 0x") || lines["shown"] != "" || lines["worked"] != "" {
		t.Errorf("of a counter that fell: %q", lines)
	}
	out := r.json(t, r.cell("C:"))
	if out["status"] != "negative value" || out["value"] != nil || out["numbers"] != "" {
		t.Errorf("of a counter that fell: %v", out)
	}

	title, lines := r.text(t, r.lost(cooker.Unavailable))
	if title != `\\web01\Disk(C:)\Reads/sec` || len(lines) != 1 || !strings.Contains(fmt.Sprint(lines), "no sample: unavailable") {
		t.Errorf("of a host that does not answer: %s %q", title, lines)
	}
	out = r.json(t, r.lost(cooker.Unavailable))
	if out["status"] != "unavailable" || out["value"] != nil || out["type"] != "PERF_COUNTER_BULK_COUNT" || out["formula"] == "" {
		t.Errorf("of a host that does not answer: %v", out)
	}
	for _, one := range out["operands"].([]any) {
		if operand := one.(map[string]any); operand["older"] != nil || operand["newer"] != nil || operand["difference"] != nil {
			t.Errorf("a host that does not answer gave %v", operand)
		}
	}

	r.set.Counters[0].Attributes = 1 << 40
	if got := r.json(t, r.cell("C:"))["unknownAttributes"]; got != "0x10000000000" {
		t.Errorf("attributes that are not known: %v", got)
	}
}

// A value of several instances is told by what it is made of.
func TestCombined(t *testing.T) {
	for name, want := range map[string][2]string{
		"total of C:|D:":         {"C:, D:", "total"},
		"average of *":           {"*", "average"},
		cooker.AggregateInstance: {"all instances", "total"},
	} {
		r := newRig(cooker.CounterLargeRawCount)
		c := r.cell(name)
		c.From, c.Value = nil, cooker.FloatValue(12.5)
		_, lines := r.text(t, c)
		if !strings.HasSuffix(lines["made of"], want[0]) || !strings.HasPrefix(lines["by"], want[1]) || lines["result"] != "12.5" {
			t.Errorf("%s: %q", name, lines)
		}
		c.Value = cooker.Absent(cooker.Gone)
		if _, lines := r.text(t, c); lines["made of"] != "" || !strings.Contains(fmt.Sprint(lines), "no sample") {
			t.Errorf("%s, without a value: %q", name, lines)
		}
	}
}

// The recipe of an engine for raw series is told to who asks for it.
func TestRecipe(t *testing.T) {
	r := newRig(cooker.CounterBulkCount)
	r.o.PromQL = true
	_, lines := r.text(t, r.cell("C:"))
	out := r.json(t, r.cell("C:"))
	exact, over := lines["promql"], lines["over 5m"]
	if !strings.Contains(exact, `name="C:"`) || !strings.Contains(over, "[5m]") || exact != out["promql"] || over != out["promqlOver"] {
		t.Errorf("%q, over a window %q; as JSON %v, %v", exact, over, out["promql"], out["promqlOver"])
	}
	r.set.Counters[0].Type = cooker.CounterText
	_, lines = r.text(t, r.cell("C:"))
	if _, has := r.json(t, r.cell("C:"))["promql"]; has || !strings.Contains(lines["promql"], "without a number") {
		t.Errorf("of a text: %q", lines["promql"])
	}
}

// tracer tells of values what it is to tell.
type tracer struct {
	told  session.Trace
	err   error
	asked []session.Valued
	until time.Time
}

func (w *tracer) Trace(ctx context.Context, of session.Valued) (session.Trace, error) {
	w.asked = append(w.asked, of)
	w.until, _ = ctx.Deadline()
	return w.told, w.err
}

// What an engine holds of a value stands beside it; why it does not tell does, too.
func TestTraced(t *testing.T) {
	w := &tracer{told: session.Trace{
		From: "engine", Series: []session.TracedSeries{{Name: `reads_total{volume="C:"}`, At: []time.Time{at.Add(-time.Second), at}, Values: []float64{1000, 1250}}},
		More: 2, Exact: "irate(reads_total[1m])", Recipe: "rate(reads_total[5m])", Result: 250, Has: true, At: at,
	}}
	r := newRig(cooker.CounterBulkCount)
	r.o.Tracers = NewTracers(t.Context(), map[string]session.Tracer{"web01": w})
	if _, lines := r.text(t, r.cell("C:")); len(w.asked) != 0 || lines["made of"] != "" {
		t.Errorf("an engine was asked of the host's own value: %v", w.asked)
	}
	r.set.From = "engine"
	_, lines := r.text(t, r.cell("C:"))
	if len(w.asked) != 1 || w.asked[0] != (session.Valued{Set: &r.set, Counter: 0, Key: session.InstanceKey{Name: "C:"}}) || w.until.IsZero() {
		t.Errorf("the engine was asked %+v, until %v", w.asked, w.until)
	}
	for label, want := range map[string]string{"made of": `reads_total{volume="C:"}`, "promql": "the same", "for charts": "rate(reads_total[5m])"} {
		if !strings.Contains(lines[label], want) {
			t.Errorf("%s: %q", label, lines[label])
		}
	}
	if lines["read by"] != "V2 at engine" {
		t.Errorf("read by %q", lines["read by"])
	}
	told, _ := r.json(t, r.cell("C:"))["madeOf"].(map[string]any)
	series, _ := told["series"].([]any)
	if len(series) != 1 || told["from"] != "engine" || told["more"] != 2.0 || told["exact"] != w.told.Exact || told["over"] != w.told.Recipe || told["result"] != 250.0 || told["time"] == nil || told["error"] != nil {
		t.Fatalf("%v", told)
	}
	if samples := series[0].(map[string]any)["samples"].([]any); len(samples) != 2 || samples[1].(map[string]any)["value"] != 1250.0 {
		t.Errorf("%v", samples)
	}

	w.err = errors.New("the store is away\x1b[31m")
	_, lines = r.text(t, r.cell("C:"))
	if lines["made of"] != "the store is away?[31m" || lines["result"] == "" {
		t.Errorf("of an engine that fails: %q", lines)
	}
	if told, _ := r.json(t, r.cell("C:"))["madeOf"].(map[string]any); told["error"] != w.err.Error() {
		t.Errorf("of an engine that fails: %v", told)
	}
}

// Engines are asked of so many values, and no more.
func TestTracersAreBounded(t *testing.T) {
	w := &tracer{}
	r := newRig(cooker.CounterBulkCount)
	r.set.From = "engine"
	r.o.Tracers = NewTracers(t.Context(), map[string]session.Tracer{"web01": w})
	for range mostTraced + 3 {
		r.json(t, r.cell("C:"))
	}
	_, lines := r.text(t, r.cell("C:"))
	if len(w.asked) != mostTraced || lines["made of"] != errManyTraced.Error() {
		t.Errorf("asked %d times: %q", len(w.asked), lines["made of"])
	}
}

// A disk that is full while it is written is told of.
func TestUnwritten(t *testing.T) {
	full := errors.New("no space")
	r := newRig(cooker.CounterBulkCount)
	for _, write := range []func() error{
		func() error { return Write(text.Plain(failing{full}), logs.Sample{Time: at}, r.cell("C:"), r.o) },
		func() error {
			return Write(text.Plain(failing{full}), logs.Sample{Time: at}, r.lost(cooker.Unavailable), r.o)
		},
		func() error { return WriteJSON(failing{full}, logs.Sample{Time: at}, r.cell("C:"), r.o) },
	} {
		if err := write(); !errors.Is(err, full) {
			t.Errorf("%v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
