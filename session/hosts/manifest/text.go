package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"perfdeck/session/text/printable"
)

// Text is the manifest for reading, a line for each counter with what it
// needs below it. Foreign text in it is printable.
func (f *File) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: schemaVersion %s", show(f.Name), orNone(f.SchemaVersion))
	for _, p := range f.Providers {
		line("provider %s %s, %s, callback %s, strings in %s", orNone(p.Name), show(p.GUID), p.Type, p.Callback, orNone(p.ApplicationIdentity))
		for _, set := range p.Sets {
			set.text(line)
		}
	}
	return b.String()
}

func (s *CounterSet) text(line func(string, ...any)) {
	line("")
	line("%s %s, instances %s", orNone(s.Name.Value), show(s.GUID), s.Instances)
	if s.Description.Value != "" {
		line("  %s", show(s.Description.Value))
	}
	for _, one := range s.Structs {
		line("  struct %s %s", show(one.Type), show(one.Name))
	}
	for _, c := range s.Counters {
		line("  %4s  %s", c.ID.text(), orNone(c.Name.Value))
		line("        %s", strings.Join(c.facts(), ", "))
		if c.Description.Value != "" {
			line("        %s", show(c.Description.Value))
		}
	}
}

func (n Number) text() string {
	if !n.Set {
		return "?"
	}
	return strconv.FormatUint(uint64(n.Value), 10)
}

// facts are the words of a counter's second line.
func (c *Counter) facts() []string {
	facts := []string{orNone(c.TypeName)}
	if c.Code != "" {
		facts[0] += " " + c.Code
	}
	facts = append(facts, c.Detail)
	if c.DefaultScale != 0 {
		facts = append(facts, fmt.Sprintf("scale 10^%d", c.DefaultScale))
	}
	if c.Aggregate != "" {
		facts = append(facts, "aggregate "+c.Aggregate)
	}
	for _, companion := range companions {
		if id := companion.id(c); id.Set {
			facts = append(facts, companion.word+" "+id.text())
		}
	}
	if c.Field != "" {
		facts = append(facts, "field "+show(strings.TrimPrefix(c.Struct+"."+c.Field, ".")))
	}
	return append(facts, c.Displayed...)
}

func show(s string) string { return printable.Text(s) }

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return show(s)
}

// NotDone says in one line what ctrpp would make of the file and perfdeck does
// not, and who registers it on Windows.
func (f *File) NotDone() string {
	texts := 0
	code := "a header with the code of the provider"
	for _, p := range f.Providers {
		if p.Type == kernelModeWord {
			code = "a header with the kernel-mode registration code"
		}
		for _, set := range p.Sets {
			texts += texted(set.Name, set.Description)
			for _, c := range set.Counters {
				texts += texted(c.Name, c.Description)
			}
		}
	}
	return fmt.Sprintf("%s: ctrpp would also generate %s and a resource script with %d strings; perfdeck registers nothing on Windows, lodctr /m does",
		printable.Text(f.Name), code, texts)
}

func texted(texts ...Text) int {
	n := 0
	for _, t := range texts {
		if t.Value != "" {
			n++
		}
	}
	return n
}
