// Package search finds things by words of their names and descriptions, while
// the words are typed: counters of all hosts, screens, decks, actions.
//
// What is typed is folded as package paths folds names and split at blanks.
// Every word must be found: in the name, in what the thing belongs to, in the
// name of its source or in its description. A name also answers to the starts
// of its words ("ple" finds "Page Life Expectancy") and to letters left out
// within them ("prcssr" finds "Processor"). What fits better comes first: the
// whole name, its beginning, starts of words, the middle of a word, letters
// left out; a name before a description.
//
// The texts of many hosts are mostly the same. They are kept and compared once.
package search

import (
	"slices"

	"perfdeck/session/text/words"
)

// Kind sorts entries: the caller's own numbers, at most 31. Among what fits
// equally well, lower kinds come first.
type Kind uint8

// Kinds is a set of kinds; 0 stands for all.
type Kinds uint32

// Only is the set of the given kinds.
func Only(kinds ...Kind) (set Kinds) {
	for _, k := range kinds {
		set |= 1 << (k & 31)
	}
	return set
}

func (set Kinds) has(k Kind) bool { return set == 0 || set&(1<<(k&31)) != 0 }

// Entry is one thing that can be found.
type Entry struct {
	Kind Kind
	Name string
	Of   string // what it belongs to, as a counter to its counterset; may be empty
	Text string // its description; may be empty
}

// Index is what can be found. It is used by one goroutine at a time.
type Index struct {
	Words words.Book // what people call things

	names, ofs fieldNames
	texts      prose
	things     []thing
	uses       []int32 // how many entries are the thing
	ids        map[thing]int32
	idle       int // things without an entry
	sources    []*Source
	total      int // entries of all sources
	version    int // counts changes
}

// thing is what equal entries have in common: numbers in the columns.
type thing struct {
	kind           Kind
	name, of, text int32
}

// Source is a list of entries that come and go together, as the counters of a
// host.
type Source struct {
	name   string
	folded string
	things []int32 // of each entry
	first  int     // number of its first entry in the index
}

// NewIndex returns an index of nothing.
func NewIndex() *Index {
	return &Index{ids: map[thing]int32{}}
}

// Len is the number of entries of all sources.
func (x *Index) Len() int { return x.total }

// Add adds a source behind the others. Its name, which may be empty, can be
// searched for as well.
func (x *Index) Add(name string, entries []Entry) *Source {
	s := &Source{name: name, folded: foldText(name)}
	x.sources = append(x.sources, s)
	x.fill(s, entries)
	return s
}

// Renew gives a source other entries, in its old place.
func (x *Index) Renew(s *Source, entries []Entry) {
	x.empty(s)
	x.fill(s, entries)
}

// Remove takes a source out of the index.
func (x *Index) Remove(s *Source) {
	x.empty(s)
	x.sources = slices.DeleteFunc(x.sources, func(o *Source) bool { return o == s })
	x.number()
}

// Entry is entry i of a source, as it was added.
func (x *Index) Entry(s *Source, i int) Entry {
	t := x.things[s.things[i]]
	return Entry{Kind: t.kind, Name: x.names.text[t.name], Of: x.ofs.text[t.of], Text: x.texts.text[t.text]}
}

func (x *Index) fill(s *Source, entries []Entry) {
	s.things = make([]int32, len(entries))
	for i := range entries {
		s.things[i] = x.use(&entries[i])
	}
	x.number()
}

// use is the thing that an entry is.
func (x *Index) use(e *Entry) int32 {
	t := thing{e.Kind & 31, x.names.add(e.Name), x.ofs.add(e.Of), x.texts.add(e.Text)}
	id, known := x.ids[t]
	if !known {
		id = int32(len(x.things))
		x.ids[t] = id
		x.things, x.uses = append(x.things, t), append(x.uses, 0)
	} else if x.uses[id] == 0 {
		x.idle--
	}
	x.uses[id]++
	return id
}

// empty takes the entries of a source out.
func (x *Index) empty(s *Source) {
	for _, id := range s.things {
		if x.uses[id]--; x.uses[id] == 0 {
			x.idle++
		}
	}
	s.things = nil
}

// number gives the sources their places. When most things are without an entry
// their memory is given back.
func (x *Index) number() {
	if x.idle > len(x.things)/2+1000 {
		x.rebuild()
	}
	x.total = 0
	for _, s := range x.sources {
		s.first = x.total
		x.total += len(s.things)
	}
	x.version++
}

func (x *Index) rebuild() {
	fresh := NewIndex()
	for _, s := range x.sources {
		things := make([]int32, len(s.things))
		for i := range things {
			e := x.Entry(s, i)
			things[i] = fresh.use(&e)
		}
		s.things = things
	}
	fresh.sources, fresh.version = x.sources, x.version
	*x = *fresh
}
