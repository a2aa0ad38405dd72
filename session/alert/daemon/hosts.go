package daemon

import (
	"context"
	"fmt"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/inventory"
)

// watched is a host whose sampler runs.
type watched struct {
	inventory.Host
	end context.CancelFunc

	failed string    // why it did, as it was told; empty: it answers
	toldAt time.Time // when that was
}

// troubleEvery is how often it is told at most that a host fails.
const troubleEvery = time.Minute

// tellTrouble tells that a host fails, and why, or that it answers again. One that fails now
// and then is told of once a minute.
func (h *watched) tellTrouble(now time.Time, report func(error), tell func(string)) {
	switch state := h.Sampler.State(); {
	case state.Err != nil && h.failed == "" && now.Sub(h.toldAt) >= troubleEvery:
		h.failed, h.toldAt = state.Err.Error(), now
		err := state.Err
		if !strings.Contains(h.failed, h.Name) {
			err = fmt.Errorf("%s: %w", h.Name, err)
		}
		report(err)
	case state.Phase == session.Live && h.failed != "":
		h.failed = ""
		tell(h.Name + " answers again")
	}
}

// setHosts opens the hosts that are to be watched, and closes those that are not any more.
func (d *Daemon) setHosts(ctx context.Context) error {
	wanted, err := d.setup.Open()
	named := map[string]bool{}
	for _, h := range wanted {
		named[h.Name] = true
		if d.hosts[h.Name] != nil {
			_ = h.Source.Close()
			continue
		}
		ctx, end := context.WithCancel(ctx)
		d.hosts[h.Name] = &watched{Host: h, end: end}
		d.alerts.Watch().Add(h.Name, h.Sampler)
		d.o.Records.Add(h)
		d.o.Pushes.Add(h)
		inventory.Start(ctx, h)
	}
	if err != nil {
		return err
	}
	for name, h := range d.hosts {
		if !named[name] {
			d.alerts.Watch().Drop(name)
			d.o.Records.Drop(name)
			d.o.Pushes.Drop(name)
			h.end()
			delete(d.hosts, name)
		}
	}
	return nil
}
