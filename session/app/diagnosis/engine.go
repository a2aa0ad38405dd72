package diagnosis

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/engine"
	"perfdeck/session/text/english"
)

// overEngine tries the steps of an engine, and of one of its hosts: the one that was named, or
// the first.
func (e *examination) overEngine(ctx context.Context, t inventory.Target) error {
	var hosts []engine.Host
	if err := e.step("ask which hosts", func() (_ string, err error) {
		if hosts, err = e.Known.EngineHosts(ctx, t.Address); err != nil {
			return "", err
		}
		return english.Count(len(hosts), "host", "hosts"), nil
	}); err != nil {
		return err
	}
	var source *engine.Source
	if err := e.step("find the host", func() (detail string, err error) {
		source, err = e.Known.EngineHost(ctx, t.Address)
		if err != nil {
			return "", err
		}
		return source.Describe(), nil
	}); err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // it was only read
	if err := e.step("newest sample", func() (string, error) {
		at, n, err := source.Newest(ctx)
		if err != nil {
			return "", err
		}
		series := strconv.Itoa(n)
		if n < 0 {
			series = "very many"
		}
		return fmt.Sprintf("%s series, the newest %s old", series, english.Span(time.Since(at))), nil
	}); err != nil {
		return err
	}
	err := e.read(ctx, source)
	e.notes(source)
	return err
}
