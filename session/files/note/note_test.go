package note_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"perfdeck/session/files/note"
	"perfdeck/session/text/printable"
)

var at = time.Date(2026, 11, 23, 3, 12, 0, 123456789, time.UTC)

func made(t testing.TB, at time.Time, text, by string) note.Note {
	t.Helper()
	n, err := note.New(at, text, by)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What is written is read as it was, whatever the order and however often.
func TestRoundTrip(t *testing.T) {
	words := []string{"deploy 4.2", `quotes " and \ back`, "\u65e5\u672c\u8a9e", "</script><b>", "{}", "e\u0301"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var want []note.Note
		for range r.IntN(20) {
			by := []string{"", "anna", "deploys.log"}[r.IntN(3)]
			want = append(want, made(t, at.Add(time.Duration(r.Int64N(int64(time.Hour)))), words[r.IntN(len(words))], by))
		}
		text := append(note.Lines(want), note.Lines(want)...)
		got, damaged, err := note.Read(bytes.NewReader(text))
		if want, got = note.Merge(want), note.Merge(got); err != nil || damaged > 0 || !slices.Equal(got, want) {
			t.Fatalf("%v, %d, %v\nwant %v", got, damaged, err, want)
		}
	}
}

// A note is an object of one line that any program reads.
func TestForm(t *testing.T) {
	n := made(t, at.In(time.FixedZone("", 2*3600)), "deploy\n 4.2\t", "anna")
	if got, want := string(note.Lines([]note.Note{n})), `{"time":"2026-11-23T03:12:00.123456789Z","text":"deploy 4.2","by":"anna"}`+"\n"; got != want {
		t.Errorf("%s", got)
	}
}

// What steers terminals, is long or empty does not get into notes.
func TestHostile(t *testing.T) {
	n := made(t, at, "a\x1b[31mb\u202ec\xff"+strings.Repeat("\u65e5", 5000), strings.Repeat("x", 500))
	if !strings.HasPrefix(n.Text, "a?[31mb?c?") || utf8.RuneCountInString(n.Text) > note.MostText || len(n.By) > 200 {
		t.Errorf("%q by %q", n.Text, n.By)
	}
	for _, text := range []string{"", " \n\t"} {
		if _, err := note.New(at, text, ""); err == nil {
			t.Errorf("%q is a note", text)
		}
	}
	for _, bad := range []time.Time{at.AddDate(9000, 0, 0), at.AddDate(-3000, 0, 0)} {
		if _, err := note.New(bad, "x", ""); err == nil {
			t.Errorf("%v is a time", bad)
		}
	}
}

// Of a damaged file the rest is read; of a very large one the last notes.
func TestDamage(t *testing.T) {
	good := string(note.Lines([]note.Note{made(t, at, "good", "")}))
	text := "nonsense\n" + good[:20] + "\n" + strings.Repeat("x", 1<<20) + "\n\n" + `{"text":"no time"}` + "\n" + `{"time":"2026-11-23T03:12:00Z"}` + "\n" + good + good[:len(good)-1]
	got, damaged, err := note.Read(strings.NewReader(text))
	if err != nil || damaged != 5 || len(got) != 2 || len(note.Merge(got)) != 1 || got[0].Text != "good" {
		t.Errorf("%v, %d, %v", got, damaged, err)
	}
	var many []note.Note
	for i := range 2*note.MostRead + 10 {
		many = append(many, made(t, at.Add(time.Duration(i)), "many", ""))
	}
	got, damaged, err = note.Read(bytes.NewReader(note.Lines(many)))
	if err != nil || len(got) != note.MostRead || damaged != note.MostRead+10 || got[len(got)-1] != many[len(many)-1] {
		t.Errorf("%d notes, %d left out, %v", len(got), damaged, err)
	}
	broken := errors.New("broken")
	got, _, err = note.Read(io.MultiReader(strings.NewReader(good), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestWithin(t *testing.T) {
	var all []note.Note
	for i := range 10 {
		all = append(all, made(t, at.Add(time.Duration(i)*time.Minute), "x", ""))
	}
	for _, c := range []struct{ from, to, first, count int }{{2, 4, 2, 3}, {-5, 0, 0, 1}, {9, 30, 9, 1}, {10, 20, 0, 0}, {5, 3, 0, 0}} {
		got := note.Within(all, at.Add(time.Duration(c.from)*time.Minute), at.Add(time.Duration(c.to)*time.Minute))
		if len(got) != c.count || c.count > 0 && got[0] != all[c.first] {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if got := note.Within(all, time.Time{}, time.Time{}); len(got) != len(all) {
		t.Errorf("without limits: %d", len(got))
	}
}

// Whatever a file holds, what is read of it can be shown, and is written and read again
// as it is.
func FuzzRead(f *testing.F) {
	f.Add(note.Lines([]note.Note{made(f, at, "deploy 4.2", "anna")}))
	f.Add([]byte(`{"time":"2026-11-23T03:12:00+02:00","text":"\u001b]0;x\u0007","by":"\ud800"}` + "\nx"))
	f.Add([]byte(`{"time":"9999-12-31T23:59:59.999999999-23:59","text":"late"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, _, err := note.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range got {
			if n.Text == "" || printable.Text(n.Text+n.By) != n.Text+n.By || utf8.RuneCountInString(n.Text) > note.MostText {
				t.Fatalf("%q by %q", n.Text, n.By)
			}
			if line, err := json.Marshal(n); err != nil || printable.Text(string(line)) != string(line) {
				t.Fatalf("%s, %v", line, err)
			}
		}
		again, damaged, err := note.Read(bytes.NewReader(note.Lines(got)))
		if err != nil || damaged > 0 || !slices.Equal(again, got) {
			t.Fatalf("%v, %d, %v\nwant %v", again, damaged, err, got)
		}
	})
}
