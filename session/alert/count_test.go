package alert_test

import (
	"context"
	"encoding/json"
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
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/failure"
)

// Counts of events are read from the right, and written as they were read.
func TestCountsOfEvents(t *testing.T) {
	const minutes = 10 * time.Minute
	for text, want := range map[string]alert.Count{
		"event disk/153>3 in 10m":        {Source: "disk", ID: "153", MoreThan: 3, Within: minutes},
		"event System:disk/153>0 in 10m": {Log: "System", Source: "disk", ID: "153", Within: minutes},
		"event disk-reset>0 in 1h":       {Key: "disk-reset", Within: time.Hour},
		"event nginx/*>10 in 30s":        {Source: "nginx", MoreThan: 10, Within: 30 * time.Second},
		"event */153>1 in 10m":           {ID: "153", MoreThan: 1, Within: minutes},
		"event *:a: b>c in d/7>1 in 10m": {Source: "a: b>c in d", ID: "7", MoreThan: 1, Within: minutes},
		"event Microsoft-Windows-Windows Defender/Operational:Defender/1000>0 in 10m": {Log: "Microsoft-Windows-Windows Defender/Operational", Source: "Defender", ID: "1000", Within: minutes},
	} {
		r, err := alert.ParseRule(text)
		if err != nil || r.Kind != alert.EventCount || r.Events != want || r.Expression() != text {
			t.Errorf("%s: %+v, %q, %v", text, r.Events, r.Expression(), err)
			continue
		}
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var again alert.Rule
		written, err := json.Marshal(r)
		if err == nil {
			err = json.Unmarshal(written, &again)
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, r, again)
	}
	if r, err := alert.ParseRule("EVENT  disk / 153 > 3  in  10 min"); err != nil || r.Expression() != "event disk/153>3 in 10m" {
		t.Errorf("%q, %v", r.Expression(), err)
	}
	for _, text := range []string{
		"event", "event disk/153", "event disk/153>3", "event disk/153<3 in 10m", "event disk/153>x in 10m", "event disk/153>-1 in 10m", "event disk/153>3 in", "event disk/153>3 in soon",
		"event no-such-key>0 in 10m", "event >0 in 10m", "event */*>0 in 0s", "event disk/153>1.5 in 10m", "event disk/153>0 in 9d", "event a\x00b/1>0 in 10m",
	} {
		r, err := alert.ParseRule(text)
		if err == nil {
			err = r.Check()
		}
		if err == nil {
			t.Errorf("%s is read as %+v", text, r.Events)
		}
	}
}

const secretText = "password=hunter2"

func hostEvent(at time.Time, id string, count int) session.HostEvent {
	return session.HostEvent{
		Time: at, Until: at, Count: count, Host: "sql01", Level: session.EventWarning, Log: "System", Source: "disk", ID: id, Known: "disk-retried", Names: []string{"2"}, Text: secretText,
	}
}

// counter is an engine with one rule that counts events of a host.
type counter struct {
	t *testing.T
	*alert.Engine
	begun time.Time
	now   session.Instant
	told  []alert.Event
}

func newCounter(t *testing.T, when string) *counter {
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &counter{t: t, Engine: alert.NewEngine([]alert.Rule{parsed(t, when)}, 0, time.UTC, nil), begun: begun, now: session.Instant{Wall: begun}}
	c.Bind("sql01", nil, c.now)
	c.KnowEvents("sql01", true, "", c.now)
	return c
}

// at lets time pass up to so many seconds, and then tells of events.
func (c *counter) at(second int, events ...session.HostEvent) (fired, cleared int) {
	c.now = session.Instant{Wall: c.begun.Add(time.Duration(second) * time.Second), Mono: time.Duration(second) * time.Second}
	if len(events) > 0 {
		c.ObserveEvents("sql01", events, c.now)
	}
	c.Tick(c.now, func(string) session.HostState { return session.HostState{Phase: session.Live} })
	for _, ev := range c.Take() {
		c.told = append(c.told, ev)
		switch ev.Kind {
		case alert.Fired:
			fired++
		case alert.Cleared:
			cleared++
		}
	}
	return fired, cleared
}

