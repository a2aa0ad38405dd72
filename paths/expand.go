package paths

import (
	"iter"
	"strings"
)

// Expansion is what a path means in a catalogue.
type Expansion struct {
	Targets []Target // one, or one for each named SQL Server instance
}

// Target is an object with the counters and the instances that a path means.
type Target struct {
	Object    int
	Counters  []int
	Instances []InstanceRef

	// Matcher follows the instances as they come and go; nil for an object
	// without instances.
	Matcher *Matcher
}

// Pending reports that the path is right but none of its instances is there
// now, as PDH_CSTATUS_NO_INSTANCE does. It starts when one appears.
func (t Target) Pending() bool { return t.Matcher != nil && len(t.Instances) == 0 }

// Resolved is one counter of one instance. Instance is -1 for an object without
// instances.
type Resolved struct {
	Object, Counter, Instance int
	Duplicate                 int // n of name#n
}

// Pending reports that nothing of the path is there now.
func (e *Expansion) Pending() bool { return e.Len() == 0 }

// Len is the number of counters that All gives.
func (e *Expansion) Len() int {
	n := 0
	for _, t := range e.Targets {
		if t.Matcher == nil {
			n += len(t.Counters)
			continue
		}
		n += len(t.Counters) * len(t.Instances)
	}
	return n
}

// All gives each counter of each instance, in the order of the catalogue,
// instance by instance.
func (e *Expansion) All() iter.Seq[Resolved] {
	return func(yield func(Resolved) bool) {
		for _, t := range e.Targets {
			if !t.each(yield) {
				return
			}
		}
	}
}

func (t Target) each(yield func(Resolved) bool) bool {
	instances := t.Instances
	if t.Matcher == nil {
		instances = []InstanceRef{{Instance: -1}}
	}
	for _, in := range instances {
		for _, c := range t.Counters {
			if !yield(Resolved{t.Object, c, in.Instance, in.Duplicate}) {
				return false
			}
		}
	}
	return true
}

// PathOf names what was resolved, in the catalogue's English names.
func PathOf(c Catalogue, computer string, r Resolved) Path {
	object, counter := c.Object(r.Object).Name, c.Counter(r.Object, r.Counter).Name
	if r.Instance < 0 {
		return Path{Computer: computer, Object: object, Counter: counter}
	}
	in := c.Instance(r.Object, r.Instance)
	return Of(computer, object, in.Parent, in.Name, r.Duplicate, counter)
}

// Expand looks a path up in a catalogue. Names that stand in the catalogue win
// over syntax, longest first; only then parents, `#n` and wildcards mean
// anything. The computer is not looked at: the catalogue is that of one host.
//
// An unknown instance is no error: the expansion is pending. Other faults are a
// *LookupError.
func Expand(c Catalogue, p Path, o Options) (*Expansion, error) {
	return lookup{c, o}.expand(p)
}

// ExpandText is Expand for a text, which also finds names that break the
// grammar (`\Process(a)b()\ID Process`). When the catalogue has no such name, the
// error is that of Parse.
func ExpandText(c Catalogue, text string, o Options) (*Expansion, error) {
	p, err := Parse(text)
	if err == nil {
		return Expand(c, p, o)
	}
	if computer, body, fault := cutComputer(text); fault == nil && !isWild(computer) {
		l := lookup{c, o}
		if hit, ok := l.literal(body); ok {
			return l.expandLiteral(Path{Computer: computer}, hit)
		}
	}
	return nil, err
}

func (l lookup) expand(p Path) (*Expansion, error) {
	e, err := l.resolve(p)
	if err == nil {
		return e, nil
	}
	if trimmed := trim(p); trimmed != p {
		if _, still := l.resolve(trimmed); still == nil {
			err.Retry = trimmed.String()
		}
	}
	return nil, err
}

func (l lookup) resolve(p Path) (*Expansion, *LookupError) {
	if isWild(p.Computer) {
		return nil, &LookupError{Kind: ComputerWildcard, Path: p, Name: p.Computer}
	}
	if hit, ok := l.literal(p.body()); ok {
		return l.target(p, []found{hit.found}, hit.instance, hit.hasInstance)
	}
	text := p.InstanceText()
	if p.HasInstance {
		// The group may belong to the object's name: `\WF (System.Workflow)\*`.
		if have, err := l.find(p.Object+"("+text+")", p.Counter); err == nil {
			return l.target(p, have, "", false)
		}
	}
	have, err := l.find(p.Object, p.Counter)
	if err != nil {
		err.Path = p
		return nil, err
	}
	return l.target(p, have, text, p.HasInstance)
}

func (l lookup) expandLiteral(p Path, hit literal) (*Expansion, error) {
	o := l.Object(hit.object)
	p.Object, p.Counter = o.Name, l.Counter(hit.object, hit.counters[0]).Name
	p.HasInstance, p.Instance, p.Literal = hit.hasInstance, hit.instance, true
	e, err := l.target(p, []found{hit.found}, hit.instance, hit.hasInstance)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// body is the text after the backslash before the object, unsplit.
func (p Path) body() string {
	if !p.HasInstance {
		return p.Object + `\` + p.Counter
	}
	return p.Object + "(" + p.InstanceText() + `)\` + p.Counter
}

// target adds the instances to what was found. Of several objects those whose
// kind the path does not fit are left out.
func (l lookup) target(p Path, have []found, instance string, hasInstance bool) (*Expansion, *LookupError) {
	e := &Expansion{}
	var fault *LookupError
	for _, f := range have {
		t := Target{Object: f.object, Counters: f.counters}
		switch multiple := l.Object(f.object).Multiple; {
		case multiple != hasInstance:
			fault = l.instanceFault(p, f.object, multiple)
			continue
		case multiple:
			t.Matcher = newMatcher(instance, l.Options)
			t.Instances = l.instances(f.object, t.Matcher)
		}
		e.Targets = append(e.Targets, t)
	}
	if len(e.Targets) == 0 {
		return nil, fault
	}
	return e, nil
}

// trim drops the blanks around each name.
func trim(p Path) Path {
	t := p
	for _, part := range []*string{&t.Object, &t.Parent, &t.Instance, &t.Counter} {
		*part = strings.TrimSpace(*part)
	}
	return t
}
