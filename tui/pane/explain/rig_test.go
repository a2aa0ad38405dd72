package explain

import (
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var start = panetest.Start

// rig is the screen on a value of a scripted host.
type rig struct {
	*panetest.Rig

	screen *Screen
}

// explained runs a test on the explanation of a path of a host, after n samples.
func explained(t *testing.T, source func(session.Clock) session.Source, path string, w, h, n int, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{Rig: panetest.New(t, panetest.Options{W: w, H: h, Settle: synctest.Wait})}
		host, _ := r.Watch(fake.Host{Name: "sql01", Source: source(r.Clock)}, 2*time.Minute)
		r.Clock.Advance(0)
		target := pane.Target{Host: host}
		if cat := host.Sampler.Catalogue(); cat != nil {
			target = r.asked(host, path, n)
		}
		r.screen = New(r.Desk, target)
		r.Show(r.screen)
		r.Draw()
		test(r)
	})
}

// asked is the first value of a path, after n samples of it.
func (r *rig) asked(host *pane.Host, path string, n int) pane.Target {
	r.Helper()
	selections, err := host.Sampler.Catalogue().Resolve(path, paths.Options{})
	if err != nil {
		r.Fatal(err)
	}
	sel := selections[0]
	host.Feed.Ask([]session.Ask{{Set: sel.Set, Counters: sel.Counters[:1],
		Keep: []session.Keep{{Counters: sel.Counters[:1], Match: sel.Matches}}}})
	r.pass(max(n, 1))
	target := pane.Target{Host: host, Set: sel.Set, Counter: sel.Counters[0]}
	if view := host.Snap.Set(sel.Set); view != nil {
		for i := range view.Rows {
			if sel.Matches(&view.Rows[i].Instance) {
				target.Key = view.Rows[i].Key
				break
			}
		}
	}
	return target
}

// pass lets n seconds pass, one by one. The host is asked for no more than the
// path.
func (r *rig) pass(n int) {
	for range n {
		r.Clock.Advance(time.Second)
		r.Take()
		if r.screen != nil {
			r.Draw()
		}
	}
}

// demo is the first host of the demo.
func demo(c session.Clock) session.Source { return fake.Demo(c)[0].Source }