func (c *counter) event(second int, id string, count int) session.HostEvent {
	return hostEvent(c.begun.Add(time.Duration(second)*time.Second), id, count)
}

func (c *counter) want(second, fired, cleared int, events ...session.HostEvent) {
	c.t.Helper()
	if f, cl := c.at(second, events...); f != fired || cl != cleared {
		c.t.Errorf("at %d s: %d fired, %d cleared", second, f, cl)
	}
}

// More than so many within a time fire, of those that are meant, and no longer than that time.
func TestCountFires(t *testing.T) {
	c := newCounter(t, "event System:disk/153>3 in 10m")
	c.want(1, 0, 0)
	c.want(10, 0, 0, c.event(8, "153", 2), c.event(9, "7", 5))
	c.want(20, 0, 0, c.event(18, "153", 1))
	c.want(30, 1, 0, c.event(29, "153", 2))
	c.want(600, 0, 0)
	c.want(608, 0, 1) // the first two are ten minutes old
	if len(c.told) != 2 {
		t.Fatalf("%d events", len(c.told))
	}
	text := c.told[0].Text()
	if want := `warning fired "event System:disk/153>3 in 10m": sql01: 5 > 3, disk 2 repeated a transfer (System:disk/153)`; text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if ev := c.told[1]; ev.Peak != "5" || ev.Lasted != 578e9 {
		t.Errorf("cleared: %s", ev.Text())
	}
}

// What lies before anybody asked counts by what is left of it; of what was read late each moment is judged.
func TestCountOfThePast(t *testing.T) {
	c := newCounter(t, "event disk-retried>2 in 1m")
	c.want(5, 0, 0, c.event(-120, "153", 10), c.event(-50, "153", 2))
	c.want(20, 0, 0, c.event(15, "153", 1))
	c.want(400, 1, 1, c.event(100, "153", 1), c.event(120, "153", 2), c.event(390, "153", 1))
	folded := c.event(500, "153", 61)
	folded.Until = c.begun.Add(1100 * time.Second) // one each ten seconds
	c.want(1101, 1, 0, folded)
	c.want(1142, 0, 1)
}

// A gap makes a count one of at least so many.
func TestCountOverGaps(t *testing.T) {
	c := newCounter(t, "event disk-retried>1 in 1m")
	gap := session.HostEvent{Time: c.begun, Until: c.begun.Add(4 * time.Second), Count: 1, Known: session.EventGap}
	c.want(5, 1, 0, gap, c.event(5, "153", 2))
	if text := c.told[0].Text(); !strings.Contains(text, "at least 2 > 1") {
		t.Error(text)
	}
	c.want(70, 0, 1)
	few := c.event(100, "153", 3)
	few.AtLeast = true
	c.want(101, 1, 0, few)
	if text := c.told[2].Text(); !strings.Contains(text, "at least 3 > 1") {
		t.Error(text)
	}
}

// Where events are not known nothing is judged, which the board tells; what fired goes on.
func TestCountUnknown(t *testing.T) {
	c := newCounter(t, "event disk-retried>0 in 1m")
	c.want(5, 1, 0, c.event(5, "153", 1))
	c.KnowEvents("sql01", false, "denied: be in Event Log Readers", c.now)
	c.want(300, 0, 0)
	if r := c.Board().Rules[0]; !strings.Contains(r.Problem, "sql01: denied: be in Event Log Readers") || r.Firing != 1 {
		t.Errorf("%q, %d fire", r.Problem, r.Firing)
	}
	c.KnowEvents("sql01", true, "", c.now)
	c.want(301, 0, 1)
	if r := c.Board().Rules[0]; r.Problem != "" || r.Watched != 1 {
		t.Errorf("%q, %d are watched", r.Problem, r.Watched)
	}
}

