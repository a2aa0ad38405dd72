package paths

import (
	"strings"
	"testing"
)

// one is a catalogue of one object, with instances.
type one struct {
	object   string
	counters []string
}

func (one) NumObjects() int { return 1 }
func (o one) Object(int) ObjectEntry {
	return ObjectEntry{Name: "Local", Label: o.object, Multiple: true}
}
func (o one) NumCounters(int) int                 { return len(o.counters) }
func (o one) Counter(_, counter int) CounterEntry { return CounterEntry{Name: o.counters[counter]} }

// Names are found by the signs of keyboards and by those of Windows, both ways. As they stand
// they come first.
func TestLookAlikes(t *testing.T) {
	for _, c := range []struct{ have, asked string }{
		{"% d’inactivité", "% d'inactivité"},
		{"% d'inactivité", "% d’inactivité"},
		{"% d´x", "% d`x"},
		{"% d‘x", "% d'x"},
		{"a – b", "a - b"},
		{"a-b", "a—b"},
		{"a b", "a\u00A0b"},
		{"a\u202Fb", "a b"},
		{"ＣＰＵ％", "CPU%"},
		{"CPU %", "ＣＰＵ　％"},
		{"“q”", `"q"`},
		{"«q»", `"q"`},
		{"a-b", "a﹘b"},
		{"a b", "a\uFEFFb"},
		{"a\u200Bb", "a b"},
	} {
		list := one{"Local’s", []string{"other", c.have}}
		for _, path := range []string{`\Local's(*)\` + c.asked, `\LOCAL` + "`" + `S(*)\` + strings.ToUpper(c.asked), `\Local’s(*)\` + c.asked} {
			targets, err := ExpandText(list, path, Options{})
			if err != nil || len(targets) != 1 || len(targets[0].Counters) != 1 || targets[0].Counters[0] != 1 {
				t.Errorf("%s in %s: %v, %v", path, c.have, targets, err)
			}
			p, err := Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			if targets, err := ExpandText(list, p.String(), Options{}); err != nil || targets[0].Counters[0] != 1 {
				t.Errorf("%s, taken apart: %v, %v", path, targets, err)
			}
		}
	}
	both := one{"O", []string{"d’x", "d'x"}}
	for n, asked := range both.counters {
		if targets, err := ExpandText(both, `\O(*)\`+asked, Options{}); err != nil || len(targets[0].Counters) != 1 || targets[0].Counters[0] != n {
			t.Errorf("%s: %v, %v", asked, targets, err)
		}
	}
	if _, err := ExpandText(one{"O", []string{"x"}}, `\O(*)\d’x`, Options{}); err == nil {
		t.Error("found what is not there")
	}
	if targets, err := ExpandText(one{"O", []string{"x"}}, "\\O（l’a*）\\x", Options{}); err != nil || !targets[0].Matcher.Match(InstanceEntry{Name: "l'abc"}, 0) {
		t.Errorf("full width: %v", err)
	}
}

// What stands on a keyboard is no sign that looks like one of it.
func TestLooksLike(t *testing.T) {
	for _, c := range []struct {
		is    string
		signs string
		want  bool
	}{
		{"‐‑‒–—―−﹘﹣－", "-", true}, {"‘’‚‛´′＇“”„‟«»＂", `'"`, true}, {"\u00A0\u2003\u2007\u202F\u3000\u200B\uFEFF", " ", true},
		{"-`'\" \t\x00", "-`'\" ", false}, {"’é字\uFFFD", "- ", false}, {"－", `'" `, false},
	} {
		for _, r := range c.is {
			if got := LooksLike(r, c.signs); got != c.want {
				t.Errorf("%q looks like one of %q: %t", r, c.signs, got)
			}
		}
	}
}

// Instances are found alike.
func TestLookAlikeInstances(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"l'app", "l’app", true}, {"l’app", "l'app", true}, {"l'*", "l’app", true}, {"l’*", "l'app", true}, {"l'*", "la’pp", false},
		{"a–b/c", "a-b/c", true}, {"x", "y", false}, {"l'app#1", "l’app", false},
	} {
		if got := newMatcher(c.text, Options{}).Match(InstanceEntry{Name: c.name}, 0); got != c.want {
			t.Errorf("%s means %s: %t", c.text, c.name, got)
		}
	}
	other := newMatcher("l'app#1", Options{})
	if n := testing.AllocsPerRun(10, func() { other.Match(InstanceEntry{Name: "l’app"}, 0) }); n > 0 {
		t.Errorf("%v allocations to tell that it is another duplicate", n)
	}
	if newMatcher("l'*", Options{SkipTotals: true}).Match(InstanceEntry{Name: "l’_Total"}, 0) {
		t.Error("a total is taken")
	}
}
