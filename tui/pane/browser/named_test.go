package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// namer is a host that names many instances.
type namer struct{ asked []string }

func (n *namer) Instances(_ context.Context, _ *session.Counterset, _ int, text string, most int) (keys []session.InstanceKey, more bool, err error) {
	n.asked = append(n.asked, text)
	for i := range 100_000 {
		if name := fmt.Sprintf("worker%05d", i); strings.Contains(name, text) {
			if len(keys) == most {
				return keys, true, nil
			}
			keys = append(keys, session.InstanceKey{Name: name})
		}
	}
	return keys, false, nil
}

// Of very many instances those are listed that have what is typed in their names, and values are
// asked of those in view alone.
func TestVeryManyInstances(t *testing.T) {
	onBrowser(t, func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[:1] }, func(r *rig) {
		h, many := r.Desk.Hosts[0], &namer{}
		set := h.Sampler.Catalogue().Set("Process")
		set.From, h.Namer = "engine:9090", many
		answer := func() {
			r.Run(func() { r.b.Asks(h) })
			for _, i := range r.take() {
				if w, ok := i.(pane.Wait); ok {
					w.Work()(true)
				}
			}
			r.settle()
		}
		counter, _ := set.Counter("% Processor Time")
		r.b.Show(pane.Target{Host: h, Set: set, Counter: counter})
		r.settle()
		if asks := r.b.Asks(h); len(asks) > 0 {
			t.Errorf("asked before it is known how many there are: %+v", asks)
		}
		answer()
		r.b.focus = instanceColumn
		r.settle()
		if got := r.column(instanceColumn); !strings.Contains(got, "501+") || !strings.Contains(got, "worker00000") {
			t.Errorf("%s", got)
		}
		asks := r.b.Asks(h)
		if len(asks) != 1 || len(asks[0].Leads) != 1 || asks[0].Leads[0].Rows != 0 || len(asks[0].Facts.Rows) == 0 || len(asks[0].Facts.Rows) > mostValues+1 {
			t.Fatalf("%+v", asks)
		}
		r.take()
		r.press("/")
		for _, i := range r.take() {
			if ask, ok := i.(pane.AskText); ok {
				r.Run(func() { _ = ask.Each("9999") })
			}
		}
		answer()
		if got := r.column(instanceColumn); !strings.Contains(got, "worker99990") || !strings.Contains(got, "worker09999") || strings.Contains(got, "+") || strings.Contains(got, "worker00000") {
			t.Errorf("%s", got)
		}
		if fmt.Sprint(many.asked) != "[ 9999]" {
			t.Errorf("%q", many.asked)
		}
	})
}
