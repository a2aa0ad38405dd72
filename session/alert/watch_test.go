package alert_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
)

const second = time.Second

func TestCrossings(t *testing.T) {
	load := steps(0, 0, 0, 9, 9, 9, 0, 0, 9, 0)
	onHosts(t, []fake.Script{gauge("web", load)}, rules(t,
		`\Memory\Load>5 | every 1s`,
		`\Memory\Load>5 | every 1s | for 3 of 3`,
		`\Memory\Load<5 | every 1s`,
	), func(r *rig) {
		r.clock.Advance(12 * second)
		r.want(
			"0 fired r3 web", // beyond the limit at its first sample
			"3 fired r1 web", "3 cleared r3 web",
			"5 fired r2 web",
			"6 cleared r1 web", "6 cleared r2 web", "6 fired r3 web",
			"8 fired r1 web", "8 cleared r3 web",
			"9 cleared r1 web", "9 fired r3 web",
		)
	})
}

// A rule that comes is judged at once where its counterset is read at once; a sample of another one that
// was judged is not judged again for that.
func TestSamplesAreJudgedOnce(t *testing.T) {
	script := gauge("web", steps(9))
	script.Sets = append(script.Sets, disks("web", row("C:", steps(9))).Sets...)
	list := rules(t, `\Memory\Load>5 | every 10s | for 3 of 3`, `\Disk(C:)\Queue>5 | every 10s`, `\Memory\Load>8 | every 10s`)
	onHosts(t, []fake.Script{script}, list[:1], func(r *rig) {
		r.clock.Advance(12 * second)
		for _, later := range list[1:] {
			if err := r.watch.Put("ana", later); err != nil {
				t.Error(err)
			}
			r.clock.Advance(2 * second)
		}
		r.clock.Advance(6 * second)
		r.want("12 changed r2 ", "12 fired r2 C:", "14 changed r3 ", "20 fired r1 web", "20 fired r3 web")
	})
}

// What a slow host tells of was when it was read, not when its answer came.
func TestMomentOfASample(t *testing.T) {
	script := gauge("web", steps(0, 0, 9))
	script.Faults = []fake.Fault{{Latency: 700 * time.Millisecond}}
	onHosts(t, []fake.Script{script}, rules(t, `\Memory\Load>5 | every 1s`), func(r *rig) {
		r.clock.Advance(6 * second)
		r.want("2 fired r1 web")
		for _, ev := range r.events {
			if late := ev.Time.Sub(start) % second; late > 100*time.Millisecond {
				t.Errorf("%s, %s after the beat", ev.Kind, late)
			}
		}
	})
}

// A rule is judged on a value cooked over its own interval.
func TestOwnInterval(t *testing.T) {
	script := fake.Script{Name: "web", Sets: []fake.Set{{Name: "Net", Counters: []fake.Counter{
		{Name: "Bytes/sec", Type: cooker.CounterBulkCount, Is: fake.Burst(fake.Const(10), fake.Const(1000), during(20*second, 23*second))},
	}}}}
	onHosts(t, []fake.Script{script}, rules(t, `\Net\Bytes/sec>150 | every 1s`, `\Net\Bytes/sec>150`, `\Net\Bytes/sec>700`), func(r *rig) {
		r.clock.Advance(46 * second)
		log := r.log()
		if strings.Count(log, "fired r1") != 1 || strings.Count(log, "fired r2") != 1 || strings.Contains(log, "r3") {
			t.Errorf("a burst of 3 s in an interval of 15 s, 1000 instead of 10:\n%s", log)
		}
		for _, ev := range r.events {
			if ev.ID.Rule == "r2" && ev.Kind == alert.Fired && (*ev.Value < 190 || *ev.Value > 230) {
				t.Errorf("the mean over the interval is %v", *ev.Value)
			}
		}
	})
}

