//go:build !windows

package tui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/themes"
	"perfdeck/tui"
	"perfdeck/tui/pane"
)

// burstsKey says how often each burst of keys is written, to both renderers. Without
// it, it is once, and only some to bubbletea's, or in short runs only some at all: that
// finds what is always wrong. 20 finds what is seldom wrong, in a quarter of an hour.
const burstsKey = "PERFDECK_TEST_BURSTS"

// burst is what a user types without looking.
type burst struct {
	name  string
	hosts int      // of the demo; 0: one
	notes int      // troubles that the Log has: lines of hosts come in any order
	keys  []string // names, what a terminal sends, or text behind a blank
}

var bursts = []burst{
	// The tasks from a deck.
	{name: "add a counter", keys: []string{"a", " disk sec tr", "enter"}},
	{name: "add a counter, and see it", keys: []string{"a", " disk sec"}},
	{name: "process behind a spike", keys: []string{"t"}},
	{name: "process behind a spike of the chart", keys: []string{"c", "5", "left", "left", "t"}},
	{name: "add a host", keys: []string{"7", "a", " new01", "enter"}},
	{name: "set an alert", keys: []string{"w", " 20", "enter"}},
	{name: "record", keys: []string{"r", "enter"}},
	{name: "back five minutes", keys: []string{"{"}},
	{name: "compare two hosts", hosts: 4, keys: []string{"2", "space", "j", "space", "enter"}},
	{name: "save the deck", keys: []string{"W", " mine", "enter"}},
	{name: "explain a number", keys: []string{"x"}},
	{name: "change the interval", keys: []string{"i", " 2", "enter"}},

	// The tour.
	{name: "help", keys: []string{"?", " interval"}},
	{name: "help and back", keys: []string{"?", "esc", "j", "x"}},
	{name: "find anything", keys: []string{":", " chart", "enter"}},
	{name: "move", keys: []string{"down", "j", "tab", "k", "l", "G", "g", "tab"}},
	{name: "remove, undo", keys: []string{"j", "d", "d", "u", "d"}},
	{name: "add and take back", keys: []string{"a", " disk sec tr", "enter", "u", "u"}},
	{name: "chart", keys: []string{"c", "1", "j", "c", "1", "j", "j", "c", "left"}},
	{name: "record, stop", keys: []string{"r", "enter", "r", "down", "enter"}},
	{name: "record, stop, leave", keys: []string{"r", "enter", "r", "down", "enter", "q"}},
	{name: "back and now", keys: []string{"{", "]", ".", "[", "["}},
	{name: "zoom", keys: []string{"tab", "z", "j", "z", "z"}},
	{name: "compare", hosts: 4, keys: []string{"2", "space", "space", "enter"}},
	{name: "hold", keys: []string{"p", "j", "p", "p"}},
	{name: "the whole tour", hosts: 4, keys: []string{
		"?", "enter", ":", " deck", "enter", "j", "j", "tab", "g", "a", " disk sec tr", "enter", "d", "u", "t", "1", "x", "1", "c", "1",
		"w", " 90", "enter", "r", "enter", "{", ".", "z", "z", "7", "a", " new01", "enter", "2", "space", "space", "enter",
		"W", " tour", "enter", "i", " 2", "enter", "p",
	}},
	{name: "leave", keys: []string{"j", "q", "d", "d"}},

	// Each dialog.
	{name: "counter by its path", keys: []string{"a", ` \System\File Read Bytes/sec`, "enter"}},
	{name: "counter that is not there", keys: []string{"a", ` \System\Fil`, "enter", "backspace", "backspace", "backspace", " Threads", "enter"}},
	{name: "counter pasted", keys: []string{"a", "\x1b[200~disk sec tr\x1b[201~", "enter", "j"}},
	{name: "counter, then again", keys: []string{"a", " disk", "esc", "a", " cache", "down", "enter"}},
	{name: "palette adds", keys: []string{":", " counter: cache bytes", "enter", "j"}},
	{name: "palette, other action", hosts: 3, keys: []string{":", " host: web01", "tab", "down", "enter"}},
	{name: "palette, theme", keys: []string{":", " theme: nord", "enter", "j"}},
	{name: "themes", keys: []string{":", " themes", "enter", "down", "down", "enter", "j"}},
	{name: "menu", keys: []string{"m", " explain", "enter"}},
	{name: "menu in a menu", keys: []string{"m", " colour of", "enter", "down", "down", "enter", "c"}},
	{name: "confirmation", keys: []string{"3", "j", "ctrl+k", "enter", "tab", "enter", "j"}},
	{name: "confirmation, safe answer", keys: []string{"3", "j", "ctrl+k", "down", "enter", "enter", "j"}},
	{name: "rule", keys: []string{"6", "a", ` \Memory\Available MBytes`, "tab", "tab", " 20", "enter", "j"}},
	{name: "rule, changed and removed", keys: []string{"w", " 20", "enter", "6", "tab", "e", "tab", "down", "enter", "d", "u"}},
	{name: "mute", keys: []string{"w", " 20", "enter", "6", "tab", "M", "enter", "enter", "j"}},
	{name: "go to a time", keys: []string{"@", " -2s", "enter", "c"}},
	{name: "log on", keys: []string{"7", "a", " win01", "enter", " ana", "tab", " s3cret", "enter", "j"}},
	{name: "another account", keys: []string{"7", "a", " den01", "enter", "j", "e", " ana", "tab", " s3cret", "enter", "k"}},
	{name: "remove a host, undo", hosts: 3, keys: []string{"7", "j", "d", "d", "u", "k"}},
	{name: "columns", keys: []string{"3", "o", "down", "space", "enter", "s", "j"}},
	{name: "filter of the table", keys: []string{"3", "/", " sql", "enter", "j", "x"}},
	{name: "filter of the fleet", hosts: 4, keys: []string{"2", "/", " sql", "enter", "j", "enter"}},
	{name: "sorting of the fleet", hosts: 4, keys: []string{"2", "o", "down", "enter", "j"}},
	{name: "search in the log", notes: 3, keys: []string{"8", "/", " trouble", "enter", "n", "N", "esc"}},
	{name: "browser", keys: []string{"4", "/", " disk sec tr", "enter", "space", "enter", "1", "j"}},
	{name: "browser, levels and star", keys: []string{"4", "tab", "down", "tab", "*", "enter", "1"}},
	{name: "counter of the chart", keys: []string{"c", "5", "a", " cache by", "enter", "j", "d", "u"}},
	{name: "range of the chart", keys: []string{"c", "5", "v", "v", "=", "+", "H", "j"}},
	{name: "decks", keys: []string{"W", " one", "enter", "D", " new", "enter", " two", "enter", "a", " cache", "enter", "W", "D", " one", "enter"}},
	{name: "layout", keys: []string{"L", "right", "right", "|", "tab", "_", "enter", "j", "u"}},
	{name: "screens", hosts: 3, keys: []string{"2", "3", "4", "5", "6", "7", "8", "1", "<", ">", ">", "3", "j", "1"}},

	// The mouse: tabs, then what lies there; a menu on the right button.
	{name: "clicks", keys: []string{click(20, 1), click(5, 9), click(5, 9), "esc", click(12, 1), click(5, 5)}},
	{name: "click into a dialog", keys: []string{"a", " disk", click(30, 10), click(30, 10), "j"}},
	{name: "drag", keys: []string{"c", "5", press(20, 8), drag(40, 8), drag(60, 8), release(60, 8), "j"}},
}

