package session_test

import (
	"context"
	"testing"
	"testing/synctest"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// quick is a source whose kept catalogue is found to be old while it is opened.
type quick struct {
	session.Source
	open func()
}

func (s *quick) Open(ctx context.Context) (session.Query, error) {
	s.open()
	return s.Source.Open(ctx)
}

// A catalogue that is renewed before the host is open takes the kept one's place
// too.
func TestRenewedWhileOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := clocktest.New(start, synctest.Wait)
		source := &quick{Source: fake.New(plain(), clock)}
		sampler := session.NewSampler("host", source, clock)
		fresh := &session.Catalogue{Host: "host"}
		source.open = func() { sampler.Renew(fresh) }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			sampler.Run(ctx)
		}()
		<-sampler.Known()
		if sampler.Catalogue() != fresh {
			t.Error("the kept catalogue stays")
		}
		cancel()
		<-done
	})
}
