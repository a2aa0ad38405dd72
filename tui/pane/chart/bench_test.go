package chart

import (
	"fmt"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
)

// busyScript is a host with n processes and one counter each.
func busyScript(n int) fake.Script {
	set := fake.Set{Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Walk(0, 100, 9*time.Second)},
		{Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Walk(1e6, 9e9, 9*time.Second)},
	}}
	for i := range n {
		set.Rows = append(set.Rows, fake.Row{Name: fmt.Sprintf("worker-%02d", i)})
	}
	return fake.Script{Name: "busy", Sets: []fake.Set{set}}
}

// benchRig shows 12 counters of 600 samples each at 120x34, of which 10 minutes
// are drawn. Outside a bubble the sampler has come to rest when it waits for the
// clock.
func benchRig(b *testing.B) *rig {
	var clock *clocktest.Clock
	settle := func() {
		if clock != nil {
			clock.Rest(1)
		}
	}
	r := newRig(b, []fake.Script{busyScript(12)}, settle)
	clock = r.Clock
	<-r.Desk.Hosts[0].Sampler.Known()
	r.Desk.Span = 10 * time.Minute
	for len(r.chart.series) < 12 {
		if len(r.chart.wanted) == 0 {
			r.add(r.Desk.Hosts[0], `\Process(*)\% Processor Time`)
		}
		r.pass(time.Second)
	}
	for len(r.chart.series[11].history.Values) < 601 {
		r.pass(time.Second)
	}
	r.Draw()
	for _, s := range r.chart.series {
		if s.stats.Count < 595 || len(r.chart.series) != 12 {
			b.Fatalf("%d counters, %d samples are drawn", len(r.chart.series), s.stats.Count)
		}
	}
	return r
}

// Drawing 12 counters of 600 samples: anew, as after each sample, and unchanged.
func BenchmarkChartChanged(b *testing.B) {
	r := benchRig(b)
	for v, name := range viewNames {
		b.Run(name, func(b *testing.B) {
			r.chart.view = view(v)
			b.ReportAllocs()
			for b.Loop() {
				r.chart.tracks = nil // as after a sample
				for _, s := range r.chart.series {
					s.collected = samples{}
				}
				r.chart.picture.stack = stack{}
				r.chart.version++
				r.Draw()
			}
		})
	}
}

// Drawing 12 counters of 100,000 samples when another is selected.
func BenchmarkChartLong(b *testing.B) {
	const n = 100_000
	var values [][]float32
	for range 12 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(i % 977)
		}
		values = append(values, v)
	}
	r := still(canvas.Full, 120, 34, seconds(n), plainNames, values...)
	r.Desk.Span = 30 * time.Hour
	for b.Loop() {
		r.chart.version++
		r.Draw()
	}
}

func BenchmarkChartUnchanged(b *testing.B) {
	r := benchRig(b)
	b.ReportAllocs()
	for b.Loop() {
		r.Draw()
	}
}