// What a terminal sends for the mouse, in cells that count from 1.
func press(x, y int) string   { return fmt.Sprintf("\x1b[<0;%d;%dM", x, y) }
func drag(x, y int) string    { return fmt.Sprintf("\x1b[<32;%d;%dM", x, y) }
func release(x, y int) string { return fmt.Sprintf("\x1b[<0;%d;%dm", x, y) }
func click(x, y int) string   { return press(x, y) + release(x, y) }

// sent is what a terminal sends for a key, and how many inputs that is.
func sent(key string) (text string, inputs int) {
	if text, ok := strings.CutPrefix(key, " "); ok {
		return text, len(text)
	}
	if text, ok := map[string]string{
		"enter": "\r", "esc": "\x1b", "tab": "\t", "space": " ", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"backspace": "\x7f", "ctrl+k": "\x0b",
	}[key]; ok {
		return text, 1
	}
	return key, max(1, strings.Count(key, "\x1b[<"))
}

// Keys that are written in one go do what they do with pauses between them, also
// where the machine is busy. Only esc ends what is written at once: a byte that
// follows it would make it Alt.
func TestBursts(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv(burstsKey))
	all := err == nil
	if !all {
		times = 1
	}
	if all {
		defer load()()
	}
	for name, stock := range map[string]bool{"own": false, "bubbletea": true} {
		t.Run(name, func(t *testing.T) {
			for i, b := range bursts {
				if !all && (stock && i%6 != 0 || testing.Short() && i%4 != 0) {
					continue
				}
				t.Run(b.name, func(t *testing.T) {
					t.Parallel()
					const patience, much = 6, 60
					play := func(patience int, want string) (got string) {
						t.Run("play", func(t *testing.T) { got = b.play(t, stock, patience, want) }) // what it opened ends with it
						return got
					}
					want := play(patience, "")
					for i := range times {
						got := play(patience, want)
						if got != want { // perhaps what should be did not rest long enough
							want = play(much, "")
						}
						if got != want {
							t.Fatalf("burst %d of %d shows\n%s\nwith pauses it is\n%s", i+1, times, got, want)
						}
					}
				})
			}
		})
	}
}

