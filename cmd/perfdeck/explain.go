package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/analysis/explanation"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/sampling"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/collector"
	"perfdeck/session/text"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	PromQL bool `flag:"promql" help:"say how Prometheus makes the value of raw series"`
	JSON   bool `flag:"json" help:"print JSON, one value a line"`
}

func (p *program) explainCommand() *cobra.Command {
	return flagged(&cobra.Command{
		Use:   "explain PATH...",
		Short: "Tell where a value comes from",
		Long: `How does this number come about? explain reads a counter twice, one interval apart, and
shows it: the counter type with its code and bit fields, the formula with symbols and with
numbers, the raw samples with their base and clocks, the attributes and the result. A path
with wildcards is explained for each of its instances. Of a feed it waits for two values, a
minute at most. Of a host of an engine it names the engine's series with their samples, and
shows what the engine makes of them beside its own result.

With --promql it says how an engine, as Prometheus, computes the value from the raw series
that perfdeck exporter gives with raw=1: exactly as here, of the newest two samples, by the
host's clock; and over a window of 5 minutes, by the engine's.

The exit code is 3 when some paths had no value.`,
		Example:           `  perfdeck explain '\Processor Information(_Total)\% Processor Time'`,
		Args:              needs("counter path"),
		ValidArgsFunction: p.completePaths,
	}, new(explainFlags), p.explain)
}

// explain reads the counters twice and explains their values.
func (p *program) explain(c *cobra.Command, args []string, f explainFlags) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	queries, err := p.queries(args, nil)
	if err != nil {
		return err
	}
	hosts, err := p.known().For(queries, p.flags.Hosts, inventory.Mode{Kept: true}) // with all texts
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	inventory.Start(ctx, hosts...)
	buffer := bufio.NewWriter(p.out)
	out := p.people(p.out).To(buffer)
	tracers := map[string]session.Tracer{} // of hosts that are read out of what others keep
	for _, h := range hosts {
		if from, is := h.Source.(session.Tracer); is {
			tracers[h.Name] = from
		}
	}
	o := explanation.Options{Looks: p.config.Counters.Looks(settings), PromQL: f.PromQL, Tracers: explanation.NewTracers(ctx, tracers)}
	writer := explanation.Write
	if f.JSON {
		writer = func(w *text.Printer, s logs.Sample, c logs.Cell, o explanation.Options) error {
			return explanation.WriteJSON(w, s, c, o)
		}
	}
	rows := 1 + int64(toldWithin/max(settings.Interval, session.MinInterval))
	write := func(r *logs.Beat) error {
		if rows--; rows > 0 && slices.ContainsFunc(r.Samples, awaits) {
			return nil
		}
		for _, s := range r.Samples {
			for i, c := range s.Cells {
				if i > 0 && !f.JSON {
					fmt.Fprintln(out)
				}
				if err := writer(out, s, c, o); err != nil {
					return err
				}
			}
		}
		return errExplained
	}
	report := p.reportOnce()
	r, partly, err := p.pour(ctx, hosts, queries, collector.Options{
		Listeners: collector.Listeners{Report: report},
		Subject:   collector.Subject{Every: settings.Interval},
		Until:     collector.Until{Count: rows},
		Stream:    &collector.Stream{Evidence: true, Write: write},
	}, nil)
	if r == nil {
		return unlessEnded(ctx, err)
	}
	if errors.Is(err, errExplained) {
		err = nil
	}
	if err := cmp.Or(err, buffer.Flush()); err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	noteFailed(r.Status(), report)
	return p.noteSilent(c.Context(), "explain", sampling.Silent(r, hosts), partly)
}

// toldWithin is for how long a program is awaited to tell twice.
const toldWithin = time.Minute

var errExplained = errors.New("all is explained")

// awaits tells whether a sample has rates of what a program tells, which did not tell twice.
func awaits(s logs.Sample) bool {
	return slices.ContainsFunc(s.Cells, func(c logs.Cell) bool { return c.Set.Told && c.Value.Status() == cooker.FirstSample })
}
