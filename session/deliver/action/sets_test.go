package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/hosts/pla/platest"
)

// host is one with the set Service\Detail.
type host struct {
	pla.Sets // nil: what is not asked for here

	mu     sync.Mutex
	status pla.Status
	asked  []string
	open   int
	broken func(op string) error // before anything is done
	lost   func(op string) error // the answer, after it was
}

func (h *host) sets(name string) (pla.Sets, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if name != "web1" {
		return nil, errors.New("no such host")
	}
	h.open++
	return h, nil
}

func (h *host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open--
	return nil
}

func (h *host) change(op string, from, to pla.Status, otherwise uint32) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, op)
	if h.broken != nil {
		if err := h.broken(op); err != nil {
			return err
		}
	}
	if h.status != from {
		return &pla.Error{Op: op, Code: otherwise}
	}
	h.status = to
	if h.lost != nil {
		return h.lost(op)
	}
	return nil
}

func (h *host) List(context.Context, ...pla.Category) (*pla.Listing, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		if err := h.broken("list"); err != nil {
			return nil, err
		}
	}
	return &pla.Listing{Sets: []pla.Listed{{Name: pla.Name{Set: "other"}}, {Name: pla.Name{Set: "DETAIL"}, Status: h.status}}}, nil
}

func (h *host) Start(context.Context, pla.Name) error {
	return h.change("start", pla.Stopped, pla.Running, codeInUse)
}

func (h *host) Stop(context.Context, pla.Name) error {
	return h.change("stop", pla.Running, pla.Stopped, codeNotRunning)
}

// flight is a runner with one host, as an engine with one rule drives it.
type flight struct {
	*Runner
	*host

	told *faults

	firing []alert.ID
	done   int
	seq    uint64
	dir    string
	any    bool
}

func (f *flight) begin(t *testing.T) {
	f.Runner, f.told = runner(t, Options{
		Sets: f.sets, Dir: f.dir, Done: func(alert.Action, *alert.Notice) { f.done++ },
		Targets: Targets{Alerts: config.Alerts{Sets: []config.HostSet{{Host: "web1", Name: "Detail", StopAny: f.any}, {Host: "web2", Name: `System\X`}}}},
		Fires: func(rule string, do alert.Do, but ...alert.ID) bool {
			return rule == "busy" && do == alert.StartSet && slices.ContainsFunc(f.firing, func(id alert.ID) bool { return !slices.Contains(but, id) })
		},
	})
}

// fire begins or ends an alert of an instance.
func (f *flight) fire(instance, does string) {
	f.seq++
	n := notice(does)
	n.ID.Name, n.ID.Rule, n.Time, n.Seq = instance, "busy", time.Now(), f.seq
	if f.firing = slices.DeleteFunc(f.firing, func(id alert.ID) bool { return id == n.ID }); strings.HasPrefix(does, "start") {
		f.firing = append(f.firing, n.ID)
	} else {
		n.Kind = alert.Cleared
	}
	f.Deliver(n)
	settle(f.Runner)
}

const startDetail, stopDetail = `start-set:web1\Detail`, `stop-set:WEB1\service\detail`

// expect holds what the host was asked for, and that nothing is held there.
func (f *flight) expect(t *testing.T, when string, asked string, status pla.Status) {
	t.Helper()
	if is := strings.Join(f.asked, " "); is != asked || f.status != status || f.open != 0 {
		t.Errorf("%s: asked %q, want %q; status %d, %d open; %s", when, is, asked, f.status, f.open, f.told.text())
	}
	f.asked = nil
}

func TestSets(t *testing.T) {
	f := &flight{host: &host{}}
	f.begin(t)
	f.fire("C:", startDetail)
	f.expect(t, "it fires", "start", pla.Running)
	f.status = pla.Stopped // by somebody
	f.fire("D:", startDetail)
	f.expect(t, "it fires still", "", pla.Stopped)
	f.status = pla.Running
	f.fire("C:", stopDetail)
	f.expect(t, "one of two ends", "", pla.Running)
	f.fire("D:", stopDetail)
	f.expect(t, "all are over", "stop", pla.Stopped)
	f.fire("D:", stopDetail)
	f.expect(t, "it was stopped", "", pla.Stopped)
	f.fire("C:", startDetail)
	f.status = pla.Stopped
	f.fire("C:", stopDetail)
	f.expect(t, "it ended by itself", "start stop", pla.Stopped)

	f.status = pla.Running // somebody else's
	f.fire("C:", startDetail)
	f.expect(t, "it runs already", "", pla.Running)
	f.fire("C:", stopDetail)
	f.expect(t, "a run of somebody else", "", pla.Running)
	f.any = true
	f.begin(t)
	f.fire("C:", stopDetail)
	f.expect(t, "any run", "stop", pla.Stopped)
	if len(f.told.all()) > 0 || f.done != 10 {
		t.Errorf("%d done, reported %s", f.done, f.told.text())
	}
}

// What a rule began is known after a restart.
func TestSetsOverRestart(t *testing.T) {
	f := &flight{host: &host{}, dir: t.TempDir()}
	f.begin(t)
	f.fire("C:", startDetail)
	f.begin(t)
	f.fire("C:", stopDetail)
	f.expect(t, "after a restart", "start stop", pla.Stopped)
}

