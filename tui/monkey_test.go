package tui

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/replay"
)

// monkeyKey seeds the monkeys, as a failure says it; unset: always the same.
const monkeyKey = "PERFDECK_MONKEY"

// monkey plays with the screens: it does what users, terminals and hosts do, in any order.
type monkey struct {
	*rig
	dice *rand.Rand
	keys []string
	did  []string // lately
	came int      // hosts
}

// Whatever is pressed, clicked, pasted, resized, and whichever hosts come and go: nothing
// ends the program, and every screen is sound.
func TestMonkeys(t *testing.T) {
	t.Chdir(t.TempDir()) // they take pictures
	seed, _ := strconv.ParseUint(os.Getenv(monkeyKey), 10, 64)
	keys := 100_000
	if testing.Short() {
		keys = 3_000
	}
	worlds := []struct {
		name string
		rigOptions
	}{
		{"one host", rigOptions{}},
		{"hosts", rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }}},
		{"hosts, paths", rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[1:] },
			paths: []string{`\Memory\Available MBytes`, `\Process(*)\% Processor Time`, `\Nothing\at all`}}},
		{"own decks", rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[:2] }, kept: monkeyDecks(), save: func() {}}},
		{"hostile", rigOptions{hosts: script(hostileScript()), paths: []string{`\Process(*)\*`, `\Process(nobody)\Thread Count`}}},
		{"replay", rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[:3] }}},
		{"no answer", rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[1:2] }}},
	}
	for n, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			onScreens(t, w.rigOptions, func(r *rig) {
				m := &monkey{rig: r, dice: rand.New(rand.NewPCG(seed, uint64(n)))}
				defer m.tellOnPanic(seed)
				r.begin(m.dice.IntN(4))
				if w.name == "replay" {
					r.root.options.Replay = new(reel)
					r.root.bar = replay.NewBar(r.root.desk, r.root.options.Replay)
					r.root.keys = r.root.withoutPlayed(r.root.bindings())
				}
				m.keys = everyKey(r)
				for range keys / len(worlds) {
					if m.act(); t.Failed() {
						t.Fatalf("%s=%d; last:\n%s", monkeyKey, seed, strings.Join(m.did, "\n"))
					}
				}
			})
		})
	}
}

// reel is a recording of an hour that goes where it is told to.
type reel struct {
	still
	at   time.Duration
	mark []replay.Mark
}

func (r *reel) Position() time.Time      { return start.Add(r.at) }
func (r *reel) Seek(at time.Time)        { r.at = max(0, min(time.Hour, at.Sub(start))) }
func (r *reel) End()                     { r.at = time.Hour }
func (r *reel) Step(samples int)         { r.Seek(r.Position().Add(time.Duration(samples) * time.Second)) }
func (r *reel) SetSpeed(int)             {}
func (r *reel) Changed() <-chan struct{} { return nil }
func (r *reel) Marks() []replay.Mark     { return r.mark }
func (r *reel) SetBookmark(at time.Time, on bool) (was bool) {
	was = len(r.mark) > 0
	if r.mark = nil; on {
		r.mark = []replay.Mark{{At: at, Text: "here"}}
	}
	return was
}

// monkeyDecks are decks of hosts that are there and that are not, of counters that are
// known and that are not.
func monkeyDecks() *session.Saved {
	kept := new(session.Saved)
	for _, host := range []string{"", "sql01", "nobody"} {
		kept.Decks = append(kept.Decks, session.Deck{Name: "of " + host, Panes: []session.DeckPane{
			{Host: host, Paths: []string{`\Memory\Available MBytes`, `\Memory\Cache Bytes`}},
			{Host: host, Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 5},
			{Host: "sql01", Paths: []string{`\No\Thing`}}, {Host: host, Paths: []string{`\LogicalDisk(*)\*`}},
		}})
	}
	kept.Decks = append(kept.Decks, session.Deck{Name: "empty"})
	return kept
}

// tellOnPanic says how to get there again.
func (m *monkey) tellOnPanic(seed uint64) {
	if v := recover(); v != nil {
		m.Fatalf("%s=%d: %v\nlast:\n%s\n%s", monkeyKey, seed, v, strings.Join(m.did, "\n"), debug.Stack())
	}
}

// note keeps what is done next.
func (m *monkey) note(format string, args ...any) {
	if len(m.did) >= 40 {
		m.did = slices.Delete(m.did, 0, 1)
	}
	m.did = append(m.did, fmt.Sprintf(format, args...))
}

func (m *monkey) act() {
	switch n := m.dice.IntN(100); {
	case n < 78:
		k := m.keys[m.dice.IntN(len(m.keys))]
		if m.dice.IntN(8) == 0 { // into fields, and what no screen knows
			k = string(rune(' ' + m.dice.IntN(95)))
		}
		m.note("key %s", k)
		m.send(functionKey(k))
	case n < 86:
		m.mouse()
	case n < 89:
		w, h := m.dice.IntN(220), m.dice.IntN(70)
		if m.dice.IntN(3) > 0 {
			w, h = 60+m.dice.IntN(140), 15+m.dice.IntN(40)
		}
		m.note("size %dx%d", w, h)
		m.send(resized{w, h})
		m.isSound("monkey", w, h)
	case n < 91:
		text := []string{"5", "cpu>1 or (", `\Memory\Cache Bytes`, "\x1b[31mx\n", strings.Repeat("9", 300), "", "14:00", "new host"}[m.dice.IntN(8)]
		m.note("paste %q", text)
		m.send(tea.PasteMsg{Content: text})
	case n < 93:
		m.hosts()
	case n < 95:
		m.note("undo")
		m.send(keyPress("u"))
	default:
		d := time.Duration(1+m.dice.IntN(3)) * time.Second
		m.note("%s pass", d)
		m.pass(d)
	}
	if m.dice.IntN(3) == 0 {
		m.settle()
	}
	m.root.ending, m.quit = false, false // it goes on
}

func (m *monkey) mouse() {
	x, y := m.dice.IntN(m.root.w+5), m.dice.IntN(m.root.h+5)
	if m.dice.IntN(20) == 0 {
		x, y = 9998, 9998
	}
	button := []tea.MouseButton{tea.MouseLeft, tea.MouseRight, tea.MouseMiddle, tea.MouseWheelUp, tea.MouseWheelDown}[m.dice.IntN(5)]
	at := tea.Mouse{X: x, Y: y, Button: button}
	msg := []tea.Msg{tea.MouseClickMsg(at), tea.MouseReleaseMsg(at), tea.MouseMotionMsg(at), tea.MouseWheelMsg(at), tea.FocusMsg{}, tea.BlurMsg{}}[m.dice.IntN(6)]
	m.note("%T %d,%d %v", msg, x, y, button)
	m.send(msg)
}

// hosts lets one come or go.
func (m *monkey) hosts() {
	if all := m.root.desk.Hosts; len(all) > 5 || len(all) > 1 && m.dice.IntN(2) == 0 {
		h := all[m.dice.IntN(len(all))]
		m.note("%s goes", h.Name)
		m.want(pane.RemoveHost{Host: h})
		return
	}
	m.came++
	name := []string{"sql01", "web01", "dc01", fmt.Sprint("new", m.came)}[m.dice.IntN(4)]
	m.note("%s comes", name)
	m.want(pane.AddHosts{Names: name})
}
