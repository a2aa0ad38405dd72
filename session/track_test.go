package session_test

import (
	"errors"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// A set that fails after it was asked for something else still shows what it had, under
// the counters that the values are of; when it answers again it shows what was asked for.
func TestFailedSetAfterAnotherAsk(t *testing.T) {
	broken := errors.New("the provider is gone")
	for _, v := range []struct {
		name       string
		first, new []string
	}{
		{"fewer", []string{"rate", "gauge"}, []string{"gauge"}},
		{"more", []string{"gauge"}, []string{"rate", "gauge"}},
		{"others", []string{"rate"}, []string{"gauge"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			onHost(t, plain(fake.Fault{Window: during(2500*time.Millisecond, 4500*time.Millisecond), Set: "Set", Err: broken}), func(r *rig) {
				f := r.feed(time.Second, r.ask("Set", v.first...))
				check := func(s *session.Snapshot, counters []string, err error) {
					t.Helper()
					got := view(t, s)
					if !errors.Is(got.Err, err) || len(got.Counters) != len(counters) || len(got.Rows) != 2 || len(got.Values) != len(got.Rows)*len(counters) {
						t.Fatalf("%v: %d counters, %d rows, %d values, want those of %q and %v", got.Err, len(got.Counters), len(got.Rows), len(got.Values), counters, err)
					}
					want := map[string][2]float64{"rate": {100, 300}, "gauge": {7, 21}}
					for _, name := range counters {
						i, _ := got.Set.Counter(name)
						for row := range got.Rows {
							wantValue(t, got.Value(row, got.Column(i)), want[name][row])
						}
					}
				}
				r.step(f, time.Second)
				check(r.step(f, time.Second), v.first, nil)
				r.clock.Advance(600 * time.Millisecond) // it fails by now
				f.Ask([]session.Ask{r.ask("Set", v.new...)})
				check(r.step(f, 400*time.Millisecond), v.first, broken)
				check(r.step(f, time.Second), v.first, broken)
				r.clock.Advance(time.Second)
				check(r.step(f, time.Second), v.new, nil)
			})
		})
	}
}
