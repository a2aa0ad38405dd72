package service

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/rpc/scm/scmtest"
)

// remoteRig reads the services of a fake host.
type remoteRig struct {
	*rig

	h       *scmtest.Host
	remote  *Remote
	conn    *rpc.Client // the newest
	dials   int
	refused error
}

func newRemoteRig(t *testing.T, h *scmtest.Host) *remoteRig {
	port := scmtest.Start(t, h)
	r := &remoteRig{h: h, rig: &rig{t: t, set: Set()}}
	r.remote = NewRemote("srv1", func(ctx context.Context) (Conn, error) {
		if r.refused != nil {
			return nil, r.refused
		}
		r.dials++
		c, err := rpc.Dial(ctx, scmtest.Options(port))
		if err != nil {
			return nil, err
		}
		r.conn = c
		return c, nil
	}, func(err error) { r.refused = err })
	o := r.remote.Source(func(f func()) { go f() }).o
	o.Now = func() time.Duration { return r.now }
	r.Reader = NewReader(o)
	t.Cleanup(func() {
		r.Close()
		_ = r.remote.Close()
	})
	return r
}

// next reads after the pause between two lists, which is no older than that.
func (r *remoteRig) next(w session.Want) *session.SetBatch {
	r.t.Helper()
	r.now += every
	r.remote.turn <- struct{}{}
	r.remote.list = nil
	<-r.remote.turn
	b, _ := r.collect(w)
	return b
}

func windowsServices() []scmtest.Service {
	return []scmtest.Service{
		{Name: "Dhcp", Title: "DHCP Client", Type: 0x20, State: 4, Process: 700, Start: 2},
		{Name: "EventLog", Title: "Windows Event Log", Type: 0x20, State: 4, Process: 700, Start: 2, IsDelayed: true},
		{Name: "Broken", Title: "Broken", Type: 0x10, State: 1, ExitCode: 1066, OwnCode: 42, Start: 2},
		{Name: "Never", Title: "Never", Type: 0x10, State: 1, ExitCode: 1077, Start: 3, IsSecret: true},
		{Name: "Odd", Title: "Odd", Type: 0x10, State: 32634},
		{Name: "CDPUserSvc", Title: "Connected", Type: 0x60, State: 1, ExitCode: 1077, Start: 2},
		{Name: "CDPUserSvc_2e2f", Title: "Connected_2e2f", Type: 0xe0, State: 4, Process: 900, Start: 2},
		{Name: "CDPUserSvc_aa01", Title: "Connected_aa01", Type: 0xe0, State: 1, Start: 2},
		{Name: "plain_cafe", Title: "No user's", Type: 0x10, State: 4, Process: 901},
	}
}

// Services of a host are read by one call each 10 seconds, over one connection.
func TestRemoteServices(t *testing.T) {
	r := newRemoteRig(t, &scmtest.Host{Services: windowsServices()})
	w := r.of("State", "Running", "Stopped", "Failed", "ID Process", "Exit Code", "Restarts")
	b, isNew := r.collect(w)
	if !isNew || b.Err != nil || len(b.Instances) != 8 {
		t.Fatalf("%v, %v, %+v", isNew, b.Err, b.Instances)
	}
	for name, want := range map[string][]uint64{
		"Dhcp": {4, 1, 0, 0, 700, 0}, "Broken": {1, 0, 1, 1, 0, 42}, "Never": {1, 0, 1, 0, 0, 1077}, "Odd": {0, 0, 0, 0, 0, 0},
		"CDPUserSvc": {4, 1, 0, 0, 900, 0}, "plain_cafe": {4, 1, 0, 0, 901, 0},
	} {
		row := rowOf(b, name)
		for i, n := range want {
			if row == nil || row[i].Raw != n {
				t.Errorf("%s is %+v, want %v", name, row, want)
				break
			}
		}
	}
	if total := rowOf(b, "_Total"); total[1].Raw != 4 || total[3].Raw != 1 {
		t.Errorf("_Total is %+v", total)
	}
	before := r.h.Calls()
	r.h.Change(func() { r.h.Services[0].Process = 701 })
	if b = r.next(w); rowOf(b, "Dhcp")[6].Raw != 1 || rowOf(b, "EventLog")[6].Raw != 0 || r.h.Calls()-before != 1 || r.dials != 1 {
		t.Errorf("%d calls, %d connections, %+v", r.h.Calls()-before, r.dials, rowOf(b, "Dhcp"))
	}
	r.h.Change(func() { r.h.Services = r.h.Services[:1] })
	if b = r.next(w); rowOf(b, "Dhcp")[6].Raw != 1 || len(r.remote.runs) != 1 {
		t.Errorf("of %+v it knows %+v", b.Instances, r.remote.runs)
	}
}

