package records

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/listing"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/session/text/field"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var now = time.Date(2026, 3, 2, 14, 7, 32, 0, time.Local)

// stand stands for the sets of a computer: what is done to them is noted.
type stand struct {
	list   []listing.Record
	before bool // the first look was not done
	did    []string
	fails  error
	doomed listing.Doomed
	judged error
}

func (s *stand) List() ([]listing.Record, bool) { return s.list, !s.before }

func (s *stand) do(what string, r *listing.Record) error {
	s.did = append(s.did, what+" "+r.Name)
	return s.fails
}

func (s *stand) Start(r *listing.Record) error { return s.do("start", r) }
func (s *stand) Stop(r *listing.Record) error  { return s.do("stop", r) }
func (s *stand) Switch(r *listing.Record, on bool) error {
	return s.do(fmt.Sprintf("switch %v", on), r)
}

func (s *stand) Remove(r *listing.Record, files bool) error {
	return s.do(fmt.Sprintf("remove %v", files), r)
}
func (s *stand) Doomed(*listing.Record) (listing.Doomed, error) { return s.doomed, s.fails }
func (s *stand) Form(r *listing.Record) (listing.Form, error) {
	return listing.Form{
		Title: "Edit " + r.Name, Fields: []field.Line{{Name: "every", Label: "every", Value: "15"}},
		Judge: func(a field.Answers) ([]string, error) { return []string{"every " + a.Get("every")}, s.judged },
		Save:  func(a field.Answers) error { return s.do("save "+a.Get("every"), r) },
	}, s.fails
}

func (s *stand) New(what []pane.RecordHost) (listing.Form, error) {
	return s.Form(&listing.Record{Name: strings.Join(what[0].Paths, " ")})
}
func (s *stand) Player(string, time.Time) (*exec.Cmd, error) { return nil, errors.New("no") }

// several is a record in each state.
func several() []listing.Record {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	return []listing.Record{
		{ID: "1", Name: "Web load", Next: now.Add(14 * time.Hour), Began: ago(24 * time.Hour), Ended: ago(16 * time.Hour), Bytes: 1 << 30, Output: "/logs/web/1.db",
			Findings: []listing.Finding{{Text: "TraceDataCollector[1]: kept and not run"}}, Facts: []listing.Fact{{Label: "collects", Text: "every 15s: \\Memory\\*"}}},
		{ID: "2", Name: "night", State: listing.Running, Began: ago(2 * time.Hour), Bytes: 12345, Output: "/logs/night/2.db",
			Limits: []listing.Limit{{What: "run", Share: 0.25, Text: "2h of 8h"}, {What: "files", Share: 0.5, Text: "30m of 1h"}}},
		{ID: "3", Name: "dead", State: listing.Died, Began: ago(3 * time.Hour)},
		{ID: "4", Name: "off", Off: true},
		{ID: "5", Name: "broken", State: listing.Damaged, Findings: []listing.Finding{{Level: listing.Refused, Text: "not XML"}}},
		{ID: "6", Name: "incident", Kind: listing.NamedRecording},
		{ID: "7", Name: "deck.db", Kind: listing.OtherRecording, State: listing.Ended, Ended: ago(time.Hour), Output: "/logs/deck.db"},
		{ID: "8", Name: "failed", State: listing.Failed, Findings: []listing.Finding{{Level: listing.Wrong, Text: "the disk is full"}}},
		{ID: "9", Name: "tidying", State: listing.Tidying},
	}
}

type rig struct {
	*panetest.Rig

	screen *Screen
	stand  *stand
}

func newRig(t testing.TB, w, h int, list ...listing.Record) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{W: w, H: h, Start: now}), stand: &stand{list: list}}
	r.Desk.Records = r.stand
	r.screen = New(r.Desk)
	r.Show(r.screen)
	r.Draw()
	return r
}

// select selects a record.
func (r *rig) choose(name string) {
	r.Helper()
	i := slices.IndexFunc(r.screen.Rows, func(one *listing.Record) bool { return one.Name == name })
	r.screen.Select(i)
	r.Draw()
}

// wait does the work that the screen wants done beside it.
func (r *rig) wait() {
	r.Helper()
	w, ok := r.Last().(pane.Wait)
	if !ok {
		r.Fatalf("%#v is no work", r.Last())
	}
	done := w.Work()
	r.Run(func() { done(true) })
}

