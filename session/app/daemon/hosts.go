package daemon

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/roster"
)

// trouble is what was told of a host that fails.
type trouble struct {
	why    string    // as it was told; empty: it answers
	toldAt time.Time // when that was
}

// troubleEvery is how often it is told at most that a host fails.
const troubleEvery = time.Minute

// tell tells that a host fails, and why, or that it answers again. One that fails now and then is
// told of once a minute.
func (t *trouble) tell(h *roster.Member, now time.Time, report func(error)) {
	switch state := h.Sampler.State(); {
	case state.Err != nil && t.why == "" && now.Sub(t.toldAt) >= troubleEvery:
		t.why, t.toldAt = state.Err.Error(), now
		err := state.Err
		if !strings.Contains(t.why, h.Name) {
			err = fmt.Errorf("%s: %w", h.Name, err)
		}
		report(err)
	case state.Phase == session.Live && t.why != "":
		t.why = ""
		report(fmt.Errorf("%s: %w", h.Name, session.ErrAgain))
	}
}

// tellTroubles tells of all hosts.
func (d *Daemon) tellTroubles(now time.Time) {
	for _, h := range d.hosts.Members() {
		t := d.troubles[h.Name]
		if t == nil {
			t = &trouble{}
			d.troubles[h.Name] = t
		}
		t.tell(h, now, d.report)
	}
}

// setHosts watches these hosts, and no others. Alerts of those that were watched end, of others those that
// were kept where all tells that nobody else watches their hosts.
func (d *Daemon) setHosts(ctx context.Context, hosts []inventory.Host, all bool) {
	stays, had := map[string]bool{}, map[string]bool{}
	for _, h := range hosts {
		stays[h.Name] = true
	}
	for _, h := range d.hosts.Members() {
		had[h.Name] = true
	}
	d.alerts.Watch().Leave(func(host string) bool { return !stays[host] && (all || had[host]) })
	d.alerts.Watch().SetAside(inventory.Aside(hosts))
	d.hosts.Set(ctx, hosts)
	maps.DeleteFunc(d.troubles, func(name string, _ *trouble) bool { return !stays[name] })
}
