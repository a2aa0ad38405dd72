package manifest

import (
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

// What is given twice though countersets and counters share it.
var (
	uriTwice    = finding{RuleURIUnique, "this URI stands in line %d too", "it names one counterset or counter"}
	symbolTwice = finding{RuleSymbolUnique, "this symbol stands in line %d too", "the generated code would define it twice"}
)

// checkUnique looks for what is given twice in the document or in one set.
func (r *reader) checkUnique() {
	guids, sets, uris, symbols := seen[string]{}, seen[string]{}, seen[string]{}, seen[string]{}
	for _, set := range r.sets {
		twice(r, guids, guidKey(set.GUID), set.at.guid, Error,
			finding{RuleGUIDUnique, "the counterSet of line %d has this GUID too", "make a new GUID"})
		twice(r, sets, paths.Fold(set.Name.Value), set.at.name, Warning,
			finding{RuleNameUnique, "the counterSet of line %d has this name too", "a counter path finds only one of them"})
		twice(r, uris, set.URI, set.at.uri, Warning, uriTwice)
		twice(r, symbols, set.Symbol, set.at.symbol, Warning, symbolTwice)
		r.checkUniqueCounters(set, uris)
	}
}

func (r *reader) checkUniqueCounters(set *openSet, uris seen[string]) {
	ids, names, symbols := seen[Number]{}, seen[string]{}, seen[string]{}
	for i, c := range set.Counters {
		at := &set.counters[i]
		twice(r, ids, c.ID, at.id, Error,
			finding{RuleIDUnique, "the counter of line %d has this id too", "ids are unique in a counterSet"})
		twice(r, names, paths.Fold(c.Name.Value), at.name, Warning,
			finding{RuleNameUnique, "the counter of line %d has this name too", "a counter path finds only one of them"})
		twice(r, uris, c.URI, at.uri, Warning, uriTwice)
		twice(r, symbols, c.Symbol, at.symbol, Warning, symbolTwice)
	}
}

// seen has the offset of the first use of each key.
type seen[K comparable] map[K]int

// twice reports a key that was used before, if there is one; what has a place for the line of
// its first use.
func twice[K comparable](r *reader, keys seen[K], key K, at int, severity Severity, what finding) {
	var none K
	first, ok := keys[key]
	switch {
	case key == none:
	case !ok:
		keys[key] = at
	case !r.full(severity):
		what.message = fmt.Sprintf(what.message, r.lineOf(first))
		r.add(at, severity, what)
	}
}

// lineOf is the line of an offset. Unlike scanner.line it may be asked often.
func (r *reader) lineOf(at int) int {
	if r.breaks == nil {
		r.breaks = make([]int, 0, 1024)
		for i := range len(r.scan.text) {
			if r.scan.text[i] == '\n' {
				r.breaks = append(r.breaks, i)
			}
		}
	}
	before, _ := slices.BinarySearch(r.breaks, at)
	return 1 + before
}

// CheckTogether checks manifests against each other: what lodctr would refuse
// when all of them were registered on one computer. Problems stand in the later
// file of a pair; those of each file by itself are Parse's.
func CheckTogether(files []*File) []Problem {
	t := together{sets: map[string]*File{}, providers: map[string]*File{}, names: map[string]*File{}}
	for _, f := range files {
		for _, p := range f.Providers {
			t.check(t.providers, guidKey(p.GUID), f, p.guidAt, Warning, finding{RuleGUIDUnique, "has this provider too", "one provider is registered once: make a new GUID"})
			for _, set := range p.Sets {
				t.check(t.sets, guidKey(set.GUID), f, set.guidAt, Error, finding{RuleGUIDUnique, "has a counterSet of this GUID too", "make a new GUID"})
				t.check(t.names, paths.Fold(set.Name.Value), f, set.nameAt, Warning, finding{RuleNameUnique, "has a counterSet of this name too", "a counter path finds only one of them"})
			}
		}
	}
	return t.problems
}

// together has the first file of each key.
type together struct {
	sets, providers, names map[string]*File
	problems               []Problem
}

func (t *together) check(seen map[string]*File, key string, f *File, at Position, severity Severity, what finding) {
	first, ok := seen[key]
	if !ok {
		seen[key] = f
		return
	}
	if first == f || key == "" || len(t.problems) == 2*MaxProblems {
		return // twice in one file is Parse's finding
	}
	t.problems = append(t.problems, Problem{
		File: f.Name, Position: at, Severity: severity, Rule: what.rule,
		Message: fmt.Sprintf("%s %s", printable.Text(first.Name), what.message), Hint: what.hint,
	})
}