func TestTable(t *testing.T) {
	r := newRig(t, 150, 40, several()...)
	for name, want := range map[string][]string{
		"Web load": {"stopped", "Tue 04:07", "1 GB", "set", "kept and not run"},
		"night":    {"●", "running", "50%", "■■", "12.1 KB", "12:07:32"},
		"dead":     {"■", "died"},
		"off":      {"stopped", "off"},
		"broken":   {"■", "damaged", "not XML"},
		"incident": {"stopped", "config"},
		"deck.db":  {"ended", "recording"},
		"failed":   {"▲", "failed", "the disk is full"},
	} {
		row := r.RowWithin(2, 40, " "+name)
		for _, text := range want {
			if !strings.Contains(row, text) {
				t.Errorf("the line of %s lacks %q: %q", name, text, row)
			}
		}
	}
	r.Shows("Records 9", "2 running", "3 in trouble")
	r.choose("night")
	r.Shows("Runs since 12:07:32, for 2 h.", "2h of 8h", "30m of 1h", "/logs/night/2.db")
	r.choose("dead")
	r.Shows("Its process is gone")
}

// Nothing starts, stops or goes by one key: each is asked, and enter is the safe answer.
func TestQuestions(t *testing.T) {
	for name, c := range map[string]struct {
		record, key, title, did string
	}{
		"start": {"Web load", "r", "Start Web load", "start Web load"},
		"named": {"incident", "r", "Start incident", "start incident"},
		"died":  {"dead", "r", "Start dead", "start dead"},
		"stop":  {"night", "r", "Stop night", "stop night"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 120, 36, several()...)
			r.choose(c.record)
			r.Press(c.key)
			ask, ok := r.Last().(pane.Confirm)
			if !ok || ask.Title != c.title || r.stand.did != nil {
				t.Fatalf("%s asks %#v, and did %q", c.key, r.Last(), r.stand.did)
			}
			r.Run(ask.Do)
			r.wait()
			if !slices.Equal(r.stand.did, []string{c.did}) {
				t.Errorf("yes did %q", r.stand.did)
			}
			r.stand.fails = errors.New("access denied")
			r.Run(ask.Do)
			r.wait()
			if said, ok := r.Last().(pane.Say); !ok || said.Text != "access denied" {
				t.Errorf("a mistake is told by %#v", r.Last())
			}
			entries, _ := r.Desk.Journal.Entries()
			if n := len(entries); n != 2 || entries[1].Level != pane.Warning {
				t.Errorf("the Log has %+v", entries)
			}
		})
	}
}

// What goes is named before it goes, and files go by a second question only.
func TestRemoves(t *testing.T) {
	r := newRig(t, 120, 36, several()...)
	r.choose("dead")
	r.stand.doomed = listing.Doomed{Text: "the set goes", Folders: 3, Files: "3 folders, 12.0 MB"}
	r.Press("d")
	r.wait()
	ask := r.Last().(pane.Confirm)
	if !strings.Contains(ask.Text, "the set goes") || ask.Other.Key != "f" || r.stand.did != nil {
		t.Fatalf("d asks %+v, and did %q", ask, r.stand.did)
	}
	r.Run(ask.Do)
	r.wait()
	r.Run(ask.Other.Do)
	second, ok := r.Last().(pane.Confirm)
	if !ok || !strings.Contains(second.Text, "3 folders, 12.0 MB") || len(r.stand.did) != 1 {
		t.Fatalf("f sends %#v, and did %q", r.Last(), r.stand.did)
	}
	r.Run(second.Do)
	r.wait()
	if want := []string{"remove false dead", "remove true dead"}; !slices.Equal(r.stand.did, want) {
		t.Errorf("did %q", r.stand.did)
	}
	r.stand.doomed = listing.Doomed{Text: "its note goes"}
	r.choose("deck.db")
	r.Press("d")
	r.wait()
	if ask := r.Last().(pane.Confirm); ask.Other.Do != nil {
		t.Error("files are offered where none can go")
	}
}

// What does not apply says why, and does nothing.
func TestWhy(t *testing.T) {
	for record, list := range map[string]map[string]string{
		"night":    {"d": "it runs"},
		"incident": {"d": "config", "e": "config", "O": "config", "enter": "no file", "y": "no file"},
		"deck.db":  {"r": "it is over", "e": "no data collector set"},
		"broken":   {"r": "cannot be read", "e": "cannot be read"},
		"tidying":  {"r": "data manager", "d": "it runs"},
		"dead":     {"O": "no schedule", "enter": "no file"},
	} {
		for key, want := range list {
			r := newRig(t, 120, 36, several()...)
			r.choose(record)
			n := len(r.Sent)
			r.Press(key)
			said, ok := r.Last().(pane.Say)
			if len(r.Sent) > n && !ok || ok && !strings.Contains(said.Text, want) {
				t.Errorf("%s on %s sends %#v, want %q", key, record, r.Last(), want)
			}
			if b := keys.Match(key, r.screen.Bindings()); b == nil || !strings.Contains(b.Why(), want) {
				t.Errorf("%s on %s does not say %q", key, record, want)
			}
		}
	}
}

