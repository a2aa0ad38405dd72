package main

import (
	"errors"
	"fmt"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/inventory"
)

var errNotCombined = errors.New("no instances are named")

// aggregates are the queries of --aggregate. function is the word of
// --aggregate-func, empty for the counters' own.
func aggregates(texts []string, function string) ([]inventory.Query, error) {
	var chosen *cooker.AggregateFunc
	if function != "" {
		f, ok := cooker.ParseAggregate(function)
		if !ok {
			return nil, unknownValue("aggregate-func", function, "total, average, minimum, maximum")
		}
		chosen = &f
	}
	var all []inventory.Query
	for _, text := range texts {
		p, err := paths.Parse(text)
		if err != nil {
			return nil, usage(err)
		}
		if p.InstanceText() == "" {
			return nil, usage(session.WithHint(fmt.Errorf("--aggregate %s: %w", text, errNotCombined), `write \Set(a|b|c)\Counter`))
		}
		q := inventory.NewQuery(text, "")
		q.Combine = &session.Combine{Name: p.InstanceText(), Match: session.OneOf(strings.Split(p.InstanceText(), "|")), Func: chosen}
		all = append(all, q)
	}
	return all, nil
}
