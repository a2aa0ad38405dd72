package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/top"
	"perfdeck/tui/panetest"
)

// Top of a recording that stands still is sorted by the cause of what is selected,
// though the values of that column come only when it is asked for.
func TestTopOfARecording(t *testing.T) {
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)","\\h\PhysicalDisk(0 C:)\Disk Read Bytes/sec"`)
	for _, p := range []string{"busy", "reader", "eater"} {
		fmt.Fprintf(&b, `,"\\h\Process(%[1]s)\%% Processor Time","\\h\Process(%[1]s)\IO Read Bytes/sec","\\h\Process(%[1]s)\Working Set"`, p)
	}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for range 60 {
		fmt.Fprintf(&b, "\r\n%q,\"5000000\",\"90\",\"1\",\"1000\",\"2\",\"5000000\",\"2000\",\"3\",\"2\",\"9000000000\"", at.Format("01/02/2006 15:04:05.000"))
		at = at.Add(time.Second)
	}
	file := filepath.Join(t.TempDir(), "top.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	player, err := testProgram().openReplay(t.Context(), []string{file}, replayFlags{align: "clock", At: "09:00:30"})
	if err != nil {
		t.Fatal(err)
	}
	player.Play(false)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); player.Run(ctx) }()
	defer func() { stop(); <-ended; player.Close() }()

	host := player.Hosts()[0]
	cat := host.Catalogue()
	r := panetest.New(t, panetest.Options{Start: at})
	h := &pane.Host{Name: host.Name(), Sampler: host, Feed: host}
	r.Desk.Hosts, r.Desk.Kept = []*pane.Host{h}, new(session.Saved)
	table := top.New(r.Desk)
	r.Show(table)
	disk := cat.Set("PhysicalDisk")
	sort, why := top.CauseOf(disk, 0, session.InstanceKey{}, cat.Processes())
	if sort < 0 {
		t.Fatal(why)
	}
	for _, test := range []struct {
		sort int
		want string
	}{{-1, "busy"}, {sort, "reader"}} {
		table.Show(h, cat.Processes(), session.InstanceKey{}, test.sort)
		r.Draw()
		r.AskAgain()
		for {
			<-host.Ready()
			r.Take()
			r.Draw()
			r.AskAgain()
			// First no column of it is shown, nor asked for; then it is.
			if view := h.Snap.Set(cat.Processes()); view != nil && view.Column(sort) >= 0 == (test.sort >= 0) {
				break
			}
		}
		if row := []rune(r.Canvas.Rows()[2]); !strings.Contains(string(row), test.want) {
			t.Errorf("%q is first, not %s:\n%s", string(row), test.want, r.Text())
		}
	}
}
