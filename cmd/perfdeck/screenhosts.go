package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/logon"
	"perfdeck/tui"
	"perfdeck/tui/pane"
)

// connect opens hosts that the user names while the screens run. Those without
// an account do not keep the others from being opened.
func (r *screenRun) connect(ask pane.AddHosts) (hosts []*pane.Host, err error) {
	r.connecting.Do(func() { hosts, err = r.connectAlone(ask) })
	return hosts, err
}

func (r *screenRun) connectAlone(ask pane.AddHosts) ([]*pane.Host, error) {
	defer func() { thrift(r.watching.Len()) }()
	p := r.program
	names, err := r.known.Typed(r.ctx, ask.Names)
	if err != nil {
		return nil, err
	}
	var as *logon.Account
	if ask.Account != "" {
		if as, err = p.accounts().Typed(ask.Account, ask.Password); err != nil {
			return nil, err
		}
		r.lastAccount = ask.Account
	}
	var out []*pane.Host
	var missing *tui.NoAccountError
	for _, name := range names {
		h, err := r.known.OpenAs(name, as, r.mode)
		if none, ok := errors.AsType[*logon.NoAccountError](err); ok {
			if missing == nil {
				missing = &tui.NoAccountError{Account: r.likelyAccount(none), Err: err}
			}
			missing.Names = append(missing.Names, name)
			continue
		}
		if err != nil {
			return out, err
		}
		if !r.watching.Add(h.Name) {
			_ = h.Source.Close()
			err = fmt.Errorf("%s is watched already", session.Printable(h.Name))
			if len(names) == 1 {
				return out, err
			}
			continue
		}
		added, start := r.watched(h)
		start()
		out = append(out, added)
	}
	if missing != nil {
		return out, missing
	}
	return out, nil
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
			r.connecting.Do(func() { r.session.Add(r.newHosts(ctx)) })
		}
	}
}

// newHosts opens hosts that came to engines, but those that are watched already.
func (r *screenRun) newHosts(ctx context.Context) (out []*pane.Host) {
	for _, name := range r.known.NewHosts(ctx) {
		h, err := r.known.OpenAs(name, nil, r.mode)
		if err != nil {
			r.session.Note(err)
			continue
		}
		if !r.watching.Add(h.Name) {
			_ = h.Source.Close()
			continue
		}
		added, start := r.watched(h)
		start()
		out = append(out, added)
	}
	return out
}

// likelyAccount is what the user will want to log on by.
func (r *screenRun) likelyAccount(none *logon.NoAccountError) string {
	if none.Account != "" {
		return none.Account
	}
	return r.lastAccount
}

// watched is a host with all that ends with it. It does not run before start.
func (r *screenRun) watched(h inventory.Host) (shown *pane.Host, start func()) {
	ctx, cancel := context.WithCancel(r.ctx)
	shown = r.watch(h)
	shown.Feed = endingFeed{shown.Feed, func() {
		r.alerts.drop(h.Name)
		cancel()
		r.watching.Drop(h.Name)
	}}
	return shown, func() { inventory.Start(ctx, h) }
}

// endingFeed ends the host with its only feed.
type endingFeed struct {
	pane.Feed

	end func()
}

// SampleNow is that of the feed, as the screens look for it.
func (f endingFeed) SampleNow() {
	if s, ok := f.Feed.(interface{ SampleNow() }); ok {
		s.SampleNow()
	}
}

func (f endingFeed) Close() {
	f.Feed.Close()
	f.end()
}
