package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/query"
)

// plantWeek plants a host of node_exporter with what it had in a time up to a moment, in the order
// of time: Prometheus takes nothing that is older than what it has by much.
func plantWeek(t testing.TB, live *enginetest.Engine, until time.Time, length, apart time.Duration) {
	type source struct {
		labels []string
		value  func(second float64) float64
	}
	wave := func(most, period float64) func(float64) float64 {
		return func(s float64) float64 { return most * (1 + math.Sin(2*math.Pi*s/period)) / 2 }
	}
	var all []source
	add := func(value func(float64) float64, labels ...string) { all = append(all, source{labels, value}) }
	add(func(float64) float64 { return 1 }, "node_uname_info")
	for i := range 4 {
		share := float64(i+1) / 10
		add(func(s float64) float64 { return s * (1 - share) }, "node_cpu_seconds_total", "cpu", fmt.Sprint(i), "mode", "idle")
		add(func(s float64) float64 { return math.Floor(s * share * 1e6) }, "node_network_receive_bytes_total", "device", fmt.Sprintf("eth%d", i))
	}
	add(wave(16<<30, 86400), "node_memory_MemAvailable_bytes")
	add(wave(8<<30, 43200), "node_memory_Committed_AS_bytes")
	add(func(float64) float64 { return 32 << 30 }, "node_memory_CommitLimit_bytes")
	add(func(s float64) float64 { return math.Floor(s * 5000) }, "node_context_switches_total")
	add(wave(8, 3600), "node_load1")
	const part = time.Hour
	began := until.Add(-length)
	for from := began; from.Before(until); from = from.Add(part) {
		series := make([]enginetest.Sample, len(all))
		for i, one := range all {
			s := enginetest.Sample{Labels: map[string]string{"__name__": one.labels[0], "instance": "lin:9100", "job": "node"}}
			for k := 1; k < len(one.labels); k += 2 {
				s.Labels[one.labels[k]] = one.labels[k+1]
			}
			for at := from; at.Before(from.Add(part)) && !at.After(until); at = at.Add(apart) {
				s.Points = append(s.Points, enginetest.Point{Millis: at.UnixMilli(), Value: one.value(at.Sub(began).Seconds())})
			}
			series[i] = s
		}
		plantSamples(t, live, series)
	}
}

// weekValues are 12 values of that host, as `set\counter\instance`.
var weekValues = []string{
	`Processor\% Processor Time\0`, `Processor\% Processor Time\1`, `Processor\% Processor Time\2`, `Processor\% Processor Time\3`,
	`Network Interface\Bytes Received/sec\eth0`, `Network Interface\Bytes Received/sec\eth1`, `Network Interface\Bytes Received/sec\eth2`, `Network Interface\Bytes Received/sec\eth3`,
	`Memory\Available MBytes\`, `Memory\% Committed Bytes In Use\`, `System\Context Switches/sec\`, `System\Load Average 1 Minutes x100\`,
}

// BenchmarkChartOfAWeek is what Chart asks for of 12 values over 7 days, a step for each of 180
// cells. Besides it reports how long the engine needs for the same queries when a bare client
// asks them, and what is beyond that:
//
//	go test -run '^$' -bench ChartOfAWeek -benchtime 5x ./session/hosts/engine
func BenchmarkChartOfAWeek(b *testing.B) {
	const week = 7 * 24 * time.Hour
	for _, kind := range enginetest.Both() {
		for _, apart := range []time.Duration{15 * time.Second, time.Minute} {
			b.Run(fmt.Sprint(kind.Name, " each ", apart), func(b *testing.B) {
				live := enginetest.Start(b, kind, "")
				now := time.Now()
				plantWeek(b, live, now, week, apart)
				way := &asking{}
				e, err := query.New(link.Engine{URL: way.before(b, live)}, query.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				h := NewHub(e, func(f func()) { go f() })
				s, _ := opened(b, h, "lin", "System", "Context Switches/sec")
				var of []session.Valued
				for _, text := range weekValues {
					part := strings.Split(text, `\`)
					set := s.list.catalogue.Set(part[0])
					counter, ok := set.Counter(part[1])
					if !ok || set.Counters[counter].Absent != "" {
						b.Fatal(text)
					}
					of = append(of, session.Valued{Set: set, Counter: counter, Key: session.InstanceKey{Name: part[2]}})
				}
				var ours, own time.Duration
				queries := 0
				for b.Loop() {
					way.since()
					way.again(b) // it is warm for both
					began := time.Now()
					bands, err := s.Bands(b.Context(), of, now.Add(-week), now, week/180)
					if err != nil {
						b.Fatal(err)
					}
					ours += time.Since(began)
					for i, some := range bands {
						if len(some) < 170 {
							b.Fatalf("%s: %d bands", weekValues[i], len(some))
						}
					}
					queries = len(way.since())
					own += way.again(b)
				}
				n := float64(b.N)
				b.ReportMetric(float64(own.Milliseconds())/n, "ms-engine")
				b.ReportMetric(float64((ours-own).Milliseconds())/n, "ms-beyond")
				b.ReportMetric(float64(queries), "queries")
			})
		}
	}
}