// Of a log that cannot be read nothing is known, while other logs are judged; as soon as it can be read it
// is judged again.
func TestCountOfALogThatIsDenied(t *testing.T) {
	for text, want := range map[string]struct {
		unknown bool
		told    string
	}{
		"event Application:shop/1>0 in 1m": {true, "1 > 0"}, "event crash>0 in 1m": {true, ""}, "event App*:*/*>0 in 1m": {true, "1 > 0"},
		"event System:disk/153>0 in 1m": {}, "event disk-retried>0 in 1m": {}, "event shop/1>0 in 1m": {false, "at least 1 > 0"},
	} {
		c := newCounter(t, text)
		denied := c.event(4, "", 1)
		denied.Log, denied.Source, denied.Known, denied.Names = "Application", "", session.EventDenied, []string{"Application"}
		c.want(5, 0, 0, denied)
		c.want(300, 0, 0)
		if r := c.Board().Rules[0]; (r.Problem != "") != want.unknown || want.unknown != strings.Contains(r.Problem, "Application cannot be read") || (r.Hosts == 0) != want.unknown {
			t.Errorf("%s: %+v", text, r)
		}
		again := c.event(310, "1", 1)
		again.Log, again.Source, again.Known, again.Names = "Application", "shop", "", nil
		c.at(311, again)
		if r := c.Board().Rules[0]; r.Problem != "" && !strings.Contains(text, "crash") {
			t.Errorf("%s: %q", text, r.Problem)
		}
		if (len(c.told) == 1) != (want.told != "") || len(c.told) == 1 && !strings.Contains(c.told[0].Text(), want.told) {
			t.Errorf("%s: %+v", text, c.told)
		}
	}
}

// A flood is counted, within bounds.
func TestCountOfFloods(t *testing.T) {
	c := newCounter(t, "event disk-retried>100000 in 10m")
	for i := range 5000 {
		c.at(10+i/50, c.event(10+i/50, "153", 30))
	}
	if len(c.told) != 1 || *c.told[0].Value != 100_020 {
		t.Errorf("%d events: %+v", len(c.told), c.told)
	}
}

// writing is a host that writes down what a test says, and has a value.
type writing struct {
	*fake.Source

	mu    sync.Mutex
	lines []session.HostEvent
	fails error
	open  int
}

func (w *writing) Events(context.Context, session.EventsFrom) (session.EventReader, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fails != nil {
		return nil, w.fails
	}
	w.open++
	return writingReader{w}, nil
}

func (w *writing) say(fails error, lines ...session.HostEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines, w.fails = append(w.lines, lines...), fails
}

type writingReader struct{ *writing }

func (r writingReader) Read(context.Context) (events []session.HostEvent, more bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events, r.lines = r.lines, nil
	return events, false, r.fails
}
func (r writingReader) Every() time.Duration { return time.Second }
func (r writingReader) Cursor() string       { return "" }
func (r writingReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	return nil
}

// What a rule counted is not counted again when another one begins, and that one is given what was
// before.
func TestAnotherCountBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, clock: clocktest.New(start, synctest.Wait), samplers: map[string]*session.Sampler{}, memory: alert.NewMemory()}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		script := gauge("sql01", steps(1))
		host := &writing{Source: fake.New(script, r.clock)}
		r.samplers["sql01"] = session.NewSampler("sql01", host, r.clock)
		go func() { r.samplers["sql01"].Run(ctx); close(done) }()
		first, others := "event disk-retried>2 in 10m", []string{"event disk/*>1 in 10m", "event System:disk/153>1 in 1h"}
		r.begin([]fake.Script{script}, rules(t, first))
		host.say(nil, hostEvent(start.Add(second), "153", 2))
		r.clock.Advance(5 * second)
		r.watch.SetRules(rules(t, append([]string{first}, others...)...))
		r.clock.Advance(5 * second)
		r.stop()
		cancel()
		<-done
		var fired []string
		for _, ev := range r.events {
			fired = append(fired, ev.ID.Rule)
		}
		if len(fired) != 2 || slices.ContainsFunc(fired, func(rule string) bool { return rule == rules(t, first)[0].Name }) {
			t.Errorf("fired %q", fired)
		}
	})
}

