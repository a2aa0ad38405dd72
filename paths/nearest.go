package paths

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

const (
	mostNearest   = 3
	leastLikeness = 0.6 // beneath it a suggestion helps nobody
)

// Nearest returns those of names that are most like name, best first, three at
// most: letters may be swapped, missing or too many, words in another order.
func Nearest(name string, names []string) []string {
	type candidate struct {
		name     string
		likeness float64
	}
	var good []candidate
	wanted := newLooks(name)
	for _, n := range names {
		if n == "" || slices.ContainsFunc(good, func(c candidate) bool { return c.name == n }) {
			continue
		}
		if x := likeness(wanted, newLooks(n)); x >= leastLikeness {
			good = append(good, candidate{n, x})
		}
	}
	slices.SortStableFunc(good, func(a, b candidate) int { return cmp.Compare(b.likeness, a.likeness) })
	var best []string
	for _, c := range good[:min(len(good), mostNearest)] {
		best = append(best, c.name)
	}
	return best
}

// looks is a name made ready for comparing.
type looks struct {
	runes []rune   // letters and digits, folded
	words [][]rune // the same, in words
}

func newLooks(name string) looks {
	const most = 128 // runes: comparing takes the product of two lengths
	var l looks
	lower, inWord := false, false
	for _, r := range name {
		r = plainRune(r)
		if len(l.runes) == most {
			break
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			inWord = false
			continue
		}
		if upper := unicode.IsUpper(r); !inWord || upper && lower { // LogicalDisk: two words
			l.words = append(l.words, nil)
		}
		inWord, lower = true, unicode.IsLower(r)
		last := len(l.words) - 1
		l.words[last] = append(l.words[last], foldRune(r))
		l.runes = append(l.runes, foldRune(r))
	}
	return l
}

// likeness is 1 for names that differ in case, blanks and signs only, 0 for
// those that have nothing in common.
func likeness(wanted, have looks) float64 {
	if len(wanted.runes) == 0 || len(have.runes) == 0 {
		return 0
	}
	whole := similar(wanted.runes, have.runes)
	// Words count in any order; what the wanted name says weighs more than what
	// it leaves out.
	words := 0.8*covered(wanted, have) + 0.2*covered(have, wanted)
	return max(whole, 0.95*words)
}

// covered is the share of a's letters in words that b has too.
func covered(a, b looks) float64 {
	sum := 0.0
	for _, word := range a.words {
		best := 0.0
		for _, other := range b.words {
			best = max(best, similarWord(word, other))
		}
		sum += best * float64(len(word))
	}
	return sum / float64(len(a.runes))
}

func similarWord(a, b []rune) float64 {
	if len(a) >= 3 && strings.HasPrefix(string(b), string(a)) {
		return 0.5 + 0.5*float64(len(a))/float64(len(b))
	}
	if x := similar(a, b); x >= 0.7 {
		return x
	}
	return 0
}

// similar is 1 less the share of letters that must be changed.
func similar(a, b []rune) float64 {
	return 1 - float64(Distance(a, b))/float64(max(len(a), len(b)))
}

// Distance counts the insertions, deletions, replacements and exchanges of
// neighbours that make b of a (optimal string alignment).
func Distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
