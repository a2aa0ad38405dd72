package list

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// check holds after every Show: what is in view lies among the rows, fills the
// page where it can, and the selected row is in it.
func check(t *testing.T, l *List, count, page int) {
	t.Helper()
	from, end := l.Show(count, page)
	switch {
	case from < 0 || end > count || end < from || end-from > page:
		t.Fatalf("%d rows, page %d: %d to %d are in view", count, page, from, end)
	case end-from < min(count, page):
		t.Fatalf("%d rows, page %d: only %d to %d are in view", count, page, from, end)
	case l.Line() < 0 || l.Line() > max(0, count-1):
		t.Fatalf("%d rows, page %d: row %d is selected", count, page, l.Line())
	case page > 0 && count > 0 && !(l.Loose && l.left) && (l.Line() < from || l.Line() >= end):
		t.Fatalf("%d rows, page %d: row %d is selected, %d to %d are in view", count, page, l.Line(), from, end)
	case l.Has() != (count > 0):
		t.Fatalf("%d rows: has one to select: %v", count, l.Has())
	}
	above, below := l.Hidden()
	if page > 0 && above+(end-from)+below != count {
		t.Fatalf("%d rows, page %d: %d above, %d in view, %d below", count, page, above, end-from, below)
	}
	want := ""
	if page > 0 && count > page {
		want = fmt.Sprintf("%d-%d of %d", from+1, end, count)
		if end == from+1 {
			want = fmt.Sprintf("%d of %d", end, count)
		}
	}
	if got := l.Position(); got != want {
		t.Fatalf("%d rows, %d to %d of them in view: position %q, want %q", count, from, end, got, want)
	}
}

// Whatever is done to a list of any size, it shows what there is.
func TestListSwept(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for count := 0; count <= 14; count++ {
		for page := 0; page <= 16; page++ {
			for _, loose := range []bool{false, true} {
				l := List{Loose: loose}
				check(t, &l, count, page)
				n, p := count, page
				for range 60 {
					switch random.IntN(5) {
					case 0:
						l.Select(random.IntN(20) - 3)
					case 1:
						l.Move(l.Lines(Motion(random.IntN(int(Last) + 1))))
					case 2:
						l.Scroll(random.IntN(13) - 6)
					case 3:
						n = max(0, n+random.IntN(7)-3)
					case 4:
						p = max(0, p+random.IntN(5)-2)
					}
					check(t, &l, n, p)
				}
			}
		}
	}
}

// Pages and halves reach every row, and lead back.
func TestMotions(t *testing.T) {
	for count := 1; count <= 40; count++ {
		for page := 1; page <= 12; page++ {
			for _, pair := range [][2]Motion{{Down, Up}, {PageDown, PageUp}, {HalfDown, HalfUp}, {Last, First}} {
				var l List
				l.Show(count, page)
				for range count {
					before := l.Line()
					l.Move(l.Lines(pair[0]))
					check(t, &l, count, page)
					if page > 1 && l.Line()-before >= page && pair[0] != Last {
						t.Fatalf("%d rows, page %d: motion %d leaps from %d to %d", count, page, pair[0], before, l.Line())
					}
				}
				if l.Line() != count-1 {
					t.Errorf("%d rows, page %d: motion %d ends at %d", count, page, pair[0], l.Line())
				}
				for range count {
					l.Move(l.Lines(pair[1]))
				}
				if check(t, &l, count, page); l.Line() != 0 || l.Top() != 0 {
					t.Errorf("%d rows, page %d: motion %d ends at %d, top %d", count, page, pair[1], l.Line(), l.Top())
				}
			}
		}
	}
}

// The wheel scrolls: the selected row stays as long as it is in view.
func TestScrollKeepsSelected(t *testing.T) {
	var l List
	l.Show(100, 10)
	l.Select(5)
	l.Show(100, 10)
	if l.Scroll(3); l.Line() != 5 || l.Top() != 3 {
		t.Errorf("row %d is selected, %d is the first in view", l.Line(), l.Top())
	}
	if l.Scroll(3); l.Line() != 6 || l.Top() != 6 {
		t.Errorf("row %d is selected, %d is the first in view", l.Line(), l.Top())
	}
	if l.Scroll(-5); l.Line() != 6 || l.Top() != 1 {
		t.Errorf("row %d is selected, %d is the first in view", l.Line(), l.Top())
	}

	l.Loose = true
	l.Scroll(50)
	if from, end := l.Show(100, 10); l.Line() != 6 || from != 51 || end != 61 {
		t.Errorf("row %d is selected, %d to %d are in view", l.Line(), from, end)
	}
	l.Move(1)
	if from, end := l.Show(100, 10); l.Line() != 7 || from > 7 || end <= 7 {
		t.Errorf("row %d is selected, %d to %d are in view", l.Line(), from, end)
	}
}

