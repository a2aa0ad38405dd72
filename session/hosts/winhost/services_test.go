package winhost

import (
	"context"
	"errors"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/service"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/rpc/scm/scmtest"
)

// withServices stands the services of a fake manager beside the halves.
func (r *rig) withServices(h *scmtest.Host) (asked *int) {
	port := scmtest.Start(r, h)
	asked = new(int)
	remote := service.NewRemote("h", func(ctx context.Context) (service.Conn, error) {
		*asked++
		return rpc.Dial(ctx, scmtest.Options(port))
	}, func(error) {})
	r.source = New(Options{Host: "h", V2: r.half(r.v2), V1: r.half(r.v1), Services: remote.Source(func(f func()) { go f() })})
	r.Cleanup(func() { _ = r.source.Close() })
	return asked
}

// ask opens the host, and asks for all that it has, or all but its services.
func (r *rig) ask(services bool) {
	r.Helper()
	var err error
	if r.cat, err = r.source.Catalogue(r.Context()); err != nil {
		r.Fatal(err)
	}
	if r.query == nil {
		if r.query, err = r.source.Open(r.Context()); err != nil {
			r.Fatal(err)
		}
	}
	var wants []session.Want
	for _, set := range r.cat.Sets {
		if services || set.Name != service.Name {
			wants = append(wants, session.Want{Set: set, Counters: []int{0}})
		}
	}
	if err := r.query.Select(r.Context(), wants); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) refuse(err error) {
	r.v2.fail = func(string) error { return err }
	r.v1.fail = r.v2.fail
}

// A host that refuses its counters and tells its services is a host with services.
func TestServicesAlone(t *testing.T) {
	r := newRig(t)
	r.withServices(&scmtest.Host{Services: []scmtest.Service{{Name: "Dhcp", Type: 0x20, State: 4}}})
	r.refuse(rpc.HostError("h", "connect", &rpc.Error{Op: "open the pipe", Code: rpc.CodeAccessDenied}))
	r.ask(true)
	if len(r.cat.Sets) != 1 || r.cat.Set(service.Name) == nil {
		t.Fatalf("%+v", r.cat.Sets)
	}
	if err := r.query.Collect(t.Context(), &r.batch); err != nil || r.batch.Sets[0].Err != nil || len(r.batch.Sets[0].Instances) != 2 {
		t.Errorf("%v, %+v", err, r.batch.Sets[0])
	}
	if w := r.source.Warnings(); len(w) != 2 || !errors.Is(w[0], session.ErrDenied) {
		t.Errorf("%v", w)
	}
}

// Services that are denied are no matter of the counters, and nobody asks for them who does not read them.
func TestServicesDenied(t *testing.T) {
	r := newRig(t)
	asked := r.withServices(&scmtest.Host{Denies: true})
	r.ask(true)
	for range 2 {
		if err := r.query.Collect(t.Context(), &r.batch); err != nil {
			t.Fatal(err)
		}
	}
	for i := range r.batch.Sets {
		b := &r.batch.Sets[i]
		if isServices := b.Set.Name == service.Name; isServices != errors.Is(b.Err, session.ErrDenied) {
			t.Errorf("%s: %v", b.Set.Name, b.Err)
		}
	}
	before := *asked
	r.ask(false)
	for range 3 {
		if err := r.query.Collect(t.Context(), &r.batch); err != nil || *asked != before {
			t.Errorf("%v, asked %d times", err, *asked-before)
		}
	}
}

// A log-on that was refused is not tried again for services.
func TestServicesOfRefusedAccount(t *testing.T) {
	r := newRig(t)
	asked := r.withServices(&scmtest.Host{})
	for _, err := range []error{session.ErrDenied, errors.New("no route to the host")} {
		r.refuse(err)
		if cat, err := r.source.Catalogue(t.Context()); err == nil {
			t.Errorf("%+v", cat)
		}
	}
	if *asked > 0 {
		t.Errorf("asked %d times", *asked)
	}
}

// manager is a service manager that has one service.
type manager struct{}

func (manager) List(context.Context) ([]service.Service, error) {
	return []service.Service{{Name: "Dhcp", Details: service.Unasked()}}, nil
}
func (manager) Detail(context.Context, *service.Service) error { return nil }
func (manager) Close() error                                   { return nil }

// A host that has nothing but services, and does not tell these any more, does not answer.
func TestServicesAloneAreLost(t *testing.T) {
	r := newRig(t)
	var gone error
	now := time.Minute
	r.source = New(Options{Host: "h", V2: r.half(r.v2), V1: r.half(r.v1), Services: service.NewSource("h", service.Options{
		Dial: func(context.Context) (service.Manager, error) { return manager{}, gone }, Go: func(f func()) { f() }, Now: func() time.Duration { return now },
	})})
	r.Cleanup(func() { _ = r.source.Close() })
	r.refuse(rpc.HostError("h", "connect", &rpc.Error{Op: "open the pipe", Code: rpc.CodeAccessDenied}))
	r.ask(true)
	for _, gone = range []error{nil, errors.New("no route to the host"), session.ErrDenied, nil} {
		isSilent := gone != nil && !errors.Is(gone, session.ErrDenied)
		if err := r.query.Collect(t.Context(), &r.batch); (err != nil) != isSilent {
			t.Errorf("%v: %v", gone, err)
		}
		now += time.Minute
	}
}
