package columns

import (
	"strconv"
	"strings"
	"testing"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

func line(t *testing.T, w int, draw func(r canvas.Region)) string {
	t.Helper()
	c := canvas.New(w, 1, canvas.Full)
	draw(c.Root())
	return strings.TrimRight(c.String(), " \n")
}

// A number is whole or not there at all, whatever room it has; its head stands
// over it.
func TestNumbersAreNeverCut(t *testing.T) {
	const number = "1234567.89"
	for w := 1; w < 20; w++ {
		l := Fit(0, w, 1, []Column{{Min: w, Rank: Stays, Align: Number}})
		got := line(t, 24, func(r canvas.Region) { l.Draw(r, 0, 0, number, themes.Text) })
		want := strings.Repeat("#", w)
		if w >= len(number) {
			want = strings.Repeat(" ", w-len(number)) + number
		}
		if got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
		head := line(t, 24, func(r canvas.Region) { l.DrawHead(r, 0, 0, Head{Text: "cpu"}) })
		if w >= 3 && len([]rune(head)) != w {
			t.Errorf("%d cells: the head ends before its column: %q", w, head)
		}
	}
}

// The sign of the sorting is there at every width.
func TestSortedHead(t *testing.T) {
	for w := 1; w < 16; w++ {
		for _, a := range []Align{Left, Name, Right, Number} {
			for _, s := range []Sort{Descending, Ascending} {
				l := Fit(0, w, 1, []Column{{Min: w, Rank: Stays, Align: a}})
				got := line(t, 20, func(r canvas.Region) { l.DrawHead(r, 0, 0, Head{Text: "% CPU", Sorted: s}) })
				mark := string(s.Mark(canvas.Full.Glyphs()))
				if !strings.HasSuffix(got, mark) || len([]rune(got)) > w {
					t.Errorf("%d cells, aligned %d: %q lacks %s", w, a, got, mark)
				}
			}
		}
	}
}

// Names keep their ends.
func TestNamesKeepTheirEnds(t *testing.T) {
	for w := 6; w < 20; w++ {
		l := Fit(0, w, 1, []Column{{Min: w, Rank: Stays, Align: Name}})
		for _, n := range []int{1, 2} {
			name := "postgres: worker#" + strconv.Itoa(n)
			got := line(t, 24, func(r canvas.Region) { l.Draw(r, 0, 0, name, themes.Text) })
			if !strings.HasSuffix(got, strconv.Itoa(n)) || !strings.HasPrefix(got, "p") {
				t.Errorf("%d cells: %q", w, got)
			}
		}
	}
}
