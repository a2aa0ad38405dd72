package alert

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func firings(rule string, from, n int) (out []Event) {
	for i := range n {
		out = append(out, Event{Seq: uint64(from + i), Kind: Fired, ID: ID{Rule: rule, Name: fmt.Sprint(from + i)}})
	}
	return out
}

func sizes(notices []Notice) string {
	var out []string
	for _, n := range notices {
		out = append(out, fmt.Sprintf("%s:%d", n.ID.Rule, n.Count()))
	}
	return strings.Join(out, " ")
}

func TestFolder(t *testing.T) {
	f := NewFolder()
	now := time.Duration(0)
	for i, c := range []struct {
		after  time.Duration
		events []Event
		want   string
	}{
		{0, firings("a", 1, 1), "a:1"},
		{time.Second, firings("a", 2, 2), "a:1 a:1"},
		{time.Second, append(firings("a", 4, 40), firings("b", 50, 300)...), "a:40 b:300"}, // hundreds at once
		{time.Second, firings("a", 44, 1), "a:1"},
		{time.Second, firings("a", 45, 1), ""}, // its five are used up
		{time.Second, firings("a", 46, 2), ""},
		{time.Second, []Event{{Kind: Acked, ID: ID{Rule: "a"}}, {Kind: Fired, Held: "muted", ID: ID{Rule: "a"}}}, "a:1 a:1"},
		{50 * time.Second, nil, ""},
		{10 * time.Second, nil, "a:3"},
		{time.Second, firings("a", 60, 1), "a:1"},
		{time.Hour, nil, ""},
	} {
		now += c.after
		if got := sizes(f.Take(c.events, now)); got != c.want {
			t.Errorf("step %d at %v: %q, want %q", i, now, got, c.want)
		}
	}
	if len(f.bursts) != 0 {
		t.Errorf("%d bursts are kept", len(f.bursts))
	}
	for i := range 7 {
		f.Take(firings("a", i+1, 1), now)
	}
	if got := sizes(f.Rest()); got != "a:2" {
		t.Errorf("rest %q", got)
	}
}

// TestFolderLosesNothing: every event is told once, whatever comes when.
func TestFolderLosesNothing(t *testing.T) {
	f := NewFolder()
	told := map[uint64]int{}
	count := func(notices []Notice) {
		for _, n := range notices {
			told[n.Seq]++
			for _, ev := range n.More {
				told[ev.Seq]++
			}
		}
	}
	seq := 1
	for i := range 400 {
		n := (i * 7) % 23
		count(f.Take(firings("r", seq, n), time.Duration(i)*time.Second))
		seq += n
	}
	count(f.Rest())
	for i := 1; i < seq; i++ {
		if told[uint64(i)] != 1 {
			t.Fatalf("event %d is told %d times", i, told[uint64(i)])
		}
	}
}

func past(every time.Duration, values ...float32) Past {
	p := Past{Values: values}
	for i := range values {
		p.Nanos = append(p.Nanos, time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC).Add(time.Duration(i)*every).UnixNano())
	}
	return p
}

func TestTry(t *testing.T) {
	none := float32(math.NaN())
	second := time.Second
	for name, c := range map[string]struct {
		rule string
		past Past
		rate bool
		want string // seconds from-to of each crossing
	}{
		"crossings":     {`\M\A>5 | every 1s`, past(second, 1, 9, 9, 1, 9), false, "1-3 4-"},
		"gaps":          {`\M\A>5 | every 1s | for 2 of 2`, past(second, 9, none, 9, 9, 1), false, "3-4"},
		"averaged":      {`\M\A>5 | every 4s`, past(second, 0, 0, 0, 16, 0, 0, 0, 28, 0, 0, 0, 0), true, "7-11"},
		"newest":        {`\M\A>5 | every 4s`, past(second, 0, 0, 0, 16, 0, 0, 0, 28, 9, 9, 9, 0), false, "3-11"},
		"hysteresis":    {`\M\A>5 | every 1s | clear 2`, past(second, 6, 3, 6, 1), false, "0-3"},
		"cool-down":     {`\M\A>5 | every 1s | cooldown 3s`, past(second, 6, 1, 6, 1, 6, 1), false, "0-1 4-5"},
		"absence":       {`absent \M\A | every 1s | after 2s`, past(second, 1, none, none, none, none, 1), false, "3-5"},
		"host":          {`absent host`, past(second, 1, none), false, ""},
		"once":          {`\M\A>5 | every once`, past(20*second, 6, 1, 6), false, "0-"},
		"nothing":       {`\M\A>5`, past(second), false, ""},
		"a coarse past": {`\M\A>5 | every 1s | for 2 of 2`, past(10*second, 6, 6, 6), false, ""},
	} {
		r := mustRule(t, c.rule)
		c.past.Rate = c.rate
		trial := Try(r, c.past, 0, time.UTC)
		var got []string
		for _, x := range trial.Crossings {
			begin := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
			text := fmt.Sprintf("%d-", int(x.From.Sub(begin).Seconds()))
			if !x.To.IsZero() {
				text += fmt.Sprint(int(x.To.Sub(begin).Seconds()))
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
	trial := Try(mustRule(t, `\M\A>5 | every 1s | quiet 14:00-15:00`), past(second, 6, 9, 7, none), 0, time.UTC)
	if x := trial.Crossings[0]; !x.Held || x.Peak != 9 || trial.Samples != 4 || trial.Lacking != 1 {
		t.Errorf("%+v", trial)
	}
}
