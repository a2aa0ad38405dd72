package tui

import (
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// TestRecordToo: a recording that lacks something of the deck can have it, from
// where it is stopped.
func TestRecordToo(t *testing.T) {
	onScreens(t, rigOptions{kept: new(session.Kept), save: func() {}}, func(r *rig) {
		r.begin(3)
		r.recorder.state = pane.Recording{On: true, File: "x.db", Started: start}
		r.press("r")
		if !strings.Contains(r.text(), "record too: more") {
			t.Fatalf("nothing is offered:\n%s", r.text())
		}
		r.press("down")
		r.press("enter")
		if len(r.recorder.what) != 1 || !strings.Contains(r.text(), "recorded from now on") {
			t.Errorf("%d hosts are recorded:\n%s", len(r.recorder.what), r.text())
		}
		r.press("r")
		if strings.Contains(r.text(), "record too") {
			t.Errorf("it is offered again:\n%s", r.text())
		}
	})
}
