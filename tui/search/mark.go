package search

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdeck/paths"
)

// Span is a part of a text, in bytes: from From up to To.
type Span struct{ From, To int }

// NameMarks are where the words of the last search stand in a name,
// or in what is shown of it: sorted, without overlap, at borders of runes; until the next call.
func (f *Finder) NameMarks(name string) []Span { return f.marks(name, true) }

// TextMarks is NameMarks for descriptions, in which no letters are left out.
func (f *Finder) TextMarks(text string) []Span { return f.marks(text, false) }

func (f *Finder) marks(text string, isName bool) []Span {
	dst := f.marked[:0]
	if len(f.words) == 0 || text == "" {
		return dst
	}
	folded, starts := foldText(text), startsOf(text)
	for i := range f.words {
		word := f.words[i].word
		before := len(dst)
		if at := placeOf(folded, starts, word); at >= 0 {
			dst = append(dst, Span{at, at + len(word)})
		} else if isName {
			dst = appendLetters(dst, abbreviation{folded, starts}, word)
		}
		for _, other := range f.words[i].also {
			if at := placeOf(folded, starts, other.word); at >= 0 && isName && len(dst) == before {
				dst = append(dst, Span{at, at + len(other.word)})
			}
		}
	}
	if f.marked = dst; len(dst) == 0 {
		return nil
	}
	unfold(dst, text)
	return join(dst)
}

// placeOf is where a word stands: where it begins a word, else where it stands
// first; -1 where it does not.
func placeOf(folded string, starts uint64, word string) int {
	first := strings.Index(folded, word)
	for at := first; at >= 0; {
		if isStart(folded, starts, at) {
			return at
		}
		next := strings.Index(folded[at+1:], word)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return first
}

// appendLetters appends the letters of a shortened word.
func appendLetters(dst []Span, a abbreviation, word string) []Span {
	for _, leaveOut := range []bool{false, true} {
		if leaveOut && utf8.RuneCountInString(word) < shortestWord {
			return dst
		}
		if places := a.trace(word, leaveOut); places != nil {
			for _, at := range places {
				dst = append(dst, Span{at, at + 1})
			}
			return dst
		}
	}
	return dst
}

// trace is the place of each byte of a shortened word, last byte first; nil if
// it is not found.
func (a abbreviation) trace(word string, leaveOut bool) []int {
	if len(word) > wordBytes {
		return nil
	}
	var found [wordBytes]uint64
	found[0] = a.starts & a.places(word[0])
	for i := 1; i < len(word); i++ {
		if found[i-1] == 0 {
			return nil
		}
		found[i] = a.next(found[i-1], word[i], leaveOut)
	}
	last := len(word) - 1
	if found[last] == 0 {
		return nil
	}
	at := bits.TrailingZeros64(found[last])
	places := []int{at}
	for i := last - 1; i >= 0; i-- {
		before := found[i] & (1<<at - 1)
		if !utf8.RuneStart(word[i+1]) {
			before &= 1 << (at - 1)
		}
		for before != 0 { // the nearest one from which the place can be reached
			q := bits.Len64(before) - 1
			if a.next(1<<q, word[i+1], leaveOut)&(1<<at) != 0 {
				at = q
				break
			}
			before &^= 1 << q
		}
		places = append(places, at)
	}
	return places
}

// unfold makes places in a folded text those in the text itself, whole runes.
func unfold(spans []Span, text string) {
	slices.SortFunc(spans, func(a, b Span) int { return a.From - b.From })
	for k := range spans {
		s := &spans[k]
		from, to := -1, len(text)
		at := 0
		for i := 0; i < len(text) && at < s.To; {
			_, size := utf8.DecodeRuneInString(text[i:])
			width := len(paths.Fold(text[i : i+size]))
			if at+width > s.From && from < 0 {
				from = i
			}
			at += width
			i += size
			to = i
		}
		s.From, s.To = max(from, 0), to
	}
}

// join joins sorted spans that touch or overlap.
func join(spans []Span) []Span {
	n := 0
	for _, s := range spans[1:] {
		if last := &spans[n]; s.From <= last.To {
			last.To = max(last.To, s.To)
			continue
		}
		n++
		spans[n] = s
	}
	return spans[:n+1]
}