func TestForms(t *testing.T) {
	r := newRig(t, 120, 36, several()...)
	r.choose("Web load")
	r.Press("e")
	r.wait()
	form, ok := r.Last().(pane.AskForm)
	if !ok || form.Title != "Edit Web load" {
		t.Fatalf("e sends %#v", r.Last())
	}
	if got := form.Each(field.Answers{"every": "30"}); !slices.Equal(got, []string{"every 30"}) {
		t.Errorf("findings %q", got)
	}
	r.stand.judged = errors.New("0 is not 1 or more")
	if got := form.Each(field.Answers{"every": "0"}); got[0] != "0 is not 1 or more" || form.Done(field.Answers{"every": "0"}) == nil {
		t.Errorf("what cannot be is taken: %q", got)
	}
	r.stand.judged = nil
	if err := form.Done(field.Answers{"every": "60"}); err != nil {
		t.Fatal(err)
	}
	r.Run(form.Then)
	r.wait()
	if !slices.Equal(r.stand.did, []string{"save 60 Web load"}) {
		t.Errorf("did %q", r.stand.did)
	}
	r.Press("a")
	r.wait()
	if said, ok := r.Last().(pane.Say); !ok || !strings.Contains(said.Text, "no counters") {
		t.Errorf("without a deck a sends %#v", r.Last())
	}
	r.screen.Offered = func() []pane.RecordHost { return []pane.RecordHost{{}, {Paths: []string{`\A\B`}}} }
	r.screen.Offered = func() []pane.RecordHost { return []pane.RecordHost{{Paths: []string{`\A\B`}}} }
	r.Press("a")
	r.wait()
	if form, ok := r.Last().(pane.AskForm); !ok || form.Title != `Edit \A\B` {
		t.Errorf("a sends %#v", r.Last())
	}
	r.choose("off")
	r.Press("O")
	r.wait()
	if !slices.Contains(r.stand.did, "switch true off") {
		t.Errorf("O did %q", r.stand.did)
	}
}

func TestMouseAndFilter(t *testing.T) {
	r := newRig(t, 120, 36, several()...)
	r.Click("night")
	if r.screen.Row().Name != "night" || len(r.Sent) > 0 {
		t.Fatalf("a click selects %s and sends %#v", r.screen.Row().Name, r.Sent)
	}
	r.Click("night")
	if play, ok := r.Last().(pane.Play); !ok || play.File != "/logs/night/2.db" {
		t.Errorf("a click on the selected sends %#v", r.Last())
	}
	r.Click("dead")
	r.Click("dead")
	if said, ok := r.Last().(pane.Say); !ok || !strings.Contains(said.Text, "no file") {
		t.Errorf("a click on one without a file sends %#v", r.Last())
	}
	r.screen.Click(pane.Hit{Kind: pane.HitRow, B: 99}, 1)
	r.Press("/")
	ask := r.Last().(pane.AskText)
	for text, want := range map[string]int{"night": 1, "state:stopped": 3, "kind:config": 1, "size>1MB": 1, "full": 1, "nothing like it": 0, "": 9} {
		_ = ask.Each(text)
		if r.Draw(); len(r.screen.Rows) != want {
			t.Errorf("%q takes %d, want %d", text, len(r.screen.Rows), want)
		}
	}
	_ = ask.Each("nothing like it")
	r.Draw()
	r.Shows("Nothing fits the filter")
	r.Press("s", "esc", "g")
	if name := r.screen.Rows[0].Name; name != "dead" {
		t.Errorf("urgent first begins with %s", name)
	}
	r.Press("esc")
	if _, ok := r.Last().(pane.Back); !ok {
		t.Errorf("esc sends %#v", r.Last())
	}
}

// Before the first look nothing is said to be missing; where there is nothing the screen
// says what to do; in a replay that there is none.
func TestEmpty(t *testing.T) {
	r := newRig(t, 80, 24)
	r.Shows("No data collector sets", "make a set", "perfdeck collect import")
	r.stand.before = true
	r.Draw()
	r.Hides("No data collector sets")
	r.Desk.Records = nil
	r.Draw()
	r.Shows("a recording that is played")
	for _, key := range []string{"r", "e", "a", "d", "O", "enter", "y"} {
		if b := keys.Match(key, r.screen.Bindings()); b == nil || b.Why() == "" {
			t.Errorf("%s would do something in a replay", key)
		}
	}
}

