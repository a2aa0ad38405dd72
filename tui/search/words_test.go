package search_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/local"
	"perfdeck/session/text/words"
	"perfdeck/tui/search"
)

// indexOf is what can be searched of a host, as the palette has it.
func indexOf(cat *session.Catalogue) (*search.Index, *search.Source, []string) {
	x := search.NewIndex()
	var entries []search.Entry
	var names []string
	for _, set := range cat.Sets {
		for i := range set.Counters {
			c := &set.Counters[i]
			if c.Hidden() || c.Absent != "" {
				continue
			}
			entries = append(entries, search.Entry{Name: c.Name, Of: set.Name, Text: c.Description})
			names = append(names, set.Name+`\`+c.Name)
		}
	}
	return x, x.Add("", entries), names
}

// What people call things is among the first three that a search finds.
func TestPeoplesWords(t *testing.T) {
	text, err := os.ReadFile("testdata/words.tsv")
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[string]*session.Catalogue{}
	demo := fake.Demo(session.NewSystemClock())[0]
	if hosts["windows"], err = demo.Source.Catalogue(context.Background()); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		own, err := local.Open(local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		if hosts["linux"], err = own.Catalogue(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(fields) != 3 || fields[0] == "words" {
			continue
		}
		for on, cat := range hosts {
			if fields[1] != "both" && fields[1] != on {
				continue
			}
			x, _, names := indexOf(cat)
			var there []string
			for want := range strings.SplitSeq(fields[2], "|") {
				p, _ := paths.Parse(want)
				if name := p.Object + `\` + p.Counter; slices.Contains(names, name) {
					there = append(there, name)
				}
			}
			if len(there) == 0 {
				t.Logf("%s on %s: this computer has none of %s", fields[0], on, fields[2])
				continue
			}
			var first []string
			for _, hit := range search.NewFinder(x).Find(fields[0], 0, 3).Hits {
				first = append(first, names[hit.Entry])
			}
			if !slices.ContainsFunc(first, func(name string) bool { return slices.Contains(there, name) }) {
				t.Errorf("%q on %s finds %q, want one of %q", fields[0], on, first, there)
			}
		}
	}
}

// No word hides what is called so.
func TestWordsHideNoName(t *testing.T) {
	x := search.NewIndex()
	x.Add("", []search.Entry{{Name: "Private Bytes", Of: "Process"}, {Name: "Leak", Of: "Own"}, {Name: "Threads", Of: "System"}, {Name: "Thread Count", Of: "Process"}})
	for _, word := range []string{"leak", "LEAK ", "threads"} {
		hits := search.NewFinder(x).Find(word, 0, 3).Hits
		if got := x.Entry(hits[0].Source, hits[0].Entry).Name; !strings.EqualFold(got, strings.TrimSpace(word)) || len(hits) < 2 {
			t.Errorf("%q finds %q first, and %d", word, got, len(hits))
		}
	}
	book := words.Book{"late post": {{Set: "Disk", Name: "Queue"}}, "post": {{Set: "Mail", Name: "Sent"}, {Set: "Disk", Name: "Queue"}}}
	for text, want := range map[string]string{
		"late post": `[\Disk\Queue]`, "Post LATE": `[\Disk\Queue]`, "late": `[\Disk\Queue]`, "post": `[\Mail\Sent \Disk\Queue]`, "lat": "[]", "late mail": "[]", "": "[]",
	} {
		if got := fmt.Sprint(book.Answers(text)); got != want {
			t.Errorf("%q: %s answer, want %s", text, got, want)
		}
	}
	if words.Book(nil).Answers("no such thing") != nil {
		t.Error("a word of nobody has an answer")
	}
}
