package alerts

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/themes"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// What fires is shown worst first, with the value and the limit in one unit;
// rules say how things stand; the history has the newest event first.
func TestShowsWhatAlerts(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Resize(120, 40)
		r.Shows("Active 6", "Rules 7", "1 off, 1 with a problem", "last 24 h, 10 events")
		last := 0
		for _, want := range []string{"■ critical  slow disk", "▲ warning   page life", "▲ warning   cpu", "○ careful   commit"} {
			at := strings.Index(r.Canvas.String(), want)
			if at <= last {
				t.Errorf("%q is not behind what is worse:\n%s", want, r.Canvas)
			}
			last = at
		}
		for rule, cells := range map[string][]string{
			"slow disk": {`\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`, "41.2  ms", "> 25 ", "56 s"},
			"page life": {"212    s", "< 300", "48 s"}, "cpu": {"93.1  %", "> 85", "78 s"},
		} {
			row := r.row(activePart, rule)
			for _, cell := range cells {
				if !strings.Contains(row, cell) {
					t.Errorf("%q lacks %q", row, cell)
				}
			}
		}
		for rule, cells := range map[string][]string{
			"slow disk": {`\PhysicalDisk(*)\Avg. Disk sec/Transfer > 25 ms`, "5 of 6", "< 15", "all", "bell, log", "■1"},
			"page life": {"< 300 s", "> 600", "sql*", "mail.sh", "▲1"}, "commit": {"> 80 ", "○3"},
			"   low disk": {"problem"}, "host lost": {"host does not answer", "5s", "quiet"}, "retrans": {"> 5000 ", "web*", "off"},
		} {
			row := r.row(rulesPart, rule)
			for _, cell := range cells {
				if !strings.Contains(row, cell) {
					t.Errorf("%q lacks %q", row, cell)
				}
			}
		}
		first := r.Canvas.Rows()[r.screen.places.parts[historyPart].Y+1]
		for _, cell := range []string{"▲ 14:03:12", "page life", "fired", "sql01", "212 s < 300 s, 3 of 3 samples"} {
			if !strings.Contains(first, cell) {
				t.Errorf("the newest event %q lacks %q", first, cell)
			}
		}
	})
}

// The selected row is told in full, with the history of its value around its
// time and its limit.
func TestDetail(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Resize(140, 40)
		r.Shows("14:03:04, 56 s ago", "41.2 ms, limit > 25 ms, worst 41.2 ms", "6 of the last 6 samples; 5 of 6 needed", "14:04:00")
		detail := r.screen.places.detail
		limit, moment := false, 0
		for y := detail.Y; y < detail.Y+detail.H; y++ {
			for x := range 140 {
				c := r.Canvas.At(x, y)
				limit = limit || x > 80 && c.Rune == '─' && c.Style.Foreground() == themes.Critical
				if c.Rune == '│' && c.Style.Foreground() == themes.Focus {
					moment++
				}
			}
		}
		if !limit || moment < 4 {
			t.Errorf("limit %v, moment %d rows:\n%s", limit, moment, r.Canvas)
		}
		r.Press("tab", "j", "j", "j") // commit
		r.Shows("Windows grows the page file", "3 values on 3 hosts", "3 times, 3 in the last 24 h")
		r.Press("j")
		r.Shows("never so far", "LogicalDisk")
		r.Press("tab", "g")
		r.Shows("Mon 16 Mar 2026 14:03:12", "▲ warning, fired", "< 300 s")
	})
}

// The history of what alerts is asked for, and that of the selected row.
func TestAsks(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(65) // the disk does not fire yet
		h := r.Desk.Hosts[0]
		disks := h.Sampler.Catalogue().Set("PhysicalDisk")
		if asks := r.screen.Asks(h); slices.ContainsFunc(asks, func(a session.Ask) bool { return a.Set == disks }) != (r.watch.Board().Host("sql01").State > 0 && fires(r, "slow disk")) {
			t.Errorf("the disk is asked for before it alerts: %v", asks)
		}
		r.Press("tab", "g")
		if r.screen.AskStale() {
			t.Error("a row that was just selected is asked for at once")
		}
		r.Pass(1)
		if asks := r.screen.Asks(h); !slices.ContainsFunc(asks, func(a session.Ask) bool { return a.Set == disks && len(a.Keep) > 0 }) {
			t.Errorf("the values of the selected rule are not asked for: %v", asks)
		}
		r.Desk.Hosts = r.Desk.Hosts[1:]
		r.Pass(1)
		r.screen.Asks(r.Desk.Hosts[0])
		if _, kept := r.screen.wanted.asked[h]; kept {
			t.Error("a host that was removed is kept")
		}
	})
}

func fires(r *rig, rule string) bool {
	return slices.ContainsFunc(r.watch.Board().Active, func(a *alert.Alert) bool { return a.ID.Rule == rule })
}

