package collector

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/sharedtest"
)

// BenchmarkManyHosts records 200 hosts of 100 counters each, once a second, that
// somebody watches anyway. An iteration is a second. It reports how much of one
// processor the recording adds to that:
//
//	go test -run '^$' -bench ManyHosts -benchtime 20x ./session/recording/collector
func BenchmarkManyHosts(b *testing.B) {
	for _, file := range []string{"n.csv", "n.tsv", "n.json", "n.db"} {
		b.Run(file, func(b *testing.B) { benchmarkHosts(b, file, 200, 100) })
	}
}

func benchmarkHosts(b *testing.B, file string, hosts, counters int) {
	kinds := []cooker.CounterType{
		cooker.CounterBulkCount, cooker.CounterLargeRawCount, cooker.Timer100nsInv, cooker.CounterRawCount, cooker.AverageTimer,
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	clock := session.NewSystemClock()
	o := Options{Subject: Subject{Every: time.Second}, Files: Files{File: filepath.Join(b.TempDir(), file)}, Runtime: Runtime{Clock: clock, Go: func(f func()) { go f() }}}
	for i := range hosts {
		var set fake.Set
		for n := range counters {
			set.Counters = append(set.Counters, fake.Counter{Name: fmt.Sprint("Counter ", n), Type: kinds[n%len(kinds)], Is: fake.Sine(50, 40, time.Minute)})
		}
		set.Name = "Set"
		name := fmt.Sprint("host", i)
		source := fake.New(fake.Script{Name: name, Seed: uint64(i), Sets: []fake.Set{set}}, clock)
		sampler := session.NewSampler(name, source, clock)
		screen := sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(*session.Snapshot) {}})
		go sampler.Run(ctx)
		<-sampler.Known()
		asked := session.Ask{Set: sampler.Catalogue().Sets[0]}
		for i := range asked.Set.Counters {
			if !asked.Set.Counters[i].Hidden() {
				asked.Counters = append(asked.Counters, i)
			}
		}
		screen.Ask([]session.Ask{asked})
		o.Hosts = append(o.Hosts, Host{Name: name, Sampler: sampler, Paths: []string{`\Set\*`}})
	}
	time.Sleep(2 * time.Second)
	before, began := sharedtest.CPUTime(b), time.Now()
	for range max(3, b.N/2) {
		time.Sleep(time.Second)
	}
	alone := float64(sharedtest.CPUTime(b)-before) / float64(time.Since(began))
	rec, err := Start(o)
	if err != nil {
		b.Fatal(err)
	}
	time.Sleep(3 * time.Second)
	before, began = sharedtest.CPUTime(b), time.Now()
	rows := rec.Status().Samples
	for b.Loop() {
		time.Sleep(time.Second)
	}
	both := float64(sharedtest.CPUTime(b)-before) / float64(time.Since(began))
	b.ReportMetric(100*(both-alone), "%CPU-added")
	b.ReportMetric(100*alone, "%CPU-alone")
	s := rec.Status()
	b.ReportMetric(float64(s.Samples-rows)/float64(b.N), "rows/s")
	b.ReportMetric(float64(s.Missed), "missed")
	if err := rec.Stop(ctx, ""); err != nil {
		b.Error(err)
	}
	if s.Columns != hosts*counters {
		b.Errorf("%d columns", s.Columns)
	}
}
