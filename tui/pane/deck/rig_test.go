package deck

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// rig is the Deck tab of scripted hosts on a clock that the test moves.
type rig struct {
	*panetest.Rig

	book *Book
}

// onDeck runs a test on the decks of hosts.
func onDeck(t *testing.T, w, h int, scripts []fake.Script, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newRig(t, w, h, scripts, synctest.Wait)) })
}

func newRig(t testing.TB, w, h int, scripts []fake.Script, settle func()) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{W: w, H: h, Settle: settle})}
	r.Desk.Kept = new(session.Saved)
	for _, s := range scripts {
		r.host(s)
	}
	r.book = NewBook(r.Desk)
	r.Show(r.book)
	r.Clock.Advance(0)
	for _, host := range r.Desk.Hosts {
		if host.Sampler.Catalogue() != nil {
			r.book.Load(host, nil)
		}
	}
	return r
}

// host watches a host of a script.
func (r *rig) host(s fake.Script) *pane.Host {
	h, _ := r.Watch(fake.Host{Name: s.Name, Source: fake.New(s, r.Clock)}, 2*time.Minute)
	return h
}

// comes is host of one that is added while the decks are shown.
func (r *rig) comes(s fake.Script, list ...string) *pane.Host {
	h := r.host(s)
	r.book.HostsChanged()
	r.Clock.Advance(0)
	r.book.Load(h, list)
	return h
}

// pass lets n seconds pass.
func (r *rig) pass(n int) {
	for range n {
		for _, h := range r.Desk.Hosts {
			h.Feed.Ask(r.book.Asks(h))
		}
		r.Pass(1)
	}
}

// leaves takes a host off the desk.
func (r *rig) leaves(i int) {
	h := r.Desk.Hosts[i]
	h.Feed.Close()
	r.Desk.Hosts = append(r.Desk.Hosts[:i:i], r.Desk.Hosts[i+1:]...)
	r.book.HostsChanged()
}

// computer is a small host with n processes, all but the first of which end
// after a time; 0: never.
func computer(name string, n int, end time.Duration) fake.Script {
	process := fake.Set{
		Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user"},
		Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(3)},
			{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Const(7)},
		},
	}
	for i := range n {
		row := fake.Row{Name: fmt.Sprintf("worker-%d", i), Number: uint64(i + 1), Facts: []string{"ana"}}
		if i > 0 && end > 0 {
			row.Alive = fake.Window{To: end}
		}
		process.Rows = append(process.Rows, row)
	}
	return fake.Script{Name: name, Sets: []fake.Set{process, {
		Name: "Memory",
		Counters: []fake.Counter{
			{Name: "Available MBytes", Type: cooker.CounterRawCount, Is: fake.Const(9418)},
			{Name: "Cache Bytes", Type: cooker.CounterRawCount, Is: fake.Const(4711)},
		},
	}, {
		Name:     "System",
		Counters: []fake.Counter{{Name: "Threads", Type: cooker.CounterRawCount, Is: fake.Const(815)}},
	}}}
}

const (
	threads   = `\Process(*)\Thread Count`
	available = `\Memory\Available MBytes`
	cacheSize = `\Memory\Cache Bytes`
)

// named is a deck of the user's with the same panes of each host.
func named(name string, hosts ...string) session.Deck {
	d := session.Deck{Name: name}
	for _, h := range hosts {
		d.Panes = append(d.Panes, session.DeckPane{Host: h, Paths: []string{available, cacheSize}}, session.DeckPane{Host: h, Paths: []string{threads}})
	}
	return d
}