// Events are read of the hosts for which a rule asks, and judged there as over a recording that has
// them; what the host says of itself goes nowhere.
func TestCountsLiveAndRecorded(t *testing.T) {
	const when = "event disk-retried>2 in 1m"
	begin := start
	at := func(s int) time.Time { return begin.Add(time.Duration(s) * time.Second) }
	lines := []session.HostEvent{hostEvent(at(-300), "153", 9), hostEvent(at(20), "153", 2), hostEvent(at(40), "153", 1), hostEvent(at(170), "153", 1), hostEvent(at(180), "153", 2), hostEvent(at(235), "7", 1)}
	var live []alert.Event
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, clock: clocktest.New(start, synctest.Wait), samplers: map[string]*session.Sampler{}, memory: alert.NewMemory()}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{}, 2)
		scripts, hosts := []fake.Script{gauge("sql01", steps(1)), gauge("web", steps(1))}, map[string]*writing{}
		for _, script := range scripts {
			w := &writing{Source: fake.New(script, r.clock)}
			sampler := session.NewSampler(script.Name, w, r.clock)
			hosts[script.Name], r.samplers[script.Name] = w, sampler
			go func() { sampler.Run(ctx); done <- struct{}{} }()
		}
		list := rules(t, when)
		list[0].Hosts = []string{"sql*"}
		r.begin(scripts, list)
		for s := range 300 {
			for _, line := range lines {
				if line.Until.Equal(at(s)) || s == 0 && line.Until.Before(at(0)) {
					hosts["sql01"].say(nil, line)
				}
			}
			r.clock.Advance(second)
		}
		if hosts["sql01"].open != 1 || hosts["web"].open != 0 {
			t.Errorf("%d and %d are read", hosts["sql01"].open, hosts["web"].open)
		}
		live = slices.Clone(r.events)
		hosts["sql01"].say(failure.WithHint(errors.New("access is denied"), "be in Event Log Readers"))
		r.clock.Advance(20 * second)
		if got := r.watch.Board().Rules[0].Problem; !strings.Contains(got, "access is denied: be in Event Log Readers") {
			t.Errorf("problem %q", got)
		}
		r.watch.SetRules(nil)
		r.clock.Advance(20 * second)
		if hosts["sql01"].open != 0 {
			t.Error("events are read that no rule asks for")
		}
		r.stop()
		cancel()
		<-done
		<-done
	})
	b := alert.NewBacktest(alert.BacktestOptions{Rules: rules(t, when), Zone: time.UTC})
	cat, err := fake.New(gauge("sql01", steps(1)), clocktest.New(start, func() {})).Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	every := func(time.Time) time.Duration { return 100 * second }
	b.Ask(alert.Recorded{Name: "sql01", Catalogue: cat, Every: every, Last: at(300), Events: func() []session.HostEvent { return lines }})
	for s := 0; s <= 300; s += 100 {
		b.Observe("sql01", &session.Snapshot{Host: "sql01", Time: at(s)})
	}
	past := b.Events()
	text := func(events []alert.Event) (out []string) {
		for i := range events {
			ev := &events[i]
			out = append(out, fmt.Sprintf("%v %s", ev.Time.Sub(begin), ev.Text()))
			written, err := json.Marshal(ev)
			if err != nil || strings.Contains(string(written)+ev.Text(), secretText) {
				t.Errorf("%s, %v: the host's text is told", written, err)
			}
		}
		return out
	}
	if len(past) != 6 || len(live) != 6 {
		t.Errorf("over the recording %q\nlive %q", text(past), text(live))
	}
	for i := range min(len(past), len(live)) {
		if late := live[i].Time.Sub(past[i].Time); live[i].Kind != past[i].Kind || late < 0 || late > 2*second {
			t.Errorf("over the recording %s, live %s", text(past)[i], text(live)[i])
		}
	}
	if o := b.Outcomes()[0]; o.Fired != 3 || o.Problem != "" || o.Peak != "3" {
		t.Errorf("outcome %+v", o)
	}
	b = alert.NewBacktest(alert.BacktestOptions{Rules: rules(t, when), Zone: time.UTC})
	b.Ask(alert.Recorded{Name: "sql01", Catalogue: cat, Every: every, Last: at(300)})
	b.Observe("sql01", &session.Snapshot{Host: "sql01", Time: at(0)})
	if o := b.Outcomes()[0]; !strings.Contains(o.Problem, "no events") {
		t.Errorf("without events: %q", o.Problem)
	}
}
