package search

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdeck/paths"
	"perfdeck/session/text/words"
)

// Finder searches an index. It remembers the words of its last search, so that
// typing on costs little; each user of an index has one.
type Finder struct {
	index   *Index
	version int
	words   []foundWord
	typed   []int           // the words as they were typed
	phrase  string          // the whole text, if it has several words
	answers []words.Counter // of what people call so
	ranks   []uint16
	keys    []uint64
	hits    []Hit
	spare   [][]uint8
	marked  []Span // memory of marks
}

// foundWord is a word and what it costs in the names of each column, as far as
// it was asked, and in the words of the descriptions.
type foundWord struct {
	word     string
	letters  uint64
	name, of []uint8
	said     []uint8
	isSaid   bool        // it is in any description
	also     []foundWord // the same by other names, which no description is searched for
}

// cost is what the word costs in a thing. A description is read only if the
// word is nowhere else.
func (w *foundWord) cost(x *Index, t *thing) uint8 {
	best := w.named(x, t)
	if len(w.also) > 0 && best != notFound && !hasWord(x.names.folded[t.name], w.word) {
		best += costOfOwnPart
	}
	for i := range w.also {
		if cost := w.also[i].named(x, t); cost != notFound {
			best = min(best, cost+uint8(i+1)*costOfSynonym)
		}
	}
	if best != notFound || !w.isSaid {
		return best
	}
	return x.texts.cost(t.text, w.said)
}

// named is what the word costs in the name of a thing and in what it belongs to.
func (w *foundWord) named(x *Index, t *thing) uint8 {
	n := &w.name[t.name]
	if *n == unknown {
		*n = x.names.cost(t.name, w, inName)
	}
	o := &w.of[t.of]
	if *o == unknown {
		*o = x.ofs.cost(t.of, w, inOf)
	}
	return min(*n, *o)
}

// mostWords is how many words count; more than that is no search.
const mostWords = 12

// NewFinder makes a finder of an index.
func NewFinder(x *Index) *Finder { return &Finder{index: x, version: -1} }

// Hit is an entry that was found.
type Hit struct {
	Source *Source
	Entry  int
	Rank   int // 0 is the best
}

// Result is what a search found.
type Result struct {
	Hits  []Hit // the best ones, best first; until the next search
	Found int   // how many were found in all
	Total int   // of how many
}

// Find looks for text among the entries of some kinds (0: all). Hits are the
// best most ones, all if most is negative; 0 only counts. Without a word
// everything is found, in the order in which it was added.
func (f *Finder) Find(text string, kinds Kinds, most int) Result {
	f.prepare(strings.Fields(paths.Fold(text)))
	x := f.index
	if most < 0 {
		most = x.total
	}
	best := best{keys: f.keys[:0], most: most, worst: ^uint64(0)}
	r := Result{}
	for _, s := range x.sources {
		mine := f.inSource(s)
		for i, id := range s.things {
			t := &x.things[id]
			if !kinds.has(t.kind) {
				continue
			}
			r.Total++
			rank := f.rankIn(id, mine)
			if rank == never {
				continue
			}
			r.Found++
			if most > 0 {
				best.add(f.key(t, rank, s.first+i))
			}
		}
	}
	best.cut()
	f.keys = best.keys
	r.Hits = f.collect(best.keys)
	return r
}

// Rank is the rank of an entry in the last search; false if it was not found.
func (f *Finder) Rank(s *Source, i int) (rank int, found bool) {
	if f.version != f.index.version {
		return 0, false // the index changed since
	}
	r := f.rankIn(s.things[i], f.inSource(s))
	return int(r), r != never
}

// rankIn is the rank of a thing in a source that holds some words.
func (f *Finder) rankIn(id int32, mine uint64) uint16 {
	if mine == 0 {
		return f.ranks[id]
	}
	return f.rank(&f.index.things[id], mine)
}

