package replay

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// The mean of what a replay shows is the change of the raw samples by the clock or the base, from
// the first to the last; where only values were recorded it is by the time between rows, and that
// is told. Counts count alike.
func TestMeanOfARecording(t *testing.T) {
	h := &logs.Header{Zone: utc()}
	for _, c := range []struct {
		path string
		kind cooker.CounterType
	}{
		{`\\a\UDPv4\Datagrams/sec`, cooker.CounterBulkCount}, {`\\a\UDPv4\% Busy`, cooker.Timer100ns},
		{`\\a\UDPv4\Avg. sec/Transfer`, cooker.AverageTimer}, {`\\a\UDPv4\Avg. Bytes/Transfer`, cooker.AverageBulk}, {`\\a\UDPv4\Sockets`, cooker.CounterLargeRawCount},
	} {
		info, _ := c.kind.Info()
		h.Columns = append(h.Columns, logs.Column{Path: c.path, TypeKnown: true, Type: c.kind, BaseType: info.BaseType})
	}
	random := rand.New(rand.NewPCG(15, 16))
	const count = 25
	var rows []logs.Row
	var first, last logs.Row
	var byTime, plain [5]float64
	elapsed, raw, base := uint64(0), [5]uint64{}, [5]uint64{}
	for i := range count {
		ticks := uint64(5e6)
		if i >= 20 { // slow, and then next to nothing happens
			ticks = 6e7
		}
		elapsed += ticks
		row := logs.Row{Time: start.Add(time.Duration(elapsed)*100 + time.Duration(random.IntN(100))*time.Millisecond)}
		clocks := cooker.Clocks{PerfTime: 1<<50 + elapsed, PerfFreqHz: 1e7, Time100ns: 1<<57 + elapsed}
		for c := range raw {
			raw[c] += random.Uint64N(1e6) / uint64(1+i/20*1000)
			base[c] += 1 + random.Uint64N(1000)/uint64(1+i/20*900)
			if c == 4 {
				raw[c] = random.Uint64N(5000)
			}
			row.Raw = append(row.Raw, logs.Raw{Known: true, Clocks: clocks, Reading: cooker.Reading{Raw: raw[c], Base: base[c], Size: 8, BaseSize: 8}})
		}
		rows = append(rows, row)
		for c := range raw {
			v := cookAt(h, rows, i, c)
			rows[i].Values = append(rows[i].Values, v)
			f, ok := v.Float()
			if plain[c] += f / count; ok && i > 0 {
				byTime[c] += f * row.Time.Sub(rows[i-1].Time).Seconds()
			}
		}
	}
	first, last = rows[0], rows[count-1]
	seconds := last.Time.Sub(first.Time).Seconds()
	for _, name := range []string{"raw.db", "values.csv"} {
		playing(t, Options{}, []string{write(t, name, h, rows)}, func(r *rig) {
			host := r.Hosts()[0]
			askAll(host)
			snap := r.at(host, last.Time)
			for c := range raw {
				w := snap.Sets[0].Series(0, c).Window(snap.Timeline.Next(), count)
				change := float64(last.Raw[c].Reading.Raw - first.Raw[c].Reading.Raw)
				operations := float64(last.Raw[c].Reading.Base - first.Raw[c].Reading.Base)
				clock := float64(last.Raw[c].Clocks.PerfTime-first.Raw[c].Clocks.PerfTime) / 1e7
				want := []float64{change / clock, change / clock / 1e5, change / operations / 1e7, change / operations, plain[c]}[c]
				isBare := name == "values.csv" && c < 4
				if isBare {
					want = byTime[c] / seconds
				}
				if mean, ok := w.Mean.Float(); !ok || math.Abs(mean-want) > 1e-5*want || w.ByTime != isBare {
					t.Errorf("%s, %s: %+v, want %v", name, h.Columns[c].Path, w, want)
				}
			}
		})
	}
}
