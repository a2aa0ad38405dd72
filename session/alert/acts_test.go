package alert_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
)

func (r *rig) active() (ids []alert.ID) {
	for _, a := range r.watch.Board().Active {
		if a.State == alert.Firing {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// told are the notices that something is done for.
func (r *rig) told() (out []string) {
	for _, n := range r.notices {
		if len(n.Actions) > 0 {
			out = append(out, n.Kind.String()+" "+n.ID.Rule)
		}
	}
	return out
}

func withBell(list []alert.Rule) []alert.Rule {
	for i := range list {
		list[i].Actions, list[i].OnClear = []alert.Action{{Do: alert.Bell}}, []alert.Action{{Do: alert.Syslog}}
	}
	return list
}

func TestAcknowledge(t *testing.T) {
	load := steps(0, 9, 9, 9, 9, 0, 9)
	onHosts(t, []fake.Script{gauge("web", load)}, withBell(rules(t, `\Memory\Load>5 | every 1s`)), func(r *rig) {
		if n := r.watch.Acknowledge("ana", alert.ID{Rule: "r1", Host: "web"}); n != 0 {
			t.Errorf("%d alerts are acknowledged before any fired", n)
		}
		r.clock.Advance(3 * second)
		if n := r.watch.Acknowledge("ana", r.active()...); n != 1 {
			t.Errorf("%d alerts are acknowledged", n)
		}
		a := r.watch.Board().Active[0]
		if a.State != alert.Acknowledged || a.By != "ana" || !a.At.Equal(start.Add(3*second)) {
			t.Errorf("%+v", a)
		}
		if b := r.watch.Board(); b.Count != [3]int{} || b.Host("web").State != alert.Acknowledged {
			t.Errorf("count %v, host %v", b.Count, b.Host("web"))
		}
		r.clock.Advance(4 * second) // the next crossing is a new one
		r.want("1 fired r1 web", "3 acknowledged r1 web", "5 cleared r1 web", "6 fired r1 web")
		if got := r.told(); !slices.Equal(got, []string{"fired r1", "cleared r1", "fired r1"}) {
			t.Errorf("told %v", got)
		}
		if r.watch.Board().Active[0].State != alert.Firing {
			t.Error("a new crossing is acknowledged already")
		}
	})
}

// What fires while it is muted is told when the mute ends, if it fires still and
// nobody has seen it.
func TestMute(t *testing.T) {
	hosts := []fake.Script{gauge("a", steps(0, 0, 0, 9)), gauge("b", steps(0, 0, 0, 9, 9, 0)), gauge("c", steps(0, 0, 0, 9)), gauge("d", steps(0, 0, 0, 9))}
	list := withBell(rules(t, `\Memory\Load>5 | every 1s`, `\Memory\Load>6 | every 1s`))
	onHosts(t, hosts, list, func(r *rig) {
		until := start.Add(20 * second)
		r.watch.Mute("ana", alert.Scope{Host: "a"}, until)
		r.watch.Mute("ana", alert.Scope{Rule: "r1"}, until)
		r.watch.Mute("ana", alert.Scope{Rule: "r2", Host: "b"}, until)
		r.clock.Advance(10 * second)
		if got := r.told(); !slices.Equal(got, []string{"fired r2", "fired r2"}) { // of c and d
			t.Errorf("told %v", got)
		}
		b := r.watch.Board()
		if b.Count[alert.Warning] != 2 || len(b.Active) != 6 {
			t.Errorf("%d of %d count", b.Count[alert.Warning], len(b.Active))
		}
		r.watch.Acknowledge("ana", slices.DeleteFunc(r.active(), func(id alert.ID) bool { return id.Host != "c" })...)
		r.watch.Mute("ana", alert.Scope{One: alert.ID{Rule: "r1", Host: "d", Set: "Memory", Counter: "Load"}}, start.Add(25*second))
		r.notices = nil
		r.clock.Advance(11 * second)
		if got := r.told(); !slices.Equal(got, []string{"still firing r1", "still firing r2"}) { // of a
			t.Errorf("told %v after the mute", got)
		}
		r.notices = nil
		r.clock.Advance(10 * second)
		if got := r.told(); !slices.Equal(got, []string{"still firing r1"}) { // of d
			t.Errorf("told %v after the longer mute", got)
		}
		r.clock.Advance(60 * second)
		if n := len(r.told()); n != 1 {
			t.Errorf("told %d times", n)
		}
	})
}

func TestUnmute(t *testing.T) {
	onHosts(t, []fake.Script{gauge("a", steps(0, 9))}, withBell(rules(t, `\Memory\Load>5 | every 1s`)), func(r *rig) {
		r.watch.Mute("ana", alert.Scope{}, start.Add(time.Hour))
		r.clock.Advance(5 * second)
		if !r.watch.Board().Muted.Equal(start.Add(time.Hour)) || len(r.told()) != 0 {
			t.Errorf("muted until %v, told %v", r.watch.Board().Muted, r.told())
		}
		r.watch.Mute("ana", alert.Scope{}, time.Time{})
		r.clock.Advance(second)
		r.want("0 muted  ", "1 fired r1 a (muted)", "5 unmuted  ", "6 still firing r1 a")
	})
}

func TestQuietNight(t *testing.T) {
	load := fake.Burst(fake.Const(0), fake.Const(9), fake.Window{From: 10 * time.Minute, To: 3 * time.Hour})
	list := withBell(rules(t, `\Memory\Load>5 | quiet 14:10-15:00`, `\Memory\Load>5 | quiet 14:10-18:00`, `\Memory\Load>5 | quiet mon 16:00-18:00`))
	onHosts(t, []fake.Script{gauge("a", load)}, list, func(r *rig) {
		r.clock.Advance(4 * time.Hour)
		// r1: told at its end, and that it is well again. r2: over before anybody was
		// told of it. r3: told at once, its end is in quiet hours.
		if got := r.told(); !slices.Equal(got, []string{"fired r3", "still firing r1", "cleared r1"}) {
			t.Errorf("told %v\n%s", got, r.log())
		}
	})
}

// What a restart must not lose: what fires goes on, what was acknowledged stays
// so, mutes and cool-downs run on.
func TestRestart(t *testing.T) {
	hosts := []fake.Script{gauge("a", steps(0, 9)), disks("db", row("C:", steps(9)), fake.Row{Name: "D:", Is: map[string]fake.Motion{"Queue": fake.Const(9)}, Alive: during(0, 5*second)},
		row("E:", steps(9, 9, 9, 9, 9, 9, 0)), row("F:", steps(0, 9, 0, 0, 0, 0, 0, 0, 9)))}
	list := withBell(rules(t, `\Memory\Load>5 | every 1s`, `\Disk(*)\Queue>5 | every 1s | cooldown 20s`))
	onHosts(t, hosts, list, func(r *rig) {
		r.clock.Advance(4 * second)
		r.watch.Acknowledge("ana", r.active()...)
		r.watch.Mute("ana", alert.Scope{Rule: "r1"}, start.Add(time.Minute))
		before := len(r.events)
		r.stop() // nothing is written at the end that was not before
		if log := r.log(); len(r.events) != before {
			t.Errorf("the end wrote something:\n%s", log)
		}
		r.clock.Advance(4 * second)
		r.begin(hosts, list)
		r.clock.Advance(8 * second)
		lines := strings.Split(strings.TrimSpace(r.log()), "\n")[before:]
		slices.Sort(lines)
		want := []string{"8 cleared r2 D:", "8 cleared r2 E:"} // D: went, E: is well
		if !slices.Equal(lines, want) {
			t.Errorf("after the restart: %v, want %v", lines, want)
		}
		for _, a := range r.watch.Board().Active {
			if a.ID.Name != "F:" && (a.State != alert.Acknowledged || a.By != "ana") {
				t.Errorf("%s is %v by %q", a.Path, a.State, a.By)
			}
		}
		if until := r.watch.Board().Rules[0].MutedUntil; !until.Equal(start.Add(time.Minute)) {
			t.Errorf("muted until %v", until)
		}
		r.clock.Advance(20 * second) // F: fires when its cool-down is over
		if log := r.log(); strings.Count(log, "fired r2 F:") != 2 || !strings.Contains(log, "22 fired r2 F:") {
			t.Errorf("events:\n%s", log)
		}
		if n := len(r.watch.Board().History); n != len(r.events) {
			t.Errorf("the history has %d of %d events", n, len(r.events))
		}
	})
}

// What is missed is missed after a restart, too.
func TestMissedAfterRestart(t *testing.T) {
	hosts := []fake.Script{disks("db", row("C:", fake.Const(1)), fake.Row{Name: "E:", Alive: fake.Window{From: 0, To: 5 * second, Every: time.Hour}})}
	list := rules(t, `absent \Disk(*)\Queue | every 15s`, `absent \Disk(x)\Queue | every 15s`)
	onHosts(t, hosts, list, func(r *rig) {
		r.clock.Advance(2 * time.Minute)
		r.stop()
		r.begin(hosts, list)
		r.clock.Advance(2 * time.Minute)
		if got := r.active(); len(got) != 2 || strings.Count(r.log(), "fired") != 2 || strings.Contains(r.log(), "cleared") {
			t.Errorf("%v\n%s", got, r.log())
		}
		r.clock.Advance(time.Hour)
		if log := r.log(); !strings.Contains(log, "cleared r1 E:") {
			t.Errorf("events:\n%s", log)
		}
	})
}

func TestRulesChange(t *testing.T) {
	load := steps(0, 9)
	base := rules(t, `\Memory\Load>5 | every 1s`, `\Memory\Load>6 | every 1s`, `\Memory\Load>7 | every 1s`)
	onHosts(t, []fake.Script{gauge("a", load)}, base, func(r *rig) {
		r.clock.Advance(2 * second)
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Error(err)
			}
		}
		check(r.watch.Enable("ana", "r1", false))
		other := base[1]
		other.When.Limit = 8 // still beyond: the alert goes on
		check(r.watch.Put("ana", other))
		other = base[2]
		other.When.Path, _ = paths.Parse(`\Memory\Other`)
		check(r.watch.Put("ana", other))
		added := alert.MustRule(t, `\Memory\Load>1 | every 1s`)
		added.Name = "mine"
		check(r.watch.Put("ana", added))
		r.clock.Advance(2 * second)
		r.want("1 fired r1 a", "1 fired r2 a", "1 fired r3 a",
			"2 disabled r1 ", "2 cleared r1 a", "2 changed r2 ", "2 changed r3 ", "2 cleared r3 a", "2 changed mine ", "3 fired mine a")
		b := r.watch.Board()
		if len(b.Rules) != 4 || !b.Rules[0].Disabled || !b.Rules[3].Edited || b.Rules[2].Problem == "" {
			t.Errorf("rules %+v", b.Rules)
		}
		if a := b.Active; len(a) != 2 || a[1].Rule.When.Limit != 8 {
			t.Errorf("active %+v", a)
		}

		// A reload and a restart keep what users did.
		r.events = nil
		r.watch.SetRules(base[1:])
		r.stop()
		r.begin([]fake.Script{{Name: "a"}}, base)
		r.clock.Advance(2 * second)
		b = r.watch.Board()
		if len(b.Rules) != 4 || !b.Rules[0].Disabled || b.Rules[1].When.Limit != 8 || b.Rules[3].Name != "mine" {
			t.Errorf("rules after a restart %+v", b.Rules)
		}
		check(r.watch.Remove("ana", "mine"))
		check(r.watch.Remove("ana", "r2"))
		check(r.watch.Enable("ana", "r1", true))
		r.clock.Advance(2 * second)
		b = r.watch.Board()
		if len(b.Rules) != 3 || b.Rules[1].When.Limit != 6 || b.Rules[0].Disabled {
			t.Errorf("rules after taking back %+v", b.Rules)
		}
		var wrong *alert.RuleError
		for _, err := range []error{
			r.watch.Remove("ana", "r1"), r.watch.Remove("ana", "none"), r.watch.Enable("ana", "none", true),
			r.watch.Put("ana", alert.Rule{}),
		} {
			if !errors.As(err, &wrong) {
				t.Errorf("error %v", err)
			}
		}
	})
}

// A host that is dropped takes its alerts along, and has them again when it comes
// back.
func TestDropAndAdd(t *testing.T) {
	onHosts(t, []fake.Script{gauge("a", steps(0, 9)), gauge("b", steps(0, 9))}, rules(t, `\Memory\Load>5 | every 1s`), func(r *rig) {
		r.clock.Advance(3 * second)
		r.watch.Acknowledge("ana", r.active()...)
		r.watch.Drop("a")
		if b := r.watch.Board(); len(b.Active) != 1 || b.Host("a").State != alert.OK || b.Host("b").State != alert.Acknowledged {
			t.Errorf("active %d", len(b.Active))
		}
		r.watch.Add("a", r.samplers["a"])
		r.clock.Advance(3 * second)
		if b := r.watch.Board(); len(b.Active) != 2 || b.Host("a").State != alert.Acknowledged {
			t.Errorf("active %d, host %v", len(b.Active), b.Host("a"))
		}
		r.want("1 fired r1 a", "1 fired r1 b", "3 acknowledged r1 a", "3 acknowledged r1 b")
	})
}

func TestBoard(t *testing.T) {
	list := rules(t, `\Disk(*)\Queue>5 | every 1s | for 2 of 2`, `\Disk(C:)\Queue>3 | every 1s | clear 1`, `\Disk(D:)\Queue<3 | every 1s`)
	list[1].Severity = alert.Critical
	onHosts(t, []fake.Script{disks("db", row("C:", steps(0, 0, 9)), row("D:", fake.Const(5)))}, list, func(r *rig) {
		r.clock.Advance(2 * second)
		b := r.watch.Board()
		if again := r.watch.Board(); again != b {
			t.Error("nothing changed, and the board is another")
		}
		set := r.sources["db"].Offer().Set("Disk")
		queue, _ := set.Counter("Queue")
		reads, _ := set.Counter("Reads/sec")
		c, d := b.Active[0].Key, session.InstanceKey{Name: "D:", ID: 2}
		critical := alert.Mark{State: alert.Firing, Severity: alert.Critical}
		for _, m := range []struct{ got, want alert.Mark }{
			{b.Row("db", set, queue, c), critical}, {b.Row("db", set, reads, c), alert.Mark{}}, {b.Row("db", set, queue, d), alert.Mark{}},
			{b.Instance("db", set, c), critical}, {b.Host("db"), critical}, {b.Host("x"), alert.Mark{}},
			{(*alert.Board)(nil).Row("db", set, queue, c), alert.Mark{}},
		} {
			if m.got != m.want {
				t.Errorf("mark %+v, want %+v", m.got, m.want)
			}
		}
		if len(b.Active) != 2 || b.Active[1].State != alert.Pending || b.Active[1].Hits != 1 || b.Active[1].Of != 2 || b.Count != [3]int{0, 0, 1} {
			t.Errorf("active %+v %+v, count %v", b.Active[0], b.Active[1], b.Count)
		}
		if limits := b.Limits("db", set, queue, &session.Instance{Key: c}); len(limits) != 2 || limits[1].Value != 3 || *limits[1].Clear != 1 || limits[1].Severity != alert.Critical {
			t.Errorf("limits %+v", limits)
		}
		if limits := b.Limits("db", set, reads, &session.Instance{Key: c}); len(limits) != 0 {
			t.Errorf("limits of another counter %+v", limits)
		}
		r.clock.Advance(second)
		if r.watch.Board() == b || len(b.Active) != 2 || b.Active[1].State != alert.Pending {
			t.Error("a board changed")
		}
		if next := r.watch.Board(); next.Active[1].State != alert.Firing || next.Rules[0].Firing != 1 || next.Rules[0].Watched != 2 {
			t.Errorf("rules %+v", next.Rules)
		}
	})
}

// A host that is not to be watched any more takes its alerts along: they end, and those who were told
// of them are told so; after a restart too, with the labels that they had. Others stay as they are.
func TestLeave(t *testing.T) {
	list := rules(t, `\Disk(*)\Queue>5 | every 1s`, `absent host | after 1s`)
	list[0].Actions = []alert.Action{{Do: alert.Alertmanager, Name: "m"}}
	scripts := []fake.Script{disks("a", row("C:", fake.Const(9))), disks("b", row("C:", fake.Const(9)))}
	leaves := func(host string) bool { return host == "a" }
	for name, restarted := range map[string]bool{"while it runs": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			onHosts(t, scripts, list, func(r *rig) {
				r.clock.Advance(3 * second)
				fired := map[string]alert.Event{}
				for _, ev := range r.events {
					fired[ev.ID.Host] = ev
				}
				if restarted {
					r.stop()
					r.begin(scripts[1:], list)
				}
				r.watch.Leave(leaves)
				r.clock.Advance(3 * second)
				r.watch.Leave(leaves)
				if b := r.watch.Board(); len(b.Active) != 1 || b.Host("a").State != alert.OK || b.Host("b").State != alert.Firing {
					t.Errorf("active %d", len(b.Active))
				}
				end, was := r.events[len(r.events)-1], fired["a"]
				if len(r.events) != 3 || end.Kind != alert.Cleared || end.ID != was.ID || end.Path != was.Path || end.Instance != was.Instance ||
					end.Severity != was.Severity || end.Why != "the host is no longer watched" || len(end.Actions) != 1 || end.Lasted <= 0 || end.Shown == "" != restarted {
					t.Errorf("fired %+v\nends %+v", was, end)
				}
				for id := range r.memory.Alerts {
					if id.Host == "a" {
						t.Errorf("kept: %+v", id)
					}
				}
			})
		})
	}
}
