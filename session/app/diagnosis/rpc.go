package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/eventlog"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/rpc/scm"
)

// overRPC tries the steps of a host that is reached by DCE/RPC.
func (e *examination) overRPC(ctx context.Context, t inventory.Target) error {
	r, err := e.Known.Remote(t)
	if err != nil {
		e.tell(0, "prepare", "", err)
		return err
	}
	client, err := e.reach(ctx, r)
	if err != nil {
		if call, ok := errors.AsType[*rpc.Error](err); ok && call.Code != 0 && !call.IsLogOn() { // of what has the counters
			e.besides(ctx, r, nil)
		}
		return err
	}
	source := e.Known.Over(t, r, client, e.Wrap)
	defer source.Close()
	err = e.read(ctx, source)
	e.notes(source)
	e.besides(ctx, r, client.On())
	return err
}

// besides tries what a host may tell beside its counters: that it does not is no failure of theirs.
func (e *examination) besides(ctx context.Context, r *logon.Remote, on *rpc.Shares) {
	if r.TCP() {
		return
	}
	passed := stopwatch()
	detail, err := e.services(ctx, r, on)
	e.Tell(Step{Name: "list services", Detail: detail, Took: passed(), Err: err, IsBeside: true})
	detail, err = e.events(ctx, r, on)
	e.Tell(Step{Name: "read event logs", Detail: detail, Took: passed(), Err: err, IsBeside: true})
}

// events reads a record of an event log of a host.
func (e *examination) events(ctx context.Context, r *logon.Remote, on *rpc.Shares) (detail string, err error) {
	records, newest, err := eventlog.Try(ctx, eventlog.Options{Host: r.Host(), Right: eventlog.RemoteRight, Dial: func(ctx context.Context) (eventlog.Conn, error) {
		return r.Dial(ctx, logon.Connection{On: on, Interfaces: []rpc.Interface{rpc.MSEVEN}, Once: true, Heard: e.Heard})
	}})
	if err != nil {
		return "", err
	}
	detail = "System has " + english.Count(uint64(records), "record", "records")
	if !newest.IsZero() {
		detail += ", the newest of " + newest.Format(time.DateTime)
	}
	return detail, nil
}

// services lists the services of a host, with the rights that are needed for that alone.
func (e *examination) services(ctx context.Context, r *logon.Remote, on *rpc.Shares) (detail string, err error) {
	c, err := r.Dial(ctx, logon.Connection{On: on, Interfaces: []rpc.Interface{rpc.MSSCMR}, Once: true, Heard: e.Heard})
	if err != nil {
		return "", scm.Cured(err)
	}
	defer c.Close() //nolint:errcheck // nothing is lost
	m, err := scm.Open(ctx, r.Host(), c)
	if err != nil {
		return "", err
	}
	list, err := m.List(ctx)
	if err != nil {
		return "", err
	}
	run := 0
	for _, s := range list {
		if s.State == scm.Running {
			run++
		}
	}
	return english.Count(len(list), "service", "services") + fmt.Sprintf(", %d run", run), m.Close(ctx)
}

// reach tries the steps up to a connection for both protocols.
func (e *examination) reach(ctx context.Context, r *logon.Remote) (*rpc.Client, error) {
	if err := e.step("find the host", func() (string, error) {
		addresses, err := net.DefaultResolver.LookupHost(ctx, r.Host())
		if err != nil {
			return "", failure.WithHint(err, "is the name right? try its address")
		}
		return strings.Join(addresses, " "), nil
	}); err != nil {
		return nil, err
	}
	if r.NeedsPassword() {
		if err := e.step("get the password", func() (string, error) { return "", r.Ready(ctx) }); err != nil {
			return nil, err
		}
	}
	passed := stopwatch()
	client, err := r.Dial(ctx, logon.Connection{
		Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.MSRRP},
		Progress:   func(step, detail string) { e.tell(passed(), step, detail, nil) },
		Once:       true,
	})
	if err != nil {
		op := "log on"
		if why, ok := errors.AsType[*rpc.Error](err); ok {
			if op = why.Op; why.IsLogOn() {
				err = fmt.Errorf("%w, as %s", err, r.As())
			}
		}
		e.tell(passed(), op, "", err)
	}
	return client, err
}