// One alert for each instance and host; totals stay out of wildcards.
func TestInstances(t *testing.T) {
	one := disks("db1", row("C:", steps(9)), row("D:", steps(0, 0, 9)),
		fake.Row{Name: "_Total", Flags: session.FlagTotal}, fake.Row{Name: "E:", Is: map[string]fake.Motion{"Queue": fake.Const(9)}, Alive: during(4*second, 6*second)})
	two := disks("db2", row("C:", steps(0)), row("D:", steps(9)))
	list := rules(t, `\Disk(*)\Queue>5 | every 1s`, `\Disk(_Total)\Queue>5 | every 1s`, `\\DB2\Disk(*)\Queue>5 | every 1s`, `\Disk(*)\Queue>5 | every 1s`, `\Disk(*)\Queue>5 | every 1s`)
	list[3].Hosts, list[3].Except = []string{"*1"}, []string{"C*"}
	list[4].Hosts, list[4].Totals = []string{"db1"}, true
	onHosts(t, []fake.Script{one, two}, list, func(r *rig) {
		r.clock.Advance(8 * second)
		var got []string
		for _, ev := range r.events {
			got = append(got, strings.Join([]string{ev.Kind.String(), ev.ID.Rule, ev.ID.Host, ev.Instance, ev.Why}, " "))
		}
		slices.Sort(got)
		want := []string{
			"cleared r1 db1 E: gone", "cleared r4 db1 E: gone", "cleared r5 db1 E: gone",
			"fired r1 db1 C: ", "fired r1 db1 D: ", "fired r1 db1 E: ", "fired r1 db2 D: ",
			"fired r2 db1 _Total ",
			"fired r3 db2 D: ",
			"fired r4 db1 D: ", "fired r4 db1 E: ",
			"fired r5 db1 C: ", "fired r5 db1 D: ", "fired r5 db1 E: ", "fired r5 db1 _Total ",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		path := ""
		for _, ev := range r.events {
			if ev.ID.Rule == "r3" {
				path = ev.Path
			}
		}
		if path != `\\db2\Disk(D:)\Queue` {
			t.Errorf("path %s", path)
		}
	})
}

func TestAggregateRule(t *testing.T) {
	list := rules(t, `\Disk(*)\Queue>5 | every 1s`, `\Disk(*)\Queue>9 | every 1s`, `\Disk(*)\Queue>5 | every 1s`)
	mean, total := cooker.AggregateAverage, cooker.AggregateTotal
	list[0].Aggregate, list[1].Aggregate, list[2].Aggregate = &mean, &total, &mean
	list[2].Except = []string{"D:"}
	onHosts(t, []fake.Script{disks("db", row("C:", steps(2)), row("D:", steps(2, 2, 9)))}, list, func(r *rig) {
		r.clock.Advance(5 * second)
		r.want("2 fired r1 average of *", "2 fired r2 total of *")
		if v := *r.events[0].Value; v != 5.5 {
			t.Errorf("the mean is %v", v)
		}
	})
}

// A limit on a text is refused with the reason; a wildcard leaves texts out; that a
// text is absent can be told.
func TestTexts(t *testing.T) {
	list := rules(t, `\Disk(*)\State>5 | every 1s`, `\Disk(*)\*>5 | every 1s`, `absent \Disk(C:)\State | every 1s`)
	script := disks("db", row("C:", steps(9)))
	script.Sets[0].Counters = append(script.Sets[0].Counters, fake.Counter{Name: "State", Type: cooker.CounterText})
	onHosts(t, []fake.Script{script}, list, func(r *rig) {
		r.clock.Advance(5 * second)
		r.want("0 fired r2 C:")
		problems := r.watch.Board().Rules[0].Problem
		if !strings.Contains(problems, "text") {
			t.Errorf("said of the limit on a text: %s", problems)
		}
	})
}

// Averages over no operations are idle, which is well.
func TestIdle(t *testing.T) {
	busy := func(at time.Duration, _ uint64) float64 {
		if at < 3*second {
			return 100
		}
		return 0
	}
	script := fake.Script{Name: "db", Sets: []fake.Set{{Name: "Disk", Counters: []fake.Counter{
		{Name: "sec/Read", Type: cooker.AverageTimer, Is: fake.Const(0.05), Per: busy},
	}}}}
	onHosts(t, []fake.Script{script}, rules(t, `\Disk\sec/Read>0.025 | every 1s`, `\Disk\sec/Read<0.025 | every 1s`), func(r *rig) {
		r.clock.Advance(8 * second)
		r.want("1 fired r1 db", "3 cleared r1 db")
		if ev := r.events[0]; ev.Shown != "50.0 ms" || ev.ShownLimit != "25.0 ms" || ev.Text() != `warning fired "r1": \\db\Disk\sec/Read: 50.0 ms > 25.0 ms` {
			t.Errorf("%s, %s: %s", ev.Shown, ev.ShownLimit, ev.Text())
		}
	})
}

var errDown = errors.New("read timed out")

func TestHostLost(t *testing.T) {
	script := gauge("web", fake.Const(9), fake.Fault{Window: during(10*second, 70*second), Err: fmt.Errorf("web (127.0.0.1:445): %w", errDown)})
	list := rules(t, `absent host | after 20s`, `\Memory\Load>5 | every 1s`, `absent \Memory\Load | every 1s | after 25s`)
	onHosts(t, []fake.Script{script, gauge("other", fake.Const(0))}, list, func(r *rig) {
		r.clock.Advance(60 * second)
		r.want("0 fired r2 web", "30 fired r1 web", "35 fired r3 web")
		if why := r.events[1].Why; !strings.Contains(why, "timed out") {
			t.Errorf("why: %q", why)
		}
		if text := r.events[1].Text(); strings.Count(text, "web") != 1 || !strings.Contains(text, "127.0.0.1:445") {
			t.Errorf("the host is not named once: %s", text)
		}
		for _, a := range r.watch.Board().Active {
			if a.Lacking == "" {
				t.Errorf("%+v does not tell that there is no value", a)
			}
		}
		r.clock.Advance(60 * second)
		log := r.log()
		for _, want := range []string{"cleared r1 web", "cleared r3 web"} {
			if strings.Count(log, want) != 1 {
				t.Errorf("no %s in\n%s", want, log)
			}
		}
		if strings.Contains(log, "cleared r2") || strings.Count(log, "fired r2") != 1 {
			t.Errorf("an alert ends or begins anew because its host was lost:\n%s", log)
		}
	})
}

// A host is lost from the moment that its sampler says so, and is back in the same
// way, whenever time was looked at before and after.
func TestHostLostAtOnce(t *testing.T) {
	e := alert.NewEngine(rules(t, `absent host | after 20s`, `\Memory\Load>5 | every 1s`), 0, time.UTC, nil)
	at := func(s int) session.Instant {
		return session.Instant{Wall: start.Add(time.Duration(s) * second), Mono: time.Duration(s) * second}
	}
	state := session.HostState{Phase: session.Live}
	tick := func(s int) { e.Tick(at(s), func(string) session.HostState { return state }) }
	observe := func(s int) { e.Observe("web", second, &session.Snapshot{Host: "web", State: state}, at(s)) }
	e.Bind("web", &session.Catalogue{Host: "web", Sets: []*session.Counterset{{Name: "Memory", Counters: []session.Counter{{Name: "Load"}}}}}, at(0))
	tick(10) // before the sampler, whose beat is the same
	state = session.HostState{Phase: session.Retrying, Err: errDown}
	observe(10)
	tick(11)
	tick(29)
	if events := e.Take(); len(events) != 0 {
		t.Errorf("after 19 s: %v", events)
	}
	tick(30)
	if events := e.Take(); len(events) != 1 || events[0].Kind != alert.Fired {
		t.Errorf("20 s after it was lost: %v", events)
	}
	state = session.HostState{Phase: session.Live}
	observe(40)
	if events := e.Take(); len(events) != 1 || events[0].Kind != alert.Cleared || !events[0].Time.Equal(at(40).Wall) {
		t.Errorf("with its first answer: %v", events)
	}
}

// A host that never answered is lost too, and so is what is expected there.
func TestNeverAnswered(t *testing.T) {
	script := gauge("web", fake.Const(9), fake.Fault{Window: during(0, 50*second), Err: errDown})
	onHosts(t, []fake.Script{script}, rules(t, `absent host | after 10s`, `absent \Memory\Load | after 20s | every 1s`), func(r *rig) {
		r.clock.Advance(40 * second)
		r.want("10 fired r1 web", "20 fired r2 web")
		r.clock.Advance(60 * second)
		if log := r.log(); !strings.Contains(log, "cleared r1") || !strings.Contains(log, "cleared r2") {
			t.Errorf("events:\n%s", log)
		}
	})
}

func TestAbsentInstance(t *testing.T) {
	script := disks("db", row("C:", fake.Const(1)),
		fake.Row{Name: "E:", Alive: during(5*second, 10*second)},
		fake.Row{Name: "F:", Alive: fake.Window{From: 0, To: 5 * second, Every: 60 * second}})
	list := rules(t,
		`absent \Disk(F:)\Queue | after 10s | every 1s`, // comes back after a minute
		`absent \Disk(*)\Queue | after 20s | every 1s`,  // what was there once
		`absent \Disk(x)\Queue | after 10s | every 1s`,  // never there
		`absent \Nothing\Queue | after 10s | every 1s`,  // not even the counterset
		`absent \Disk(C:)\Queue | after 10s | every 1s`, // always there
		`absent \Disk(nothing*)\Queue | every 1s`,       // a wildcard expects nothing
		`\Disk(E:)\Queue>5 | every 1s`, `\Nothing\A>5`)  // pending, not found
	onHosts(t, []fake.Script{script}, list, func(r *rig) {
		r.clock.Advance(50 * second)
		r.want("10 fired r3 x", "10 fired r4 db", "15 fired r1 F:", "25 fired r2 F:", "30 fired r2 E:")
		board := r.watch.Board()
		if p := board.Rules[7].Problem; !strings.Contains(p, "Nothing") {
			t.Errorf("a counterset that is nowhere: %q", p)
		}
		if p := board.Rules[6]; p.Problem != "" || p.Hosts != 1 {
			t.Errorf("an instance that is not there: %+v", p)
		}
		r.clock.Advance(15 * second)
		if log := r.log(); !strings.Contains(log, "cleared r1 F:") || !strings.Contains(log, "cleared r2 F:") || strings.Contains(log, "r5") || strings.Contains(log, "r6") {
			t.Errorf("events:\n%s", log)
		}
	})
}

// What was there once is missed for a day, or until somebody knows.
func TestMissed(t *testing.T) {
	script := disks("db", row("C:", fake.Const(1)), fake.Row{Name: "E:", Alive: during(0, 5*second)}, fake.Row{Name: "F:", Alive: during(0, 5*second)})
	onHosts(t, []fake.Script{script}, rules(t, `absent \Disk(*)\Queue | every 15s`), func(r *rig) {
		r.clock.Advance(2 * time.Minute)
		ids := r.active()
		if len(ids) != 2 {
			t.Fatalf("events:\n%s", r.log())
		}
		r.watch.Acknowledge("ana", ids[0])
		if b := r.watch.Board(); len(b.Active) != 1 {
			t.Errorf("%d are missed after one was acknowledged", len(b.Active))
		}
		r.clock.Advance(25 * time.Hour)
		log := r.log()
		if b := r.watch.Board(); len(b.Active) != 0 || strings.Count(log, "cleared") != 2 || strings.Count(log, "fired") != 2 || b.Rules[0].Watched != 1 {
			t.Errorf("%d are missed after a day:\n%s", len(b.Active), log)
		}
	})
}

// A gap and a counter that begins anew neither fire nor clear.
func TestGap(t *testing.T) {
	script := fake.Script{Name: "web", Sets: []fake.Set{{Name: "Net", Counters: []fake.Counter{
		{Name: "Bytes/sec", Type: cooker.CounterBulkCount, Is: fake.Const(1000)},
	}}}, Faults: []fake.Fault{{Window: during(10*second, 11*second), Set: "Net", Restart: true}, {Window: during(30*second, 33*second), Set: "Net", Err: errDown}}}
	list := rules(t, `\Net\Bytes/sec>500 | every 1s`, `\Net\Bytes/sec<500 | every 1s`, `\Net\Bytes/sec>500 | every 1s | for 5 of 5`)
	onHosts(t, []fake.Script{script}, list, func(r *rig) {
		r.clock.Advance(20 * second)
		r.clock.Jump(30 * second) // too busy to sample
		r.clock.Sleep(time.Hour)
		r.clock.Advance(20 * second)
		r.want("1 fired r1 web", "5 fired r3 web")
	})
}

// A rule that can match nothing says so as soon as its hosts are known, and one that
// has no instance so far; an only sample without an instance is over, too.
func TestMatchesNothing(t *testing.T) {
	list := rules(t, `\web\Memory\Load>5 | every 1s`, `\Memory\Load>5 | every 1s`, `\Disk(C*)\Queue>5 | every 1s`, `\Disk(x*)\Queue>5 | every 1s`,
		`\Disk(x)\Queue>5 | every once`, `\Disk(C:)\Queue>5 | every once`, `absent host`, `\\other\Disk(C:)\Queue>5`, `\Disk(C:)\Queue>5 | every once`)
	list[0].Hosts = []string{"sql*", "ora*"}
	list[2].Except = []string{"D:", "*"}
	list[6].Hosts = []string{"sql*"}
	list[8].Hosts = []string{"nobody"}
	onHosts(t, []fake.Script{disks("db", row("C:", steps(9)), row("D:", steps(9)))}, list, func(r *rig) {
		r.clock.Advance(2 * second)
		var got []string
		for _, s := range r.watch.Board().Rules {
			word := s.Problem
			if s.Idle {
				word += "idle"
			}
			if s.Over {
				word += "over"
			}
			got = append(got, word)
		}
		for i, want := range []string{"sql*, ora*", "Memory", "exceptions", "idle", "no instance", "over", "sql*", "other is not watched", "nobody"} {
			if !strings.Contains(got[i], want) || (want == "over" || want == "idle") && got[i] != want {
				t.Errorf("rule %d: %q, want %q", i+1, got[i], want)
			}
		}
	})
}

// MS-PLA's interval 0xFFFFFFFF takes one sample.
func TestOnce(t *testing.T) {
	script := fake.Script{Name: "web", Sets: []fake.Set{{Name: "Net", Counters: []fake.Counter{
		{Name: "Bytes/sec", Type: cooker.CounterBulkCount, Is: fake.Const(1000)},
		{Name: "Load", Type: cooker.CounterRawCount, Is: steps(0, 9)},
	}}}}
	onHosts(t, []fake.Script{script}, rules(t, `\Net\Bytes/sec>150 | every once`, `\Net\Load>5 | every once`, `\Net\Load>8 | every 1s`), func(r *rig) {
		r.clock.Advance(90 * second)
		log := r.log()
		if strings.Count(log, "fired r1") != 1 || strings.Contains(log, "r2") || strings.Count(log, "fired r3") != 1 || strings.Contains(log, "cleared") {
			t.Errorf("events:\n%s", log)
		}
	})
}

// Steps of the wall clock end no cool-down and fire nothing.
func TestClockSteps(t *testing.T) {
	load := steps(0, 0, 9, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9)
	for _, step := range []time.Duration{-48 * time.Hour, 48 * time.Hour} {
		onHosts(t, []fake.Script{gauge("web", load)}, rules(t, `\Memory\Load>5 | every 1s | cooldown 6s`, `absent host | after 30s`), func(r *rig) {
			r.clock.Advance(3*second + second/2)
			r.clock.Step(step)
			r.clock.Advance(7 * second)
			if len(r.events) != 3 {
				t.Fatalf("events:\n%s", r.log())
			}
			again := r.events[2].Time.Sub(start) - step
			if r.events[2].Kind != alert.Fired || again < 9*second || again > 10*second {
				t.Errorf("step %v: fired again after %v:\n%s", step, again, r.log())
			}
		})
	}
}

// A host that is known, or has another catalogue, is judged at once, whatever becomes
// of the others.
func TestJudgedAsSoonAsKnown(t *testing.T) {
	dead := gauge("dead", fake.Const(9), fake.Fault{Window: during(0, time.Hour), Err: errDown})
	late := gauge("late", fake.Const(9), fake.Fault{Window: during(0, 300*time.Millisecond), Err: errDown})
	onHosts(t, []fake.Script{dead, late}, rules(t, `\Memory\Load>5 | every 1s`), func(r *rig) {
		s, known := r.samplers["late"], time.Time{}
		go func() {
			<-s.Known()
			known = r.clock.Now().Wall
		}()
		r.clock.Advance(100300 * time.Millisecond)
		if len(r.events) != 1 || !r.events[0].Time.Equal(known) {
			t.Errorf("known at %v:\n%s", known, r.log())
		}
		cat := s.Catalogue()
		s.Renew(&session.Catalogue{Host: "late"})
		r.clock.Advance(0)
		if p := r.watch.Board().Rules[0].Problem; !strings.Contains(p, "Memory") {
			t.Errorf("without the counterset: %q", p)
		}
		r.clock.Advance(10 * second)
		s.Renew(cat)
		r.clock.Advance(0)
		if n := len(r.events); n != 3 || !r.events[n-1].Time.Equal(start.Add(110300*time.Millisecond)) {
			t.Errorf("with it again:\n%s", r.log())
		}
	})
}

// A rule about all instances as one, of a counter that does not say how they are combined,
// says that it is not judged, and what to name instead; that is judged.
func TestRuleWithoutFunction(t *testing.T) {
	script := fake.Script{Name: "web", Sets: []fake.Set{{Name: "Pool", Instances: session.GlobalAggregate,
		Counters: []fake.Counter{{Name: "Queue", Type: cooker.CounterRawCount, Is: fake.Const(4), Loose: true}},
		Rows:     []fake.Row{{Name: "a"}, {Name: "b"}}}}}
	onHosts(t, []fake.Script{script}, rules(t, `\Pool\Queue>5 | every 1s`, `\Pool(total of *)\Queue>5 | every 1s`), func(r *rig) {
		r.clock.Advance(3 * second)
		r.want("0 fired r2 total of *")
		for _, st := range r.watch.Board().Rules {
			says := strings.Contains(st.Problem, "cannot be judged") && strings.Contains(st.Problem, `\Pool(total of *)\Queue`)
			if says != (st.Name == "r1") {
				t.Errorf("%s: %q", st.Name, st.Problem)
			}
		}
	})
}
