package language

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdeck/session/text/printable"
)

// Names are those of a counter and its object.
type Names struct{ Object, Counter string }

func (n Names) String() string { return `\` + n.Object + `\` + n.Counter }

// folded is what they are compared by.
func (n Names) folded() Names { return Names{fold(n.Object), fold(n.Counter)} }

// table has names in several languages, of which the first column is English. A file of it has
// a line of the languages, then a line for each object, and below it one for each of its counters, which
// begins with a TAB. What stands between names is a TAB too; a cell that is empty is not known,
// and = is as in English.
type table struct {
	tags    []string
	objects []object
}

// object is an object and its counters, a cell for each language.
type object struct {
	names    []string
	counters [][]string
}

const (
	mostFile  = 4 << 20 // bytes of a user's file: the built-in table has a fourth of it
	mostName  = 1024    // bytes, as of Windows
	mostTags  = 64
	mostLines = 100_000
)

const same = "=" // a cell that is as in English

// cell is the name in a language, empty: not known.
func cell(names []string, language int) string {
	switch {
	case language >= len(names):
		return ""
	case names[language] == same:
		return names[0]
	}
	return names[language]
}

// head reads the line of the languages.
func head(line string) (tags []string, err error) {
	tags = strings.Split(strings.TrimRight(line, "\r\n\t "), "\t")
	if tags[0] != "en" || len(tags) < 2 || len(tags) > mostTags {
		return nil, errors.New(`its first line is not of the form "en TAB de": English, and what other languages its columns have`)
	}
	for _, tag := range tags {
		if tag == "" || strings.ContainsFunc(tag, func(r rune) bool {
			return r != '-' && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r))
		}) || len(tag) > 20 {
			return nil, fmt.Errorf("%q is no short name of a language, as de or pt-BR", tag)
		}
	}
	return tags, nil
}

// parse reads a table.
func parse(text string) (*table, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	first, rest, _ := strings.Cut(text, "\n")
	for strings.HasPrefix(first, "#") { // comments before it
		first, rest, _ = strings.Cut(rest, "\n")
	}
	t := &table{}
	var err error
	if t.tags, err = head(first); err != nil {
		return nil, err
	}
	n := strings.Count(text[:len(text)-len(rest)], "\n")
	for line := range strings.Lines(rest) {
		if n++; n > mostLines {
			return nil, fmt.Errorf("it has more than %d lines", mostLines)
		}
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		counter := strings.HasPrefix(line, "\t")
		names := strings.Split(strings.TrimPrefix(line, "\t"), "\t")
		for i := range names {
			if names[i] = printable.Text(strings.TrimSpace(names[i])); len(names[i]) > mostName {
				return nil, fmt.Errorf("line %d has a name of more than %d bytes", n, mostName)
			}
		}
		switch {
		case names[0] == "" || len(names) > len(t.tags):
			return nil, fmt.Errorf("line %d does not have a name for each of the languages %s", n, strings.Join(t.tags, ", "))
		case !counter:
			t.objects = append(t.objects, object{names: names})
		case len(t.objects) == 0:
			return nil, fmt.Errorf("line %d is a counter and there is no object before it", n)
		default:
			o := &t.objects[len(t.objects)-1]
			o.counters = append(o.counters, names)
		}
	}
	return t, nil
}
