package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

var errNotCombined = errors.New("no instances are named")

// aggregates are the queries of --aggregate. function is the word of
// --aggregate-func, empty for the counters' own.
func aggregates(texts []string, function string) ([]query, error) {
	var chosen *cooker.AggregateFunc
	if function != "" {
		f, ok := cooker.ParseAggregate(function)
		if !ok {
			return nil, unknownValue("aggregate-func", function, "total, average, minimum, maximum")
		}
		chosen = &f
	}
	var all []query
	for _, text := range texts {
		p, err := paths.Parse(text)
		if err != nil {
			return nil, usage(err)
		}
		if p.InstanceText() == "" {
			return nil, usage(&hinted{fmt.Errorf("--aggregate %s: %w", text, errNotCombined), `write \Set(a|b|c)\Counter`})
		}
		q := newQuery(text, "")
		q.Combine = &session.Combine{Name: p.InstanceText(), Match: oneOf(strings.Split(p.InstanceText(), "|")), Func: chosen}
		all = append(all, q)
	}
	return all, nil
}

// oneOf matches instances by the names that lists show, in which * stands for
// anything.
func oneOf(names []string) func(*session.Instance) bool {
	return func(in *session.Instance) bool {
		name := paths.Of("", "", in.Key.Parent, in.Key.Name, int(in.Index), "").InstanceText()
		return slices.ContainsFunc(names, func(n string) bool { return paths.Match(n, name) })
	}
}
