package manifest

import (
	"fmt"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
)

// CheckTogether checks manifests against each other: what lodctr would refuse
// when all of them were registered on one computer. Problems stand in the later
// file of a pair; those of each file by itself are Parse's.
func CheckTogether(files []*File) []Problem {
	t := together{sets: map[string]*File{}, providers: map[string]*File{}, names: map[string]*File{}}
	for _, f := range files {
		for _, p := range f.Providers {
			if isGUID(p.GUID) {
				t.check(t.providers, strings.ToLower(p.GUID), f, p.guidAt, Warning, finding{RuleGUIDUnique, "has this provider too", "one provider is registered once: make a new GUID"})
			}
			for _, set := range p.Sets {
				if isGUID(set.GUID) {
					t.check(t.sets, strings.ToLower(set.GUID), f, set.guidAt, Error, finding{RuleGUIDUnique, "has a counterSet of this GUID too", "make a new GUID"})
				}
				if set.Name.Value != "" {
					t.check(t.names, paths.Fold(set.Name.Value), f, set.nameAt, Warning, finding{RuleNameUnique, "has a counterSet of this name too", "a counter path finds only one of them"})
				}
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
	if first == f || len(t.problems) == 2*MaxProblems {
		return // twice in one file is Parse's finding
	}
	t.problems = append(t.problems, Problem{
		File: f.Name, Line: at.Line, Column: at.Column, Severity: severity, Rule: what.rule,
		Message: fmt.Sprintf("%s %s", session.Printable(first.Name), what.message), Hint: what.hint,
	})
}
