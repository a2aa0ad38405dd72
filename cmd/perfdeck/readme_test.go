package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"perfdeck/session/config"
)

var updateReadme = flag.Bool("update-readme", false, "write the generated parts of the README")

// generated are the parts of the README that are made from the program, between
// the lines <!-- name --> and <!-- /name -->.
var generated = []struct {
	name string
	text func(t *testing.T) string
}{
	{"screen", screen("deck-80x24")},
	{"screen-top", screen("readme-top")},
	{"screen-browse", screen("readme-browse")},
	{"screen-chart", screen("readme-chart")},
	{"screen-explain", screen("explain-100x30")},
	{"screen-fleet", screen("readme-fleet")},
	{"screen-alerts", screen("readme-alerts")},
	{"keys", func(t *testing.T) string { return golden(t, "keys.md") }},
	{"config", func(*testing.T) string { return fenced(config.Example()) }},
	{"commands", func(*testing.T) string {
		var b bytes.Buffer
		writeReference(&b, (&program{}).rootCommand())
		return b.String()
	}},
}

// screen is a golden screen of the tests of tui.
func screen(name string) func(t *testing.T) string {
	return func(t *testing.T) string { return fenced(golden(t, name+".txt")) }
}

// golden is what the tests of tui hold the program against.
func golden(t *testing.T, name string) string {
	text, err := os.ReadFile("../../tui/testdata/golden/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fenced(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```\n"
}

// TestReadmeIsGenerated holds the README's reference against the program.
func TestReadmeIsGenerated(t *testing.T) {
	const file = "../../README.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for _, g := range generated {
		begin, end := "<!-- "+g.name+" -->\n", "<!-- /"+g.name+" -->"
		head, rest, ok := strings.Cut(want, begin)
		_, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Errorf("the README has no part %q", g.name)
			continue
		}
		want = head + begin + strings.TrimRight(g.text(t), "\n") + "\n" + end + tail
	}
	if want == string(text) {
		return
	}
	if *updateReadme {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("the README's generated parts are not those of the program: go test ./cmd/perfdeck -run Readme -update-readme")
}
