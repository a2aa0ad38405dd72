package alert

import (
	"fmt"
	"math/rand/v2"
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
		{time.Second, append(firings("a", 4, 40), firings("b", 50, 300)...), "a:1 a:1 b:300"}, // hundreds at once
		{time.Second, firings("a", 44, 1), ""},                                                // its five are used up
		{time.Second, firings("a", 45, 2), ""},
		{time.Second, []Event{{Kind: Acked, ID: ID{Rule: "a", Host: "h"}}, {Kind: Fired, Held: "muted", ID: ID{Rule: "a", Host: "h"}}}, "a:1 a:1"},
		{time.Second, nil, "a:41"}, // nothing came for a while
		{52 * time.Second, nil, ""},
		{10 * time.Second, firings("a", 60, 1), "a:1"},
		{time.Hour, nil, ""},
	} {
		now += c.after
		if got := sizes(f.Fold(c.events, now)); got != c.want {
			t.Errorf("step %d at %v: %q, want %q", i, now, got, c.want)
		}
	}
	if n := len(f.budgets) + len(f.holds) + len(f.recent); n != 0 {
		t.Errorf("%d things are kept", n)
	}
	for i := range 7 {
		f.Fold(firings("a", i+1, 1), now)
	}
	if got := sizes(f.Rest()); got != "a:2" {
		t.Errorf("rest %q", got)
	}
}

// written are events of instances in the order of a text: +x fires, -x clears.
func written(seq *uint64, text string) (out []Event) {
	for _, word := range strings.Fields(text) {
		*seq++
		ev := Event{Seq: *seq, Kind: Fired, ID: ID{Rule: "r", Host: "h", Set: "S", Name: word[1:]}, Instance: word[1:]}
		if word[0] == '-' {
			ev.Kind = Cleared
		}
		out = append(out, ev)
	}
	return out
}

