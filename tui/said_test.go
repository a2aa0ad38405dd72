package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/themes"
	"perfdeck/tui/dialog"
	"perfdeck/tui/pane"
)

// What there is to say at the start is said with its first sentence, however many
// there are.
func TestFirstNotedIsSaid(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		o := r.root.options
		o.Hosts = nil
		o.Noted = []pane.Entry{{Time: start, Text: "web.db is being recorded"}, {Time: start, Text: "perfdeck record --stop aa ends it"}}
		if said := newRoot(o).word.text; !strings.HasPrefix(said, "web.db is being recorded") || !strings.Contains(said, "--stop aa") {
			t.Errorf("it says %q", said)
		}
	})
}

// Settings that are wrong are told with the verdict first: the reason may be cut.
func TestSettingsVerdictFirst(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.root.options.Changed = func() (*Settings, error) { return nil, errors.New("r.toml:8:1: unknown key") }
		r.clock.Advance(2 * lookEvery)
		r.root.pacing.looked = time.Time{}
		if !r.root.renew() || !strings.HasPrefix(r.root.word.text, "settings not taken: r.toml:8:1") {
			t.Errorf("it says %q", r.root.word.text)
		}
		log, _ := r.root.desk.Journal.Entries()
		if last := log[len(log)-1].Text; !strings.HasPrefix(last, "settings not taken: ") {
			t.Errorf("the log says %q", last)
		}
	})
}

// What else looks around does so with the screens, about each second, whether snapshots
// come or not.
func TestAttendedEachSecond(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		n := 0
		r.root.options.Attended = func() { n++ }
		r.pass(10 * time.Second)
		if n < 9 || n > 21 { // with each snapshot, and each tick of the clock
			t.Errorf("%d times in 10 s", n)
		}
		n = 0
		r.root.paused = true
		for range 5 {
			r.clock.Advance(time.Second)
			r.root.Update(clockTick{})
		}
		if n < 4 || n > 6 {
			t.Errorf("%d times in 5 s without snapshots", n)
		}
	})
}

// The palette finds a theme by its name and takes it; one that cannot be read is
// in the list of themes, which says why.
func TestPaletteFindsThemes(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		bad := themes.Info{Name: "bad", Err: errors.New("no colours")}
		r.root.options.Themes = func() []themes.Info { return append(themes.List(nil), bad) }
		entries := r.root.screenEntries()
		at := func(name string) int {
			return slices.IndexFunc(entries, func(e dialog.Entry) bool { return strings.HasSuffix(e.Text, name) })
		}
		i := at("nord")
		if i < 0 || at("bad") >= 0 {
			t.Fatalf("the palette has %+v", entries)
		}
		entries[i].Do()
		r.root.desk.Drain(func(i pane.Intent) {
			if set, ok := i.(pane.SetTheme); !ok || set.Name != "nord" || set.Preview {
				t.Errorf("it sends %+v", i)
			}
		})
	})
}
