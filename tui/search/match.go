package search

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// What it costs to find a word, by where it stands. Costs of several words add
// up; the lowest sum comes first.
const (
	exactName   = iota // it is the name
	nameBegins         // the name begins with it
	nameWord           // a word of the name does
	nameStarts         // starts of words: "ple" in "Page Life Expectancy"
	nameInside         // within a word of the name
	nameLetters        // letters left out: "prcssr" in "Processor"
	ofBegins           // the same in what it belongs to
	ofWord             //
	ofStarts           //
	ofInside           //
	ofLetters          //
	inSource           // the name of the source holds it
	textWord           // a word of the description begins with it
	textInside         // within a word of the description
)

const (
	notFound = 0xFF
	unknown  = 0xFE // nobody looked yet

	costOfWords    = 1  // what several words cost more than one text that is the same
	costOfDisorder = 2  // and if a name does not hold them as they were typed
	wordBytes      = 64 // of a name in which starts of words are known
	shortestWord   = 3  // runes of a word in which letters may be left out
)

// inName is the cost of a word in a name.
func inName(folded string, starts uint64, word string) uint8 {
	inside := uint8(notFound)
	if at := strings.Index(folded, word); at >= 0 {
		switch {
		case at == 0 && len(folded) == len(word):
			return exactName
		case at == 0:
			return nameBegins
		case beginsWord(folded, starts, word, at):
			return nameWord
		}
		inside = nameInside
	}
	a := abbreviation{folded: folded, starts: starts}
	switch {
	case starts == 0:
		return inside
	case a.holds(word, false):
		return nameStarts
	case inside != notFound:
		return inside
	case utf8.RuneCountInString(word) >= shortestWord && a.holds(word, true):
		return nameLetters
	}
	return notFound
}

// inOf is the cost of a word in what a thing belongs to.
func inOf(folded string, starts uint64, word string) uint8 {
	cost := inName(folded, starts, word)
	if cost == notFound {
		return notFound
	}
	return ofBegins + max(cost, nameBegins) - nameBegins
}

// inText is the cost of a word in a word of a description.
func inText(folded string, starts uint64, word string) uint8 {
	at := strings.Index(folded, word)
	switch {
	case at < 0:
		return notFound
	case beginsWord(folded, starts, word, at):
		return textWord
	}
	return textInside
}

// beginsWord tells whether the word found at a place, or again behind it, is
// the beginning of a word.
func beginsWord(folded string, starts uint64, word string, at int) bool {
	for {
		if isStart(folded, starts, at) {
			return true
		}
		next := strings.Index(folded[at+1:], word)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
}

// isStart tells whether a word begins at a byte. Beyond those of starts the
// capitals of CamelCase are not known any more.
func isStart(folded string, starts uint64, at int) bool {
	if at < wordBytes {
		return starts&(1<<at) != 0
	}
	last, _ := utf8.DecodeLastRuneInString(folded[:at])
	now, _ := utf8.DecodeRuneInString(folded[at:])
	return begins(caseless(last), caseless(now), "")
}

// caseless is the class of a folded rune, whose case says nothing any more.
func caseless(r rune) class {
	if c := classOf(r); c != upper {
		return c
	}
	return lower
}

// abbreviation looks for words shortened: their letters stand in the name in
// their order, and each either follows the one before it, or begins a word, or,
// if letters may be left out, stands later in the same word. Only the first 64
// bytes of a name are looked at; places are bits.
type abbreviation struct {
	folded string
	starts uint64
}

func (a abbreviation) holds(word string, leaveOut bool) bool {
	found := a.starts & a.places(word[0])
	for i := 1; i < len(word) && found != 0; i++ {
		found = a.next(found, word[i], leaveOut)
	}
	return found != 0
}

// next is where the next byte of a word can stand, by where the one before it
// can.
func (a abbreviation) next(found uint64, b byte, leaveOut bool) uint64 {
	can := found << 1
	if utf8.RuneStart(b) {
		can |= a.starts &^ (1<<(bits.TrailingZeros64(found)+1) - 1)
		if leaveOut {
			can |= a.restOfWord(found)
		}
	}
	return can & a.places(b)
}

// restOfWord is the places behind others that no start of a word parts from
// them.
func (a abbreviation) restOfWord(found uint64) uint64 {
	open := ^a.starts
	out := found << 1 & open
	for shift := 1; shift < wordBytes; shift *= 2 {
		out |= out << shift & open
		open &= open << shift
	}
	return out
}

// places is where a byte stands.
func (a abbreviation) places(b byte) (set uint64) {
	for i := range min(len(a.folded), wordBytes) {
		if a.folded[i] == b {
			set |= 1 << i
		}
	}
	return set
}

// synonyms are what people call things, and what they are called here: a word finds
// what holds these, too. All are folded.
var synonyms = map[string][]string{
	"cpu": {"processor", "system"}, "core": {"processor", "system"}, "cores": {"processor", "system"}, "load": {"processor", "system"},
	"ram": {"memory"}, "mem": {"memory"}, "swap": {"memory"},
	"net": {"network interface"}, "nic": {"network interface"}, "traffic": {"network interface"},
	"disk": {"physicaldisk"}, "io": {"physicaldisk"},
	"df": {"logicaldisk"}, "space": {"logicaldisk"},
	"kill": {"signal"}, "color": {"theme"}, "colour": {"theme"}, "colors": {"theme"}, "colours": {"theme"},
	"csv": {"record, stop", "record"}, "export": {"record, stop", "record"}, "options": {"settings"}, "config": {"settings"},
}

// Synonyms are what a word is called here; nil for one that has no other name. Both
// are folded.
func Synonyms(word string) []string { return synonyms[word] }

// costOfSynonym is what a word costs more that is found by another name, and by the next.
const costOfSynonym = 1

// costOfOwnPart is what such a word costs more in a name that holds it in another word: what
// people call so comes first, as signals before OOM Kills and adapters before nice.
const costOfOwnPart = 3

// hasWord tells whether a word is one of those of a folded name.
func hasWord(folded, word string) bool {
	for part := range strings.FieldsFuncSeq(folded, func(r rune) bool { return classOf(r) == sign }) {
		if part == word {
			return true
		}
	}
	return false
}
