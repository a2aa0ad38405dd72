package sampling

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/failure"
)

// demo is a recording of a host that was invented.
func demo(ctx context.Context, t *testing.T, file string) collector.Options {
	t.Helper()
	clock := session.NewSystemClock()
	one := fake.Demo(clock)[0]
	sampler := session.NewSampler(one.Name, one.Source, clock)
	go sampler.Run(ctx)
	h := inventory.Host{Name: one.Name, Source: one.Source, Sampler: sampler}
	return collector.Options{
		Subject: collector.Subject{Every: 100 * time.Millisecond, Hosts: Hosts([]inventory.Host{h}, []inventory.Query{inventory.NewQuery(`\Memory\Available MBytes`, "")})},
		Files:   collector.Files{File: file}, Runtime: collector.Runtime{Clock: clock, Go: func(do func()) { go do() }},
	}
}

// A recording is attended until it ends by itself, or is ended and written down.
func TestAttend(t *testing.T) {
	for name, c := range map[string]struct{ count, stopped int64 }{"by itself": {3, 0}, "from outside": {0, 3}} {
		ctx, cancel := context.WithCancel(t.Context())
		o := demo(ctx, t, filepath.Join(t.TempDir(), "x.csv"))
		o.Count = c.count
		recorded, stop := context.WithCancelCause(t.Context())
		begun, ended, released := 0, 0, 0
		r, err := Attend(recorded, o, collector.Start, Watched{
			Begun: func(*collector.Recording) { begun++ },
			Goes: func(s collector.Status) {
				if c.stopped > 0 && s.Samples >= c.stopped {
					stop(errClosed)
				}
			},
			Ends: func() func() { ended++; return func() { released++ } },
		})
		if err != nil || begun != 1 || ended != released || (ended == 1) != (c.stopped > 0) || r.Status().Samples < 3 || !r.Status().Ended {
			t.Errorf("%s: %v, begun %d, ended %d, released %d, %+v", name, err, begun, ended, released, r.Status())
		}
		stop(nil)
		cancel()
	}
}

// What is asked for wrongly is told as that.
func TestAttendUsage(t *testing.T) {
	o := demo(t.Context(), t, filepath.Join(t.TempDir(), "x.csv"))
	o.Ring = 1
	_, err := Attend(t.Context(), o, collector.Start, Watched{})
	if _, is := errors.AsType[*failure.UsageError](err); !is {
		t.Errorf("%v", err)
	}
	o.Ring, o.File = 0, filepath.Join(t.TempDir(), "none", "x.csv")
	r, err := Attend(t.Context(), o, collector.Start, Watched{})
	if _, is := errors.AsType[*failure.UsageError](err); r != nil || err == nil || is {
		t.Errorf("%v", err)
	}
}