// Found gives the entries of a source that the last search found, with their
// ranks, in the order in which they were added.
func (f *Finder) Found(s *Source) iter.Seq2[int, int] {
	return func(yield func(entry, rank int) bool) {
		if f.version != f.index.version {
			return
		}
		mine := f.inSource(s)
		for i, id := range s.things {
			if r := f.rankIn(id, mine); r != never && !yield(i, int(r)) {
				return
			}
		}
	}
}

const never uint16 = 0xFFFF

// prepare costs the words and ranks every thing.
func (f *Finder) prepare(list []string) {
	typed, phrase := list, strings.Join(list, " ")
	list = distinct(list)
	x := f.index
	same := f.version == x.version
	if same && f.ranks != nil && slices.EqualFunc(f.words, list, func(w foundWord, s string) bool { return w.word == s }) {
		return
	}
	if !same {
		f.words, f.spare = nil, nil
	}
	before := f.words
	f.words = make([]foundWord, len(list))
	for i, w := range list {
		f.words[i] = f.find(w, before)
	}
	f.typed, f.phrase = f.typed[:0], ""
	for _, w := range typed {
		if i := slices.Index(list, w); i >= 0 {
			f.typed = append(f.typed, i)
		}
	}
	if len(list) > 1 {
		f.phrase = phrase
	}
	for _, w := range before {
		if !slices.ContainsFunc(f.words, func(o foundWord) bool { return o.word == w.word }) {
			f.spare = append(f.spare, w.name, w.of, w.said)
			for i := range w.also {
				f.spare = append(f.spare, w.also[i].name, w.also[i].of)
			}
		}
	}
	f.answers = f.index.Words.Answers(phrase)
	f.version = x.version
	f.ranks = slices.Grow(f.ranks[:0], len(x.things))[:len(x.things)]
	for id := range x.things {
		f.ranks[id] = f.rank(&x.things[id], 0)
	}
}

