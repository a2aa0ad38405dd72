package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"perfdeck/session/engine/prom"
	"perfdeck/session/give/exporter"
	"perfdeck/session/give/health"
	"perfdeck/session/give/push"
	"perfdeck/session/system/failure"
)

// addMetricsFlag adds the flag that says where a service tells of itself.
func addMetricsFlag(c *cobra.Command, address *string) {
	c.Flags().StringVar(address, "metrics", "", "address of this computer at which it tells of itself: /metrics and "+health.Path+" (default: none)")
}

// tellSelf answers at an address what the service is, until the context ends; empty: it does not.
func (s *running) tellSelf(ctx context.Context, address string, facts func() []health.Fact, well func() error) error {
	if address == "" {
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return failure.WithHint(fmt.Errorf("--metrics: %w", err), "is another one running? choose another port")
	}
	if err := exporter.CheckListener(l.Addr(), nil); err != nil {
		_ = l.Close()
		return usage(fmt.Errorf("--metrics: %w", err), "--metrics 127.0.0.1:9798; what is to be asked from elsewhere is perfdeck exporter's work")
	}
	self := health.New(s.cmd.Name(), version())
	self.Facts, self.Well = facts, well
	s.self = self
	s.guard.Go(func() {
		if err := exporter.Serve(ctx, l, self.Handler(), nil, s.guard.Go); err != nil && ctx.Err() == nil {
			s.report(err)
		}
	})
	return nil
}

func fact(name, help string, grows bool, v int64) health.Fact {
	return health.Fact{Metric: prom.Metric{Name: name, Help: help, Grows: grows}, Value: float64(v)}
}

// pushFacts are how pushes go, added up.
func pushFacts(all []push.Status) []health.Fact {
	var s push.Status
	for i := range all {
		sum(&s, &all[i])
	}
	return []health.Fact{
		fact("perfdeck_push_hosts", "Hosts whose samples are pushed.", false, int64(s.Hosts)),
		fact("perfdeck_push_samples_total", "Samples that came.", true, s.Taken),
		fact("perfdeck_push_samples_sent_total", "Samples that an engine took.", true, s.Sent),
		fact("perfdeck_push_samples_refused_total", "Samples that an engine did not take.", true, s.Refused),
		fact("perfdeck_push_samples_lost_total", "Samples that came faster than the disk took them.", true, s.Lost),
		fact("perfdeck_push_waiting_samples", "Samples that wait.", false, s.Queue.Samples),
		fact("perfdeck_push_waiting_bytes", "Bytes that wait.", false, s.Queue.Bytes),
	}
}

// delivers is an error where pushes deliver nothing.
func delivers(all []push.Status) error {
	var err error
	for i := range all {
		if all[i].Err != nil {
			err = errors.Join(err, fmt.Errorf("%s takes nothing: %w", all[i].Engine, all[i].Err))
		}
	}
	return err
}