// A acknowledges the selected alert, the marked ones, or all of a rule; what is
// known loses its colour and says to whom.
func TestAcknowledge(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Press("A")
		if got := r.Said(); got != "acknowledged 1" {
			t.Errorf("A says %q", got)
		}
		r.Resize(130, 40)
		r.Pass(3)
		row := r.row(activePart, "slow disk")
		if !strings.Contains(row, "known") || !strings.Contains(row, "known to ana") || !strings.Contains(row, "■") {
			t.Errorf("the row is %q", row)
		}
		r.Press("tab", "tab", "g", "j", "l") // the group of its event
		r.Shows("acknowledged 14:04 by ana")
		r.Press("h", "tab", "g")
		r.Press("tab", "g", "j", "j", "j") // rule commit: three hosts
		if row := r.Selected(); !strings.Contains(row, "commit") {
			t.Fatalf("%q is selected", row)
		}
		r.Press("A")
		if got := r.Said(); got != "acknowledged 3" {
			t.Errorf("A on a rule says %q", got)
		}
		r.Press("A")
		if got := r.Said(); got != "none of it fires" {
			t.Errorf("A again says %q", got)
		}
		r.Press("shift+tab", "g", "space", "space", "A")
		if got := r.Said(); got != "acknowledged 2" {
			t.Errorf("A with marks says %q", got)
		}
		if r.screen.active.Marks() != 0 {
			t.Error("the marks stay")
		}
		if got := r.watch.Board().Count; got != [3]int{} {
			t.Errorf("%v fire still", got)
		}
	})
}

// A mute has an end and a scope; it can be taken back, and what was muted before
// is muted again.
func TestMute(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Resize(140, 40)
		r.Press("M")
		r.Pick("mute this alert: slow disk")
		r.Pick("for 15 min")
		if got := r.Said(); !strings.Contains(got, "muted this alert") || !strings.Contains(got, "until 14:19") {
			t.Errorf("it says %q", got)
		}
		if row := r.row(activePart, "slow disk"); !strings.Contains(row, "muted until 14:19") {
			t.Errorf("the row is %q", row)
		}
		for width := 80; width <= 140; width += 3 { // the title and the head of its last column never meet
			r.Resize(width, 40)
			y := r.screen.places.parts[activePart].Y
			title := r.RowWithin(y, y+1, "Active")
			words := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(title, "━─ "), " for"), "━─ ")
			if !strings.HasSuffix(words, "…") && !strings.HasSuffix(words, "14:19") {
				t.Errorf("%d columns: the title is %q", width, title)
			}
		}
		r.Resize(140, 40)
		r.Undo()
		if row := r.row(activePart, "slow disk"); strings.Contains(row, "muted") {
			t.Errorf("after undo the row is %q", row)
		}

		r.Press("M")
		r.Pick(`mute rule "slow disk" on all hosts`)
		r.Pick("until unmuted")
		r.Press("M")
		r.Pick(`mute rule "slow disk" on all hosts`)
		r.Pick("for 1 h")
		shown := func() string { return r.row(activePart, "slow disk") }
		if row := shown(); !strings.Contains(row, "muted until 15:04") {
			t.Errorf("the row is %q", row)
		}
		if row := r.row(rulesPart, "slow disk"); !strings.Contains(row, "muted") {
			t.Errorf("the rule is %q", row)
		}
		r.Undo()
		if row := shown(); !strings.Contains(row, "muted until unmuted") {
			t.Errorf("after undo the row is %q", row)
		}
		r.watch.Mute("bo", alert.Scope{Host: "web01"}, forever)
		r.screen.dirty = true
		r.Draw()
		r.Shows("muted: all rules on web01 until unmuted")
		r.watch.Mute("bo", alert.Scope{Host: "web01"}, time.Time{})
		r.Press("M")
		r.Pick(`unmute rule "slow disk"`)
		if row := shown(); strings.Contains(row, "muted") {
			t.Errorf("after unmuting the row is %q", row)
		}
		r.Undo()
		if row := shown(); !strings.Contains(row, "muted until unmuted") {
			t.Errorf("after undo the row is %q", row)
		}

		r.Press("M")
		r.Pick("mute everything")
		r.Pick("until tomorrow 08:00")
		morning := time.Date(2026, 3, 17, 8, 0, 0, 0, start.Local().Location())
		if got := r.watch.Board().Muted; !got.Equal(morning) {
			t.Errorf("everything is muted until %v, want %v", got, morning)
		}
		r.Shows("everything muted until Tue 08:00")
		r.Press("j", "space", "space", "M")
		r.Pick("the 2 marked alerts")
		r.Pick("for 8 h")
		r.Press("M")
		r.Pick("mute all rules on")
		r.Pick("for 8 h")
		r.Press("M")
		menu := r.Last().(pane.OpenMenu)
		ends := 0
		for _, it := range menu.Items {
			if strings.HasPrefix(it.Text, "unmute") {
				ends++
			}
		}
		if ends != 5 { // everything, the rule, two alerts, a host
			t.Errorf("%d mutes can be ended: %v", ends, menu.Items)
		}
	})
}

