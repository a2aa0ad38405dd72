package chart

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/note"
)

// fixedNotes are notes that are there.
type fixedNotes []note.Note

func (n fixedNotes) All() []note.Note      { return n }
func (n fixedNotes) Write(note.Note) error { return nil }

// However near notes are, what is written of one touches its own line, and no other line
// or text: it is cut, or left out.
func TestNotesSideBySide(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Threads`)
		r.pass(200 * time.Second)
		alone := 0
		for _, view := range []string{"line", "lanes"} {
			if view == "lanes" {
				r.press("v", "v", "v")
				if r.chart.view != lanesView {
					t.Fatal("no lanes")
				}
			}
			for _, w := range []int{60, 120, 200} {
				r.size(w, 36)
				for apart := range 80 {
					first := start.Add(60 * time.Second)
					list := fixedNotes{
						{Time: first, Text: strings.Repeat("A", 20)},
						{Time: first.Add(time.Duration(apart) * time.Second), Text: strings.Repeat("B", 20)},
						{Time: first.Add(time.Duration(apart+5) * time.Second), Text: strings.Repeat("C", 20)},
					}
					r.Desk.Notes = list
					r.Draw()
					if r.notesAreTold(list) == 3 {
						alone++
					}
				}
			}
		}
		if alone == 0 {
			t.Error("three notes were never told")
		}
	})
}

// notesAreTold checks the texts, which are of one letter each, and tells how many there are.
func (r *rig) notesAreTold(list fixedNotes) (told int) {
	r.Helper()
	win, plot := r.chart.picture.key.win, r.chart.place.plot
	for y := plot.Y; y < plot.Y+2; y++ {
		for _, n := range list {
			letter := rune(n.Text[0])
			from, to := -1, -1
			for x := range win.w {
				if r.Canvas.At(plot.X+x, y).Rune == letter {
					if from < 0 {
						from = x
					}
					to = x
				}
			}
			if to-from < 1 {
				continue // the letter of a series
			}
			if r.Canvas.At(plot.X+to+1, y).Rune == '…' {
				to++
			}
			told++
			line := win.column(n.Time.UnixNano())
			if from != line+1 && to != line-1 {
				r.Errorf("%c from %d to %d, and its line at %d: %s", letter, from, to, line, strings.Split(r.Text(), "\n")[y])
			}
			if to-from < 2 {
				r.Errorf("%c has %d cells: %s", letter, to-from+1, strings.Split(r.Text(), "\n")[y])
			}
			for _, x := range []int{from - 1, to + 1} {
				if c := r.Canvas.At(plot.X+x, y).Rune; x < win.w && (c >= 'A' && c <= 'C' || c == '…') {
					r.Errorf("%q touches the text of %c: %s", c, letter, strings.Split(r.Text(), "\n")[y])
				}
			}
			for _, other := range list {
				if at := win.column(other.Time.UnixNano()); at != line && at >= from-1 && at <= to+1 {
					r.Errorf("the text of %c touches the line at %d: %s", letter, at, strings.Split(r.Text(), "\n")[y])
				}
			}
		}
	}
	return told
}
