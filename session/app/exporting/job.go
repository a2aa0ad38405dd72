// Package exporting says what an exporter gives of which hosts, as the config or a command line says.
package exporting

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/give/exporter"
	"perfdeck/session/system/failure"
)

// Asked is what is asked of the hosts of /metrics.
func Asked(sets, texts, packs []string) (exporter.Asked, error) {
	a := exporter.Asked{Sets: sets, Paths: texts}
	for _, text := range texts {
		switch parsed, err := paths.Parse(text); {
		case err != nil:
			return a, failure.Usage(err)
		case parsed.Computer != "":
			return a, failure.Usage(fmt.Errorf("%s: it names a computer", text), "--host names the hosts")
		}
	}
	for _, name := range packs {
		more, err := rulepack.Paths(name)
		if err != nil {
			return a, failure.Usage(err)
		}
		a.Paths = append(a.Paths, more...)
	}
	return a, nil
}

// Hosts are those that are named, which /metrics gives, and beside them, for those who ask for a host, those
// of the config and those that are allowed. demo: they are invented. ways tells how each is reached.
func Hosts(o *exporter.Options, known *inventory.Inventory, demo bool, named, allow []string) (ways map[string]inventory.Reached, err error) {
	if demo {
		return nil, invented(o, known, named)
	}
	if len(named) == 0 {
		named = []string{inventory.Local}
	}
	all := slices.Concat(named, known.Configured(), allow)
	for _, name := range all {
		if err := known.Check(name); err != nil {
			return nil, failure.Usage(fmt.Errorf("exporter: %w", err))
		}
	}
	first, err := known.Targets(named)
	if err != nil {
		return nil, err
	}
	targets, err := known.Targets(all) // those of named are the first of these
	if err != nil {
		return nil, err
	}
	open := map[string]inventory.Target{}
	o.Also = map[string][]string{}
	ways = map[string]inventory.Reached{}
	for i, t := range targets {
		open[t.Name], ways[t.Name] = t, known.Reached(t)
		o.Targets = append(o.Targets, exporter.Target{Name: t.Name, As: t.Given, Groups: known.Groups(t)})
		if i < len(first) {
			o.Metrics = append(o.Metrics, t.Name)
			o.Also[t.Name] = known.Services(t)
		}
	}
	o.Open = func(ctx context.Context, name string) (*session.Sampler, error) {
		h, err := known.OpenTarget(open[name], inventory.Mode{Kept: true})
		if err != nil {
			return nil, err
		}
		inventory.Start(ctx, h)
		return h.Sampler, nil
	}
	return ways, nil
}

// errOnce says that a host of the demo cannot be opened twice.
var errOnce = errors.New("it was closed: nobody asked for it in a long time")

func invented(o *exporter.Options, known *inventory.Inventory, named []string) error {
	hosts, err := known.Open(named, inventory.Mode{Kept: true})
	if err != nil {
		return err
	}
	left := map[string]inventory.Host{}
	for _, h := range hosts {
		left[h.Name] = h
		o.Metrics = append(o.Metrics, h.Name)
		o.Targets = append(o.Targets, exporter.Target{Name: h.Name})
	}
	o.Open = func(ctx context.Context, name string) (*session.Sampler, error) {
		h, ok := left[name]
		if !ok {
			return nil, errOnce
		}
		delete(left, name)
		inventory.Start(ctx, h)
		return h.Sampler, nil
	}
	return nil
}
