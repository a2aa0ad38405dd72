package tui

import (
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// limitedScript is a computer of 16 processors of which two may be used, one and a half at once,
// and 4 GB of its 64.
func limitedScript() fake.Script {
	is := func(name string, t cooker.CounterType, v float64) fake.Counter {
		return fake.Counter{Name: name, Type: t, Is: fake.Const(v)}
	}
	whole := fake.Set{Name: "Processor Information", Instances: session.MultipleAggregate, Counters: []fake.Counter{is("% Processor Time", cooker.Timer100ns, 12)}}
	for _, name := range []string{"0,0", "0,1", "0,_Total", "_Total"} {
		whole.Rows = append(whole.Rows, fake.Row{Name: name})
	}
	return fake.Script{Name: "box", Sets: []fake.Set{
		whole,
		{Name: "Memory", Counters: []fake.Counter{is("Available Bytes", cooker.CounterLargeRawCount, 48<<30), is("Physical Bytes", cooker.CounterLargeRawCount, 64<<30), is("Cache Bytes", cooker.CounterLargeRawCount, 2<<30)}},
		{Name: session.ProcessorLimit, Counters: []fake.Counter{
			is("% Processor Time", cooker.Timer100ns, 99), is("Computer Processors", cooker.CounterRawCount, 16), is("Processors Allowed", cooker.CounterRawCount, 2),
			is("Processor Quota x100", cooker.CounterRawCount, 150), is("Processors Usable x100", cooker.CounterRawCount, 150),
		}},
		{Name: session.MemoryLimit, Counters: []fake.Counter{is("Available Bytes", cooker.CounterLargeRawCount, 1<<30), is("Limit Bytes", cooker.CounterLargeRawCount, 4<<30), is("Cache Bytes", cooker.CounterLargeRawCount, 1<<20)}},
		{Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{is("ID Process", cooker.CounterRawCount, 7), is("% Processor Time", cooker.Timer100ns, 3)}, Rows: []fake.Row{{Name: "one", Number: 7}}},
	}}
}

// Deck, Top and Fleet go by what may be used, say of how much that is, and show all of the computer
// by one key, and back.
func TestScreensGoByLimits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		onScreens(t, rigOptions{hosts: script(limitedScript()), w: size[0], h: size[1]}, func(r *rig) {
			r.begin(1)
			h := r.root.desk.Hosts[0]
			r.root.book.Own(h).Load(session.DefaultDeck(h.Name, h.Sampler.Catalogue()).Panes)
			r.root.askAll()
			r.begin(5)
			limited := func() {
				r.Helper()
				r.press("1")
				r.shows("2 of 16 cpu, quota 1.5")
				r.shows("of 4 GB limit")
				r.shows("99.0")
				r.press("3")
				r.begin(2)
				r.shows("99.0 % of 1.5 of 16")
				r.shows("3.00 of 4.00 GB")
				r.press("2")
				r.begin(2)
				r.shows("  99 ")
				r.shows("  75 ")
			}
			limited()
			r.press("%", "1")
			r.begin(3)
			r.hides("quota 1.5")
			r.hides("GB limit")
			r.shows("12.0")
			r.press("3")
			r.begin(2)
			r.shows("12.0 % of 2")
			r.shows("of 64.0 GB")
			r.press("2")
			r.begin(2)
			r.shows("  12 ")
			r.shows("  25 ")
			r.press("%")
			r.begin(3)
			limited()
		})
	}
}

// Without limits the key says why it does nothing.
func TestNoLimitIsSaid(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(2)
		r.press("%")
		r.shows("nothing limits what may be used")
	})
}
