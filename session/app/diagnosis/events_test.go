package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/service"
	"perfdeck/session/system/failure"
)

// tells is a host that tells events.
type tells struct {
	session.Source

	err    error
	events []session.HostEvent
}

func (s *tells) Events(context.Context, session.EventsFrom) (session.EventReader, error) {
	return s, s.err
}
func (s *tells) Read(context.Context) ([]session.HostEvent, bool, error) { return s.events, false, nil }
func (*tells) Every() time.Duration                                      { return time.Second }
func (*tells) Cursor() string                                            { return "" }

// What a host has besides its counters is told with what opens it, and no failure of the host.
func TestEvents(t *testing.T) {
	denied := failure.WithHint(fmt.Errorf("read the journal: %w", session.ErrDenied), "a group")
	for _, c := range []struct {
		err, failed error
		detail      string
	}{
		{nil, nil, "8 events in the last 10 min"},
		{denied, denied, ""},
		{fmt.Errorf("none here: %w", errors.ErrUnsupported), nil, "none: none here"},
	} {
		clinic := newClinic(t, "", "")
		clinic.own = &tells{fake.New(script(), session.NewSystemClock()), c.err, []session.HostEvent{{Count: 3}, {Count: 5}}}
		target, err := clinic.o.Known.Target("local")
		if err != nil {
			t.Fatal(err)
		}
		err = Examine(t.Context(), target, clinic.o)
		last := clinic.steps[len(clinic.steps)-1]
		if err != nil || last.Name != "read events" || !strings.HasPrefix(last.Detail, c.detail) || !errors.Is(last.Err, c.failed) || failure.Hint(last.Err) != failure.Hint(c.failed) {
			t.Errorf("%v: %v, %+v", c.err, err, last)
		}
	}
}

// oneService is a service manager that has one.
type oneService struct{}

func (oneService) List(context.Context) ([]service.Service, error) {
	return []service.Service{{Name: "cron", Details: service.Unasked()}}, nil
}
func (oneService) Detail(context.Context, *service.Service) error { return nil }
func (oneService) Close() error                                   { return nil }

// A host lists its services whatever else only others tell of them.
func TestServicesOfHosts(t *testing.T) {
	source := service.NewSource("here", service.Options{
		Dial: func(context.Context) (service.Manager, error) { return oneService{}, nil }, Go: func(f func()) { go f() }, Now: func() time.Duration { return time.Second },
	})
	if detail, err := listServices(t.Context(), source, source.Set()); err != nil || !strings.Contains(detail, "service") || strings.Contains(detail, "none") {
		t.Errorf("%q, %v", detail, err)
	}
}