// How services start is asked for once, of those that are seen.
func TestRemoteConfigurationIsLazy(t *testing.T) {
	r := newRemoteRig(t, &scmtest.Host{Services: windowsServices()})
	w := r.of("State", "Start Type", "ID Process")
	w.Facts = session.FactWant{Keys: []string{factDescription, factSetting}, Rows: []session.InstanceKey{{Name: "EventLog"}, {Name: "Never"}}}
	if b, _ := r.collect(w); b.Err != nil {
		t.Fatal(b.Err)
	}
	b := r.next(w)
	for i, in := range b.Instances {
		start, setting := b.Row(i)[1], b.Facts[2*i+1]
		switch in.Key.Name {
		case "EventLog":
			if start.Raw != Automatic || setting != "automatic, delayed" {
				t.Errorf("%+v, %q", start, setting)
			}
		case "Never":
			if start.State != cooker.Denied || b.Row(i)[0].Raw != 1 {
				t.Errorf("%+v", b.Row(i))
			}
		case "Dhcp":
			if start.State != cooker.Pending {
				t.Errorf("%+v", start)
			}
		}
	}
	before := r.h.Calls(0, 16, 17, 39)
	for range 2 * int(again/every) {
		r.next(w)
	}
	if n := r.h.Calls(0, 16, 17, 39); n != before || before > 5 {
		t.Errorf("%d calls, %d more later", before, n-before)
	}
}

// Which services should run is found out one by one, of those that are stopped, by four calls a
// refresh at most; where the host does not tell what starts them, of those that were seen to run.
func TestRemoteMissing(t *testing.T) {
	for _, isTold := range []bool{true, false} {
		h := &scmtest.Host{Services: windowsServices(), NoTriggers: !isTold}
		h.Services = append(h.Services, scmtest.Service{Name: "Waits", Type: 0x10, State: 1, Start: 2, Triggers: 2}, scmtest.Service{Name: "Later", Type: 0x10, State: 1, Start: 2, IsDelayed: true},
			scmtest.Service{Name: "Crashes", Type: 0x10, State: 4, Process: 55, Start: 2})
		r := newRemoteRig(t, h)
		w := r.of("Missing", "Start Type")
		r.collect(w)
		h.Change(func() {
			s := &h.Services[len(h.Services)-1]
			s.State, s.Process, s.ExitCode = 1, 0, 1067
		})
		var b *session.SetBatch
		for range 20 {
			before := h.Calls(0, 16, 17, 39, 56)
			b = r.next(w)
			if n := h.Calls(0, 16, 17, 39, 56) - before; n > 4 {
				t.Errorf("%d calls", n)
			}
		}
		want := map[string]uint64{"Dhcp": 0, "Broken": 1, "Waits": 0, "Later": 0, "Crashes": 1, "CDPUserSvc": 0}
		if !isTold {
			want["Broken"] = 0 // it never ran
		}
		for name, n := range want {
			if row := rowOf(b, name); row[0].State != cooker.OK || row[0].Raw != n {
				t.Errorf("told %v: %s is %+v, want %d", isTold, name, row[0], n)
			}
		}
		if row := rowOf(b, "Never"); row[0].State != cooker.Denied {
			t.Errorf("%+v", row[0])
		}
		if row := rowOf(b, "Dhcp"); row[1].State != cooker.Pending {
			t.Errorf("%+v: one that runs was asked for", row[1])
		}
		before := h.Calls()
		r.next(w)
		if n := h.Calls() - before; n != 1 {
			t.Errorf("%d calls when all is known", n)
		}
	}
}

// A host that refuses is not asked again and again, and says what would open it.
func TestRemoteRefuses(t *testing.T) {
	r := newRemoteRig(t, &scmtest.Host{Denies: true})
	w := r.of("State")
	for range 3 {
		b := r.next(w)
		var hinted interface{ Hint() string }
		if !errors.Is(b.Err, session.ErrDenied) || !errors.As(b.Err, &hinted) || !strings.Contains(hinted.Hint(), "scmanager") {
			t.Errorf("%v", b.Err)
		}
	}
	if r.dials != 1 {
		t.Errorf("asked %d times", r.dials)
	}
}

// Details over which the connection breaks cost it once, and the list goes on.
func TestRemoteDetailsBreak(t *testing.T) {
	r := newRemoteRig(t, &scmtest.Host{Services: windowsServices()})
	r.h.Alter = func(op uint16, stub []byte) []byte {
		if op == 17 {
			stub = stub[:8]
		}
		return stub
	}
	w := r.of("State", "Missing")
	r.collect(w)
	for range 5 {
		if b := r.next(w); b.Err != nil || rowOf(b, "Broken")[0].Raw != 1 || rowOf(b, "Broken")[1].State == cooker.OK {
			t.Errorf("%v, %+v", b.Err, rowOf(b, "Broken"))
		}
	}
	if r.dials != 2 {
		t.Errorf("%d connections", r.dials)
	}
}

// A connection that breaks is replaced, and one that nobody uses any more is closed.
func TestRemoteConnectionEnds(t *testing.T) {
	r := newRemoteRig(t, &scmtest.Host{Services: windowsServices()})
	w := r.of("State")
	r.collect(w)
	first := r.conn
	_ = first.Close()
	if b := r.next(w); b.Err != nil || len(b.Instances) != 8 || r.dials != 2 {
		t.Errorf("%v, %d connections", b.Err, r.dials)
	}
	r.h.Change(func() { r.h.Alter = func(uint16, []byte) []byte { return []byte{1} } })
	if b := r.next(w); b.Err == nil || r.conn.Err() == nil {
		t.Errorf("%v, %v", b.Err, r.conn.Err())
	}
	r.h.Change(func() { r.h.Alter = nil })
	if b := r.next(w); b.Err != nil || r.dials != 3 {
		t.Errorf("%v, %d connections", b.Err, r.dials)
	}
	if err := r.remote.Close(); err != nil || r.conn.Err() == nil {
		t.Errorf("%v, %v", err, r.conn.Err())
	}
}