// A host that cannot be reached is asked again; of what came through although nobody heard of it
// the next try knows whose it is.
func TestSetsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flight{host: &host{}}
		away, left := errors.New("no route to host"), 2
		f.broken = func(string) error {
			if left--; left >= 0 {
				return away
			}
			return nil
		}
		lost := true
		f.lost = func(string) (err error) {
			if lost {
				err = away
			}
			lost = false
			return err
		}
		f.begin(t)
		f.fire("C:", startDetail)
		f.expect(t, "an answer is lost", "start", pla.Running)
		f.status = pla.Compiling
		synctest.Wait()
		f.fire("C:", stopDetail)
		f.expect(t, "it was ours", "stop", pla.Compiling)
		go func() {
			time.Sleep(10 * time.Second)
			f.host.mu.Lock()
			f.status = pla.Stopped
			f.host.mu.Unlock()
		}()
		f.fire("C:", startDetail)
		f.expect(t, "its data manager worked", "start", pla.Running)
		if !strings.Contains(f.told.text(), "tried again") || f.done != 3 {
			t.Errorf("%d done: %s", f.done, f.told.text())
		}
		f.Runner.Close(0)
	})
}

// What may be over soon is tried again, whichever way a host says it.
func TestPassing(t *testing.T) {
	for code, final := range map[uint32]bool{
		1722: false, 0x800706BA: false, 1723: false, 0x800706BB: false, 0x800706BE: false, 0x800706BF: false, 0x800706D9: false,
		0x8007000E: false, 0x80010108: false, 0x80080005: false, 0x8030010A: false,
		5: true, 0x80070005: true, 0x80300002: true, 0x8030000E: true, 0x803006BA: true,
	} {
		if got := isFinal(&pla.Error{Code: code}); got != final {
			t.Errorf("%#x: final %v", code, got)
		}
	}
}

// A start that the host was slow with is ours, too, where the next try comes amid it.
func TestSlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flight{host: &host{}}
		tries := 0
		f.broken = func(op string) error {
			if tries++; op != "start" {
				return nil
			}
			if tries == 2 {
				return errors.New("no answer in time")
			}
			f.status = pla.Running // what was asked for first
			return nil
		}
		f.begin(t)
		f.fire("C:", startDetail)
		f.expect(t, "it is being started", "start start", pla.Running)
		f.broken = nil
		f.fire("C:", stopDetail)
		f.expect(t, "it was ours", "stop", pla.Stopped)
		f.Runner.Close(0)
	})
}

// What a host refuses is told once, and not tried again.
func TestSetsRefused(t *testing.T) {
	for name, err := range map[string]error{
		"no such set":    &pla.Error{Op: pla.OpStart, Code: 0x80300002},
		"wrong password": fmt.Errorf("log on: %w", session.ErrDenied),
	} {
		f := &flight{host: &host{}}
		f.begin(t)
		f.broken = func(string) error { return err }
		f.fire("C:", startDetail)
		f.broken = nil
		f.status = pla.Running
		f.fire("C:", stopDetail)
		f.expect(t, name, strings.Join(f.asked, " "), pla.Running)
		if list := f.told.all(); len(list) != 1 || !errors.Is(list[0], err) || f.done != 2 {
			t.Errorf("%s: %d done: %s", name, f.done, f.told.text())
		}
	}
	f := &flight{host: &host{}}
	f.begin(t)
	f.fire("C:", `start-set:web1\Other`)
	f.fire("C:", `start-set:web2\System\X`)
	f.fire("C:", `start-set:web3\Detail`)
	f.expect(t, "what the config does not name", "", pla.Stopped)
	if len(f.told.all()) != 3 {
		t.Errorf("reported %s", f.told.text())
	}
}

// Over DCOM a set is started and stopped, and nothing is held on the host between.
func TestSetsOverDCOM(t *testing.T) {
	at := platest.Start(t, platest.Options{})
	at.Add(pla.Service, platest.Set{Name: "Detail"})
	f := &flight{host: &host{}}
	f.begin(t)
	f.Runner.o.Sets = func(string) (pla.Sets, error) { return pla.New(at.Dial, at.Port()), nil }
	status := func(when string, want pla.Status) {
		t.Helper()
		if s, there := at.Set(pla.Name{Set: "Detail"}); !there || s.Status != want {
			t.Errorf("%s: %+v", when, s)
		}
		if held, excess := at.References(); held != 0 || excess != 0 || len(f.told.all()) > 0 {
			t.Errorf("%s: %d references are held, %d given back too much; %s", when, held, excess, f.told.text())
		}
	}
	f.fire("C:", startDetail)
	status("it fires", pla.Running)
	f.fire("D:", startDetail)
	f.fire("C:", stopDetail)
	status("it fires still", pla.Running)
	f.fire("D:", stopDetail)
	status("it is over", pla.Stopped)
	f.fire("D:", startDetail)
	at.Remove(pla.Name{Set: "Detail"})
	f.fire("D:", stopDetail)
	if !strings.Contains(f.told.text(), "Detail") || len(f.told.all()) != 1 {
		t.Errorf("a set that vanished: %s", f.told.text())
	}
}
