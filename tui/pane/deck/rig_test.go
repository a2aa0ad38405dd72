package deck

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// rig is the Deck tab of scripted hosts on a clock that the test moves.
type rig struct {
	testing.TB
	clock  *fake.Clock
	ctx    context.Context //nolint:containedctx // ends with the test
	desk   *pane.Desk
	book   *Book
	canvas *canvas.Canvas
	hits   pane.Hits
	sent   []tea.Msg
	ended  []chan struct{}
}

// onDeck runs a test on the decks of hosts.
func onDeck(t *testing.T, w, h int, scripts []fake.Script, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		r := newRig(t, ctx, w, h, scripts, synctest.Wait)
		test(r)
		cancel()
		for _, c := range r.ended {
			<-c
		}
	})
}

func newRig(t testing.TB, ctx context.Context, w, h int, scripts []fake.Script, settle func()) *rig {
	r := &rig{TB: t, ctx: ctx, canvas: canvas.New(w, h, canvas.Full), clock: fake.NewClock(start, settle)}
	r.desk = &pane.Desk{Now: func() time.Time { return r.clock.Now().Wall }, Kept: new(session.Kept)}
	for _, s := range scripts {
		r.desk.Hosts = append(r.desk.Hosts, r.host(s))
	}
	r.book = NewBook(r.desk)
	r.clock.Advance(0)
	for _, host := range r.desk.Hosts {
		if host.Sampler.Catalogue() != nil {
			r.book.Load(host, nil)
		}
	}
	return r
}

// host starts a host of a script.
func (r *rig) host(script fake.Script) *pane.Host {
	s := session.NewSampler(script.Name, fake.New(script, r.clock), r.clock)
	done := make(chan struct{})
	r.ended = append(r.ended, done)
	go func() { defer close(done); s.Run(r.ctx) }()
	return &pane.Host{Name: script.Name, Sampler: s, Feed: s.Feed(session.FeedOptions{Every: time.Second, History: 2 * time.Minute})}
}

// pass lets n seconds pass. Hosts that are not told have their snapshots taken
// only, as when another screen is in front.
func (r *rig) pass(n int, tell bool) {
	for range n {
		for _, h := range r.desk.Hosts {
			h.Feed.Ask(r.book.Asks(h))
		}
		r.clock.Advance(time.Second)
		for _, h := range r.desk.Hosts {
			if snap := h.Feed.Take(); snap != nil {
				h.Snap.Release()
				h.Snap = snap
			}
			if tell {
				r.book.Snapshot(h)
			}
		}
		if tell {
			r.draw()
		}
	}
}

func (r *rig) draw() {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.book.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
}

// remove takes a host off the desk.
func (r *rig) remove(i int) {
	h := r.desk.Hosts[i]
	h.Feed.Close()
	r.desk.Hosts = append(r.desk.Hosts[:i:i], r.desk.Hosts[i+1:]...)
	r.book.HostsChanged()
}

func (r *rig) press(names ...string) {
	r.Helper()
	for _, k := range names {
		b := keys.Match(k, r.book.Bindings())
		if b == nil {
			r.Fatalf("%s means nothing", k)
		}
		if ok, _ := b.Applies(); ok {
			r.run(b.Do())
		}
		r.draw()
	}
}

// run notes what a command sends.
func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
	default:
		r.sent = append(r.sent, msg)
	}
}

// undo does the newest undo that was sent.
func (r *rig) undo() {
	r.Helper()
	for i := len(r.sent) - 1; i >= 0; i-- {
		if did, ok := r.sent[i].(pane.Did); ok && did.Undo != nil {
			r.sent = r.sent[:i]
			r.run(did.Undo())
			r.draw()
			return
		}
	}
	r.Fatal("nothing can be undone")
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is not shown:\n%s", text, r.canvas)
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is shown:\n%s", text, r.canvas)
		}
	}
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
		row := fake.Row{Name: fmt.Sprintf("worker-%d", i), Number: uint64(i + 1)}
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
