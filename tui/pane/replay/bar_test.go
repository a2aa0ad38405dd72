package replay

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/note"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// player is a Controller whose time the test moves.
type player struct {
	about       About
	at          time.Time
	first, last time.Time
	playing     bool
	speed       int
	reached     int
	span, kept  time.Duration
	steps, ends int
	cells       func(n int) []Cell
	seen        float64
	gaps        []Gap
	marks       []Mark
	asked       pane.Target
}

func (p *player) About() About                    { return p.about }
func (p *player) Said() string                    { return "" }
func (p *player) Position() time.Time             { return p.at }
func (p *player) Bounds() (first, last time.Time) { return p.first, p.last }
func (p *player) Playing() bool                   { return p.playing }
func (p *player) Play(on bool)                    { p.playing = on }
func (p *player) Speed() int                      { return p.speed }
func (p *player) SetSpeed(times int)              { p.speed = times }
func (p *player) Reached() int                    { return p.reached }
func (p *player) Seek(at time.Time)               { p.at = at }
func (p *player) End()                            { p.ends++ }
func (p *player) Step(samples int)                { p.steps += samples }
func (p *player) SetSpan(span time.Duration) time.Duration {
	p.span = span
	if p.kept > 0 {
		return min(span, p.kept)
	}
	return span
}
func (p *player) Gaps() ([]Gap, float64)   { return p.gaps, p.seen }
func (p *player) Marks() []Mark            { return slices.Clone(p.marks) }
func (p *player) Changed() <-chan struct{} { return nil }

func (p *player) Overview(t pane.Target, n int) ([]Cell, float64) {
	p.asked = t
	if p.cells == nil {
		return make([]Cell, n), p.seen
	}
	return p.cells(n), p.seen
}

func (p *player) SetBookmark(at time.Time, on bool) bool {
	i := slices.IndexFunc(p.marks, func(m Mark) bool { return !m.isAlert() && m.At.Equal(at) })
	if i >= 0 {
		p.marks = slices.Delete(p.marks, i, i+1)
	}
	if on {
		p.marks = append(p.marks, Mark{At: at})
	}
	return i >= 0
}

// rig is a bar of a night from 22:00 to 06:00 on a canvas.
type rig struct {
	testing.TB
	*player

	desk   *pane.Desk
	bar    *Bar
	canvas *canvas.Canvas
	hits   pane.Hits
	sent   []tea.Msg
}

func clock(text string) time.Time {
	t, err := time.Parse(time.TimeOnly, text)
	if err != nil {
		panic(err)
	}
	day := 2
	if t.Hour() < 12 {
		day = 3
	}
	return time.Date(2026, 3, day, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

func newRig(t testing.TB, w int, set canvas.GlyphSet) *rig {
	p := &player{
		about: About{Files: []string{"night-sql_000001.csv"}, Hosts: []string{"sql01", "sql02"}, Counters: 214, Interval: 15 * time.Second},
		at:    clock("03:08:15"), first: clock("22:00:00"), last: clock("06:00:00"), playing: true, speed: 10, seen: 1,
	}
	r := &rig{TB: t, player: p, canvas: canvas.New(w, Height, set)}
	r.desk = &pane.Desk{Now: p.Position, Span: 40 * time.Minute}
	r.bar = NewBar(r.desk, p)
	host := &pane.Host{Name: "sql01"}
	counterset := &session.Counterset{Name: "Memory", Counters: []session.Counter{{Name: "Pages/sec"}}}
	r.bar.Select([]pane.Target{{Host: host, Counter: -1}, {Host: host, Set: counterset}})
	r.draw()
	return r
}

func (r *rig) draw() []string {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.bar.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.at, Hits: &r.hits})
	return strings.Split(strings.TrimSuffix(r.canvas.String(), "\n"), "\n")
}

// press presses a key and keeps what it sends.
func (r *rig) press(key string) {
	r.Helper()
	b := keys.Match(key, r.bar.Bindings())
	if b == nil {
		r.Fatalf("%s is no key", key)
	}
	if ok, why := b.Applies(); !ok {
		r.sent = []tea.Msg{"not now: " + why}
		return
	}
	r.collect(b.Do)
}

// collect does something and keeps what it sends.
func (r *rig) collect(do func()) {
	r.sent = nil
	do()
	r.desk.Drain(func(i pane.Intent) { r.sent = append(r.sent, i) })
}

func (r *rig) click(x, y int) pane.Hit {
	hit, ok := r.hits.Get(r.canvas.Hit(x, y))
	if !ok {
		r.Fatalf("nothing at %d, %d", x, y)
	}
	r.collect(func() { r.bar.Click(hit, tea.MouseLeft) })
	return hit
}

// mockUp is rows of the picture of the bar that the program is made after.
func mockUp(t *testing.T) []string {
	text, err := os.ReadFile("testdata/replay-120x4.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")[:Height]
}

