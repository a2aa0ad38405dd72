package main

import (
	"context"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collector"
	"perfdeck/session/system/output"
)

// pour records hosts whose samplers run onto a stream, until count rows are there or
// the context ends. begin is called when it is known that there is something; it may
// be nil. partly tells that not all that was asked for is there; r is nil where
// nothing was begun.
func (p *program) pour(ctx context.Context, hosts []inventory.Host, queries []inventory.Query, o collector.Options, begin func() error) (r *collector.Recording, partly bool, err error) {
	if o.Report == nil {
		o.Report = p.reportOnce()
	}
	if partly, err = inventory.LookUp(ctx, hosts, queries, paths.Options{ShowHidden: o.ShowHidden}, false, o.Report); err != nil {
		return nil, false, err
	}
	if begin != nil {
		if err := begin(); err != nil {
			return nil, false, err
		}
	}
	o.Hosts, o.Clock, o.Go = hostsToRecord(hosts, queries), p.newClock(), p.guard.Go
	if r, err = collector.Start(o); err != nil {
		return nil, false, err
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
		_ = r.Stop(context.WithoutCancel(ctx), "")
	}
	return r, partly || r.LeftOut(), r.Status().Err
}

// reportOnce reports errors, each text once.
func (p *program) reportOnce() func(error) {
	return output.NewOnce(func(err error) { p.report(err) }).Report
}

// silent are the queries that never had a value on their hosts. Of an only host they
// are told without it.
func silent(r *collector.Recording, hosts []inventory.Host) []session.Silence {
	out := r.Silent()
	for i := range out {
		if len(hosts) == 1 {
			out[i].Host = ""
		}
	}
	return out
}
