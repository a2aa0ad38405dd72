package session

import (
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// A combination is an instance that says by its name what it is made of: "total of
// w3wp|w3wp#1". In a path it means that row wherever a path is taken: on decks, in
// alerts, in recordings.

// combinationOf stands between the function and the names.
const combinationOf = " of "

// ownFunction stands for each counter's own function.
const ownFunction = "aggregate"

// CombinationName is the name of the row that the instances become. With
// cooker.AggregateNone each counter's own function makes it.
func CombinationName(f cooker.AggregateFunc, instances []Instance) string {
	word := ownFunction
	if f != cooker.AggregateNone {
		word = f.String()
	}
	names := make([]string, len(instances))
	for i := range instances {
		// A bar of a name would end it; that anything stands there fits the name too.
		names[i] = strings.ReplaceAll(instances[i].text(), "|", "*")
	}
	return word + combinationOf + strings.Join(names, "|")
}

// text is what stands between the parentheses of a path of the instance.
func (in *Instance) text() string {
	return paths.Of("", "", in.Key.Parent, in.Key.Name, int(in.Index), "").InstanceText()
}

// CombineNamed is how a row is made that says by its name what it is made of; ok is
// false for any other name.
func CombineNamed(name string) (c Combine, ok bool) {
	if paths.EqualFold(name, cooker.AggregateInstance) {
		return Combine{Name: cooker.AggregateInstance, named: true}, true
	}
	word, of, found := strings.Cut(name, combinationOf)
	if !found || of == "" {
		return c, false
	}
	c = Combine{Name: name, Match: OneOf(strings.Split(of, "|")), named: true, wild: of == "*"}
	if paths.EqualFold(word, ownFunction) {
		return c, true
	}
	f, known := cooker.ParseAggregate(strings.ToLower(word))
	if !known || f == cooker.AggregateNone || f.String() != strings.ToLower(word) {
		return c, false
	}
	c.Func = &f
	return c, true
}

// MembersOf are the names of the instances that a combination is made of, nil where
// it is made of all.
func MembersOf(name string) []string {
	if c, ok := CombineNamed(name); !ok || c.Match == nil {
		return nil
	}
	_, of, _ := strings.Cut(name, combinationOf)
	return strings.Split(of, "|")
}

// OneOf matches instances by the names that lists show, in which * stands for
// anything.
func OneOf(names []string) func(*Instance) bool {
	var wild []string
	plain := make(map[string]bool, len(names))
	for _, n := range names {
		if strings.Contains(n, "*") {
			wild = append(wild, n)
		} else {
			plain[paths.Fold(n)] = true
		}
	}
	return func(in *Instance) bool {
		name := in.text()
		return plain[paths.Fold(name)] || slices.ContainsFunc(wild, func(n string) bool { return paths.Match(n, name) })
	}
}
