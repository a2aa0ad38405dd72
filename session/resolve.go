package session

import (
	"errors"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/language"
)

// Selection is what a path means on a host: counters of one counterset and, for
// one with instances, the matcher that follows them as they come and go.
type Selection struct {
	Path     paths.Path
	Set      *Counterset
	Counters []int          // indices in Set.Counters
	Matcher  *paths.Matcher // nil: a counterset without instances
	Combine  *Combine       // it means the instance that this makes; nil: those of the matcher
	Taken    bool           // its path was in a language that the host does not tell
}

// Matches tells whether the selection means the instance. Samplers call it on their
// own goroutine for as long as they are asked: s.Matches is of the selection as it
// was then, whatever becomes of s.
func (s Selection) Matches(in *Instance) bool {
	if s.Combine != nil {
		return s.Combine.Makes(in)
	}
	return s.Matcher == nil || s.Matcher.Match(in.entry(), int(in.Index))
}

// Ask is what a host has to be asked for.
func (s Selection) Ask() Ask {
	a := Ask{Set: s.Set, Counters: s.Counters}
	if s.Combine != nil {
		a.Combine = []Combine{*s.Combine}
	}
	return a
}

// IsWild tells whether the selection may mean several instances.
func (s Selection) IsWild() bool {
	return s.Combine == nil && s.Path.Wildcard()&^paths.WildCounter != 0
}

// entry is the instance as package paths sees it.
func (in *Instance) entry() paths.InstanceEntry {
	return paths.InstanceEntry{
		Parent: in.Key.Parent, Name: in.Key.Name,
		Total: in.Flags&FlagTotal != 0, Hidden: in.Flags&FlagCombined != 0,
	}
}

// Resolve looks a path up in a catalogue. It gives one selection, or one for
// each named SQL Server instance. Errors are *paths.ParseError and
// *paths.LookupError.
func (c *Catalogue) Resolve(text string, o paths.Options) ([]Selection, error) {
	if o.NameOf == nil {
		o.NameOf = c.NameOf
	}
	targets, err := paths.ExpandText(lookupView{c}, text, o)
	taken := false
	if lacks, ok := errors.AsType[*paths.LookupError](err); ok && (lacks.Kind == paths.UnknownObject || lacks.Kind == paths.UnknownCounter) {
		// What the catalogue has by the name wins: only now is it asked whether that is one of
		// another language.
		var names *language.Dictionary
		english, known, doubt := names.Path(text)
		if doubt != nil {
			return nil, failure.WithHint(err, doubt.String())
		}
		if known {
			found, fault := paths.ExpandText(lookupView{c}, english.String(), o)
			if e, ok := errors.AsType[*paths.LookupError](fault); !ok || e.Kind == paths.InstanceMissing || e.Kind == paths.InstanceGiven {
				text, targets, err, taken = english.String(), found, fault, true
			}
		}
	}
	if err != nil {
		return nil, err
	}
	p, err := paths.Parse(text)
	if err != nil {
		p = paths.Path{} // a name that breaks the grammar was found as it stands
	}
	if plain, err := paths.Parse(paths.Plain(text)); err == nil && (plain.Wildcard() != p.Wildcard() || plain.HasInstance != p.HasInstance) {
		p = plain // it was found so
	}
	p = p.PlainInstance()
	var out []Selection
	for _, t := range targets {
		s := Selection{Path: p, Set: c.Sets[t.Object], Counters: t.Counters, Matcher: t.Matcher, Taken: taken}
		name := p.InstanceText()
		if !p.HasInstance {
			name = cooker.AggregateInstance // a path without one means it, if any
		}
		if made, ok := CombineNamed(name); ok && t.Matcher != nil {
			s.Combine = &made
		}
		out = append(out, s)
	}
	return out, nil
}

// Whole means all that is shown of a counterset.
func (c *Catalogue) Whole(name string) (Selection, error) {
	set := c.Set(name)
	if set == nil {
		return Selection{}, fmt.Errorf("it has no counterset %q", name)
	}
	s := Selection{Set: set}
	for i := range set.Counters {
		if c := &set.Counters[i]; !c.Hidden() && c.Absent == "" {
			s.Counters = append(s.Counters, i)
		}
	}
	return s, nil
}

// PathOf is the path of one counter of one instance; in is nil for a counterset
// without instances.
func PathOf(host string, set *Counterset, counter int, in *Instance) paths.Path {
	if in == nil || !set.Instances.Multiple() {
		return paths.Path{Computer: host, Object: set.Name, Counter: set.Counters[counter].Name}
	}
	return paths.Of(host, set.Name, in.Key.Parent, in.Key.Name, int(in.Index), set.Counters[counter].Name)
}