// The bar looks as it was drawn before it was written.
func TestBarLooksAsDrawn(t *testing.T) {
	want := mockUp(t)
	r := newRig(t, 120, canvas.Full)
	levels := []rune(want[1])[1:119]
	r.player.cells = func(n int) []Cell {
		out := make([]Cell, n)
		for i, char := range levels {
			if l := strings.IndexRune("▁▂▃▄▅▆▇", char); l >= 0 {
				v := float32(l/3+1) - 0.5
				out[i] = Cell{Min: v, Max: v, Has: true}
			}
		}
		out[0].Min, out[5].Max = 0, 7 // so that levels are values
		return out
	}
	at := func(cell int) time.Time { return r.bar.moment(cell, 118).Add(time.Second) }
	r.player.gaps = []Gap{{at(39), at(43)}}
	r.player.marks = []Mark{{At: at(21), Level: pane.Warning}, {At: at(74), Level: pane.Critical}, {At: at(92)}}
	got := r.draw()
	if got[0] != want[0] {
		t.Errorf("title\n%s\nwant\n%s", got[0], want[0])
	}
	// The pictured window is wider than a span before the moment.
	outside := func(s string) string { x := []rune(s); return string(x[:65]) + string(x[80:]) }
	level := strings.NewReplacer("▇", "?", string(levels[5]), "?")
	if level.Replace(outside(got[1])) != level.Replace(outside(want[1])) {
		t.Errorf("overview\n%s\nwant\n%s", got[1], want[1])
	}
	if i := []rune(got[1]); string(i[66:77]) != "["+string(i[67:76])+"]" {
		t.Errorf("window %s", string(i[60:80]))
	}
	if got[2] != want[2] {
		t.Errorf("times\n%s\nwant\n%s", got[2], want[2])
	}
}

// At any width every row is full, nothing is cut in its middle, and the moment
// stays.
func TestBarAtAnyWidth(t *testing.T) {
	for _, set := range []canvas.GlyphSet{canvas.Full, canvas.ASCII, canvas.Console} {
		for w := 0; w <= 300; w++ {
			r := newRig(t, w, set)
			r.player.about.Hosts = append(r.player.about.Hosts, "a\x1b[2Jb", "日本")
			r.player.about.Files[0] = "日本\u202e" + strings.Repeat("long", w%9) + ".csv"
			r.player.seen = 0.5
			for n, row := range r.draw() {
				if strings.ContainsAny(row, "\x1b\u202e") {
					t.Fatalf("width %d: row %d has controls: %q", w, n, row)
				}
			}
			if title := r.draw()[0]; w >= 40 && !strings.Contains(title, "03:08:15") {
				t.Fatalf("width %d: %s", w, title)
			}
		}
	}
}

// Labels stand at round times, in order, and apart, for recordings of a second to
// years.
func TestLabels(t *testing.T) {
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 5*3600+1800)} {
		for length := time.Second; length < 6*365*24*time.Hour; length = length*3/2 + 7*time.Millisecond {
			for _, w := range []int{40, 80, 120, 300} {
				r := newRig(t, w, canvas.Full)
				r.player.first = clock("22:00:03").In(zone)
				r.player.last = r.player.first.Add(length)
				list := r.bar.labels()
				end := -2
				for _, l := range list {
					if l.x <= end || l.x+len(l.text) > w-2 {
						t.Fatalf("%v in %d cells: %v", length, w, list)
					}
					end = l.x + len(l.text)
				}
				if len(list) == 0 && length > 30*time.Second && w >= 80 {
					t.Errorf("%v in %d cells: no label", length, w)
				}
			}
		}
	}
}

// Where the speed is not reached the title says what is.
func TestReachedSpeed(t *testing.T) {
	r := newRig(t, 80, canvas.Full)
	r.speed, r.reached = 1000, 483
	if title := r.draw()[0]; !strings.Contains(title, "x483 of 1000") {
		t.Error(title)
	}
	r.playing = false
	if title := r.draw()[0]; strings.Contains(title, "483") {
		t.Error(title)
	}
}

// oneSet is a host with one counterset.
type oneSet struct {
	pane.Sampler

	set *session.Counterset
}

func (s oneSet) Catalogue() *session.Catalogue {
	return &session.Catalogue{Sets: []*session.Counterset{s.set}}
}

