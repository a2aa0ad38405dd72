package alert

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// kept is a host M of instances with the histories of one counter, sample by sample: NaN where
// there was no value, and nothing of an instance from where its line ends, or before it where it
// is short at the front.
func kept(every time.Duration, of cooker.CounterType, lines map[string][]float32) History {
	begin := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	set := &session.Counterset{Name: "M", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "A", Type: of}}}
	n := 0
	for _, line := range lines {
		n = max(n, len(line))
	}
	var r session.Reel
	r.Ask([]session.Ask{{Set: set, Counters: []int{0}, Keep: []session.Keep{{
		Counters: []int{0}, Match: func(in *session.Instance) bool { return len(lines[in.Key.Name]) > 0 },
	}}}}, nil)
	r.Begin(0, n)
	for i := range n {
		batch := session.SetBatch{Set: set, Counters: []int{0}}
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			line := lines[name]
			at := i - (n - len(line))
			if at < 0 && len(line) > 0 {
				continue
			}
			v := cooker.Absent(cooker.Gap)
			if at >= 0 && at < len(line) && line[at] == line[at] { // no NaN
				v = cooker.FloatValue(float64(line[at]))
			}
			in := session.Instance{Key: session.InstanceKey{Name: name}}
			if name == "bridge" {
				in.Flags = session.FlagBackground
			}
			batch.Instances = append(batch.Instances, in)
			batch.Values, batch.Readings = append(batch.Values, v), append(batch.Readings, cooker.Reading{State: cooker.Pending})
		}
		r.Add(&session.Batch{Time: begin.Add(time.Duration(i) * every), Sets: []session.SetBatch{batch}}, session.Rate{})
	}
	snap := r.Snapshot("h", begin, session.HostState{})
	return History{Snapshot: snap, Catalogue: &session.Catalogue{Host: "h", Sets: []*session.Counterset{set}}}
}

