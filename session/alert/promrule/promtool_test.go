package promrule_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/promrule"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/engine/prom"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
)

// promtool runs the real one on a rule file, or on a file of tests.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	name, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian's package prometheus): rule files are NOT checked by it")
	}
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v\n%.6000s", args, err, out)
	}
}

func write(t *testing.T, name string, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// rule reads a rule for a test, called by its number.
func rule(t *testing.T, name, text string, change func(*alert.Rule)) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	r.Name = name
	if change != nil {
		change(&r)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

func level(f float64) *float64 { return &f }

// All packs are in the file, for cooked and for raw series, but for rules whose value is worked
// out, which is said; promtool finds it right.
func TestPacks(t *testing.T) {
	for _, raw := range []bool{false, true} {
		for _, name := range rulepack.Names() {
			rules, err := rulepack.Rules(name)
			if err != nil {
				t.Fatal(err)
			}
			f := promrule.Make(rules, promrule.Options{Catalogues: []*session.Catalogue{rulepack.Catalogue()}, Raw: raw})
			written := 0
			for _, g := range f.Groups {
				written += len(g.Rules)
			}
			derived := 0
			for i := range rules {
				if rules[i].Value != nil || rules[i].Grows > 0 {
					derived++
				}
			}
			refused := 0
			for _, l := range f.Left {
				if l.Whole {
					refused++
				}
			}
			if refused != derived || written != len(rules)-derived {
				t.Errorf("%s: %d of %d rules, left %v", name, written, len(rules), f.Left)
			}
			promtool(t, "check", "rules", write(t, name+".yml", f.Append(nil)))
		}
	}
}

const (
	every   = 15 * time.Second
	samples = 90
)

// planted is a counter of a counterset whose instances go up and down.
type planted struct {
	set, counter string
	instances    []string            // empty: there are none
	low, high    float64             // of its values
	cooked       [][]float64         // by instance, of samples 1 on
	raw          map[string][]string // values of series for promtool, of samples 0 on
}

// plant makes the values of a counter: raw samples, and what they are cooked to.
func plant(t *testing.T, p *planted, random *rand.Rand, asRaw bool) {
	t.Helper()
	set := rulepack.Catalogue().Set(p.set)
	at, ok := set.Counter(p.counter)
	if !ok {
		t.Fatal(p.counter)
	}
	n, kind := &prom.NamesOf(set)[at], set.Counters[at].Type
	p.raw = map[string][]string{}
	names := p.instances
	if len(names) == 0 {
		names = []string{""}
	}
	clocks := func(i int) *cooker.Clocks {
		return &cooker.Clocks{PerfTime: 1e9 + uint64(i)*150_000_000, PerfFreqHz: 10_000_000, Time100ns: 133_500_000_000_000_000 + uint64(i)*150_000_000}
	}
	put := func(i int, series string, value float64) {
		for len(p.raw[series]) < i {
			p.raw[series] = append(p.raw[series], "_")
		}
		p.raw[series] = append(p.raw[series], strconv.FormatFloat(value, 'g', -1, 64))
	}
	for _, name := range names {
		var in *session.Instance
		if set.Instances.Multiple() {
			in = &session.Instance{Key: session.InstanceKey{Name: name}}
		}
		labels := string(n.AppendLabels(nil, "web", in)) + "}"
		r := cooker.Reading{Raw: 1e9, Base: 1e6}
		value, calm := (p.low+p.high)/2, name == "E:"
		var cooked []float64
		for i := range samples {
			before := r
			if random.Float64() < 0.4 {
				value = p.low + random.Float64()*(p.high-p.low)
			}
			is := value
			if calm {
				is = p.low
			}
			switch kind {
			case cooker.AverageTimer:
				ops := uint64(random.IntN(50) + 1)
				r.Base += ops
				r.Raw += uint64(is * 1e7 * float64(ops))
			case cooker.CounterBulkCount, cooker.CounterCounter:
				r.Raw += uint64(is * every.Seconds())
			case cooker.Timer100nsInv:
				r.Raw += uint64((1 - is/100) * 1.5e8)
			case cooker.RawFraction:
				r.Raw, r.Base = uint64(is*100), 10_000
			default:
				r.Raw = uint64(is)
			}
			var v cooker.Value
			if i == 0 {
				v = cooker.Cook(kind, nil, &r, nil, clocks(0), nil)
			} else {
				v = cooker.Cook(kind, &before, &r, clocks(i-1), clocks(i), nil)
			}
			f, valid := v.Float()
			if valid != (i > 0 || cookedAtOnce(kind)) {
				t.Fatalf("%s: sample %d is %v", p.counter, i, v.Status())
			}
			if i > 0 {
				cooked = append(cooked, f)
			}
			if !asRaw || !n.HasRaw() {
				if i > 0 {
					put(i, n.Cooked.Name+labels, f*n.Cooked.Scale)
				}
				continue
			}
			if i == 0 && cookedAtOnce(kind) { // the recording has no value of it
				continue
			}
			value, base, ok, hasBase := n.RawOf(&r, clocks(i))
			if !ok {
				t.Fatal(p.counter)
			}
			put(i, n.Raw.Name+labels, value)
			if hasBase {
				put(i, n.Base.Name+labels, base)
			}
			for _, which := range []cooker.Clock{cooker.ClockPerf, cooker.Clock100ns} {
				ticks, hertz := prom.Clock(clocks(i), which)
				tickMetric, hertzMetric := prom.ClockMetrics()
				var pairs []string
				prom.EachClockLabel("web", set, which, func(name, value string) { pairs = append(pairs, name+"="+strconv.Quote(value)) })
				of := "{" + strings.Join(pairs, ",") + "}"
				if len(p.raw[tickMetric.Name+of]) == i {
					put(i, tickMetric.Name+of, ticks)
					put(i, hertzMetric.Name+of, hertz)
				}
			}
		}
		p.cooked = append(p.cooked, cooked)
	}
}

// cookedAtOnce tells types whose first sample has a value.
func cookedAtOnce(t cooker.CounterType) bool {
	for _, info := range cooker.Types() {
		if info.Type == t {
			return info.Samples < 2
		}
	}
	return false
}

var begin = time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)

// recording writes what was planted as a recording, and E: of disks with a gap.
func recording(t *testing.T, all []*planted) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for _, p := range all {
		for i := range p.cooked {
			in := ""
			if len(p.instances) > 0 {
				in = "(" + p.instances[i] + ")"
			}
			fmt.Fprintf(&b, `,"\\web\%s%s\%s"`, p.set, in, p.counter)
		}
	}
	b.WriteString("\r\n")
	for i := 1; i < samples; i++ {
		b.WriteString(`"` + begin.Add(time.Duration(i)*every).Format("01/02/2006 15:04:05.000") + `"`)
		for _, p := range all {
			for j := range p.cooked {
				if isGap(p, j, i) {
					b.WriteString(`," "`)
				} else {
					b.WriteString(`,"` + strconv.FormatFloat(p.cooked[j][i-1], 'g', -1, 64) + `"`)
				}
			}
		}
		b.WriteString("\r\n")
	}
	return write(t, "night.csv", []byte(b.String()))
}

