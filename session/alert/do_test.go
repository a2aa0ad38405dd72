package alert_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
)

// again is what is to be told again of what fires, a line each.
func (r *rig) again() string {
	var lines []string
	for _, ev := range r.watch.Engine().Firing(alert.Alertmanager) {
		lines = append(lines, fmt.Sprintf("%s %s %s %d %.0f%s", ev.Kind, ev.ID.Rule, ev.Instance, int(ev.Time.Sub(start).Seconds()), valueIn(&ev), ev.By))
	}
	return strings.Join(lines, "\n")
}

// What an Alertmanager is told again: what fires with the value of now, since when it
// does, whoever acknowledged it, also after a restart; not what is muted, nor what goes
// elsewhere.
func TestFiring(t *testing.T) {
	all := rules(t, `\Disk(*)\Queue>5 | every 1s`, `\Disk(C:)\Queue>5 | every 1s`)
	all[0].Actions = []alert.Action{{Do: alert.Alertmanager, Name: "ops"}}
	all[1].Actions = []alert.Action{{Do: alert.Webhook, Name: "ops"}}
	scripts := []fake.Script{disks("db", row("C:", steps(0, 0, 9, 8, 7)), row("D:", steps(6, 6, 6, 6, 6, 6, 6, 6, 6, 0)))}
	onHosts(t, scripts, all, func(r *rig) {
		want := func(lines ...string) {
			t.Helper()
			if got := r.again(); got != strings.Join(lines, "\n") {
				t.Errorf("told again:\n%s\nwant:\n%s", got, strings.Join(lines, "\n"))
			}
		}
		r.clock.Advance(3 * second)
		want("fired r1 C: 2 8", "fired r1 D: 0 6")
		id := r.watch.Board().Active[0].ID
		for _, a := range r.watch.Board().Active {
			if a.Rule.Name == "r1" && a.Instance == "C:" {
				id = a.ID
			}
		}
		r.watch.Acknowledge("ana", id)
		r.watch.Mute("ben", alert.Scope{One: alert.ID{Rule: "r1", Host: "db", Set: "Disk", Counter: "Queue", Name: "D:", Number: r.numberOf("D:")}}, start.Add(6*second))
		r.clock.Advance(second)
		want("acknowledged r1 C: 2 7ana")
		r.clock.Advance(3 * second)
		want("acknowledged r1 C: 2 7ana", "fired r1 D: 0 6")
		r.stop()
		r.begin(scripts, all)
		r.clock.Advance(second)
		want("acknowledged r1 C: 2 7ana", "fired r1 D: 0 6")
		before := len(r.events)
		r.clock.Advance(5 * second)
		want("acknowledged r1 C: 2 7ana")
		if ends := r.events[before:]; len(ends) != 1 || len(ends[0].Actions) != 1 || ends[0].Actions[0].Do != alert.Alertmanager {
			t.Errorf("the end goes to %v", ends)
		}
	})
}

// numberOf is the number that tells an instance of a disk from others of its name.
func (r *rig) numberOf(name string) uint64 {
	for _, a := range r.watch.Board().Active {
		if a.Instance == name {
			return a.ID.Number
		}
	}
	return 0
}

// In quiet hours what was told before goes on, what begins is not told, also when somebody
// acknowledges it, until they end.
func TestFiringQuiet(t *testing.T) {
	all := rules(t, `\Disk(*)\Queue>5 | every 1s`)
	all[0].Actions = []alert.Action{{Do: alert.Alertmanager, Name: "ops"}}
	quiet, _ := alert.ParseQuiet("14:08-14:09")
	all[0].Quiet = []alert.QuietHours{quiet}
	at := func(from time.Duration) fake.Motion {
		return func(now time.Duration, _ uint64) float64 {
			if now >= from {
				return 9
			}
			return 0
		}
	}
	onHosts(t, []fake.Script{disks("db", row("C:", at(0)), row("D:", at(30*second)), row("E:", at(30*second)))}, all, func(r *rig) {
		r.clock.Advance(40 * second) // 14:08:12
		if got := r.again(); got != "fired r1 C: 0 9" {
			t.Errorf("in quiet hours: %s", got)
		}
		for _, a := range r.watch.Board().Active {
			if a.Instance == "E:" {
				r.watch.Acknowledge("ana", a.ID)
			}
		}
		r.clock.Advance(10 * second)
		if got := r.again(); got != "fired r1 C: 0 9" {
			t.Errorf("acknowledged in quiet hours: %s", got)
		}
		r.clock.Advance(50 * second) // 14:09:12
		if got := r.again(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "fired r1 D:") {
			t.Errorf("after quiet hours: %s", got)
		}
	})
}

// The number of a process and the n of name#n come along, and through JSON.
func TestEventTellsInstance(t *testing.T) {
	ev := alert.Event{Kind: alert.Fired, Time: start, Instance: "w3wp#1", Index: 1, Number: 4711, ID: alert.ID{Rule: "r", Host: "h"}}
	text, err := json.Marshal(ev)
	var again alert.Event
	if err != nil || again.UnmarshalJSON(text) != nil || again.Number != 4711 || again.Index != 1 {
		t.Errorf("%s, %v", text, err)
	}
}

// Whether a rule fires for others still is known of what was told, also right after a restart,
// before any host was looked at.
func TestFires(t *testing.T) {
	all := rules(t, `\Disk(*)\Queue>5 | every 1s`)
	all[0].Actions = []alert.Action{{Do: alert.StartSet, Name: `db\Detail`}}
	scripts := []fake.Script{disks("db", row("C:", steps(9, 9, 9, 9, 9, 9, 9)), row("D:", steps(0, 0, 0, 9, 9, 9, 9)))}
	onHosts(t, scripts, all, func(r *rig) {
		id := func(name string) alert.ID {
			return alert.ID{Rule: "r1", Host: "db", Set: "Disk", Counter: "Queue", Name: name, Number: r.numberOf(name)}
		}
		fires := func(but ...alert.ID) bool { return r.watch.Engine().Fires("r1", alert.StartSet, but...) }
		r.clock.Advance(second)
		if c := id("C:"); !fires() || fires(c) {
			t.Errorf("one fires: %v, without it %v", fires(), fires(c))
		}
		r.clock.Advance(2 * second)
		c, d := id("C:"), id("D:")
		if !fires(c) || !fires(d) || fires(c, d) || r.watch.Engine().Fires("r1", alert.Webhook) || r.watch.Engine().Fires("r2", alert.StartSet) {
			t.Error("two fire")
		}
		r.watch.Mute("ben", alert.Scope{One: d}, start.Add(100*second))
		if fires(c) {
			t.Error("one whose end is not told")
		}
		r.watch.Mute("ben", alert.Scope{One: d}, start)
		r.stop()
		r.begin(scripts, all)
		if !fires(c) || !fires(d) || fires(c, d) {
			t.Error("nothing was looked at since a restart")
		}
	})
}
