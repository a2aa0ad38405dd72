package local

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"perfdeck/session"
)

// deckWants is what the screens show at start: three sets whole, and the
// processor time of all processes.
func deckWants(c *session.Catalogue) []session.Want {
	process := c.Set("Process")
	cpu, _ := process.Counter("% Processor Time")
	return []session.Want{
		times(c.Set("Processor Information")),
		allOf(c.Set("Memory")),
		allOf(c.Set("System")),
		{Set: process, Counters: []int{cpu}},
	}
}

// times are the counters of processors that the screens show by default; the
// others are read when somebody looks.
func times(set *session.Counterset) session.Want {
	w := allOf(set)
	w.Counters = slices.DeleteFunc(w.Counters, func(i int) bool { return processorCounters[i].needs != 0 })
	return w
}

func benchCollect(b *testing.B, o Options, wants func(*session.Catalogue) []session.Want) {
	b.Helper()
	ctx := context.Background()
	s, err := Open(o)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, err := s.Catalogue(ctx)
	if err != nil {
		b.Fatal(err)
	}
	q, err := s.Open(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	if err := q.Select(ctx, wants(c)); err != nil {
		b.Fatal(err)
	}
	var batch session.Batch
	for range 2 {
		if err := q.Collect(ctx, &batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := q.Collect(ctx, &batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(batch.Sets[len(batch.Sets)-1].Instances)), "instances")
}

// crowd starts as many sleeping processes as PERFDECK_BENCH_PROCESSES says.
func crowd(b *testing.B) {
	b.Helper()
	n, _ := strconv.Atoi(os.Getenv("PERFDECK_BENCH_PROCESSES"))
	for range n {
		c := exec.Command("sleep", "600")
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
}

func BenchmarkDeckSample(b *testing.B) {
	crowd(b)
	b.Run("kept", func(b *testing.B) { benchCollect(b, Options{}, deckWants) })
	b.Run("opened", func(b *testing.B) { benchCollect(b, Options{KeptFiles: -1}, deckWants) })
}

func BenchmarkProcess(b *testing.B) {
	crowd(b)
	all := func(c *session.Catalogue) []session.Want { return []session.Want{allOf(c.Set("Process"))} }
	b.Run("kept", func(b *testing.B) { benchCollect(b, Options{}, all) })
	b.Run("opened", func(b *testing.B) { benchCollect(b, Options{KeptFiles: -1}, all) })
}

// lightSets are what is read at each beat of all sets but Thread, Process and
// Control Group.
func lightSets(c *session.Catalogue) []session.Want {
	wants := []session.Want{times(c.Set("Processor Information"))}
	for _, name := range []string{"Memory", "System", "PhysicalDisk", "Network Interface", "Pressure Stall Information", "TCPv4", "UDPv4", "IPv4", "ICMP", "UDPv6", "IPv6", "ICMPv6"} {
		wants = append(wants, allOf(c.Set(name)))
	}
	return wants
}

// BenchmarkOtherSets reads the light sets of the machine it runs on.
func BenchmarkOtherSets(b *testing.B) { benchCollect(b, Options{}, lightSets) }

func BenchmarkSet(b *testing.B) {
	for _, name := range []string{"Processor Information", "Memory", "System", "PhysicalDisk", "LogicalDisk", "Network Interface", "IPv4", "Thread", "Control Group"} {
		b.Run(name, func(b *testing.B) {
			benchCollect(b, Options{}, func(c *session.Catalogue) []session.Want { return []session.Want{allOf(c.Set(name))} })
		})
	}
}
