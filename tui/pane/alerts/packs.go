package alerts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

func (s *Screen) whyNoPacks() string {
	return cmp.Or(s.whyOff(), keys.When(s.desk.Packs == nil, "there are no starter packs here"))
}

// askPack offers the starter packs, first those that fit a host: none is on unless somebody chose it.
func (s *Screen) askPack() {
	var items, others []pane.MenuItem
	packs := s.desk.Packs()
	for i := range packs {
		p := &packs[i]
		if len(p.Rules) == 0 {
			continue
		}
		missing, own := s.rulesOf(p)
		about := aboutOf(p)
		item := pane.MenuItem{Text: fmt.Sprintf("add %s (%d)%s", p.Name, len(missing), about), Do: func() { s.addPack(p, missing) }}
		switch {
		case len(missing) > 0:
		case len(own) > 0:
			item.Text, item.Do = fmt.Sprintf("take away %s (%d)%s", p.Name, len(own), about), func() { s.did(removeRules(s.desk, own)) }
		default:
			item.Text, item.Why = p.Name+about, "its rules stand in a file: O switches one off"
		}
		if slices.ContainsFunc(s.desk.Hosts, func(h *pane.Host) bool { return p.Fits(h.Sampler.Catalogue()) }) {
			items = append(items, item)
		} else {
			others = append(others, item)
		}
	}
	s.desk.Send(pane.OpenMenu{Title: "Starter packs of rules", Items: append(items, others...)})
}

// aboutOf is what a pack is about, as far as a line of the menu has room.
func aboutOf(p *alert.Pack) string {
	const most = 30 // characters
	_, what, named := strings.Cut(p.About, ": ")
	if !named {
		what = p.About
	}
	if what == "" {
		return ""
	}
	return ": " + printable.Shorten(what, most)
}

// rulesOf are the rules of a pack that are not there, and the names of those that were
// added here.
func (s *Screen) rulesOf(p *alert.Pack) (missing []alert.Rule, own []string) {
	for _, r := range p.Rules {
		switch st := statusOf(s.desk, r.Name); {
		case st == nil:
			missing = append(missing, r)
		case st.Edited && st.Origin == r.Origin:
			own = append(own, r.Name)
		}
	}
	return missing, own
}

// addPack adds the rules of a pack that are not there.
func (s *Screen) addPack(p *alert.Pack, missing []alert.Rule) {
	for i, r := range missing {
		if err := s.desk.Alerts.Put(s.desk.User, r); err != nil {
			s.desk.Say(reason(err).Error())
			missing = missing[:i]
			break
		}
	}
	if len(missing) == 0 {
		return
	}
	s.dirty = true
	s.renew()
	s.showRule(missing[0].Name)
	s.desk.Did(fmt.Sprintf("%d rules of pack %s added", len(missing), p.Name), undoEach(s.desk, slices.Clone(missing), func(r alert.Rule) error {
		return s.desk.Alerts.Remove(s.desk.User, r.Name)
	}))
}
