package manifest

import (
	"cmp"
	"fmt"

	"perfdeck/cooker"
	"perfdeck/session"
)

const defaultProviderName = "Counters" // providerName of the schema

func (r *reader) providerElement(t token) {
	r.checkAttributes(t, elementProvider)
	p := &Provider{
		GUID:                value(t, "providerGuid"),
		Name:                cmp.Or(value(t, "providerName"), defaultProviderName),
		Symbol:              value(t, "symbol"),
		ApplicationIdentity: value(t, "applicationIdentity"),
		Type:                either(value(t, "providerType"), userModeWord, kernelModeWord),
		Callback:            either(value(t, "callback"), defaultCallback, ownCallback),
		Sets:                []*CounterSet{},
		ResourceBase:        number(t, "resourceBase"),
	}
	if r.file.Providers = append(r.file.Providers, p); len(r.file.Providers) > 1 {
		r.fail(t.at, finding{RuleProviders, "this is another provider", "a manifest has exactly one: make a manifest of each"})
	}
	r.mark(positionOf(t, "providerGuid"), &p.guidAt)
	if p.Type == userModeWord && find(t, "symbol") == nil {
		r.missing(t, elementProvider, "symbol", "user-mode providers need it")
	}
	if a := find(t, "resourceBase"); a != nil && r.two {
		r.warn(a.at, finding{RuleVersioned, "resourceBase is not allowed from schemaVersion 2.0 on", "give a nameID and a descriptionID to each counterset and counter"})
	}
	at := t.at
	r.children(elementProvider, elements{elementSet: func(t token) { r.setElement(t, p) }})
	if len(p.Sets) == 0 && !r.broken {
		r.warn(at, finding{RuleElementCount, "the provider has no counterSet", ""})
	}
}

func (r *reader) setElement(t token, p *Provider) {
	r.checkAttributes(t, elementSet)
	r.checkVersion(t, elementSet, wantAll, "nameID", "descriptionID")
	set := &openSet{
		CounterSet: &CounterSet{
			GUID:          value(t, "guid"),
			URI:           value(t, "uri"),
			Symbol:        value(t, "symbol"),
			NameID:        number(t, "nameID"),
			DescriptionID: number(t, "descriptionID"),
			Instances:     instancesOf(value(t, "instances")).word,
			Counters:      []*Counter{},
		},
		kernel:   p.Type == kernelModeWord,
		two:      r.two,
		declared: map[string]bool{},
		at:       setPositions{t.at, positionOf(t, "guid"), positionOf(t, "uri"), positionOf(t, "name"), positionOf(t, "symbol")},
	}
	r.text(t, "name", &set.Name)
	r.text(t, "description", &set.Description)
	r.mark(set.at.guid, &set.guidAt)
	r.mark(set.at.name, &set.nameAt)
	p.Sets = append(p.Sets, set.CounterSet)
	r.sets = append(r.sets, set)
	r.setChildren(set)
}

func (r *reader) setChildren(set *openSet) {
	lists := 0
	r.children(elementSet, elements{
		elementCounter: func(t token) { r.counterElement(t, set) },
		elementStructs: func(t token) {
			lists++
			r.structsElement(t, set, lists)
		},
	})
	set.whole = !r.broken
	if set.whole && len(set.Counters) == 0 {
		r.fail(set.at.element, finding{RuleElementCount, "the counterSet has no counter", "at least one is needed"})
	}
	if set.whole && set.kernel && lists == 0 {
		r.warn(set.at.element, finding{RuleKernelStructs, "the counterSet of a kernel-mode provider has no structs", "they say where the values stand"})
	}
}

func (r *reader) structsElement(t token, set *openSet, nth int) {
	r.checkAttributes(t, elementStructs)
	switch {
	case nth > 1:
		r.fail(t.at, finding{RuleElementCount, "the counterSet has more than one structs", "put every struct in the first"})
	case len(set.Counters) > 0:
		r.fail(t.at, finding{RuleElementOrder, "structs stands after a counter", "move it before the first counter"})
	}
	if !set.kernel {
		r.warn(t.at, userMode(elementStructs))
	}
	at, before := t.at, len(set.Structs)
	r.children(elementStructs, elements{elementStruct: func(t token) { r.structElement(t, set) }})
	if len(set.Structs) == before && !r.broken {
		r.fail(at, finding{RuleElementCount, "structs is empty", "remove it"})
	}
}

func (r *reader) structElement(t token, set *openSet) {
	r.checkAttributes(t, elementStruct)
	s := Struct{Name: value(t, "name"), Type: value(t, "type")}
	if set.declared[s.Name] && s.Name != "" {
		r.fail(positionOf(t, "name"), finding{RuleStructUnique, "the struct " + quote(s.Name) + " is declared twice", ""})
	} else {
		set.declared[s.Name] = true
		set.Structs = append(set.Structs, s)
	}
	r.leaf(elementStruct)
}

func userMode(what string) finding {
	return finding{RuleUserStructs, what + " belongs to kernel-mode providers", "remove it: a user-mode provider sets values by id"}
}

