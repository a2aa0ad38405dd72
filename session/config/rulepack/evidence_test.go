package rulepack

import (
	"encoding/xml"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"perfdeck/paths"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/text/sheet"
)

// counters is counters by their countersets.
type counters map[string]bool

var namedInstance = regexp.MustCompile(`(?i)^mssql\$[^:]*:`)

func keyOf(object, counter string) string {
	return paths.Fold(namedInstance.ReplaceAllString(object, "SQLServer:") + `\` + strings.Join(strings.Fields(counter), " "))
}

func (c counters) add(text string) {
	if p, err := paths.Parse(text); err == nil {
		c[keyOf(p.Object, p.Counter)] = true
	}
}

// evidence is what tools and programs that others wrote name.
func evidence(t *testing.T) counters {
	t.Helper()
	known := counters{}
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/pal"), "*.xml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		known.addXML(t, file)
	}
	lists, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/lists"), "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(lists, sharedtest.Path(t, "vectors/real_paths.txt")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			known.add(strings.TrimSpace(line))
		}
	}
	return known
}

// addXML adds the counters of a file of thresholds, or of a table of languages.
func (c counters) addXML(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var object string
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if err != nil {
			return // the end
		}
		e, is := token.(xml.StartElement)
		if !is {
			continue
		}
		for _, a := range e.Attr {
			switch e.Name.Local + " " + a.Name.Local {
			case "DATASOURCE EXPRESSIONPATH":
				c.add(a.Value)
			case "CounterObject enUS":
				object = html.UnescapeString(a.Value) // "==>" is escaped twice there
			case "CounterName enUS":
				c[keyOf(object, a.Value)] = true
			}
		}
	}
}

// pages are the names of which this repository says where they are documented.
func pages(t *testing.T) counters {
	t.Helper()
	text, err := os.ReadFile("pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := counters{}
	for r := range sheet.Rows(string(text)) {
		if u, err := url.Parse(r.Part); err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "" {
			t.Errorf("%s has no page: %q", r.Name, r.Part)
		}
		p, err := paths.Parse(r.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		known[keyOf(p.Object, p.Counter)] = true
	}
	return known
}

// Every counter of packs and decks stands in what others wrote, or has a page of its vendor.
func TestNamesHaveEvidence(t *testing.T) {
	known, paged, used := evidence(t), pages(t), counters{}
	for _, p := range All() {
		var texts []string
		for i := range p.Rules {
			for _, path := range p.Rules[i].Paths() {
				texts = append(texts, path.String())
			}
		}
		for _, d := range p.Decks {
			for _, pane := range d.Panes {
				texts = slices.Concat(texts, pane.Paths, pane.Or, pane.Also)
			}
		}
		for _, text := range texts {
			path, err := paths.Parse(text)
			if err != nil {
				t.Error(err)
				continue
			}
			key := keyOf(path.Object, path.Counter)
			if used[key] = true; !known[key] && !paged[key] {
				t.Errorf("%s: nothing says that there is %s", p.Name, text)
			}
		}
	}
	for key := range paged {
		if known[key] || !used[key] {
			t.Errorf("pages.txt has no need of %s", key)
		}
	}
}
