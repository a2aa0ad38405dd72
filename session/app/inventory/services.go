package inventory

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session/engine/prom"
	"perfdeck/session/hosts/service"
)

// Services are the paths by which an engine is given the services of a host: how many are in which
// state, of this computer and where the config says so; and one by its name, where a rule or a recording of the config
// names it.
func (v *Inventory) Services(t Target) (out []string) {
	c := v.config()
	add := func(p paths.Path) {
		if !paths.EqualFold(p.Object, service.Name) || p.Wildcard() != 0 || !p.HasInstance || paths.IsTotal(p.Instance) {
			return
		}
		p.Computer = ""
		for _, p.Counter = range []string{p.Counter, "State"} {
			if text := p.String(); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	for i := range c.Alerts.Rules {
		if r := &c.Alerts.Rules[i]; !r.Disabled && r.AppliesTo(t.Name) {
			add(r.When.Path)
		}
	}
	for i := range c.Records {
		r := &c.Records[i]
		named := paths.ContainsFold(r.Hosts, t.Name) || paths.ContainsFold(r.Hosts, t.Given)
		if !named && (len(r.Hosts) > 0 || !t.IsOwn()) {
			continue
		}
		for _, text := range r.Paths {
			if p, err := paths.Parse(text); err == nil && (p.Computer == "" || paths.EqualFold(p.Computer, t.Name)) {
				add(p)
			}
		}
	}
	if len(out) > 0 || t.IsOwn() || t.Own.Services {
		out = append(prom.TotalsOf(service.Name), out...)
	}
	return out
}