func (r *reader) counterElement(t token, set *openSet) {
	r.checkAttributes(t, elementCounter)
	typ, known := typesByName[value(t, "type")]
	c := &Counter{
		ID:             number(t, "id"),
		URI:            value(t, "uri"),
		Symbol:         value(t, "symbol"),
		NameID:         number(t, "nameID"),
		DescriptionID:  number(t, "descriptionID"),
		TypeName:       value(t, "type"),
		Type:           typ,
		HasType:        known,
		Detail:         either(value(t, "detailLevel"), standardDetail, advancedDetail),
		BaseID:         number(t, "baseID"),
		PerfTimeID:     number(t, "perfTimeID"),
		PerfFreqID:     number(t, "perfFreqID"),
		MultiCounterID: number(t, "multiCounterID"),
		Struct:         value(t, "struct"),
		Field:          value(t, "field"),
	}
	if scale, ok := parseScale(value(t, "defaultScale")); ok {
		c.DefaultScale = scale
	}
	aggregate, _ := cooker.ParseAggregate(value(t, "aggregate"))
	c.Aggregate = aggregateWord(aggregate)
	r.text(t, "name", &c.Name)
	r.text(t, "description", &c.Description)
	set.Counters = append(set.Counters, c)
	set.counters = append(set.counters, spotsOf(t))
	r.checkCounterTag(t, c, set)
	// What follows needs the attributes of the tag, which the children replace.
	open := t
	open.attrs = append([]attribute(nil), t.attrs...)
	r.counterChildren(c)
	if !r.broken {
		r.checkVersion(open, elementCounter, wantOf(c), "name", "nameID", "description", "descriptionID")
	}
}

// wantOf is how much a counter wants name and description. Shipped products
// leave them off base counters, which nobody is shown.
func wantOf(c *Counter) want {
	switch {
	case c.Attributes.Hidden():
		return wantNone
	case c.HasType && c.Type.Fields().Subtype == cooker.SubtypeBase:
		return wantSpoken
	}
	return wantAll
}

func spotsOf(t token) counterSpots {
	at := counterSpots{
		element: t.at, id: positionOf(t, "id"), uri: positionOf(t, "uri"), name: positionOf(t, "name"),
		symbol: positionOf(t, "symbol"), structure: positionOf(t, "struct"),
	}
	for i := range companions {
		at.companions[i] = positionOf(t, companions[i].attribute)
	}
	return at
}

// checkCounterTag looks at what one counter says of itself.
func (r *reader) checkCounterTag(t token, c *Counter, set *openSet) {
	if c.ID.Set && c.ID.Value == session.NoID {
		r.fail(positionOf(t, "id"), finding{RuleIDReserved, "the id 0xFFFFFFFF stands for no counter", "take another one"})
	}
	if c.HasType && c.Type == cooker.CounterComposite {
		r.warn(positionOf(t, "type"), finding{RuleType, c.TypeName + " has no public formula", "its values are shown as unsupported"})
	}
	if !set.kernel {
		for _, name := range []string{"struct", "field"} {
			if a := find(t, name); a != nil {
				r.warn(a.at, userMode(name))
			}
		}
		return
	}
	if find(t, "field") == nil {
		r.warn(t.at, finding{RuleKernelStructs, "the counter of a kernel-mode provider has no field", "it says which member of the struct holds the value"})
	}
}

func (r *reader) counterChildren(c *Counter) {
	lists, first := 0, 0
	r.children(elementCounter, elements{elementAttributes: func(t token) {
		if lists++; lists == 1 {
			first = t.at
		} else {
			r.fail(t.at, finding{RuleElementCount, "the counter has more than one counterAttributes", "put every attribute in the first"})
		}
		r.attributesElement(t, c)
	}})
	for _, conflict := range c.Attributes.Conflicts() {
		r.warn(first, finding{RuleDisplayConflict, "display attributes contradict each other: " + conflict, ""})
	}
}

func (r *reader) attributesElement(t token, c *Counter) {
	const most = 5 // as many as there are names
	r.checkAttributes(t, elementAttributes)
	at, n := t.at, 0
	r.children(elementAttributes, elements{elementAttribute: func(t token) {
		if n++; n == most+1 {
			r.fail(t.at, finding{RuleDisplayCount, fmt.Sprintf("counterAttributes has more than %d entries", most), ""})
		}
		r.attributeElement(t, c)
	}})
	if n == 0 && !r.broken {
		r.fail(at, finding{RuleElementCount, "counterAttributes is empty", "remove it"})
	}
}

func (r *reader) attributeElement(t token, c *Counter) {
	r.checkAttributes(t, elementAttribute)
	bit, _ := cooker.LookupAttribute(value(t, "name"))
	if c.Attributes&bit != 0 {
		r.fail(positionOf(t, "name"), finding{RuleDisplayUnique, "the attribute " + quote(value(t, "name")) + " is given twice", ""})
	}
	c.Attributes |= bit
	r.leaf(elementAttribute)
}