// load keeps all processors busy until it is ended.
func load() (end func()) {
	var ended atomic.Bool
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for n := 0; !ended.Load(); n++ {
				_ = strconv.Itoa(n)
			}
		}()
	}
	return func() { ended.Store(true) }
}

// play starts the screens, types, and returns what they show in the end: with pauses
// between the keys or, where it is known what should be shown, in one go.
func (b burst) play(t *testing.T, stock bool, patience int, want string) string {
	t.Helper()
	pauses := want == ""
	c := newConsole(t, 110, 32)
	clock := clocktest.New(time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC), func() {})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := c.start(func(o *tui.Options) { b.options(ctx, o, clock, stock) })
	rest := func(patience int) { r.rest(clock, patience) }
	for n := range 4 { // samples
		if n > 0 {
			clock.Advance(time.Second)
		}
		c.await("a sample", func(string) bool {
			clock.Advance(0)
			return r.session.Sampled(r.ended) == int(clock.Now().Wall.UnixMilli())
		})
		rest(patience)
	}
	for i := range b.notes {
		r.session.Note(fmt.Errorf("trouble %02d", i))
	}
	rest(patience)
	inputs, bytes := 0, ""
	for i, key := range b.keys {
		text, n := sent(key)
		bytes, inputs = bytes+text, inputs+n
		if pauses || key == "esc" || i == len(b.keys)-1 {
			c.write(bytes)
			bytes = ""
			c.await(fmt.Sprint("key ", i), func(string) bool { n := r.session.Inputs(r.ended); return n < 0 || n >= inputs })
			if pauses {
				rest(patience)
			}
		}
	}
	rest(patience)
	clock.Advance(time.Second) // so that both have read what the last screen shows
	for range 20 {
		rest(2 * patience)
		if pauses || r.shown() == want {
			break
		}
	}
	return r.shown()
}