// isGap tells samples that lack.
func isGap(p *planted, instance, sample int) bool {
	return len(p.instances) > instance && p.instances[instance] == "E:" && sample >= 40 && sample < 52
}

// judged is how many alerts of each rule fire after each sample, as watch --replay has it.
func judged(t *testing.T, file string, rules []alert.Rule) map[string][]int {
	t.Helper()
	guarded := guard.New(func(p *guard.PanicError) { t.Error(p) })
	player, err := replay.Open([]string{file}, replay.Options{Guard: guarded, Open: func(name string) (logs.Reader, error) {
		return formats.Open(t.Context(), name, logs.OpenOptions{})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	b := alert.NewBacktest(alert.BacktestOptions{Rules: rules, Every: every, Zone: time.UTC})
	out, firing, sample := map[string][]int{}, map[string]int{}, 1
	err = player.Walk(context.Background(), time.Time{}, func(h *replay.Host) []session.Ask {
		return b.Ask(alert.Recorded{Name: h.Name(), Catalogue: h.Catalogue(), Every: h.Every, Last: h.Last()})
	}, func(h *replay.Host, s *session.Snapshot) error {
		b.Observe(h.Name(), s)
		for _, ev := range b.Events() {
			switch ev.Kind {
			case alert.Fired:
				firing[ev.ID.Rule]++
			case alert.Cleared:
				firing[ev.ID.Rule]--
			}
		}
		if got := int(s.Time.Sub(begin) / every); got != sample {
			t.Fatalf("sample %d at %v", sample, s.Time)
		}
		for _, r := range rules {
			out[r.Name] = append(out[r.Name], firing[r.Name])
		}
		sample++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The real engine fires over planted samples when a replay of the same samples does:
// cooked ones, and raw ones of several types.
func TestFiresWithReplay(t *testing.T) {
	for _, asRaw := range []bool{false, true} {
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 7))
			all := []*planted{
				{set: "PhysicalDisk", counter: "Avg. Disk sec/Transfer", instances: []string{"0 C:", "1 D:", "_Total"}, low: 0.001, high: 0.05},
				{set: "LogicalDisk", counter: "% Free Space", instances: []string{"C:", "D:", "E:", "_Total"}, low: 5, high: 15},
				{set: "Network Interface", counter: "Bytes Total/sec", instances: []string{"eth0", "Intel[R] #2", "lo"}, low: 1000, high: 9000},
				{set: "Processor Information", counter: "% Processor Time", instances: []string{"0,0", "0,1", "_Total"}, low: 0, high: 100},
				{set: "Memory", counter: "Available MBytes", low: 100, high: 900},
				{set: "Memory", counter: "Pages Input/sec", low: 0, high: 2000},
			}
			for _, p := range all {
				plant(t, p, random, asRaw)
			}
			average, total := cooker.AggregateAverage, cooker.AggregateTotal
			slow := `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.025`
			rules := []alert.Rule{
				rule(t, "plain", slow, nil),
				rule(t, "5 of 6", slow, func(r *alert.Rule) { r.Need, r.Of, r.Clear = 5, 6, level(0.015) }),
				rule(t, "4 of 4", slow, func(r *alert.Rule) { r.Need, r.Of, r.Clear = 4, 4, level(0.01) }),
				rule(t, "3 of 3", slow, func(r *alert.Rule) { r.Need, r.Of = 3, 3 }),
				rule(t, "2 of 5", slow, func(r *alert.Rule) { r.Need, r.Of = 2, 5 }),
				rule(t, "clear", slow, func(r *alert.Rule) { r.Clear = level(0.005) }),
				rule(t, "rest", slow, func(r *alert.Rule) { r.Cooldown = time.Minute }),
				rule(t, "rest 2 of 3", slow, func(r *alert.Rule) { r.Need, r.Of, r.Cooldown, r.Clear = 2, 3, 50*time.Second, level(0.02) }),
				rule(t, "rest 2 of 2", slow, func(r *alert.Rule) { r.Need, r.Of, r.Cooldown = 2, 2, 2*time.Minute }),
				rule(t, "totals", slow, func(r *alert.Rule) { r.Totals = true }),
				rule(t, "free", `\LogicalDisk(*)\% Free Space<10`, func(r *alert.Rule) { r.Need, r.Of, r.Clear, r.Except = 2, 3, level(12), []string{"e*"} }),
				rule(t, "of d", `\LogicalDisk(d:)\% Free Space<10`, nil),
				rule(t, "average", `\Network Interface(*)\Bytes Total/sec>5000`, func(r *alert.Rule) { r.Aggregate = &average }),
				rule(t, "total of", `\Network Interface(total of eth*|intel*)\Bytes Total/sec>11000`, func(r *alert.Rule) { r.Clear = level(9000) }),
				rule(t, "total", `\Network Interface(*)\Bytes Total/sec>11000`, func(r *alert.Rule) { r.Aggregate = &total }),
				rule(t, "busy", `\Processor Information(_Total)\% Processor Time>70`, func(r *alert.Rule) { r.Need, r.Of, r.Hosts = 2, 3, []string{"W*"} }),
				rule(t, "memory", `\Memory\Available MBytes<500`, func(r *alert.Rule) { r.Need, r.Of, r.Clear = 2, 2, level(600) }),
				rule(t, "paging", `\Memory\Pages Input/sec>1000`, nil),
				rule(t, "elsewhere", `\Memory\Pages Input/sec>1`, func(r *alert.Rule) { r.Hosts = []string{"db*"} }),
				rule(t, "gone", `absent \LogicalDisk(E:)\% Free Space`, func(r *alert.Rule) { r.After = time.Minute }),
			}
			want := judged(t, recording(t, all), rules)
			f := promrule.Make(rules, promrule.Options{Catalogues: []*session.Catalogue{rulepack.Catalogue()}, Every: every, Raw: asRaw})
			if len(f.Left) > 0 {
				t.Errorf("left out: %v", f.Left)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "rules.yml"), f.Append(nil), 0o600); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "rule_files: [rules.yml]\nevaluation_interval: 15s\ntests:\n- interval: 15s\n  input_series:\n")
			series := map[string][]string{`perfdeck_host_up{host="web"}`: slices.Repeat([]string{"1"}, samples)}
			for _, p := range all {
				for name, values := range p.raw {
					if strings.Contains(name, `"E:"`) {
						for i := 40; i < 52; i++ {
							values[i] = "stale"
						}
					}
					series[name] = values
				}
			}
			for name, values := range series {
				fmt.Fprintf(&b, "  - series: '%s'\n    values: '%s'\n", strings.ReplaceAll(name, "'", "''"), strings.Join(values, " "))
			}
			b.WriteString("  promql_expr_test:\n")
			fired := map[string]int{}
			for _, r := range rules {
				for i, n := range want[r.Name] {
					fired[r.Name] += n
					fmt.Fprintf(&b, "  - {expr: 'count(ALERTS{alertname=%q,alertstate=\"firing\"}) or vector(0)', eval_time: %s, exp_samples: [{labels: '{}', value: %d}]}\n", r.Name, promrule.Duration(time.Duration(i+1)*every), n)
				}
				if (fired[r.Name] == 0) != (r.Name == "elsewhere") {
					t.Errorf("seed %d: %s fires for %d samples", seed, r.Name, fired[r.Name])
				}
			}
			file := filepath.Join(dir, "test.yml")
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			promtool(t, "test", "rules", file)
			if testing.Short() {
				break
			}
		}
	}
}
