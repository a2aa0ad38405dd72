package manifest

import "perfdeck/paths"

// finish looks at what needs the whole file.
func (r *reader) finish() {
	if r.roots == 0 && !r.broken {
		r.fail(0, finding{RuleNoContent, "the file has no counters element", "it stands at the root or in instrumentationManifest/instrumentation"})
	}
	r.resolve()
	r.checkUnique()
	for _, set := range r.sets {
		r.checkCompanions(set)
		r.checkStructs(set)
		r.checkPaths(set)
	}
}

// checkStructs looks at what the counters of a kernel-mode set say of structs.
func (r *reader) checkStructs(set *openSet) {
	if !set.kernel || !set.whole {
		return
	}
	for i, c := range set.Counters {
		at := &set.counters[i]
		switch {
		case c.Struct != "" && !set.declared[c.Struct]:
			r.fail(at.structure, finding{RuleStructUnknown, "the counterSet declares no struct " + quote(c.Struct), "add it to structs"})
		case c.Struct == "" && len(set.Structs) > 1:
			r.warn(at.element, finding{RuleStructChoice, "the counterSet has several structs and the counter names none", "add the attribute struct"})
		}
	}
}

// checkPaths looks at the names as parts of counter paths.
func (r *reader) checkPaths(set *openSet) {
	if set.Name.Value == "" {
		if set.at.name != set.at.element { // an absent name was reported
			r.warn(set.at.name, finding{RuleNoName, "the counterSet has an empty name", "no path reaches its counters"})
		}
		return
	}
	readable := r.checkSetPath(set)
	for i, c := range set.Counters {
		at := &set.counters[i]
		if c.Name.Value == "" {
			r.checkNameless(set, c, at)
			continue
		}
		if path := set.path(c); readable && set.reachable(c) && path.Check() != nil {
			r.warn(at.name, finding{RulePath, "no counter path can hold this name: " + quote(path.String()), "take out unbalanced parentheses and backslashes"})
		}
	}
}

// checkSetPath looks at the name of a set, once for all its counters. It is
// false when none of their paths reads back.
func (r *reader) checkSetPath(set *openSet) bool {
	if !nameFits(set.Name.Value) {
		return true // reported
	}
	sample := set.path(&Counter{Name: Text{Value: "Counter"}})
	if sample.Check() == nil {
		return true
	}
	message, hint := "no counter path can hold this name: "+quote(sample.String()), "take out unbalanced parentheses and backslashes"
	if read, err := paths.Parse(sample.String()); err == nil && read.HasInstance && !sample.HasInstance {
		message, hint = "in a counter path the end of this name reads as an instance: "+quote(sample.String()), "let it not end in parentheses, or give the counterSet instances"
	}
	r.warn(set.at.name, finding{RulePath, message, hint})
	return false
}

// checkNameless looks at a counter without a name: bases, hidden ones and those
// that were reported already do without.
func (r *reader) checkNameless(set *openSet, c *Counter, at *counterSpots) {
	reported := set.two && at.name == at.element
	if !reported && !c.Attributes.Hidden() && (!c.HasType || c.Type.Displayable()) {
		r.warn(at.name, finding{RuleNoName, "the counter has no name and is not hidden", "no path reaches it"})
	}
}