// shown is the screen, or that it has ended.
func (r *run) shown() string {
	select {
	case <-r.ended:
		return "it has ended"
	default:
		text := r.text()
		for _, j := range jitter {
			text = j.ReplaceAllString(text, "…")
		}
		return text
	}
}

// jitter is what is random on purpose, or tells in which tick a busy machine came to read a
// host: no key has a part in it.
var jitter = []*regexp.Regexp{
	regexp.MustCompile(`next try in [0-9]+ [a-z]+`),
	regexp.MustCompile(`ok +14:07:3[0-9]`),
	regexp.MustCompile(`● [34] s`), // where values rest, the header goes by ticks of real time
	regexp.MustCompile(` *[▁-█]+`),
}

// rest waits until nothing more is written to the terminal.
func (r *run) rest(clock *clocktest.Clock, patience int) {
	last, end := -1, time.Now().Add(waitLimit)
	for same := 0; same < patience; same++ {
		clock.Advance(0)
		time.Sleep(time.Millisecond)
		if n := r.writtenLength(); n != last {
			last, same = n, 0
		}
		if time.Now().After(end) {
			r.Fatalf("it does not come to rest:\n%s", r.text())
		}
	}
}

// prompt is a clock on which hosts take no time to answer: how much of it passed
// until they did would depend on the machine.
type prompt struct{ *clocktest.Clock }

func (c prompt) Timer(time.Duration) (<-chan time.Time, func()) { return c.Clock.Timer(0) }

// options are the screens of the burst: with all that dialogs are about.
func (b burst) options(ctx context.Context, o *tui.Options, clock *clocktest.Clock, stock bool) {
	o.Stock = stock
	o.Now = func() time.Time { return clock.Now().Wall }
	for _, h := range fake.Demo(prompt{clock})[:max(1, b.hosts)] {
		o.Hosts = append(o.Hosts, hostOf(h.Name, h.Source, clock))
	}
	o.Hosts[0].Local = true
	o.Paths = nil
	o.Kept, o.Keep = new(session.Saved), func(*session.Saved) error { return nil }
	o.Alerts, o.User = alert.NewWatch(alert.Options{Clock: clock}), "ana"
	o.Recorder = new(tape)
	o.Themes = func() []themes.Info { return themes.List(nil) }
	o.Signals, o.Signal = []string{"TERM", "KILL"}, func(session.InstanceKey, string) error { return nil }
	o.Connect = func(ask pane.AddHosts) ([]*pane.Host, error) {
		time.Sleep(2 * time.Millisecond) // a name is looked up
		if strings.HasPrefix(ask.Names, "win") && ask.Account == "" {
			return nil, &session.NoAccountError{Names: []string{ask.Names}, Err: errors.New("log on to " + ask.Names + ": no account")}
		}
		h := hostOf(ask.Names, fake.Demo(prompt{clock})[2].Source, clock)
		h.LogOns = anyAccount{}
		go h.Sampler.(*session.Sampler).Run(ctx)
		return []*pane.Host{h}, nil
	}
}

// tape is a recorder that takes its time.
type tape struct{ on atomic.Bool }

func (r *tape) Status() pane.Recording {
	return pane.Recording{On: r.on.Load(), File: "deck.db", Samples: 3, Started: time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)}
}
func (r *tape) Propose() string                       { return "deck.db" }
func (r *tape) Start(string, []pane.RecordHost) error { r.on.Store(true); return nil }
func (r *tape) Lacking([]pane.RecordHost) string      { return "" }
func (r *tape) Extend([]pane.RecordHost) error        { return nil }
func (r *tape) Stop() error                           { time.Sleep(2 * time.Millisecond); r.on.Store(false); return nil }
func (r *tape) Leave(bool)                            {}

// anyAccount is a host that takes every account.
type anyAccount struct{}

func (anyAccount) LogOn(string, []byte) error      { return nil }
func (anyAccount) Paused() (string, time.Duration) { return "", 0 }
func (anyAccount) LogOnNow()                       {}
