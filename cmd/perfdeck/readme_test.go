package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var updateReadme = flag.Bool("update-readme", false, "write the generated parts of the pages")

// generated are the parts of the pages that are made from the program, between the
// lines <!-- name --> and <!-- /name -->.
var generated = []struct {
	page, name string
	text       func(t *testing.T) string
}{
	{".", "why", answer},
	{"tui", "screen", screen("deck-80x24")},
	{"tui", "screen-top", screen("readme-top")},
	{"tui", "screen-browse", screen("readme-browse")},
	{"tui", "screen-chart", screen("readme-chart")},
	{"tui", "screen-explain", screen("explain-100x30")},
	{"tui", "screen-fleet", screen("readme-fleet")},
	{"tui", "keys", func(t *testing.T) string { return golden(t, "keys.md") }},
	{"session/alert", "screen-alerts", screen("readme-alerts")},
	{"cmd/perfdeck", "commands", func(*testing.T) string {
		var b bytes.Buffer
		writeReference(&b, (&program{}).rootCommand())
		return b.String()
	}},
}

// backup is a recording of a night in which a backup made a disk slow for ten minutes.
func backup() string {
	rows := []string{`"(PDH-CSV 4.0) (UTC)(0)"`}
	for _, path := range []string{
		`PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, `PhysicalDisk(0 C:)\Disk Transfers/sec`,
		`Process(backup)\IO Data Bytes/sec`, `Process(backup)\ID Process`, `Process(sqlservr)\IO Data Bytes/sec`, `Process(sqlservr)\ID Process`,
		`Memory\Available MBytes`, `Memory\% Committed Bytes In Use`, `Processor Information(_Total)\% Processor Time`,
	} {
		rows[0] += `,"\\sql01\` + path + `"`
	}
	for i := range 160 {
		latency, transfers, bytes := 0.004, 40, 1000
		if i >= 100 && i < 140 {
			latency, transfers, bytes = 0.042, 410, 52_000_000
		}
		at := time.Date(2026, 3, 2, 3, 0, 15*i, 0, time.UTC).Format("01/02/2006 15:04:05.000")
		rows = append(rows, fmt.Sprintf(`"%s","%v","%d","%d","7412","6000000","2148","%d","61","%d"`, at, latency, transfers, bytes, 9000+i%7, 22+i%5))
	}
	return strings.Join(rows, "\r\n") + "\r\n"
}

// answer is what why says of it.
func answer(t *testing.T) (text string) {
	t.Run("why", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("night.csv", []byte(backup()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _, code := ran(t, "why", "night.csv")
		if code != exitPartly {
			t.Errorf("exit code %d", code)
		}
		text = fenced("$ perfdeck why night.csv\n" + out)
	})
	return text
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

// No help says twice what it says.
func TestHelpSaysNothingTwice(t *testing.T) {
	const passage = 60 // bytes
	for _, c := range documented((&program{}).rootCommand()) {
		for text := c.Long; len(text) > 2*passage; text = text[1:] {
			if strings.Contains(text[passage:], text[:passage]) {
				t.Errorf("%s: %q is there twice", c.CommandPath(), text[:passage])
				break
			}
		}
	}
}

// TestReadmeIsGenerated holds the reference in the pages against the program.
func TestReadmeIsGenerated(t *testing.T) {
	for _, g := range generated {
		file := filepath.Join("..", "..", filepath.FromSlash(g.page), "README.md")
		text := readPage(t, file)
		begin, end := "<!-- "+g.name+" -->\n", "<!-- /"+g.name+" -->"
		head, rest, ok := strings.Cut(text, begin)
		_, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Errorf("%s has no part %q", file, g.name)
			continue
		}
		want := head + begin + strings.TrimRight(g.text(t), "\n") + "\n" + end + tail
		if want == text {
			continue
		}
		if !*updateReadme {
			t.Errorf("%s: the part %q is not that of the program: go test ./cmd/perfdeck -run Readme -update-readme", file, g.name)
			continue
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readPage(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeTables: a row of a table stands where it belongs, once: two headings, or a
// heading and a row, that are the same were one and another.
func TestReadmeTables(t *testing.T) {
	front := tablesOf(readPage(t, "../../README.md"))
	if len(front) < 4 {
		t.Fatalf("%d tables", len(front))
	}
	said := map[string]bool{}
	for _, table := range front {
		for _, row := range table {
			last := row[strings.LastIndex(strings.TrimSuffix(row, "|"), "|"):]
			if said[last] && strings.Trim(last, "|-") != "" {
				t.Errorf("two rows end with %s", last)
			}
			said[last] = true
		}
	}
}

// tablesOf are the rows of a page's tables.
func tablesOf(text string) (tables [][]string) {
	inside := false
	for line := range strings.Lines(withoutCode(text)) {
		is := strings.HasPrefix(line, "|")
		switch {
		case is && inside:
			tables[len(tables)-1] = append(tables[len(tables)-1], strings.TrimSpace(line))
		case is:
			tables = append(tables, []string{strings.TrimSpace(line)})
		}
		inside = is
	}
	return tables
}

// mostLines is how long the front page may be: it is a door, not the house.
const mostLines = 280

// TestReadmeLinks: the front page is short and leads to every page, every page leads
// back, and what a link names is there, headings too.
func TestReadmeLinks(t *testing.T) {
	const front = "../../README.md"
	if n := strings.Count(readPage(t, front), "\n"); n > mostLines {
		t.Errorf("the front page has %d lines, more than %d", n, mostLines)
	}
	var pages []string
	err := filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "testdata"):
			return fs.SkipDir
		case e.Name() == "README.md":
			pages = append(pages, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 10 {
		t.Fatalf("only %d pages", len(pages))
	}
	leads := map[string][]string{} // page: pages that it names
	for _, page := range pages {
		for _, link := range linkOf.FindAllStringSubmatch(withoutCode(readPage(t, page)), -1) {
			to, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			file := page
			if to != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			leads[page] = append(leads[page], file)
			if anchor != "" && !slices.Contains(anchorsOf(readPage(t, file)), anchor) {
				t.Errorf("%s: %s has no heading #%s", page, file, anchor)
			}
		}
	}
	for _, page := range pages {
		if page == filepath.FromSlash(front) {
			continue
		}
		if !slices.Contains(leads[filepath.FromSlash(front)], page) {
			t.Errorf("the front page does not lead to %s", page)
		}
		if !slices.Contains(leads[page], filepath.FromSlash(front)) {
			t.Errorf("%s does not lead back", page)
		}
	}
}

var (
	linkOf    = regexp.MustCompile(`\]\(([^) ]+)\)`)
	headingOf = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noAnchor  = regexp.MustCompile("[^a-z0-9 _-]")
)

// withoutCode is a page without its blocks of code, in which brackets mean no links.
func withoutCode(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code && !strings.HasPrefix(line, "    ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchorsOf are the headings of a page as links name them.
func anchorsOf(text string) (out []string) {
	for _, m := range headingOf.FindAllStringSubmatch(withoutCode(text), -1) {
		out = append(out, strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}
