package session_test

import (
	"slices"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
)

func TestMergedLeads(t *testing.T) {
	set := &session.Counterset{}
	ask := func(leads ...session.Lead) session.Ask { return session.Ask{Set: set, Leads: leads} }
	for name, c := range map[string]struct {
		asks []session.Ask
		want []session.Lead
	}{
		"one":            {[]session.Ask{ask(session.Lead{By: 1, Rows: 5})}, []session.Lead{{By: 1, Rows: 5}}},
		"more of them":   {[]session.Ask{ask(session.Lead{By: 1, Rows: 5}), ask(session.Lead{By: 1, Rows: 9})}, []session.Lead{{By: 1, Rows: 9}}},
		"of two":         {[]session.Ask{ask(session.Lead{By: 1, Rows: 5}), ask(session.Lead{By: 2, Rows: 3})}, []session.Lead{{By: 1, Rows: 5}, {By: 2, Rows: 3}}},
		"one wants all":  {[]session.Ask{ask(session.Lead{By: 1, Rows: 5}), ask(), ask(session.Lead{By: 1, Rows: 9})}, nil},
		"the first does": {[]session.Ask{ask(), ask(session.Lead{By: 1, Rows: 9})}, nil},
	} {
		if merged := session.MergeAsks(c.asks); len(merged) != 1 || !slices.Equal(merged[0].Leads, c.want) {
			t.Errorf("%s: %v, want %v", name, merged, c.want)
		}
	}
}

// An instance that does not lead any more has not ended.
func TestWhoDoesNotLeadIsNotGone(t *testing.T) {
	script := plain()
	script.Sets[0].Rows[0].Is = map[string]fake.Motion{"gauge": func(at time.Duration, _ uint64) float64 {
		if at < 3*time.Second {
			return 100
		}
		return 1
	}}
	onSource(t, script, faketest.Leads, func(r *rig) {
		ask := keepAll(r.ask("Set", "gauge"))
		ask.Leads = []session.Lead{{By: ask.Counters[0], Rows: 1}}
		f := r.feed(time.Second, ask)
		for at := 1; at < 6; at++ {
			want := "a"
			if at >= 3 {
				want = "b"
			}
			v := view(t, r.step(f, time.Second))
			if len(v.Rows) != 1 || v.Rows[0].Key.Name != want || v.Rows[0].Gone || v.Left != 1 {
				t.Fatalf("after %d s: %+v and %d besides, want %s", at, v.Rows, v.Left, want)
			}
		}
	})
}