// signs are notices as written writes events, a word each.
func signs(notices []Notice) string {
	var out []string
	for _, n := range notices {
		word := "+"
		if n.Kind == Cleared {
			word = "-"
		}
		for _, ev := range append([]Event{n.Event}, n.More...) {
			if ev.Kind != n.Kind {
				word += "?"
			}
			word += ev.ID.Name
		}
		if len(n.Passed) > 0 {
			word += fmt.Sprintf("(%d)", len(n.Passed))
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// A storm of 500 instances in 6 s: the first are told at once, the rest in one
// notice, which comes before any end of theirs.
func TestStorm(t *testing.T) {
	f, seq, now := NewFolder(), uint64(0), time.Duration(0)
	fired, first, notices := map[string]time.Duration{}, time.Duration(-1), 0
	take := func(list []Notice) {
		for _, n := range list {
			if notices++; first < 0 {
				first = now
			}
			for _, ev := range append([]Event{n.Event}, n.More...) {
				at, told := fired[ev.ID.Name]
				switch {
				case ev.Kind == Fired:
					fired[ev.ID.Name] = now
				case !told:
					t.Fatalf("%s is cleared before it fired", ev.ID.Name)
				case now < at:
					t.Fatal("time")
				}
			}
		}
	}
	for i := range 60 { // every 100 ms 8 or 9 begin, and after 3 s they end
		var text strings.Builder
		for k := i * 500 / 60; k < (i+1)*500/60; k++ {
			fmt.Fprintf(&text, "+%d ", k)
		}
		for k := (i - 30) * 500 / 60; i >= 30 && k < (i-29)*500/60; k++ {
			fmt.Fprintf(&text, "-%d ", k)
		}
		take(f.Fold(written(&seq, text.String()), now))
		now += 100 * time.Millisecond
	}
	for range 12 {
		now += time.Second
		take(f.Fold(nil, now))
	}
	if len(fired) != 500 || first > 100*time.Millisecond || notices > 2+2*foldFree {
		t.Errorf("%d fired, the first after %v, in %d notices", len(fired), first, notices)
	}
	for name, at := range fired {
		if at > 12*time.Second {
			t.Errorf("%s is told after %v", name, at)
		}
	}
}

// An alert that comes and goes is told now and then, always with how it stands in
// the end; an instance that is new is told at once.
func TestFlapping(t *testing.T) {
	f, seq := NewFolder(), uint64(0)
	for at, c := range []struct{ events, want string }{
		{"+x", "+x"}, {"-x", "-x"}, {"+x", "+x"}, {"-x", "-x"}, {"+x", ""}, {"-x", ""}, {"+x", ""},
		{"-x +y", "+y"}, {"+x", ""}, {"-y", "-y"}, {"-x", ""}, {"+x", ""},
	} {
		if got := signs(f.Fold(written(&seq, c.events), time.Duration(at)*time.Second)); got != c.want {
			t.Errorf("at %d: %q, want %q", at, got, c.want)
		}
	}
	if got := signs(f.Fold(nil, 63*time.Second)); got != "" {
		t.Errorf("told early: %s", got)
	}
	if got := signs(f.Fold(nil, 64*time.Second)); got != "+x(6)" {
		t.Errorf("%q", got)
	}
	// What was held back of it goes before what a user does to it.
	f.Fold(written(&seq, "-x +x -x +x -x"), 65*time.Second)
	acked := Event{Kind: Acked, ID: written(&seq, "+x")[0].ID}
	if got := f.Fold([]Event{acked}, 66*time.Second); len(got) != 2 || got[0].Kind != Cleared || got[1].Kind != Acked {
		t.Errorf("%s", signs(got))
	}
}

// Whatever comes when, the events of one alert are told in their order and in turn:
// none begins twice, none ends that did not begin, and the last is how it stands.
func TestFolderKeepsOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		f, seq, now := NewFolder(), uint64(0), time.Duration(0)
		on, told, last := map[string]bool{}, map[string]bool{}, map[string]uint64{}
		take := func(list []Notice) {
			for _, n := range list {
				for _, ev := range append([]Event{n.Event}, n.More...) {
					if told[ev.ID.Name] == (ev.Kind == Fired) || ev.Seq < last[ev.ID.Name] {
						t.Fatalf("%s %s out of turn", ev.Kind, ev.ID.Name)
					}
					told[ev.ID.Name], last[ev.ID.Name] = ev.Kind == Fired, ev.Seq
				}
			}
		}
		for range 60 {
			var text strings.Builder
			for range random.IntN(9) {
				name := fmt.Sprint(random.IntN(12))
				if on[name] = !on[name]; on[name] {
					text.WriteString("+" + name + " ")
				} else {
					text.WriteString("-" + name + " ")
				}
			}
			take(f.Fold(written(&seq, text.String()), now))
			now += time.Duration(random.IntN(3000)) * time.Millisecond
		}
		take(f.Rest())
		for name := range on {
			if on[name] != told[name] {
				t.Fatalf("%s: told %v, it is %v", name, told[name], on[name])
			}
		}
	}
}

func TestNoticeNames(t *testing.T) {
	seq := uint64(0)
	n := together(written(&seq, "+a +b +c"))
	if got := n.Line(); !strings.HasSuffix(got, ", and 2 more: b, c") {
		t.Error(got)
	}
	n.More[1].ID.Host = "k"
	if got := n.Line(); !strings.HasSuffix(got, ", and 2 more on 2 hosts: h b, k c") {
		t.Error(got)
	}
	n = together(firings("r", 1, 500))
	if got := n.Line(); len(got) > 2000 || !strings.Contains(got, "and 499 more") || !strings.HasSuffix(got, "...") {
		t.Error(got)
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
		count(f.Fold(firings("r", seq, n), time.Duration(i)*time.Second))
		seq += n
	}
	count(f.Rest())
	for i := 1; i < seq; i++ {
		if told[uint64(i)] != 1 {
			t.Fatalf("event %d is told %d times", i, told[uint64(i)])
		}
	}
}
