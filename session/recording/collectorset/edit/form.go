package edit

import (
	"fmt"

	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/text/field"
)

// Form are the fields of a set that a form has, as they are. Those that do not fit a line
// are left out.
func Form(e *store.Entry) ([]field.Line, error) {
	one, err := meant(e.Set, nil)
	if err != nil {
		return nil, err
	}
	if one == nil {
		return nil, fmt.Errorf("the set %s has nothing that is run here", e.Set.Name)
	}
	s := &subject{e, one}
	return s.rows().Form(s), nil
}
