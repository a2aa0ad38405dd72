package pipeline

import (
	"slices"
	"testing"

	"perfdeck/session/alert"
)

// Each problem is told once; what is left is something as long as a rule may be judged.
func TestOutlook(t *testing.T) {
	fine := alert.RuleStatus{Rule: alert.Rule{Name: "fine"}, Hosts: 1}
	lacks := alert.RuleStatus{Rule: alert.Rule{Name: "lacks"}, Problem: "db: no such counter"}
	once := alert.RuleStatus{Rule: alert.Rule{Name: "once", Interval: alert.Once}, Hosts: 1, Over: true}
	off := alert.RuleStatus{Rule: alert.Rule{Name: "off", Disabled: true}}
	pack := alert.RuleStatus{Rule: alert.Rule{Name: "pack", Origin: alert.PackOrigin + "disk"}, Problem: "db: no such counter"}
	idler := alert.RuleStatus{Rule: alert.Rule{Name: "idler"}, Hosts: 1, Idle: true}
	for name, c := range map[string]struct {
		rules []alert.RuleStatus
		waits bool
		left  Left
		told  []string
	}{
		"one is judged":            {[]alert.RuleStatus{fine, lacks}, false, Something, []string{"lacks"}},
		"none can be":              {[]alert.RuleStatus{lacks}, false, HadNothing, []string{"lacks"}},
		"a host may answer":        {[]alert.RuleStatus{lacks}, true, Something, []string{"lacks"}},
		"all had their turn":       {[]alert.RuleStatus{once}, false, HadAll, nil},
		"some had their turn":      {[]alert.RuleStatus{once, lacks}, false, HadSome, []string{"lacks"}},
		"all are off":              {[]alert.RuleStatus{off}, false, Something, nil},
		"of packs nothing is told": {[]alert.RuleStatus{pack}, false, HadNothing, nil},
		"an instance may come":     {[]alert.RuleStatus{idler}, false, Something, []string{"idler"}},
		"there are none":           {nil, false, Something, nil},
	} {
		var o Unjudged
		var told []string
		for range 2 {
			if left := o.Look(&alert.Board{Rules: c.rules}, c.waits, func(rule, _ string) { told = append(told, rule) }); left != c.left {
				t.Errorf("%s: %d is left", name, left)
			}
		}
		if !slices.Equal(told, c.told) {
			t.Errorf("%s: told %v", name, told)
		}
	}
	// What could be judged once may be again.
	var o Unjudged
	tell := func(string, string) {}
	_ = o.Look(&alert.Board{Rules: []alert.RuleStatus{fine}}, false, tell)
	if o.Look(&alert.Board{Rules: []alert.RuleStatus{lacks}}, false, tell) != Something {
		t.Error("it ends when a host lost what it had")
	}
}
