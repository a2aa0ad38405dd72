package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"perfdeck/cmd/perfdeck/screens"
	"perfdeck/session"
	"perfdeck/session/app/roster"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/lifetime"
	"perfdeck/tui/pane"
)

// connect opens hosts that the user names while the screens run. Those without
// an account do not keep the others from being opened.
func (r *screenRun) connect(ask pane.AddHosts) (hosts []*pane.Host, err error) {
	r.connecting.Do(func() { hosts, err = r.connectAlone(ask) })
	return hosts, err
}

func (r *screenRun) connectAlone(ask pane.AddHosts) ([]*pane.Host, error) {
	defer func() { lifetime.Processors(len(r.hosts.Members())) }()
	names, err := r.known.Typed(r.ctx, ask.Names)
	if err != nil {
		return nil, err
	}
	var as *logon.Account
	if ask.Account != "" {
		if as, err = r.program.accounts().Typed(ask.Account, ask.Password); err != nil {
			return nil, err
		}
		r.lastAccount = ask.Account
	}
	came, err := r.hosts.Join(r.ctx, r.known, names, as, r.mode)
	if none, is := errors.AsType[*session.NoAccountError](err); is {
		none.Account = cmp.Or(none.Account, r.lastAccount)
	}
	return r.started(came), err
}

// newcomersEvery is how often engines are asked for hosts that came to them.
const newcomersEvery = time.Minute

// newcomers shows hosts that come to engines of which all are watched.
func (r *screenRun) newcomers(ctx context.Context) {
	tick := time.NewTicker(newcomersEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.connecting.Do(func() {
				r.session.Add(r.started(r.hosts.Newcomers(r.ctx, r.known, r.mode, r.session.Note)))
			})
		}
	}
}

// started are hosts as the screens show them, which run.
func (r *screenRun) started(hosts []*roster.Member) (out []*pane.Host) {
	for _, h := range hosts {
		out = append(out, r.shown(h))
		h.Start()
	}
	return out
}

// shown is a host with all that ends with it.
func (r *screenRun) shown(h *roster.Member) *pane.Host {
	shown := screens.Host(h.Host, r.settings)
	if h.Identity != "" {
		feed := r.program.shelf().Feed(shown.Feed, h.Identity)
		shown.Feed, shown.Kept, shown.Events = feed, feed, feed.Events(h.Name, shown.Events)
	}
	shown.Feed = screens.EndingFeed{Feed: shown.Feed, End: func() { r.hosts.Drop(h.Name) }}
	return shown
}