// distinct is the first words of a query, each once; long ones come first, for
// they rule out most.
func distinct(words []string) (out []string) {
	for _, w := range words {
		if len(out) < mostWords && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// find begins to cost a word, by the help of the search before: of the word
// itself, or of its beginning.
func (f *Finder) find(word string, before []foundWord) foundWord {
	var start foundWord
	for _, w := range before {
		if w.word == word {
			return w
		}
		if strings.HasPrefix(word, w.word) && utf8.RuneCountInString(w.word) >= shortestWord && len(w.word) > len(start.word) {
			start = w
		}
	}
	x := f.index
	w := f.begin(word, start)
	for _, other := range Synonyms(word) {
		w.also = append(w.also, f.begin(other, foundWord{}))
	}
	w.said = f.costs(len(x.texts.word), start.said)
	w.isSaid = x.texts.costs(word, w.said)
	return w
}

// begin begins to cost a word in names, by the help of its beginning.
func (f *Finder) begin(word string, start foundWord) foundWord {
	w := foundWord{word: word, letters: lettersOf(word)}
	w.name = f.costs(len(f.index.names.text), start.name)
	w.of = f.costs(len(f.index.ofs.text), start.of)
	return w
}

// costs is memory for the costs of n texts, which are not known yet but where
// the beginning of the word was not found.
func (f *Finder) costs(n int, start []uint8) (out []uint8) {
	if i := slices.IndexFunc(f.spare, func(s []uint8) bool { return cap(s) >= n }); i >= 0 {
		out = f.spare[i][:n]
		f.spare = slices.Delete(f.spare, i, i+1)
	} else {
		out = make([]uint8, n)
	}
	for i := range out {
		out[i] = unknown
	}
	for i, c := range start {
		if c == notFound {
			out[i] = notFound
		}
	}
	return out
}

// inSource is a bit for each word that the name of a source holds.
func (f *Finder) inSource(s *Source) (mine uint64) {
	for i := range f.words {
		if s.folded != "" && strings.Contains(s.folded, f.words[i].word) {
			mine |= 1 << i
		}
	}
	return mine
}

// rank adds up the costs of the words in a thing; the words of mine are found
// in its source at least.
func (f *Finder) rank(t *thing, mine uint64) (sum uint16) {
	if f.isAnswer(t) {
		return exactName // beside what is called so: the shorter name comes first
	}
	for i := range f.words {
		cost := f.words[i].cost(f.index, t)
		if mine&(1<<i) != 0 {
			cost = min(cost, inSource)
		}
		if cost == notFound || len(f.answers) > 0 && (cost == nameLetters || cost == ofLetters) { // a word that is known is no abbreviation
			return never
		}
		sum += uint16(cost)
	}
	if f.phrase == "" {
		return sum
	}
	n := f.inThatName(t)
	if n == len(f.words) {
		if p := f.phraseIn(t); p <= nameWord {
			return min(sum, uint16(p))
		}
	}
	if n < 2 || f.inOrder(t) {
		return sum + costOfWords
	}
	return sum + costOfWords + costOfDisorder
}

// Answers are what would answer to what was searched as people call it, here or elsewhere.
func (f *Finder) Answers() []words.Counter { return f.answers }

// isAnswer tells a counter that answers to what people call so.
func (f *Finder) isAnswer(t *thing) bool {
	x := f.index
	return slices.ContainsFunc(f.answers, func(c words.Counter) bool {
		set, _, _ := strings.Cut(x.ofs.text[t.of], "\n") // a localized name stands behind it
		return paths.EqualFold(c.Name, x.names.text[t.name]) && paths.EqualFold(c.Set, set)
	})
}

// phraseIn is the cost of the whole text in the name of a thing.
func (f *Finder) phraseIn(t *thing) uint8 {
	names := &f.index.names
	folded := names.folded[t.name]
	if !strings.Contains(folded, f.phrase) {
		return notFound // in pieces it is no phrase
	}
	return inName(folded, names.starts[t.name], f.phrase)
}

// inThatName is how many of the words the name of a thing holds, in any way.
func (f *Finder) inThatName(t *thing) (n int) {
	for i := range f.words {
		if f.words[i].name[t.name] != notFound {
			n++
		}
	}
	return n
}

// inOrder tells whether the words that a name holds stand in it as they were
// typed, one behind the other.
func (f *Finder) inOrder(t *thing) bool {
	folded := f.index.names.folded[t.name]
	rest := folded
	for _, n := range f.typed {
		w := &f.words[n]
		if w.name[t.name] == notFound {
			continue
		}
		i := strings.Index(rest, w.word)
		switch {
		case i >= 0:
			rest = rest[i+len(w.word):]
		case strings.Contains(folded, w.word):
			return false
		}
	}
	return true
}

// key orders what was found: by rank, kind, length of the name, and place.
func (f *Finder) key(t *thing, rank uint16, place int) uint64 {
	if len(f.words) == 0 {
		return uint64(place)
	}
	length := f.index.names.runes[t.name]
	return uint64(rank)<<48 | uint64(t.kind)<<40 | uint64(length)<<32 | uint64(place)
}

// collect finds the entries behind keys.
func (f *Finder) collect(keys []uint64) []Hit {
	f.hits = f.hits[:0]
	for _, k := range keys {
		place := int(uint32(k))
		at, _ := slices.BinarySearchFunc(f.index.sources, place, func(s *Source, place int) int {
			if s.first+len(s.things) <= place {
				return -1
			}
			return 1
		})
		s := f.index.sources[at]
		f.hits = append(f.hits, Hit{Source: s, Entry: place - s.first, Rank: int(k >> 48)})
	}
	return f.hits
}

// best keeps the lowest keys.
type best struct {
	keys  []uint64
	most  int
	worst uint64 // keys above it are none of the best
}

func (b *best) add(key uint64) {
	if key > b.worst {
		return
	}
	b.keys = append(b.keys, key)
	if len(b.keys) >= 2*b.most+64 {
		b.cut()
	}
}

// cut sorts the keys and drops those above the best.
func (b *best) cut() {
	slices.Sort(b.keys)
	if len(b.keys) >= b.most && b.most > 0 {
		b.keys = b.keys[:b.most]
		b.worst = b.keys[b.most-1]
	}
}
