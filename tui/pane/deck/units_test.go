package deck

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// diskOf is a host whose disk reads and writes so much in each second. The
// counters are gauges: what is fed is what is shown.
func diskOf(name string, read, write fake.Motion) fake.Script {
	gauge := func(name string, is fake.Motion) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: is}
	}
	return fake.Script{Name: name, Sets: []fake.Set{{Name: "PhysicalDisk", Counters: []fake.Counter{
		gauge("Disk Read Bytes/sec", read), gauge("Disk Write Bytes/sec", write),
	}}}}
}

var diskPane = []session.DeckPane{{Paths: []string{`\PhysicalDisk\Disk Read Bytes/sec`, `\PhysicalDisk\Disk Write Bytes/sec`}}}

// fed is a value of each second, the last one for good, in KB.
func fed(kb ...float64) fake.Motion {
	return func(at time.Duration, _ uint64) float64 {
		return 1024 * kb[min(len(kb)-1, int(at.Round(time.Second)/time.Second))]
	}
}

// From 9,999 to 10,000 KB/s: the next frame reads 9.77 MB/s, and the other half
// of the pair is in MB/s in the same frame.
func TestUnitInTheSameFrame(t *testing.T) {
	for _, w := range []int{50, 80, 120} {
		onDeck(t, w, 20, []fake.Script{diskOf("one", fed(500, 500, 9999, 10000), fed(627))}, func(r *rig) {
			r.book.Own(r.Desk.Hosts[0]).Load(diskPane)
			r.Begin(0)
			for range 8 {
				if strings.Contains(r.Text(), "9999    KB/s") {
					break
				}
				r.Pass(1)
			}
			r.Shows("9999    KB/s", "627.0  KB/s")
			r.Pass(1)
			r.Shows("9.77 MB/s", "0.61 MB/s")
			r.Hides("KB/s")
		})
	}
}

// Rows of hosts beside each other have one unit, that of the largest, whichever
// host it is and whenever it answers.
func TestRowsOfHostsShareAUnit(t *testing.T) {
	for _, order := range [][]float64{{95.9 * 1024, 627}, {627, 95.9 * 1024}} {
		scripts := []fake.Script{diskOf("one", fed(order[0]), fed(3)), diskOf("two", fed(order[1]), fed(5))}
		for _, w := range []int{118, 172} {
			onDeck(t, w, 30, scripts, func(r *rig) {
				for _, h := range r.Desk.Hosts {
					r.book.all.of(h).Load(diskPane)
				}
				r.Begin(3)
				r.Shows("95.9  MB/s", "0.61 MB/s")
				r.Hides("KB/s")
			})
		}
	}
}

// Values from 1e-3 to 1e15, up and down: no number of a row, and no statistic,
// goes beyond its field, and all are in one unit.
func TestNoRowOverflows(t *testing.T) {
	const seconds = 140
	sweep := func(at time.Duration, _ uint64) float64 {
		s := at.Seconds()
		if s > seconds/2 {
			s = seconds - s
		}
		return math.Pow(10, -3+18*s/(seconds/2))
	}
	names := []string{"Plain", "Some Bytes", "Some Bytes/sec", "Things/sec", "Wait sec/Thing"}
	set := fake.Set{Name: "Sweep"}
	var paths []string
	for _, name := range names {
		set.Counters = append(set.Counters, fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: sweep})
		paths = append(paths, `\Sweep\`+name)
	}
	onDeck(t, 120, 12, []fake.Script{{Name: "one", Sets: []fake.Set{set}}}, func(r *rig) {
		r.book.Own(r.Desk.Hosts[0]).Load([]session.DeckPane{{Paths: paths}})
		r.Begin(2)
		for second := range seconds {
			r.Pass(1)
			for _, name := range names[1:] { // a plain count ends at exa
				row := r.Row(name)
				if strings.Contains(row, " d ") {
					continue // there is nothing larger than days
				}
				for _, field := range strings.Fields(row[strings.Index(row, name)+len(name):]) {
					if whole, _, _ := strings.Cut(field, "."); strings.ContainsAny(field, "0123456789") && len(strings.TrimPrefix(whole, "-")) > 4 {
						t.Fatalf("second %d: %q is too long in %q", second, field, row)
					}
				}
			}
		}
	})
}

func BenchmarkSharedUnits(b *testing.B) {
	var clock *clocktest.Clock
	settle := func() {
		if clock != nil {
			clock.Rest(1)
		}
	}
	var scripts []fake.Script
	for i := range 8 {
		scripts = append(scripts, computer(fmt.Sprint("host", i), 40, 0))
	}
	r := newRig(b, 240, 70, scripts, settle)
	clock = r.Clock
	for _, h := range r.Desk.Hosts {
		<-h.Sampler.Known()
		r.book.all.of(h).Load([]session.DeckPane{{Paths: []string{available, cacheSize}}, {Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 20}})
	}
	r.Begin(60)
	b.ReportAllocs()
	for b.Loop() {
		for _, d := range r.book.all.decks {
			d.refresh() // as after a sample
		}
		r.Draw()
	}
}