func TestSweep(t *testing.T) {
	var hostile, many []listing.Record
	for i, name := range faketest.HostileNames() {
		hostile = append(hostile, listing.Record{ID: name, Name: name, State: listing.State(i % 7), Kind: listing.Kind(i % 3), Output: name, Bytes: 1 << 60,
			Next: now.Add(time.Duration(i) * time.Hour * 9999), Limits: []listing.Limit{{What: name, Text: name, Share: float64(i)}},
			Findings: []listing.Finding{{Level: listing.Level(i % 4), Text: name}}, Facts: []listing.Fact{{Label: name, Text: name}}})
	}
	for i := range 200 {
		many = append(many, several()[i%9])
		many[i].ID = fmt.Sprint(i)
	}
	for name, list := range map[string][]listing.Record{"none": nil, "several": several(), "200": many, "hostile": hostile} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 120, 34, list...)
			for _, key := range []string{"G", "s"} {
				r.Press(key)
				for _, glyphs := range []canvas.GlyphSet{canvas.Full, canvas.ASCII} {
					for _, size := range panetest.GrowingSizes(4) {
						r.Sound(size[0], size[1], glyphs)
					}
				}
			}
		})
	}
}

func TestKeys(t *testing.T) {
	s := New(&pane.Desk{Now: time.Now})
	if c := panetest.Conflicts(s.Bindings()); len(c) != 0 {
		t.Errorf("conflicts: %q", c)
	}
	for _, k := range []string{"c", "t", "x", "w", "A", "m", "!", "R", "p", "[", "]", "@", ".", "i", "u", ":", "q", "?"} {
		if b := keys.Match(k, s.Bindings()); b != nil {
			t.Errorf("%s is %s", k, b.Text)
		}
	}
}

// A recording that is over is opened, and neither starts, nor is edited, nor goes by a key.
func TestMadeRecording(t *testing.T) {
	r := newRig(t, 100, 30, listing.Record{ID: "made /logs/a.db", Name: "a.db", Kind: listing.MadeRecording, State: listing.Ended, Began: now.Add(-time.Hour), Ended: now, Bytes: 1 << 20, Output: "/logs/a.db"})
	r.choose("a.db")
	r.Shows("Records 1", "ended", "1 MB", "/logs/a.db")
	r.Press("enter")
	if play, ok := r.Last().(pane.Play); !ok || play.File != "/logs/a.db" {
		t.Errorf("%#v", r.Last())
	}
	for _, why := range []string{r.screen.why(whyNoSwitch)(), r.screen.why(whyNoSet)(), r.screen.why(whyNoRemoval)(), r.screen.why(whyNoSchedule)()} {
		if why == "" {
			t.Error("a key does something to it")
		}
	}
}

// Sets of hosts have the keys of own sets, and lines that stand for what a host did not tell have none.
func TestHostSets(t *testing.T) {
	of := func(name string, s listing.State, found ...listing.Finding) listing.Record {
		return listing.Record{ID: name, Name: name, Host: "web1", Kind: listing.HostSet, State: s, Findings: found}
	}
	refused := listing.Finding{Level: listing.Refused, Text: "connection refused; is the port open?"}
	r := newRig(t, 150, 40, of(`web1\Detail`, listing.Running), of(`web1\Idle`, listing.Stopped), of("web2", listing.Silent, refused), of("web3", listing.Unasked))
	told := &panetest.HostSets{}
	r.Desk.HostSets = told
	r.Shows("1 running", "1 in trouble", "host set", "unread", "is the port open?", "asked")
	r.choose(`web1\Detail`)
	if !slices.Contains(told.Told, `web1\Detail`) {
		t.Errorf("details were wanted of %v", told.Told)
	}
	r.Press("enter")
	if !strings.Contains(r.Said(), "collect fetch") {
		t.Errorf("enter says %q", r.Said())
	}
	r.Press("r")
	r.Run(r.Last().(pane.Confirm).Do)
	r.wait()
	r.choose(`web1\Idle`)
	r.Press("r")
	ask := r.Last().(pane.Confirm)
	if !strings.Contains(ask.Text, "web1 runs it") {
		t.Errorf("asked %q", ask.Text)
	}
	r.Run(ask.Do)
	r.wait()
	if want := []string{`stop web1\Detail`, `start web1\Idle`}; !slices.Equal(r.stand.did, want) {
		t.Errorf("did %v", r.stand.did)
	}
	for _, name := range []string{"web2", "web3"} {
		r.choose(name)
		for _, key := range []string{"r", "e", "d"} {
			if r.Press(key); r.Said() != untold {
				t.Errorf("%s on %s says %q", key, name, r.Said())
			}
		}
	}
	if len(r.stand.did) != 2 {
		t.Errorf("did %v", r.stand.did)
	}
}
