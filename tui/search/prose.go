package search

import "strings"

// prose is the distinct descriptions. They are many and long, but made of few
// words: what is looked for is looked for in each of those once. What is typed is
// split at blanks, so that no word of it goes beyond one of a description.
type prose struct {
	numbered

	words map[string]int32
	word  []string // folded, with its signs: "transfer."
	begin []uint64 // see foldedStarts, of each
	said  []int32  // the words of all texts, one text behind the other
	end   []int32  // of each text in said
}

// add is the number of a text.
func (p *prose) add(text string) int32 {
	id, known := p.number(text)
	if known {
		return id
	}
	for word := range strings.FieldsSeq(foldText(text)) {
		p.said = append(p.said, p.wordNumber(word))
	}
	p.end = append(p.end, int32(len(p.said)))
	return id
}

func (p *prose) wordNumber(word string) int32 {
	n, known := p.words[word]
	if !known {
		if n = int32(len(p.word)); n == 0 {
			p.words = map[string]int32{}
		}
		word = strings.Clone(word) // not the text around it
		p.words[word] = n
		p.word, p.begin = append(p.word, word), append(p.begin, foldedStarts(word))
	}
	return n
}

// costs fills in how well a word fits each word of the descriptions, but for those
// that are known not to hold it. It reports whether any does.
func (p *prose) costs(word string, costs []uint8) (found bool) {
	for n, c := range costs {
		if c == unknown {
			costs[n] = inText(p.word[n], p.begin[n], word)
		}
		found = found || costs[n] != notFound
	}
	return found
}

// cost is the lowest cost of the words of a text.
func (p *prose) cost(id int32, costs []uint8) uint8 {
	from := int32(0)
	if id > 0 {
		from = p.end[id-1]
	}
	best := uint8(notFound)
	for _, n := range p.said[from:p.end[id]] {
		best = min(best, costs[n])
	}
	return best
}