// lookupView shows a catalogue to package paths. Instances are not looked up
// here: they are followed by the matcher.
type lookupView struct{ c *Catalogue }

func (v lookupView) NumObjects() int { return len(v.c.Sets) }

func (v lookupView) Object(i int) paths.ObjectEntry {
	s := v.c.Sets[i]
	o := paths.ObjectEntry{Name: s.InEnglish(), Label: label(s.English, s.Name, s.Label), Multiple: s.Instances.Multiple()}
	if s.Instances.IsWhole() {
		o.Whole = cooker.AggregateInstance
	}
	return o
}

func (v lookupView) NumCounters(i int) int { return len(v.c.Sets[i].Counters) }

func (v lookupView) Counter(i, j int) paths.CounterEntry {
	c := &v.c.Sets[i].Counters[j]
	return paths.CounterEntry{Name: c.InEnglish(), Label: label(c.English, c.Name, c.Label), Hidden: c.Hidden()}
}

// label is the name beside the English one.
func label(english, name, label string) string {
	if english != "" {
		return name
	}
	return label
}

// Hidden tells whether lists, tables and wildcards leave the counter out: a
// companion, or one with the attribute "no display".
func (c *Counter) Hidden() bool { return c.Attributes.Hidden() || !c.Type.Displayable() }

// Question is a counter path as it was asked for. Its computer means nothing here.
type Question struct {
	Text    string
	Origin  string   // file and line, empty for an argument
	Combine *Combine // it means this instance, made of others; nil: those that its path means
	Whole   bool     // Text is the name of a counterset: all that is shown of it is meant
	// Optional: that a host has no such counterset, or counter, is nothing to tell.
	Optional bool
}

// Target is what a question means on a host: instances, or the one that is made of
// them.
type Target struct {
	Selection
	Wild bool // its path may mean several instances
}

// Resolve looks the question up in a catalogue. It means one target, or one for each
// named SQL Server instance. The error is a *paths.ParseError, a *paths.LookupError or a
// *NoFunctionError.
func (q Question) Resolve(cat *Catalogue, o paths.Options) (out []Target, err error) {
	if q.Whole {
		sel, err := cat.Whole(q.Text)
		switch {
		case err != nil && q.Optional:
			return nil, nil
		case err != nil:
			return nil, err
		}
		return []Target{{Selection: sel, Wild: true}}, nil
	}
	found, err := cat.Resolve(q.Text, o)
	if _, lacks := errors.AsType[*paths.LookupError](err); lacks && q.Optional {
		err = nil
	}
	if err != nil && q.Origin != "" {
		err = fmt.Errorf("%s: %w", q.Origin, err)
	}
	for _, sel := range found {
		wild := sel.IsWild()
		if q.Combine != nil {
			sel.Combine = q.Combine
		}
		if sel.lacksFunction() {
			err = &NoFunctionError{Question: q, Counter: sel.Set.Counters[sel.Counters[0]].Name}
			continue
		}
		out = append(out, Target{Selection: sel, Wild: wild})
	}
	return out, err
}

// lacksFunction tells that instances are to be combined and no counter says how. Where
// all instances are one, the host may do it.
func (s Selection) lacksFunction() bool {
	return s.Combine != nil && s.Combine.Func == nil && !s.Set.Instances.IsWhole() &&
		!slices.ContainsFunc(s.Counters, func(c int) bool { return s.Set.Counters[c].Aggregate != cooker.AggregateNone })
}

// NoFunctionError says that the instances of a path cannot be combined: neither the
// counter nor who asks says how.
type NoFunctionError struct {
	Question Question
	Counter  string
}

func (e *NoFunctionError) Error() string {
	return fmt.Sprintf("combine %s: the counter '%s' does not say how its instances are combined", e.Question.Text, e.Counter)
}

// OncePerObject makes one error of those about paths of an object that a host does not have: it names the
// first of them, and counts the others. The rest stays as it is.
func OncePerObject(lacking []error) (out []error) {
	first, more := map[string]int{}, map[int]int{} // by object where it is in out; of that how many others
	for _, err := range lacking {
		e, _ := errors.AsType[*paths.LookupError](err)
		if e == nil || e.Kind != paths.UnknownObject {
			out = append(out, err)
			continue
		}
		object := paths.Fold(e.Name)
		if at, known := first[object]; known {
			more[at]++
			continue
		}
		first[object], out = len(out), append(out, err)
	}
	for at, n := range more {
		out[at] = fmt.Errorf("%w (and %s of this object)", out[at], english.Count(n, "more path", "more paths"))
	}
	return out
}
