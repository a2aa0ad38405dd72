package session_test

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
)

// limitedHost is a catalogue whose limits are told, or absent.
func limitedHost(absent string) *session.Catalogue {
	set := func(name string, counters ...string) *session.Counterset {
		s := &session.Counterset{Name: name}
		for _, c := range counters {
			s.Counters = append(s.Counters, session.Counter{Name: c, Type: cooker.CounterLargeRawCount})
		}
		return s
	}
	cat := &session.Catalogue{Host: "box", Sets: []*session.Counterset{
		set("Processor Information", "% Processor Time", "% User Time"), set("Memory", "Available Bytes", "Physical Bytes"),
		set(session.ProcessorLimit, "% Processor Time", "Computer Processors", "Processors Allowed", "Processor Quota x100", "Processors Usable x100"),
		set(session.MemoryLimit, "Available Bytes", "Limit Bytes"),
	}}
	cat.Sets[0].Instances = session.MultipleInstances
	for _, s := range cat.Sets[2:] {
		for i := range s.Counters {
			s.Counters[i].Absent = absent
		}
	}
	return cat
}

func firsts(panes []session.DeckPane, cat *session.Catalogue) string {
	var out []string
	for i := range panes {
		if chosen, _ := panes[i].Chosen(cat); len(chosen) > 0 {
			out = append(out, chosen[0])
		}
	}
	return strings.Join(out, " ")
}

// Decks show what may be used where that is less than there is, and all of the computer where
// limits are left aside; it goes to and fro.
func TestDecksGoByLimits(t *testing.T) {
	cat := limitedHost("")
	for name, panes := range map[string][]session.DeckPane{"alone": session.DefaultDeck("box", cat).Panes, "abreast": session.DefaultAbreast(cat)} {
		own, all := `\Processor Limit\% Processor Time`, `\Processor Information(_Total)\% Processor Time`
		limited := firsts(panes, cat)
		if !strings.HasPrefix(limited, own) || !strings.Contains(limited, `\Memory Limit\Available Bytes`) {
			t.Errorf("%s: it shows %s", name, limited)
		}
		for i := range panes { // as decks keep what they chose
			panes[i].Paths, panes[i].Or = panes[i].Chosen(cat.Unlimited())
		}
		if whole := firsts(panes, cat.Unlimited()); !strings.HasPrefix(whole, all) || strings.Contains(whole, " Limit") {
			t.Errorf("%s: of the whole computer it shows %s", name, whole)
		}
		if again := firsts(panes, cat); again != limited {
			t.Errorf("%s: again it shows %s", name, again)
		}
	}
	free := limitedHost("nothing limits it")
	for _, panes := range [][]session.DeckPane{session.DefaultDeck("box", free).Panes, session.DefaultAbreast(free)} {
		if got := firsts(panes, free); strings.Contains(got, " Limit") || slices.ContainsFunc(panes, func(p session.DeckPane) bool { return p.Or != nil }) {
			t.Errorf("without limits it shows %s", got)
		}
	}
	if !cat.IsLimited() || free.IsLimited() || cat.Unlimited().IsLimited() {
		t.Error("it does not know whether it is limited")
	}
}

func TestExtent(t *testing.T) {
	cat := limitedHost("")
	all, processors, memory := cat.Sets[0], cat.Sets[2], cat.Sets[3]
	snap := func(set *session.Counterset, values ...float64) *session.Snapshot {
		v := &session.SetView{Set: set, Rows: []session.Row{{}}}
		for i, n := range values {
			v.Counters, v.Values = append(v.Counters, i), append(v.Values, cooker.FloatValue(n))
		}
		return &session.Snapshot{Sets: []*session.SetView{v}}
	}
	for _, c := range []struct {
		snap *session.Snapshot
		set  *session.Counterset
		want string
		of   string
	}{
		{snap(processors, 0, 16, 2, 150, 150), processors, "2 of 16 cpu, quota 1.5", " of 1.5 of 16"},
		{snap(processors, 0, 16, 16, 150, 150), processors, "16 cpu, quota 1.5", " of 1.5 of 16"},
		{snap(processors, 0, 16, 2, 0, 200), processors, "2 of 16 cpu", " of 2 of 16"},
		{snap(memory, 1, 4<<30), memory, "of 4 GB limit", ""},
		{snap(memory), memory, "", ""},
		{nil, processors, "", ""},
		{snap(all, 50), all, "1 cpu", " of 1"},
	} {
		if got := c.snap.Extent(c.set); got != c.want {
			t.Errorf("it is %q, want %q", got, c.want)
		}
		if got := c.snap.OfProcessors(c.set); got != c.of {
			t.Errorf("it is of %q, want %q", got, c.of)
		}
	}
	if asks := session.AskExtent(nil, processors); len(asks) != 1 || len(asks[0].Counters) != 4 {
		t.Errorf("it asks for %v", asks)
	}
	if asks := session.AskExtent(nil, all); asks != nil {
		t.Errorf("it asks for %v", asks)
	}
}