// A heading stays above its first row, never at the cost of the selected one.
func TestShowBelow(t *testing.T) {
	heading := func(row int) bool { return row%5 == 0 }
	for page := 1; page <= 12; page++ {
		var l List
		for line := range 40 {
			l.Resize(40)
			l.Select(line)
			from, end := l.ShowBelow(40, page, heading)
			if line < from || line >= end {
				t.Fatalf("page %d: row %d is selected, %d to %d are in view", page, line, from, end)
			}
			if from > 0 && heading(from-1) && line < end-1 {
				t.Fatalf("page %d, row %d: the heading %d is above what is in view", page, line, from-1)
			}
		}
	}
}

// Rows come, go and change places: what is selected and marked stays so.
func TestKeyed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var l Keyed[int]
		next, rows := 0, []int(nil)
		for range 80 {
			was, had := l.Selected()
			marked, at := l.Marked(), l.Line()
			switch random.IntN(6) {
			case 0, 1: // one comes, above or below
				i := random.IntN(len(rows) + 1)
				rows = slices.Insert(slices.Clone(rows), i, next)
				next++
			case 2:
				if len(rows) > 0 {
					i := random.IntN(len(rows))
					rows = slices.Delete(slices.Clone(rows), i, i+1)
				}
			case 3:
				rows = slices.Clone(rows)
				random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			case 4:
				l.Move(random.IntN(9) - 4)
				was, had = l.Selected()
				at = l.Line()
			case 5:
				l.Mark()
				marked = l.Marked()
			}
			l.Set(rows)
			checkKeyed(t, &l, rows, was, had, at)
			for _, key := range marked {
				if l.IsMarked(key) != slices.Contains(rows, key) {
					t.Fatalf("%v: %d is marked: %v", rows, key, l.IsMarked(key))
				}
			}
			check(t, &l.List, len(rows), random.IntN(8))
		}
	}
}

func checkKeyed(t *testing.T, l *Keyed[int], rows []int, was int, had bool, at int) {
	t.Helper()
	key, ok := l.Selected()
	switch {
	case ok != (len(rows) > 0):
		t.Fatalf("%v: one is selected: %v", rows, ok)
	case ok && rows[l.Line()] != key:
		t.Fatalf("%v: %d is selected, row %d", rows, key, l.Line())
	case had && slices.Contains(rows, was) && key != was:
		t.Fatalf("%v: %d was selected, %d is", rows, was, key)
	case had && ok && !slices.Contains(rows, was) && l.Line() != min(at, len(rows)-1):
		t.Fatalf("%v: %d at %d went, row %d is selected", rows, was, at, l.Line())
	}
}

// The first row stays selected, whichever it is, until the user selects another.
func TestFirst(t *testing.T) {
	l := Keyed[string]{First: true}
	is := func(want string) {
		t.Helper()
		if got, _ := l.Selected(); got != want {
			t.Errorf("%q is selected, want %q", got, want)
		}
	}
	l.Set([]string{"a", "b"})
	l.Set([]string{"new", "a", "b"})
	is("new")
	l.Move(1)
	l.Set([]string{"newer", "new", "a", "b"})
	is("a")
	l.Reopen()
	is("a") // the user chose it
	l.Move(-9)
	l.Set([]string{"newest", "newer"})
	is("newest")
	l.Set(nil)
	if _, ok := l.Selected(); ok || l.Chosen() != nil || l.SelectedFirst() != nil {
		t.Error("something is selected in an empty list")
	}
	l.Set([]string{"x"})
	is("x")
}

func TestMarks(t *testing.T) {
	var l Keyed[string]
	l.Set([]string{"a", "b", "c"})
	if got := l.Chosen(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("chosen: %v", got)
	}
	l.Select(2)
	l.Mark()
	l.Select(1)
	l.Mark()
	l.Select(0)
	if got := l.Chosen(); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("chosen: %v", got)
	}
	if got := l.SelectedFirst(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("selected first: %v", got)
	}
	l.Select(1)
	l.Mark()
	if got := l.Chosen(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("chosen: %v", got)
	}
	if l.ClearMarks(); l.Marks() != 0 {
		t.Errorf("%d marks", l.Marks())
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]Motion{"down": Down, "ctrl+p": Up, "pgdown": PageDown} {
		for _, of := range []func(string) (Motion, bool){WhileTyping, Plain} {
			if m, ok := of(key); !ok || m != want {
				t.Errorf("%s: %d, %v", key, m, ok)
			}
		}
	}
	for _, key := range []string{"j", "g", "G", "home", "end", "ctrl+u"} { // they are typed, or edit what is
		if _, ok := WhileTyping(key); ok {
			t.Errorf("%s moves while letters are typed", key)
		}
		if _, ok := Plain(key); !ok {
			t.Errorf("%s does not move", key)
		}
	}
	if _, ok := Plain("x"); ok {
		t.Error("x moves")
	}
}
