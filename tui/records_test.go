package tui

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/listing"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// standingRecords are sets that stay as they are.
type standingRecords struct{ list []listing.Record }

var errStanding = errors.New("they stay as they are")

func (s *standingRecords) List() ([]listing.Record, bool)              { return s.list, true }
func (s *standingRecords) Start(*listing.Record) error                 { return errStanding }
func (s *standingRecords) Stop(*listing.Record) error                  { return errStanding }
func (s *standingRecords) Switch(*listing.Record, bool) error          { return errStanding }
func (s *standingRecords) Remove(*listing.Record, bool) error          { return errStanding }
func (s *standingRecords) Player(string, time.Time) (*exec.Cmd, error) { return nil, errStanding }
func (s *standingRecords) New([]pane.RecordHost) (listing.Form, error) {
	return listing.Form{}, errStanding
}
func (s *standingRecords) Form(*listing.Record) (listing.Form, error) {
	return listing.Form{}, errStanding
}
func (s *standingRecords) Doomed(r *listing.Record) (listing.Doomed, error) {
	return listing.Doomed{Text: "The set " + r.Name + " goes.", Folders: 2, Files: "2 folders"}, nil
}

// someRecords are those of the golden screens.
func someRecords() *standingRecords {
	return &standingRecords{[]listing.Record{
		{ID: "1", Name: "Exchange", State: listing.Died, Began: start.Add(-26 * time.Hour), Bytes: 48 << 20, Output: "/srv/perflogs/Exchange/sql01_20260301-000004/Exchange.db"},
		{ID: "2", Name: "Nightly baseline", State: listing.Running, Began: start.Add(-150 * time.Minute), Next: start.Add(8 * time.Hour), Bytes: 212 << 20, Output: "/srv/perflogs/Nightly baseline/sql01_20260302-000031/Disk.db",
			Limits: []listing.Limit{{What: "run", Share: 0.3125, Text: "2h30m of 8h"}, {What: "files", Share: 0.5, Text: "30m of 1h"}},
			Facts: []listing.Fact{
				{Label: "when", Text: "starts every day at 22:00:00; a run ends after 8h; new files begin after 1h"},
				{Label: "collects", Text: `counters Disk, every 15s, to binary, as SQLite here: \PhysicalDisk(*)\* \LogicalDisk(*)\*`},
				{Label: "keeps", Text: "after a run the oldest folders of the set are removed while there are more than 14 folders"},
				{Label: "folder", Text: "/srv/perflogs/Nightly baseline"},
			}},
		{ID: "3", Name: "Web load", Next: start.Add(14 * time.Hour), Began: start.Add(-24 * time.Hour), Ended: start.Add(-16 * time.Hour), Bytes: 1 << 30, Output: "/srv/perflogs/Web load/Web.csv",
			Findings: []listing.Finding{{Text: "TraceDataCollector[1]: kept in the file and not run: only counters and alerts are"}}},
		{ID: "4", Name: "incident", Kind: listing.NamedRecording},
	}}
}

// The screen of sets and recordings at the sizes of terminals.
func TestGoldenRecords(t *testing.T) {
	for _, g := range []struct {
		w, h   int
		glyphs canvas.GlyphSet
	}{{60, 15, canvas.Full}, {80, 24, canvas.ASCII}, {120, 36, canvas.Full}, {200, 60, canvas.Full}} {
		onScreens(t, rigOptions{w: g.w, h: g.h, glyphs: g.glyphs, records: someRecords()}, func(r *rig) {
			r.begin(3)
			r.press("9", "j")
			var b strings.Builder
			for _, row := range r.rows() {
				b.WriteString(strings.TrimRight(row, " ") + "\n")
			}
			golden(r, "records-"+strconv.Itoa(g.w)+"x"+strconv.Itoa(g.h)+".txt", b.String())
		})
	}
}

// A set goes by two keys and an answer, its files by another one: what is typed ahead by
// a slip answers nothing by itself.
func TestRecordsAreAskedFor(t *testing.T) {
	onScreens(t, rigOptions{records: someRecords()}, func(r *rig) {
		r.begin(3)
		r.press("9", "d")
		r.settle()
		if !strings.Contains(r.text(), "The set Exchange goes.") {
			t.Fatalf("d asks nothing:\n%s", r.text())
		}
		r.press("enter")
		r.settle()
		if r.root.dialog() != nil || strings.Contains(r.text(), errStanding.Error()) {
			t.Errorf("enter removes:\n%s", r.text())
		}
		r.press("d")
		r.settle()
		r.press("f")
		r.settle()
		r.press("y")
		r.settle()
		if !strings.Contains(r.text(), errStanding.Error()) {
			t.Errorf("f y does not remove:\n%s", r.text())
		}
	})
}

// The palette finds recordings, and replays them.
func TestPaletteFindsRecordings(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.root.desk.Records = someRecords()
		for _, e := range r.root.actionEntries() {
			if e.Text == "replay Web load" {
				e.Do()
			}
		}
		var file string
		r.root.desk.Drain(func(i pane.Intent) {
			if play, ok := i.(pane.Play); ok {
				file = play.File
			}
		})
		if file != "/srv/perflogs/Web load/Web.csv" {
			t.Errorf("it plays %q", file)
		}
	})
}
