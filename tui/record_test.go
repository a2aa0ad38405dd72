package tui

import (
	"errors"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// TestRecordToo: a recording that lacks something of the deck can have it, from
// where it is stopped.
func TestRecordToo(t *testing.T) {
	onScreens(t, rigOptions{kept: new(session.Saved), save: func() {}}, func(r *rig) {
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

// TestRecorderFails: what the recorder could not do is said in place of that it did,
// and the screens do not wait to know.
func TestRecorderFails(t *testing.T) {
	onScreens(t, rigOptions{kept: new(session.Saved), save: func() {}}, func(r *rig) {
		r.begin(3)
		r.recorder.state = pane.Recording{On: true, File: "x.db", Started: start}
		r.recorder.fails = errors.New("its disk does not answer")
		for what, do := range map[string]func(){"extend": r.root.extendRecording, "stop": r.root.stopRecording} {
			r.root.word.text = ""
			do()
			r.send(nil)
			if r.root.word.text != "" || len(r.root.ahead.waits) != 1 {
				t.Fatalf("%s: it is done at once", what)
			}
			r.settle()
			if r.recorder.what != nil || !r.recorder.state.On {
				t.Errorf("%s: it is done", what)
			}
			if r.root.word.text != "its disk does not answer" {
				t.Errorf("%s: it says %q", what, r.root.word.text)
			}
		}
	})
}
