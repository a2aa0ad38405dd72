package journal

import (
	"testing"
	"time"

	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var now = time.Date(2026, 3, 2, 14, 7, 32, 0, time.Local)

// rig is the screen on a journal that a test fills.
type rig struct {
	*panetest.Rig

	screen *Screen
}

func newRig(t testing.TB, w, h int, entries ...pane.Entry) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{W: w, H: h, Start: now})}
	r.Desk.Hosts = []*pane.Host{{Name: "sql01"}, {Name: "web02"}}
	for _, e := range entries {
		r.Desk.Journal.Add(e)
	}
	r.screen = New(r.Desk)
	r.Show(r.screen)
	r.Draw()
	return r
}
