package browser

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/panetest"
)

// windows is a host with n counters, as those of Windows servers: names of two
// to four words, descriptions of about twenty. Hosts differ in part.
func windows(seed uint64, n int) fake.Script {
	words := strings.Fields(`Avg. Disk sec/Transfer Read Write Bytes Total Queue Length Page Life Expectancy Cache Hit
		Ratio Requests Connections Errors Packets Received Sent Processor Time User Privileged Interrupt Pool Nonpaged Session
		Log Flush Lock Wait Current Rate Messages Active Failed Pending Network Virtual Storage Adapter Object Memory`)
	phrase := func(r *rand.Rand, n int) string {
		var out []string
		for range n {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	script := fake.Script{Name: fmt.Sprint("host", seed)}
	for i := range n / 40 {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		if i%3 == 0 {
			r = rand.New(rand.NewPCG(uint64(i), seed))
		}
		set := fake.Set{Name: phrase(r, 2) + fmt.Sprint(" ", i), Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "_Total"}, {Name: "a"}}}
		for j := range 40 {
			set.Counters = append(set.Counters, fake.Counter{
				Name: phrase(r, 3) + fmt.Sprint(" ", j), Type: cooker.CounterRawCount, Is: fake.Const(1), Description: phrase(r, 20),
			})
		}
		script.Sets = append(script.Sets, set)
	}
	return script
}

func big(b *testing.B) *rig {
	r := newRig(b, panetest.Scripts(windows(0, 12500), windows(1, 12500), windows(2, 12500), windows(3, 12500)), func() {})
	for _, h := range r.Desk.Hosts {
		<-h.Sampler.Known()
	}
	r.b.sync()
	r.Resize(120, 34)
	return r
}

// BenchmarkKeystroke is a letter typed into the search line over 50,000
// counters of four hosts, until the lists are drawn.
func BenchmarkKeystroke(b *testing.B) {
	r := big(b)
	for _, where := range []string{"one host", "all hosts"} {
		b.Run(where, func(b *testing.B) {
			r.b.place = r.b.all
			if where == "one host" {
				r.b.place = r.b.places[0]
			}
			r.b.sought.typing = true
			const query = "disk sec tr"
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%len(query) == 0 {
					r.b.setQuery("")
				}
				r.Key(panetest.KeyPress(strings.ReplaceAll(query[n%len(query):1+n%len(query)], " ", "space")))
				r.Draw()
			}
			b.ReportMetric(float64(r.b.index.Len()), "counters")
		})
	}
}

// BenchmarkDraw is a drawing without a change.
func BenchmarkDraw(b *testing.B) {
	r := big(b)
	r.Key(panetest.KeyPress("l"))
	b.ReportAllocs()
	for b.Loop() {
		r.Draw()
	}
}

// BenchmarkIndex is the catalogue of a host with 12,500 counters that was
// renewed.
func BenchmarkIndex(b *testing.B) {
	r := big(b)
	p := r.b.places[0]
	b.ReportAllocs()
	for b.Loop() {
		r.b.reindex(p, p.cat)
	}
}
