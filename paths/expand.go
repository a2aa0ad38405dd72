package paths

import "strings"

// Target is an object with the counters that a path means.
type Target struct {
	Object   int
	Counters []int

	// Matcher follows the instances as they come and go; nil for an object
	// without instances.
	Matcher *Matcher
}

// ExpandText looks a path up in a catalogue. Names that stand in the catalogue win
// over syntax, longest first; only then parents, `#n` and wildcards mean
// anything: names may break the grammar (`\Process(a)b()\ID Process`). The computer is not looked
// at: the catalogue is that of one host. There is one target, or one for each named SQL Server
// instance. Instances are not looked up; faults are a *LookupError, and where the catalogue has no
// such name those of Parse. Where nothing is found as it stands, what looks the same is: see Plain.
func ExpandText(c Catalogue, text string, o Options) ([]Target, error) {
	targets, err := expandText(c, text, o)
	if err != nil {
		if found, still := expandText(plainCatalogue{c}, Plain(text), o); still == nil {
			return found, nil
		}
	}
	return targets, err
}

func expandText(c Catalogue, text string, o Options) ([]Target, error) {
	p, err := Parse(text)
	if err == nil {
		return lookup{c, o}.expand(p)
	}
	if computer, body, fault := cutComputer(text); fault == nil && !isWild(computer) {
		l := lookup{c, o}
		if hit, ok := l.literal(body); ok {
			return l.expandLiteral(Path{Computer: computer}, hit)
		}
	}
	return nil, err
}

func (l lookup) expand(p Path) ([]Target, error) {
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

func (l lookup) resolve(p Path) ([]Target, *LookupError) {
	if isWild(p.Computer) {
		return nil, &LookupError{Kind: ComputerWildcard, Path: p, Name: p.Computer}
	}
	if hit, ok := l.literal(p.body()); ok {
		have := append([]found{hit.found}, l.serverInstances(l.Object(hit.object).Name, l.Counter(hit.object, hit.counters[0]).Name)...)
		return l.target(p, have, hit.instance, hit.hasInstance)
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

func (l lookup) expandLiteral(p Path, hit literal) ([]Target, error) {
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
func (l lookup) target(p Path, have []found, instance string, hasInstance bool) ([]Target, *LookupError) {
	var targets []Target
	var fault *LookupError
	for _, f := range have {
		t := Target{Object: f.object, Counters: f.counters}
		switch o := l.Object(f.object); {
		case o.Multiple && !hasInstance && o.Whole != "":
			t.Matcher = newMatcher(o.Whole, l.Options)
		case o.Multiple != hasInstance:
			fault = l.instanceFault(p, f.object, o.Multiple)
			continue
		case o.Multiple:
			t.Matcher = newMatcher(instance, l.Options)
		}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return nil, fault
	}
	return targets, nil
}

// trim drops the blanks around each name, and around the slash of a rate.
func trim(p Path) Path {
	t := p
	for _, part := range []*string{&t.Object, &t.Parent, &t.Instance, &t.Counter} {
		*part = strings.TrimSpace(*part)
	}
	if of, per, isRate := strings.Cut(t.Counter, "/"); isRate {
		t.Counter = strings.TrimRight(of, " ") + "/" + strings.TrimLeft(per, " ")
	}
	return t
}

// Trimmed is the path without the blanks around its names that some programs put there: to be
// tried where the path itself means nothing.
func (p Path) Trimmed() Path { return trim(p) }

// PlainInstance is the path without blanks around its instance that a program put there.
func (p Path) PlainInstance() Path {
	if isPadded(p.InstanceText()) {
		t := trim(p)
		p.Parent, p.Instance = t.Parent, t.Instance
	}
	return p
}
