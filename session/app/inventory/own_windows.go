package inventory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/windows/registry"

	"perfdeck/session"
	"perfdeck/session/hosts/local"
	"perfdeck/session/hosts/merged"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/service"
	"perfdeck/session/hosts/winhost"
	"perfdeck/session/system/failure"
)

// ownBySystem opens this computer: by Windows' own performance counters, or, where
// they are absent, denied, disabled or damaged, by what else the system tells.
func (v *Inventory) ownBySystem() (session.Source, error) {
	lcid, _ := pcq.LCIDOf(v.locale())
	start := time.Now()
	plain, err := local.Open(local.Options{Go: v.o.Go})
	if err != nil {
		return nil, err
	}
	return merged.New(merged.Options{
		Host: &ownSource{Source: winhost.NewOwn(LocalName(), lcid, v.o.Go), plain: plain},
		Other: service.NewSource(LocalName(), service.Options{
			Dial: service.DialOwn, Go: v.o.Go, Now: func() time.Duration { return time.Since(start) }, Listed: []string{"ID Process", "Exit Code"},
		}),
		Name: "its service manager", Go: v.o.Go,
	}), nil
}

// ownSource is a source and one that takes its place when it has no counters.
type ownSource struct {
	*winhost.Source
	plain session.Source
	why   session.Latest[error] // plain is used; none: it is not
}

var errNoCounters = errors.New("none is registered")

// Catalogue implements session.Source.
func (s *ownSource) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	cat, err := s.Source.Catalogue(ctx)
	if err == nil && len(cat.Sets) > 0 {
		s.why.Take()
		return cat, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	if unanswered := s.unanswered(err); unanswered != nil {
		return nil, unanswered // it is tried again
	}
	if err == nil {
		err = errNoCounters
	}
	cat, plainErr := s.plain.Catalogue(ctx)
	if plainErr != nil {
		return nil, err
	}
	s.why.Set(failure.WithHint(
		fmt.Errorf("read the performance counters of Windows: %w; a few of perfdeck's own stand in", err),
		"rebuild the counters: lodctr /R as an administrator, then winmgmt /resyncperf"))
	return cat, nil
}

// unanswered is why nothing is known of the counters, of err or of one way to
// read them; nil: they were asked for, and there are none to be had.
func (s *ownSource) unanswered(err error) error {
	for _, err := range append(s.Source.Warnings(), err) {
		if errors.Is(err, winhost.ErrNoAnswer) {
			return err
		}
	}
	return nil
}

// Open implements session.Source.
func (s *ownSource) Open(ctx context.Context) (session.Query, error) {
	if _, is := s.why.Get(); is {
		return s.plain.Open(ctx)
	}
	return s.Source.Open(ctx)
}

// Warnings implements session.Warner.
func (s *ownSource) Warnings() []error {
	if why, is := s.why.Get(); is {
		return []error{why}
	}
	return s.Source.Warnings()
}

// machineID is that of the system, which setup made. Empty: it cannot be read.
func machineID() string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return ""
	}
	defer key.Close() //nolint:errcheck // it was only read
	id, _, err := key.GetStringValue("MachineGuid")
	if err != nil {
		return ""
	}
	return id
}
