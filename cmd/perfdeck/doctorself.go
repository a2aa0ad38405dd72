package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"

	"perfdeck/session/app/selfcheck"
	"perfdeck/session/config"
	"perfdeck/session/text"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/terminal"
)

// examineSelf prints what perfdeck is on this computer. It may be pasted into a report.
func (p *program) examineSelf() error {
	home, _ := os.UserHomeDir()
	var places []selfcheck.Place
	add := func(name string, path string, err error) {
		if err == nil && path != "" {
			places = append(places, selfcheck.Place{Name: name, Path: path})
		}
	}
	own, err := os.Executable()
	add("program", own, err)
	file, err := config.DefaultFile()
	add("config", cmp.Or(p.flags.Config, file), err)
	state, err := config.StateDir()
	add("state", state, err)
	parts := append([]selfcheck.Part{
		{Title: "Build", Facts: []selfcheck.Fact{
			{Name: "perfdeck", Value: version() + ", " + revision()}, {Name: "Go", Value: runtime.Version()}, {Name: "system", Value: runtime.GOOS + "/" + runtime.GOARCH},
		}},
		{Title: "Terminal", Facts: p.terminalFacts()},
	}, selfcheck.Find(selfcheck.Options{Home: home, Places: places})...)
	out := p.people(p.out).To(byTheWay{p})
	for _, part := range parts {
		fmt.Fprintln(out, part.Title)
		t := text.Table{Indent: 2, Columns: []text.Column{{Least: 46}, {}}, Tone: func(_, column int) themes.Token {
			if column == 0 {
				return themes.Muted
			}
			return themes.Text
		}}
		for _, f := range part.Facts {
			t.Row(f.Name, f.Value)
			if f.Cure != "" {
				t.Row("", f.Cure)
			}
		}
		_ = t.Print(out)
	}
	return nil
}

// terminalFacts are what the environment tells of the terminal.
func (p *program) terminalFacts() []selfcheck.Fact {
	can := canvas.CapsOf(p.getenv("TERM"))
	var words []string
	for _, w := range []struct {
		has  bool
		word string
	}{{can.Rep, "repeats a character"}, {can.ShiftChars, "shifts characters"}, {can.BCE, "erases in colour"}, {terminal.IsUTF8(p.environ), "UTF-8"}, {terminal.IsDumb(p.environ), "dumb"}} {
		if w.has {
			words = append(words, w.word)
		}
	}
	facts := []selfcheck.Fact{
		{Name: "TERM", Value: cmp.Or(printable.Text(p.getenv("TERM")), "not set")},
		{Name: "colours", Value: [...]string{themes.NoColour: "none", themes.Colours16: "16", themes.Colours256: "256", themes.TrueColour: "16 million"}[terminal.FullProfile(p.environ)]},
		{Name: "can", Value: cmp.Or(strings.Join(words, ", "), "nothing beyond the least")},
	}
	if w, h, err := term.GetSize(int(p.out.Fd())); err == nil {
		facts = append(facts, selfcheck.Fact{Name: "size", Value: fmt.Sprintf("%d x %d", w, h)})
	}
	return facts
}
