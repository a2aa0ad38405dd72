package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/tui/pane"
	"perfdeck/tui/pane/chart"
	"perfdeck/tui/panetest"
)

// Hours of a recording, a hundred samples a cell: the stack of two processors that
// are busy in turn is 100 % at each moment and everywhere, and the line of each
// goes from 0 to 100.
func TestChartOfALongRecording(t *testing.T) {
	const hours = 3
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)","\\a\Processor(0)\% Processor Time","\\a\Processor(1)\% Processor Time"`)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i := range hours * 3600 {
		fmt.Fprintf(&b, "\r\n%q,\"%d\",\"%d\"", at.Format("01/02/2006 15:04:05.000"), i%2*100, 100-i%2*100)
		at = at.Add(time.Second)
	}
	file := filepath.Join(t.TempDir(), "long.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	player, err := testProgram().openReplay(t.Context(), []string{file}, replayFlags{align: "clock"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); player.Run(ctx) }()
	defer func() { stop(); <-ended; player.Close() }()

	host := player.Hosts()[0]
	r := panetest.New(t, panetest.Options{Start: at, Span: hours * time.Hour})
	h := &pane.Host{Name: host.Name(), Sampler: host, Feed: host}
	r.Desk.Hosts = []*pane.Host{h}
	c := chart.New(r.Desk)
	r.Show(c)
	set := host.Catalogue().Set("Processor")
	for _, in := range host.Recorded(set)[0] {
		c.Show([]pane.Target{{Host: h, Set: set, Key: in.Key}}, false)
	}
	player.SetSpan(hours * time.Hour)
	r.AskAgain()
	player.End()
	for h.Snap == nil || len(h.Snap.Timeline.Nanos) < hours*3600 {
		<-host.Ready()
		r.Take()
	}
	r.Draw()
	plot := func() (rows []string) {
		for _, row := range r.Canvas.Rows() {
			if _, cells, ok := strings.Cut(row, "│"); ok {
				rows = append(rows, cells)
			}
		}
		return rows
	}
	const left, right = 4, 100 // columns that are full whatever the edges
	for _, v := range []string{"line", "area", "stacked"} {
		r.Shows("view "+v, "y auto 0-100")
		for y, row := range plot() {
			for x, char := range []rune(row)[left:right] {
				if char < '⠀' || char > '⣿' {
					t.Fatalf("%s: cell %d of row %d is %q\n%s", v, left+x, y, char, r.Text())
				}
			}
		}
		r.Press("v")
	}
}