// What is kept is judged as it would have been: fired how often, first and last after how many
// seconds, for how many in all, on how many values.
func TestTry(t *testing.T) {
	none := float32(math.NaN())
	second := time.Second
	one := func(values ...float32) map[string][]float32 { return map[string][]float32{"a": values} }
	for name, c := range map[string]struct {
		rule  string
		every time.Duration
		rate  bool
		lines map[string][]float32
		want  string
	}{
		"crossings":            {`\M(*)\A>5 | every 1s`, second, false, one(1, 9, 9, 1, 9), "2 from 1 to 4 for 2, on 1, 1 still"},
		"gaps":                 {`\M(*)\A>5 | every 1s | for 2 of 2`, second, false, one(9, none, 9, 9, 1), "1 from 3 to 3 for 1, on 1, 0 still"},
		"averaged":             {`\M(*)\A>5 | every 4s`, second, true, one(0, 0, 0, 0, 16, 0, 0, 0, 28, 0, 0, 0, 0), "1 from 8 to 8 for 4, on 1, 0 still"},
		"newest":               {`\M(*)\A>5 | every 4s`, second, false, one(0, 0, 0, 16, 0, 0, 0, 28, 9, 9, 9, 0, 0), "1 from 8 to 8 for 4, on 1, 0 still"},
		"hysteresis":           {`\M(*)\A>5 | every 1s | clear 2`, second, false, one(6, 3, 6, 1), "1 from 0 to 0 for 3, on 1, 0 still"},
		"cool-down":            {`\M(*)\A>5 | every 1s | cooldown 3s`, second, false, one(6, 1, 6, 1, 6, 1), "2 from 0 to 4 for 2, on 1, 0 still"},
		"absence":              {`absent \M(a)\A | every 1s | after 2s`, second, false, map[string][]float32{"a": {1, none, none, none, none, 1}, "b": {1, 1, 1, 1, 1, 1}}, "1 from 3 to 3 for 2, on 1, 0 still"},
		"once":                 {`\M(*)\A>5 | every once`, 20 * second, false, one(6, 1, 6), "1 from 0 to 0 for 40, on 1, 1 still"},
		"nothing":              {`\M(*)\A>5`, second, false, one(), "0 for 0, on 0, 0 still"},
		"a coarse past":        {`\M(*)\A>5 | every 1s | for 2 of 2`, 10 * second, false, one(6, 6, 6), "1 from 10 to 10 for 10, on 1, 1 still"},
		"another":              {`\M(b)\A>5 | every 1s`, second, false, one(9, 9), "0 for 0, on 0, 0 still"},
		"one that began later": {`\M(*)\A>5 | every 1s`, second, false, map[string][]float32{"a": {1, 1, 1, 9}, "b": {9}}, "2 from 3 to 3 for 0, on 2, 2 still"},
		"all as one":           {`\M(*)\A>5 | every 1s | total`, second, false, map[string][]float32{"a": {1, 4, 4, 1}, "b": {1, 1, 3, 1}}, "1 from 2 to 2 for 1, on 1, 0 still"},
		"what counts again":    {`\M(*)\A>5 | every 1s | total`, second, false, map[string][]float32{"a": {1, 4, 9, 1}, "bridge": {1, 4, 9, 1}}, "1 from 2 to 2 for 1, on 1, 0 still"},
		"one of all is not":    {`\M(*)\A>5 | every 1s | total`, second, false, map[string][]float32{"a": {9, 9, 9, 1}, "b": {}}, "0 for 0, on 0, 0 still"},
	} {
		of := cooker.CounterRawCount
		if c.rate {
			of = cooker.CounterBulkCount
		}
		host := kept(c.every, of, c.lines)
		o := Try(mustRule(t, c.rule), BacktestOptions{Zone: time.UTC}, []History{host})
		got := fmt.Sprint(o.Fired)
		if o.Fired > 0 {
			begin := host.Timeline.At(0)
			got += fmt.Sprintf(" from %v to %v", o.First.Sub(begin).Seconds(), o.Last.Sub(begin).Seconds())
		}
		if got += fmt.Sprintf(" for %v, on %d, %d still", o.Total.Seconds(), o.Values, o.Firing); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	all := mustRule(t, `\M(_Total)\A>5 | every 1s`)
	all.Origin = PackOrigin + "x"
	for name, lines := range map[string]map[string][]float32{
		"made":  {"a": {1, 4, 4, 1}, "b": {1, 1, 3, 1}},
		"given": {"a": {1, 9, 9, 9}, "b": {1, 1, 3, 1}, "_Total": {0, 0, 9, 0}},
	} {
		if o := Try(all, BacktestOptions{Zone: time.UTC}, []History{kept(second, cooker.CounterRawCount, lines)}); o.Fired != 1 || o.Total != second {
			t.Errorf("one for all, %s: fired %d times, for %v", name, o.Fired, o.Total)
		}
	}
	o := Try(mustRule(t, `\M(*)\A>5 | every 1s | quiet 14:00-15:00`), BacktestOptions{Zone: time.UTC}, []History{kept(second, cooker.CounterRawCount, one(6, 9, 7, none))})
	if o.Held != 1 || o.PeakValue != 9 || o.Samples != 3 {
		t.Errorf("%+v", o)
	}
}

// What too few of many make is not judged.
func TestTryMany(t *testing.T) {
	lines := map[string][]float32{}
	for i := range mostTried + 1 {
		lines[fmt.Sprint(i)] = []float32{1, 1}
	}
	host := kept(time.Second, cooker.CounterRawCount, lines)
	o := Try(mustRule(t, fmt.Sprintf(`\M(*)\A<%d | every 1s | total`, mostTried+1)), BacktestOptions{}, []History{host})
	if o.Samples != 0 || o.Fired != 0 {
		t.Errorf("%d samples, fired %d times", o.Samples, o.Fired)
	}
}

// BenchmarkTry is what one key in a form costs: ten minutes of all that is tried.
func BenchmarkTry(b *testing.B) {
	lines := map[string][]float32{}
	for i := range mostTried {
		lines[fmt.Sprint(i)] = make([]float32, 600)
	}
	host := kept(time.Second, cooker.CounterBulkCount, lines)
	r := mustRule(b, `\M(*)\A>5`)
	for b.Loop() {
		Try(r, BacktestOptions{}, []History{host})
	}
}
