package tui

import (
	"testing"
	"time"

	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// The chart of which nothing is charted is that of the mock-up: what it is, what ends that,
// which counters are proposed, with their numbers. Its plot is drawn as those of all charts.
func TestMockupOfEmptyChart(t *testing.T) {
	m := readMockup(t, "chart-empty-120x36")
	more := readMockup(t, "deck-one-200x60")
	h := &mockupHost{mockup: more, more: more, series: map[string][]float64{}, newest: 452, ends: 453 * time.Second}
	for name, of := range map[string][4]float64{"Proc Time": {72.8, 30, 60, 91.7}, "User Time": {52.1, 21.4, 43, 65.9}, "Priv Time": {15.4, 6.12, 13.3, 18.5}} {
		h.series[name] = extremes(of[0], of[1], of[2], of[3], 300)
	}
	w, height := m.size()
	o := rigOptions{w: w, h: height, before: h.ends, history: 10 * time.Minute, hosts: script(fake.Script{Name: "db07", Sets: h.sets()})}
	o.alerts = mockupRules(t)
	onScreens(t, o, func(r *rig) {
		r.recorder.state = pane.Recording{On: true, File: "x.db", Started: start.Add(-42*time.Minute - 17*time.Second)}
		r.begin(0)
		for range 353 {
			r.clock.Advance(time.Second)
		}
		r.pass(100 * time.Second)
		r.press("5")
		const (
			round = "the spans of charts are round"
			apart = "hints stand two cells apart, as those of the last line"
		)
		m.compare(r, []other{
			{114, 1, "5:00", round},
			{63, 2, "  enter keeps these  a adds a counter", apart},
		}, []area{
			{0, 3, 120, 31}, // the plot, its axes and the legend have the form of those of all charts
			{13, 35, 98, 1}, // the keys of all charts
		})
		for _, row := range []string{
			"Legend proposed", "A % Processor Time", "72.8 %", "30.0    91.7", "B % User Time", "52.1 %", "21.4    65.9", "C % Privileged Time", "15.4 %", "6.1    18.5",
		} {
			r.shows(row)
		}
	})
}

// extremes are n numbers that end with one and have a least, a mean and a most.
func extremes(now, least, mean, most float64, n int) []float64 {
	out := samples(now, most, (mean*float64(n)-least)/float64(n-1), n-1)
	return append([]float64{least}, out...)
}
