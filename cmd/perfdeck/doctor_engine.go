package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"perfdeck/session/inventory"
	"perfdeck/session/source/engine"
)

// overEngine tries the steps of an engine, and of one of its hosts: the one that was named, or
// the first.
func (d *doctor) overEngine(ctx context.Context, t inventory.Target) error {
	var hosts []engine.Host
	if err := d.step("ask which hosts", func() (_ string, err error) {
		if hosts, err = d.known.EngineHosts(ctx, t.Address); err != nil {
			return "", err
		}
		return count(len(hosts), "host", "hosts"), nil
	}); err != nil {
		return err
	}
	var source *engine.Source
	if err := d.step("find the host", func() (detail string, err error) {
		source, err = d.known.EngineHost(ctx, t.Address)
		if err != nil {
			return "", err
		}
		return source.Describe(), nil
	}); err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // it was only read
	if err := d.step("newest sample", func() (string, error) {
		at, n, err := source.Newest(ctx)
		if err != nil {
			return "", err
		}
		series := strconv.Itoa(n)
		if n < 0 {
			series = "very many"
		}
		return fmt.Sprintf("%s series, the newest %s old", series, time.Since(at).Round(100*time.Millisecond)), nil
	}); err != nil {
		return err
	}
	err := d.read(ctx, source)
	d.notes(source)
	return err
}
