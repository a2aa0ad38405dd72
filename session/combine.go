package session

import (
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// Combine asks for one more instance, made of the cooked values of others
// (MS-PCQ 2.2.4.2, AggregateFunc).
type Combine struct {
	Name  string                // of the instance; cooker.AggregateInstance by custom
	Match func(*Instance) bool  // the instances that take part; nil: all
	Func  *cooker.AggregateFunc // nil: each counter's own

	All bool // none is named: what counts again what others of them count is left out

	named bool // the name says what it is made of: see CombineNamed
}

// Makes tells whether an instance is the combined one. It is mixed up with one of the
// host only where both mean the same: where the host gives all of them together, or a
// recording has what was combined.
func (c *Combine) Makes(in *Instance) bool {
	return in.Key.Name == c.Name && (c.named || in.Flags&FlagCombined != 0)
}

// same tells whether two are known to mean the same: see sameAsk.
func (c *Combine) same(o *Combine, rows []Instance) bool {
	if c.Name != o.Name || c.named && o.named {
		return c.Name == o.Name
	}
	sameFunc := c.Func == o.Func || c.Func != nil && o.Func != nil && *c.Func == *o.Func
	return sameFunc && c.All == o.All && sameMatch(c.Match, o.Match, rows)
}

// Instance is the instance that is made.
func (c *Combine) Instance() Instance {
	return Instance{Key: InstanceKey{Name: c.Name}, Flags: FlagTotal | FlagCombined}
}

// Aggregator is what makes the value of a counter of those of the instances.
func (c *Combine) Aggregator(counter *Counter) cooker.Aggregator {
	if c.Func != nil {
		return cooker.Aggregator{Func: *c.Func}
	}
	return cooker.Aggregator{Func: counter.Aggregate}
}

// combiner makes one combined instance, sample by sample.
type combiner struct {
	Combine
	// gone are the last values of vanished instances, by index in Set.Counters, for
	// sets that aggregate history; else nil.
	gone    map[int]*cooker.Vanished[InstanceKey]
	members []int // rows of the view that take part
}

// combinersOf are the combined instances of an ask: those it names, each once
// though several consumers may want it, and _Aggregate where the set's instance
// type says that all are one.
func combinersOf(ask Ask, had []combiner) []combiner {
	all := slices.Clip(ask.Combine)
	if ask.Set.Instances.IsWhole() {
		all = append(all, Combine{Name: cooker.AggregateInstance, named: true})
	}
	var wants []Combine
	for _, w := range all {
		if !slices.ContainsFunc(wants, func(o Combine) bool { return o.Name == w.Name }) {
			wants = append(wants, w)
		}
	}
	out := make([]combiner, len(wants))
	for i, w := range wants {
		out[i].Combine = w
		if ask.Set.Instances != GlobalAggregateHistory {
			continue
		}
		out[i].gone = make(map[int]*cooker.Vanished[InstanceKey], len(ask.Counters))
		j := slices.IndexFunc(had, func(c combiner) bool { return c.Name == w.Name })
		for _, c := range ask.Counters {
			if out[i].gone[c] = new(cooker.Vanished[InstanceKey]); j >= 0 && had[j].gone[c] != nil {
				out[i].gone[c] = had[j].gone[c]
			}
		}
	}
	return out
}

// Includes tells whether an instance is combined: no total, no aggregate and nothing that
// was recorded combined is.
func (c *Combine) Includes(in *Instance) bool {
	return in.Flags&(FlagTotal|FlagIdle|FlagCombined) == 0 && cooker.InAggregate(in.Key.Name) && MembersOf(in.Key.Name) == nil &&
		(c.Match == nil || c.Match(in))
}

// Members are the rows of a view that are combined. They take the place of into.
func (c *Combine) Members(v *SetView, into []int) []int {
	into = into[:0]
	for row := range v.Rows {
		if r := &v.Rows[row]; !r.Gone && c.Includes(&r.Instance) {
			into = append(into, row)
		}
	}
	if c.All {
		into = Addends(into, func(row int) *Instance { return &v.Rows[row].Instance })
	}
	return into
}

// combine adds the combined rows behind the live ones.
func (t *track) combine(v, before *SetView) {
	for i := range t.combiners {
		c := &t.combiners[i]
		if slices.ContainsFunc(v.Rows[:v.live], func(r Row) bool { return c.Makes(&r.Instance) }) {
			continue // the host gives it
		}
		if c.gone != nil && before != nil {
			c.keepVanished(v, before)
		}
		row := Row{Instance: c.Instance(), Since: t.began}
		for _, g := range c.gone {
			row.Vanished = max(row.Vanished, g.Len())
		}
		v.Rows = append(v.Rows, row)
		if t.matched == nil || before == nil {
			c.members = c.Members(v, c.members)
		}
		for col, counter := range v.Counters {
			v.Values = append(v.Values, c.value(v, c.members, col, counter, c.gone[counter]))
		}
		v.combined++
	}
}

// Addends leaves out of rows, in place, those that count what others carry again, so that
// the rest adds up; unless there are no others. at is the instance of a row.
func Addends(rows []int, at func(row int) *Instance) []int {
	again := func(row int) bool { return at(row).CountsAgain() }
	if slices.ContainsFunc(rows, func(row int) bool { return !again(row) }) {
		rows = slices.DeleteFunc(rows, again)
	}
	return rows
}

// Combined are those of rows whose values of a column a function combines: a sum has what is
// within others once.
func (v *SetView) Combined(f cooker.AggregateFunc, rows []int, col int) []int {
	if f != cooker.AggregateTotal {
		return rows
	}
	return v.Set.Outermost(rows, func(row int) (*Instance, cooker.Value) { return &v.Rows[row].Instance, v.Value(row, col) })
}

// CountsAgain tells instances that count what others do, too, as a bridge does. A
// background process mostly has a number, and counts its own.
func (in *Instance) CountsAgain() bool {
	return in.Flags&(FlagBackground|FlagTask) == FlagBackground && in.Number == 0
}

// Value combines a column of a view, of a counter by its index. Where no member has a value it
// is absent for the reason of the first.
func (c *Combine) Value(v *SetView, members []int, col, counter int) cooker.Value {
	return c.value(v, members, col, counter, nil)
}

func (c *Combine) value(v *SetView, members []int, col, counter int, gone *cooker.Vanished[InstanceKey]) cooker.Value {
	a := c.Aggregator(&v.Set.Counters[counter])
	why := cooker.Pending
	for i, row := range v.Combined(a.Func, members, col) {
		value := v.Value(row, col)
		if a.Add(value); i == 0 {
			why = value.Status()
		}
	}
	if gone != nil {
		gone.AddTo(&a)
	}
	if a.Count() == 0 && a.Func != cooker.AggregateNone && !why.Good() {
		return cooker.Absent(why)
	}
	return a.Value()
}

// keepVanished keeps the last values of instances that went, and forgets those
// of instances that came back.
func (c *combiner) keepVanished(v, before *SetView) {
	for row := range before.live {
		in := &before.Rows[row].Instance
		if !c.Includes(in) || v.Find(in.Key, row) >= 0 {
			continue
		}
		for _, counter := range v.Counters {
			if was := before.Column(counter); was >= 0 {
				c.gone[counter].Keep(in.Key, v.Set.Counters[counter].Type.Ended(before.Value(row, was)))
			}
		}
	}
	for row := range v.live {
		if v.olderRow[row] < 0 {
			for _, counter := range v.Counters {
				c.gone[counter].Return(v.Rows[row].Key)
			}
		}
	}
}

// A combination is an instance that says by its name what it is made of: "total of
// w3wp|w3wp#1". In a path it means that row wherever a path is taken: on decks, in
// alerts, in recordings.

// combinationOf stands between the function and the names.
const combinationOf = " of "

// TotalOfAll is the instance that is the sum of all that lists show.
const TotalOfAll = "total of *"

// StandsForAll tells whether an instance is all of a counterset by its name.
func StandsForAll(name string) bool {
	return paths.EqualFold(name, "_Total") || paths.EqualFold(name, TotalOfAll) || paths.EqualFold(name, cooker.AggregateInstance)
}

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
		names[i] = strings.ReplaceAll(instances[i].Text(), "|", "*")
	}
	return word + combinationOf + strings.Join(names, "|")
}

// Text is what stands between the parentheses of a path of the instance.
func (in *Instance) Text() string {
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
	c = Combine{Name: name, Match: OneOf(strings.Split(of, "|")), named: true, All: of == "*"}
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

// InsteadOf makes one of all instances where the host has none of that name itself.
func InsteadOf(name string, f cooker.AggregateFunc) *Combine {
	return &Combine{Name: name, Func: &f, named: true, All: true}
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
		name := in.Text()
		return plain[paths.Fold(name)] || paths.MatchesAny(wild, name)
	}
}
