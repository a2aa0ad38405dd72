package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"perfdeck/session/text/printable"
)

// Text is the description for reading, a line for each counter with what it
// needs below it. Foreign text in it is printable.
func (d Description) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: schemaVersion %s", show(d.File), orNone(d.SchemaVersion))
	for _, p := range d.Providers {
		line("provider %s %s, %s, callback %s, strings in %s", orNone(p.Name), show(p.GUID), p.Type, p.Callback, orNone(p.ApplicationIdentity))
		for _, set := range p.Sets {
			set.text(line)
		}
	}
	return b.String()
}

func (d SetDescription) text(line func(string, ...any)) {
	line("")
	line("%s %s, instances %s", orNone(d.Name), show(d.GUID), d.Instances)
	if d.Description != "" {
		line("  %s", show(d.Description))
	}
	for _, s := range d.Structs {
		line("  struct %s %s", show(s.Type), show(s.Name))
	}
	for _, c := range d.Counters {
		line("  %4s  %s", c.number(), orNone(c.Name))
		line("        %s", strings.Join(c.facts(), ", "))
		if c.Description != "" {
			line("        %s", show(c.Description))
		}
	}
}

func (d CounterDescription) number() string {
	if d.ID == nil {
		return "?"
	}
	return strconv.FormatUint(uint64(*d.ID), 10)
}

// facts are the words of a counter's second line.
func (d CounterDescription) facts() []string {
	facts := []string{orNone(d.Type)}
	if d.Code != "" {
		facts[0] += " " + d.Code
	}
	facts = append(facts, d.DetailLevel)
	if d.DefaultScale != 0 {
		facts = append(facts, fmt.Sprintf("scale 10^%d", d.DefaultScale))
	}
	if d.Aggregate != "" {
		facts = append(facts, "aggregate "+d.Aggregate)
	}
	for _, companion := range []struct {
		word string
		id   *uint32
	}{{"base", d.BaseID}, {"perfTime", d.PerfTimeID}, {"perfFreq", d.PerfFreqID}, {"multi", d.MultiCounterID}} {
		if companion.id != nil {
			facts = append(facts, fmt.Sprintf("%s %d", companion.word, *companion.id))
		}
	}
	if d.Field != "" {
		facts = append(facts, "field "+show(strings.TrimPrefix(d.Struct+"."+d.Field, ".")))
	}
	return append(facts, d.Attributes...)
}

func show(s string) string { return printable.Text(s) }

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return show(s)
}
