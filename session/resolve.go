package session

import (
	"fmt"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// Selection is what a path means on a host: counters of one counterset and, for
// one with instances, the matcher that follows them as they come and go.
type Selection struct {
	Path     paths.Path
	Set      *Counterset
	Counters []int          // indices in Set.Counters
	Matcher  *paths.Matcher // nil: a counterset without instances
	Combine  *Combine       // it means the instance that this makes; nil: those of the matcher
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
	if err != nil {
		return nil, err
	}
	p, err := paths.Parse(text)
	if err != nil {
		p = paths.Path{} // a name that breaks the grammar was found as it stands
	}
	var out []Selection
	for _, t := range targets {
		s := Selection{Path: p, Set: c.Sets[t.Object], Counters: t.Counters, Matcher: t.Matcher}
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
		return Selection{}, &NoSetError{name}
	}
	s := Selection{Set: set}
	for i := range set.Counters {
		if c := &set.Counters[i]; !c.Hidden() && c.Absent == "" {
			s.Counters = append(s.Counters, i)
		}
	}
	return s, nil
}

// NoSetError says that a host has no counterset of a name.
type NoSetError struct{ Name string }

func (e *NoSetError) Error() string { return fmt.Sprintf("it has no counterset %q", e.Name) }

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
	o := paths.ObjectEntry{Name: s.Name, Label: s.Label, Multiple: s.Instances.Multiple()}
	if s.Instances.IsWhole() {
		o.Whole = cooker.AggregateInstance
	}
	return o
}

func (v lookupView) NumCounters(i int) int { return len(v.c.Sets[i].Counters) }

func (v lookupView) Counter(i, j int) paths.CounterEntry {
	c := &v.c.Sets[i].Counters[j]
	return paths.CounterEntry{Name: c.Name, Label: c.Label, Hidden: c.Hidden()}
}

// Hidden tells whether lists, tables and wildcards leave the counter out: a
// companion, or one with the attribute "no display".
func (c *Counter) Hidden() bool { return c.Attributes.Hidden() || !c.Type.Displayable() }
