package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/themes"
)

func onTerminal(b *bytes.Buffer, cells int) *Printer {
	theme, err := themes.Load(themes.Default, nil)
	if err != nil {
		panic(err)
	}
	return Styled(b, Options{Cells: cells, Theme: theme, Profile: themes.TrueColour, IsDark: true})
}

// hostile are names that would forge rows, columns, colours or titles.
var hostile = []string{"a\nok  forged", "\x1b[31mred\x1b[m", "x\x1b]0;title\x07y", "tab\tbed", "r\rback", "\u202eevil", "wide 漢字", "\x9b31mc1", strings.Repeat("long ", 60)}

// A foreign name makes no row, colour or title of its own, whatever the width.
func TestForeignTextForgesNothing(t *testing.T) {
	for _, name := range hostile {
		for _, cells := range []int{0, 20, 40, 80, 200} {
			build := func() *Table {
				t := &Table{Indent: 2, Columns: []Column{{Head: name, Least: 8}, {Head: "N", IsRight: true}, {Head: "TEXT"}}, Tone: func(int, int) themes.Token { return themes.Critical }}
				t.Row(name, "1", "end")
				t.Row("ok", name, name)
				return t
			}
			var plain, styled bytes.Buffer
			if err := build().Print(Plain(&plain)); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(plain.String(), "\n"); n != 3 {
				t.Errorf("%q: %d lines plain", name, n)
			}
			p := onTerminal(&styled, cells)
			if err := build().Print(p); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&styled, p.Mark(themes.Warning, name)+"\n"+p.List([]string{name}, cells))
			for _, line := range strings.Split(styled.String(), "\n") {
				if cells > 0 && !strings.HasPrefix(ansi.Strip(line), "long long long long long long") && ansi.StringWidth(line) > max(cells, len("  - ")+leastFold) {
					t.Errorf("%q at %d: line of %d cells: %q", name, cells, ansi.StringWidth(line), line)
				}
			}
			for _, s := range []string{plain.String(), styled.String()} {
				if rest := ansi.Strip(s); strings.ContainsAny(rest, "\x1b\x9b\x07\r\t\u202e") || strings.Contains(s, "\x1b[31m") || strings.Contains(s, "\x1b]") {
					t.Errorf("%q at %d: %q", name, cells, s)
				}
			}
		}
	}
}

// What is folded on a terminal is all there.
func TestNothingIsCutOnATerminal(t *testing.T) {
	for cells := 24; cells < 120; cells += 7 {
		var b bytes.Buffer
		table := Table{Columns: []Column{{Head: "RULE"}, {Head: "WHEN"}, {Head: "N", IsRight: true}}}
		table.Row("alpha beta gamma", "one two three four five six seven", "12345")
		table.Row("delta", "eight", "6")
		if err := table.Print(onTerminal(&b, cells)); err != nil {
			t.Fatal(err)
		}
		letters := func(s string) int { return len(strings.Join(strings.Fields(s), "")) }
		want := "RULEWHENN" + "alphabetagamma" + "onetwothreefourfivesixseven" + "12345" + "deltaeight6"
		if got := ansi.Strip(b.String()); letters(got) != len(want) {
			t.Errorf("%d cells: %d of %d letters\n%s", cells, letters(got), len(want), got)
		}
	}
}

// Elsewhere the table is as text/tabwriter makes it with two blanks between columns.
func TestPlainTable(t *testing.T) {
	var b bytes.Buffer
	table := Table{Columns: []Column{{Head: "A"}, {Head: "NUMBER", IsRight: true}, {Head: "LAST"}}}
	table.Row("über", "1", "x")
	table.Row("b", "22", "")
	if err := table.Print(Plain(&b)); err != nil {
		t.Fatal(err)
	}
	if want := "A     NUMBER  LAST\nüber       1  x\nb         22  \n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// A long table is printed as it comes.
func TestLongTableIsPlain(t *testing.T) {
	var b bytes.Buffer
	table := Table{Columns: []Column{{Head: "A"}, {Head: "B"}}}
	for range mostStyled + 1 {
		table.Row("x", "y")
	}
	if err := table.Print(onTerminal(&b, 80)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("it was laid out as a whole")
	}
}

// Paragraphs are folded between words, at no hyphen; what is indented, and what has room, stays.
func TestProseFolds(t *testing.T) {
	said := "goes on with a file --append that\nhas the same counters\n\n  an example of a command line that is long\nthe end"
	for cells, want := range map[int]string{
		0:  said,
		43: said,
		24: "goes on with a file\n--append that has the\nsame counters\n\n  an example of a command line that is long\nthe end",
	} {
		var b bytes.Buffer
		if got := onTerminal(&b, cells).Prose(said); got != want {
			t.Errorf("%d cells: %q, want %q", cells, got, want)
		}
	}
}
