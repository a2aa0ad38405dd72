package push

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
)

// specimen is two raw samples of a type.
type specimen struct {
	about string
	row   cooker.Row
}

// specimens are the vectors of package cooker, and of each type of two samples a wrap, a
// restart, and a long and odd interval.
func specimens(t *testing.T) (out []specimen) {
	text, err := os.ReadFile("../../../cooker/testdata/cooking.tsv")
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

// ofFirst is an exception of VictoriaMetrics: of a lone sample of a series its idelta is the
// sample, as if there had been a 0 before (MetricsQL, "idelta").
const ofFirst = "VictoriaMetrics takes the first sample of a series for its growth from 0"

// question is what is asked of an engine, and what it should say.
type question struct {
	specimen

	exact, over string
	want        cooker.Value
	excepted    string // why not
	wasOne      bool   // two samples are needed, and there is one
}

// The real engines make of raw samples, by the recipes, what cooker makes of the same two:
// within 1e-9, and nothing where that gives nothing.
func TestRecipes(t *testing.T) {
	for _, kind := range enginetest.Both() {
		t.Run(kind.Name, func(t *testing.T) {
			live := enginetest.Start(t, kind, "")
			newer := time.Now().Add(-time.Minute).Truncate(time.Millisecond)
			older := newer.Add(-17371 * time.Millisecond)
			message, questions := asked(t, newer, older)
			c, err := newClient(link.Engine{URL: live.WriteURL()})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range message { // in the order of time
				if a := c.post(t.Context(), snappy.Encode(nil, one)); a.err != nil {
					t.Fatal(a.err)
				}
			}
			live.Flush()
			for _, q := range questions {
				got, there := theOne(t, live, q.exact, newer)
				want, isNumber := q.want.Float()
				differs := isNumber != there || there && math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want))
				if kind.Name == enginetest.VictoriaMetrics.Name && q.want.Status() == cooker.FirstSample && q.wasOne {
					q.excepted = ofFirst
				}
				switch {
				case differs && q.excepted == "":
					t.Errorf("%s: %v %v, want %v (%v)\n%s", q.about, got, there, want, q.want.Status(), q.exact)
				case !differs && q.excepted != "":
					t.Errorf("%s is no exception though %s: %v", q.about, q.excepted, got)
				}
				theOne(t, live, q.over, newer) // it is well formed
			}
			if len(questions) < 200 {
				t.Errorf("only %d recipes were tried", len(questions))
			}
		})
	}
}

// theOne is the one sample of an expression; there tells whether there is one.
func theOne(t *testing.T, e *enginetest.Engine, expression string, at time.Time) (value float64, there bool) {
	t.Helper()
	got := e.Query(expression, at)
	if len(got) > 1 {
		t.Errorf("%s: %d samples", expression, len(got))
	}
	if len(got) != 1 {
		return 0, false
	}
	return got[0].Points[0].Value, true
}

// asked are write requests with all specimens, those of the older samples first, and what
// is to be asked of them.
func asked(t *testing.T, newer, older time.Time) (message [2][]byte, questions []question) {
	all, reasons := specimens(t), map[string]string{}
	for reason, s := range beyond() {
		all, reasons[s.about] = append(all, s), reason
	}
	for i, s := range all {
		set := &session.Counterset{Name: "Type " + s.row.Type.String(), Counters: []session.Counter{
			{ID: 1, Name: "Value", Type: s.row.Type, Quantity: cooker.QuantityIn(s.row.Type, "", "Value")},
		}}
		n := &prom.NamesOf(set)[0]
		host := fmt.Sprintf("host\"%d", i)
		prev, cur, t0, t1 := s.row.Samples()
		if n.Raw.Name == "" || cur == nil || !cur.State.Good() && cur.State != cooker.NoBase {
			continue
		}
		add := func(which int, m *prom.Metric, value float64, each func(func(name, value string))) {
			labels := []label{{Name: "__name__", Value: m.Name}}
			each(func(name, value string) { labels = append(labels, label{Name: name, Value: value}) })
			message[which] = appendSeries(message[which], appendLabels(nil, labels), value, []time.Time{older, newer}[which].UnixMilli())
		}
		sample := func(which int, r *cooker.Reading, clocks *cooker.Clocks) {
			own := func(put func(name, value string)) { n.EachLabel(host, nil, put) }
			if v := cooker.Cook(s.row.Type, nil, r, nil, clocks, nil); n.AsItIs() && v.Valid() {
				f, _ := v.Float()
				add(which, &n.Cooked, f*n.Cooked.Scale, own)
			}
			value, base, ok, hasBase := n.RawOf(r, clocks)
			if ok {
				add(which, &n.Raw, value, own)
			}
			if hasBase {
				add(which, &n.Base, base, own)
			}
			for _, clock := range []cooker.Clock{cooker.ClockPerf, cooker.Clock100ns, cooker.ClockObject} {
				ticks, hertz := prom.ClockMetrics()
				now, hz := prom.Clock(clocks, clock)
				each := func(put func(name, value string)) { prom.EachClockLabel(host, set, clock, put) }
				add(which, ticks, now, each)
				if hz > 0 {
					add(which, hertz, hz, each)
				}
			}
		}
		if prev != nil {
			sample(0, prev, &t0)
		}
		sample(1, cur, &t1)
		exact, over, ok := n.Recipe(host, set, 0, nil, cur, &t1, "5m")
		if !ok {
			t.Errorf("%s has raw values and no recipe", s.about)
			continue
		}
		questions = append(questions, question{s, exact, over, cooker.Cook(s.row.Type, prev, cur, &t0, &t1, nil), reasons[s.about], prev == nil})
	}
	return message, questions
}
