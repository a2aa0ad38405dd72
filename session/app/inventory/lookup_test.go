package inventory

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
)

// slow is a host that never tells its countersets.
type slow struct{ barredSource }

func (slow) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// Who waits long for hosts is told for which, once.
func TestToldWhatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var hosts []Host
		for _, name := range []string{"one", "two"} {
			h := Host{Name: name, Sampler: session.NewSampler(name, slow{}, session.NewSystemClock())}
			h.spawn = func(do func()) { go do() }
			hosts = append(hosts, h)
		}
		Start(ctx, hosts...)
		var told []string
		if _, err := LookUp(ctx, hosts, nil, paths.Options{}, false, func(err error) { told = append(told, err.Error()) }); err == nil {
			t.Error("no error")
		}
		if len(told) != 1 || !strings.Contains(told[0], "one and 1 more") {
			t.Errorf("%q", told)
		}
		synctest.Wait()
	})
}