// On a screen where nothing can be selected the bar shows the first value there is,
// until one is selected.
func TestOverviewWithoutSelection(t *testing.T) {
	r := newRig(t, 100, canvas.Full)
	r.bar.target = pane.Target{}
	set := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: make([]session.Counter, 2)}
	var reel session.Reel
	reel.Ask([]session.Ask{{Set: set, Counters: []int{0, 1}}}, nil)
	reel.Begin(0, 2)
	reel.Add(&session.Batch{Time: r.at, Sets: []session.SetBatch{{
		Set: set, Counters: []int{0, 1}, Readings: slices.Repeat([]cooker.Reading{{State: cooker.Pending}}, 4),
		Instances: []session.Instance{{Key: session.InstanceKey{Name: "a"}}, {Key: session.InstanceKey{Name: "b"}}},
		Values: []cooker.Value{
			cooker.Absent(cooker.Gap), cooker.Absent(cooker.Gap),
			cooker.Absent(cooker.Gap), cooker.FloatValue(7),
		},
	}}}, session.Rate{})
	host := &pane.Host{Name: "sql02", Sampler: oneSet{set: set}, Snap: reel.Snapshot("sql02", r.at, session.HostState{})}
	r.desk.Hosts = []*pane.Host{{Name: "silent"}, host}
	r.asked = pane.Target{}
	r.draw()
	if want := (pane.Target{Host: host, Set: set, Counter: 1, Key: session.InstanceKey{Name: "b"}}); r.asked != want {
		t.Errorf("the overview is of %+v", r.asked)
	}
	other := &session.Counterset{Name: "Memory", Counters: make([]session.Counter, 1)}
	r.bar.Select([]pane.Target{{Host: host, Set: other}})
	if r.draw(); r.asked.Set != other {
		t.Errorf("what was selected is not shown but %+v", r.asked)
	}
}

// TestShortSpan: that charts do not reach as far back as they are asked to is said.
func TestShortSpan(t *testing.T) {
	r := newRig(t, 140, canvas.Full)
	if title := r.draw()[0]; strings.Contains(title, "reach back") {
		t.Errorf("all is there: %s", title)
	}
	r.player.kept = 30 * time.Minute
	if title := r.draw()[0]; !strings.Contains(title, "charts reach back 30 min") {
		t.Errorf("it says nothing: %s", title)
	}
	r.player.at = r.player.first.Add(20 * time.Minute) // there is no more than that
	if title := r.draw()[0]; strings.Contains(title, "reach back") {
		t.Errorf("all that there is is shown: %s", title)
	}
}

type fixedNotes []note.Note

func (n fixedNotes) All() []note.Note      { return n }
func (n fixedNotes) Write(note.Note) error { return nil }

// An alert and a note of the same moment both have a sign, also at the ends of the bar.
func TestNoteBesideAlert(t *testing.T) {
	r := newRig(t, 120, canvas.Full)
	for _, cell := range []int{0, 21, 117} {
		at := r.bar.moment(cell, 118).Add(time.Second)
		r.desk.Notes = fixedNotes{{Time: at, Text: "deploy"}, {Time: at.Add(time.Second), Text: "again"}}
		for _, level := range []pane.Level{pane.Info, pane.Careful, pane.Warning, pane.Critical} {
			r.player.marks = []Mark{{At: at, Level: level}}
			got := strings.Join(r.draw()[2:3], "")
			sign := 'b'
			if level > pane.Info {
				sign, _ = pane.SignOf(level, canvas.Full.Glyphs())
			}
			if !strings.Contains(got, "n"+string(sign)) && !strings.Contains(got, string(sign)+"n") || strings.Count(got, "n") != 1 {
				t.Errorf("level %v at %d: %s", level, cell, got)
			}
		}
	}
}

// told is what a host wrote down.
type told []session.HostEvent

func (t told) Want(time.Duration, func([]session.HostEvent)) func() { return func() {} }
func (t told) State() session.EventState                            { return session.EventState{Events: t} }

// Of the events of a cell there is one sign, in the colour of the worst; alerts, bookmarks and notes hide them.
func TestEventsOnBar(t *testing.T) {
	r := newRig(t, 120, canvas.Full)
	at := func(cell int) time.Time { return r.bar.moment(cell, 118).Add(time.Second) }
	var events told
	for _, e := range []struct {
		cell  int
		level session.EventLevel
		known string
	}{{10, session.EventError, ""}, {10, session.EventWarning, ""}, {20, session.EventInformation, ""}, {30, session.EventInformation, "boot"}, {40, session.EventCritical, ""}, {50, session.EventCritical, ""}} {
		events = append(events, session.HostEvent{Time: at(e.cell), Until: at(e.cell), Level: e.level, Known: e.known})
	}
	r.desk.Hosts = []*pane.Host{{Name: "sql01", Events: events}}
	r.player.marks = []Mark{{At: at(40), Level: pane.Careful}}
	r.draw()
	for cell, want := range map[int]rune{10: 'e', 30: 'e', 40: '○', 50: 'e'} {
		if got := r.canvas.At(1+cell, 2); got.Rune != want {
			t.Errorf("at %d: %c, want %c", cell, got.Rune, want)
		}
	}
	if got := r.canvas.At(21, 2).Rune; got == 'e' {
		t.Error("an event that nobody knows is marked")
	}
	if st := r.canvas.At(11, 2).Style; st.Foreground() != themes.Warning {
		t.Errorf("the worst of a cell is in %v", st.Foreground())
	}
}
