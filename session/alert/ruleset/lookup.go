package ruleset

import (
	"context"
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/alert/rulepack"
	"perfdeck/session/inventory"
)

// LookUp looks rules up on the hosts that they are meant for, but those of packs: what is not there,
// and which hosts could not be asked.
func LookUp(ctx context.Context, rules []alert.Rule, hosts []inventory.Host) (missing, failed []error) {
	for _, h := range hosts {
		cat, err := h.Source.Catalogue(ctx)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for i := range rules {
			r := &rules[i]
			if r.Kind == alert.HostLost || rulepack.IsOrigin(r.Origin) || r.When.Path.Computer != "" && !inventory.Is(r.When.Path.Computer, h.Name) ||
				len(r.Hosts) > 0 && !slices.ContainsFunc(r.Hosts, func(pattern string) bool { return paths.Match(pattern, h.Name) }) {
				continue
			}
			if _, err := r.Meanings(cat); err != nil {
				missing = append(missing, fmt.Errorf("rule %s on %s: %w", r.Name, h.Name, err))
			}
		}
	}
	return missing, failed
}
