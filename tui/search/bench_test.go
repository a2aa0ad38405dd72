package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var benchWords = strings.Fields(`Avg. Disk sec/Transfer Read Write Bytes Total Queue Length Page Life Expectancy
	Cache Hit Ratio Requests Connections Errors Packets Received Sent Processor Time User Privileged Interrupt Pool
	Nonpaged Session Log Flush Lock Wait`)

func phrase(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(benchWords[r.IntN(len(benchWords))])
	}
	return b.String()
}

// crowd is an index of n counters, none like another: names of about 25 bytes,
// descriptions of about 130.
func crowd(n int) *Index {
	r := rand.New(rand.NewPCG(1, 2))
	x := NewIndex()
	for host := range 4 {
		var e []Entry
		for i := range n / 4 {
			e = append(e, Entry{Name: fmt.Sprint(phrase(r, 3), " ", host, i), Of: "Counterset " + fmt.Sprint(i/25, host), Text: phrase(r, 18)})
		}
		x.Add(fmt.Sprint("host", host), e)
	}
	return x
}

// BenchmarkType is a keystroke: each letter of a query, as it is typed.
func BenchmarkType(b *testing.B) {
	const query = "disk sec tr"
	x := crowd(50_000)
	f := NewFinder(x)
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; b.Loop(); n++ {
		f.Find(query[:1+n%len(query)], 0, 100)
	}
}

// BenchmarkPaste is a query that nothing is remembered of.
func BenchmarkPaste(b *testing.B) {
	x := crowd(50_000)
	for _, q := range []string{"d", "tr", "ple", "disk sec tr", "prcssr", "host2 disk", "nothing has this"} {
		b.Run(strings.ReplaceAll(q, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			f := NewFinder(x)
			for b.Loop() {
				f.Find("", 0, 0)
				f.Find(q, 0, 100)
			}
			b.ReportMetric(float64(f.Find(q, 0, 0).Found), "found")
		})
	}
}

// BenchmarkAdd is an index of 50,000 counters, all different.
func BenchmarkAdd(b *testing.B) {
	x := crowd(50_000)
	var all [][]Entry
	for _, s := range x.sources {
		var e []Entry
		for i := range len(s.things) {
			e = append(e, x.Entry(s, i))
		}
		all = append(all, e)
	}
	b.ReportAllocs()
	for b.Loop() {
		fresh := NewIndex()
		for _, e := range all {
			fresh.Add("", e)
		}
	}
}
