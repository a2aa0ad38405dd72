package hosts

import (
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var now = time.Date(2026, 3, 2, 14, 7, 32, 0, time.Local)

// rig is the screen on hosts whose states a test sets.
type rig struct {
	*panetest.Rig

	screen *Screen
}

func newRig(t testing.TB, w, h int, hosts ...*pane.Host) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{W: w, H: h, Start: now})}
	r.Desk.Hosts = hosts
	r.screen = New(r.Desk)
	r.Show(r.screen)
	r.Draw()
	return r
}

func host(name string, s session.HostState, groups ...string) *pane.Host {
	return &pane.Host{Name: name, Groups: groups, Sampler: &panetest.Stand{Is: s, Knows: &session.Catalogue{Sets: []*session.Counterset{
		{Name: "A", GUID: "{b4fc721a-0378-476f-89ba-a5a79f810b36}"}, {Name: "B", V1Index: 4},
	}}}}
}

// row is the first line under the heads of the columns that holds the text.
func (r *rig) row(text string) string {
	_, h := r.Canvas.Size()
	return r.RowWithin(2, h, text)
}
