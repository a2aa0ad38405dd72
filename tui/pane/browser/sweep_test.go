package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/tui/canvas"
	"perfdeck/tui/panetest"
)

// hostile is a host whose names attack the screen.
func hostile() fake.Script {
	var sets []fake.Set
	for i, name := range faketest.HostileNames() {
		set := fake.Set{Name: name, Description: name + strings.Repeat(" words", i*7), Instances: session.MultipleInstances, Rows: faketest.HostileRows()}
		for j, counter := range faketest.HostileNames() {
			set.Counters = append(set.Counters, fake.Counter{Name: counter, Type: cooker.CounterRawCount, Is: fake.Walk(0, 9e18, time.Second), Description: counter})
			if j%5 == 0 {
				set.Counters[j].Absent = name
			}
		}
		sets = append(sets, set)
	}
	return fake.Script{Name: "h\x1b[2Jöst\u202e広", Sets: sets}
}

// Every list at every size: nothing is drawn outside, rows are as wide as the
// screen, and hold only what may be printed.
func TestSweep(t *testing.T) {
	for _, d := range []struct {
		name  string
		hosts func(*clocktest.Clock) []fake.Host
		text  string
	}{
		{"demo", panetest.Demo(4), "disk tr"},
		{"hostile", panetest.Scripts(hostile(), hostile()), "e"},
		{"nothing", panetest.Scripts(fake.Script{}), "x"},
	} {
		for _, glyphs := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
			t.Run(fmt.Sprint(d.name, glyphs), func(t *testing.T) {
				onBrowser(t, d.hosts, func(r *rig) {
					r.Canvas.SetGlyphs(glyphs)
					r.sweep()
					for i, key := range []string{"G", "l", "G", "space", "l", "j", "space", "l", "G", "space", "*", "home"} {
						r.press(key)
						r.pass(1)
						if glyphs == canvas.Full || i%5 == 4 {
							r.sweep()
						}
					}
					r.press("/")
					r.write(d.text)
					r.sweep()
					r.press("h", "h", "h", "g")
					r.sweep()
				})
			})
		}
	}
}

// sweep draws at many sizes.
func (r *rig) sweep() {
	r.Helper()
	step := 1
	if testing.Short() || r.Canvas.Glyphs() != canvas.Full {
		step = 5
	}
	for w := 1; w <= 300 && !r.Failed(); w += step + w/5 {
		for h := 1; h <= 100 && !r.Failed(); h += step + h/3 {
			r.sound(w, h)
		}
	}
	for _, w := range []int{59, 60, 99, 100} {
		for _, h := range []int{21, 22, 23} {
			r.sound(w, h)
		}
	}
	r.Resize(120, 34)
}

func (r *rig) sound(w, h int) {
	r.Helper()
	r.Sound(w, h, r.Canvas.Glyphs())
	r.Whole()
}
