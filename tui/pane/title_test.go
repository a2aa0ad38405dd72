package pane_test

import (
	"strings"
	"testing"

	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// Panes of one counterset of several hosts have titles that differ, however narrow they are.
func TestTitlesTellHosts(t *testing.T) {
	for _, width := range []int{40, 59, 80, 120} {
		for _, heads := range []bool{false, true} {
			for _, form := range []string{"host-%", "%.example", "a-rather-long-name-of-a-host-%", "%-a-rather-long-name-of-a-host"} {
				seen := map[string]bool{}
				for _, n := range []string{"1", "2", "3"} {
					host := strings.ReplaceAll(form, "%", n)
					c := canvas.New(width, 1, canvas.Full)
					pane.DrawTitle(pane.Frame{Region: c.Root()}, pane.Title{
						Name: "Processor Information", Host: host, Subtitle: host + " by % Processor Time pane 1 of 9", Heads: heads, Row: layout.NewRow(width),
					})
					text := c.String()
					if seen[text] {
						t.Errorf("%d cells: %s twice", width, text)
					}
					seen[text] = true
					if width > 40 && len(host) < 10 && !strings.Contains(text, host) {
						t.Errorf("%d cells: no %s in %s", width, host, text)
					}
				}
			}
		}
	}
}
