package tui

import (
	"strings"
	"testing"
	"time"
)

// An empty chart shows what it could: the first values of one scale of the focused
// pane. enter keeps them, what is charted takes their place, d takes them away.
func TestChartProposes(t *testing.T) {
	const proposed = "proposed from the deck"
	for name, test := range map[string]struct {
		keys        []string
		shown, gone []string
	}{
		"shown":             {[]string{"5"}, []string{proposed, "A % Processor Time", "B % User Time", "C % Privileged Time"}, nil},
		"kept":              {[]string{"5", "enter"}, []string{"A % Processor Time", "C % Privileged Time"}, []string{proposed}},
		"another charted":   {[]string{"5", "1", "j", "c"}, []string{"A % User Time"}, []string{proposed, "% Privileged Time"}},
		"declined":          {[]string{"5", "d"}, []string{"nothing is charted yet"}, []string{proposed, "A %"}},
		"declined for good": {[]string{"5", "d", "1", "5"}, []string{"nothing is charted yet"}, []string{proposed}},
		"undone":            {[]string{"5", "d", "u"}, []string{proposed, "A % Processor Time"}, nil},
		"of another pane":   {[]string{"5", "1", "tab", "5"}, []string{proposed, "Memory"}, []string{"% Processor Time"}},
		"removed one":       {[]string{"c", "d"}, []string{"nothing is charted yet"}, []string{proposed}},
	} {
		t.Run(name, func(t *testing.T) {
			onScreens(t, rigOptions{}, func(r *rig) {
				r.begin(20)
				r.press(test.keys...)
				text := r.text()
				for _, want := range test.shown {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not shown:\n%s", want, text)
					}
				}
				for _, gone := range test.gone {
					if strings.Contains(text, gone) {
						t.Errorf("%q is shown:\n%s", gone, text)
					}
				}
			})
		})
	}
}

// While little is kept a proposal shows a span that it fills, until the user chooses one;
// in place of a proposal that was declined stands what can be charted.
func TestProposalFitsWhatIsKept(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		r.begin(5)
		r.press("5")
		r.shows("last 30 s", "enter keep ")
		r.pass(40 * time.Second)
		r.shows("last 60 s")
		r.press("enter")
		r.shows("span 1 min")
		r.press(")")
		r.shows("span 10 min")
	})
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		r.begin(5)
		r.press("5", "d")
		blank := 0
		for _, row := range r.rows() {
			if strings.TrimSpace(row) == "" {
				blank++
			}
		}
		if blank > 10 {
			t.Errorf("%d rows are blank:\n%s", blank, r.text())
		}
		r.press("j", "enter")
		r.shows("A % User Time")
		r.hides("nothing is charted yet", "B %")
		r.press("d")
		r.shows("nothing is charted yet")
		r.click("% Privileged Time")
		r.click("% Privileged Time")
		r.shows("A % Privileged Time")
	})
}