// A mute is about the marked rows where there are any, as an acknowledgement is, else about the selected one.
func TestMuteMarked(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Resize(140, 40)
		offers := func() (out []string) {
			r.Press("M")
			for _, it := range r.Last().(pane.OpenMenu).Items {
				if !strings.HasPrefix(it.Text, "unmute") {
					out = append(out, it.Text)
				}
			}
			return out
		}
		for p := range partCount {
			r.Press("g")
			first := offers()
			r.Press("space") // which goes on to the next row
			if got := offers(); p != historyPart && !slices.Equal(got, first) {
				t.Errorf("%s: with the first row marked %q can be muted, want %q", partNames[p], got, first)
			}
			r.Press("space")
			if got := offers(); len(got) != 2 || !strings.HasPrefix(got[0], "mute the ") || !strings.Contains(got[0], " marked ") {
				t.Errorf("%s: with two rows marked %q can be muted", partNames[p], got)
			}
			r.Press("esc", "tab")
		}
	})
}

// Undoing a mute of marked events gives back the mutes that were there.
func TestUndoMarkedMutes(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		r.screen.Opened()
		r.Resize(140, 40)
		for _, host := range []string{"sql01", "web01"} {
			r.watch.Mute("bo", alert.Scope{Rule: "slow disk", Host: host}, r.screen.desk.Now().Add(8*time.Hour))
		}
		r.screen.dirty = true
		r.Draw()
		before := r.watch.Board().Mutes
		for r.screen.focus != historyPart {
			r.Press("tab")
		}
		r.Press("g", "space", "space", "M")
		r.Pick("the 2 marked alerts")
		r.Pick("for 15 min")
		if now := r.watch.Board().Mutes; slices.Equal(now, before) {
			t.Errorf("nothing is muted anew: %v", now)
		}
		r.Undo()
		if now := r.watch.Board().Mutes; !slices.Equal(now, before) {
			t.Errorf("after undo %v are muted, want %v", now, before)
		}
	})
}

func TestEmptyAndOff(t *testing.T) {
	onAlerts(t, []fake.Script{server("sql01", fake.Const(0.001), fake.Const(5), fake.Const(9000))}, nil, func(r *rig) {
		r.Pass(2)
		r.Shows("No alert rules yet", "warn me of it", "perfdeck alerts import FILE")
		r.Press("enter", "A", "e", "d", "O", "j", "k", "tab", "shift+tab", "space", "l", "h", "g", "G", "z", "n", "pgdown", "ctrl+u")
		if len(r.screen.Selected()) != 0 {
			t.Error("something is selected")
		}
		r.Press("M")
		if menu := r.Last().(pane.OpenMenu); len(menu.Items) != 1 {
			t.Errorf("what can be muted: %v", menu.Items)
		}
		r.Press("a")
		if err := r.form().accept(); err == nil {
			t.Error("a rule without a condition is taken")
		}
		r.screen.Click(pane.Hit{Kind: pane.HitRow, A: 1, B: 7}, tea.MouseLeft)
		r.screen.Click(pane.Hit{Kind: pane.HitRow, A: 99}, tea.MouseLeft)
		r.screen.Wheel(pane.Hit{Kind: pane.HitRow, A: 2}, -3)

		r.Desk.Alerts = nil
		r.Draw()
		r.Shows("Alerts are off here")
		r.Press("M")
		if got := r.Said(); got != errOff.Error() {
			t.Errorf("M says %q", got)
		}
		ask := RuleForm(r.Desk, alert.Rule{})
		if err := r.fill(ask).set("when", "absent host").accept(); err == nil {
			t.Error("a rule is taken though alerts are off")
		}
	})
}

// A host that is lost and one that is denied have alerts without values.
func TestLostHost(t *testing.T) {
	hosts := []fake.Script{server("web01", fake.Const(0.001), fake.Const(97), fake.Const(9000), fake.Fault{Window: during(10*second, time.Hour), Err: context.DeadlineExceeded})}
	onAlerts(t, hosts, theRules(t), func(r *rig) {
		r.Pass(30)
		r.screen.Opened()
		r.Resize(140, 40)
		row := r.row(activePart, "host lost")
		for _, cell := range []string{`\\web01`, "absent", "5 s", "deadline exceeded"} {
			if !strings.Contains(row, cell) {
				t.Errorf("%q lacks %q", row, cell)
			}
		}
		if row := r.row(activePart, "cpu"); !strings.Contains(row, "host lost") {
			t.Errorf("an alert of a lost host is %q", row)
		}
	})
}

func TestKeys(t *testing.T) {
	s := New(&pane.Desk{Now: time.Now})
	if c := panetest.Conflicts(s.Bindings()); len(c) != 0 {
		t.Errorf("conflicts: %q", c)
	}
	if f := panetest.Foreign(s.Bindings()); len(f) != 0 {
		t.Errorf("no action has %q", f)
	}
	for _, k := range []string{"c", "t", "x", "w", "y", "m", "!", "R", "p", "[", "]", "{", "}", "@", ".", "i", "(", ")", "u", ":", "q", "?"} {
		if b := keys.Match(k, s.Bindings()); b != nil {
			t.Errorf("%s is %s", k, b.Text)
		}
	}
}
