package search

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdeck/paths"
)

// numbered is texts, each with a number.
type numbered struct {
	ids  map[string]int32
	text []string
}

// number is that of a text, which may be known.
func (d *numbered) number(text string) (id int32, known bool) {
	if id, known = d.ids[text]; known {
		return id, true
	}
	if d.ids == nil {
		d.ids = map[string]int32{}
	}
	id = int32(len(d.text))
	d.ids[text], d.text = id, append(d.text, text)
	return id, false
}

// fieldNames is the distinct names of one field.
type fieldNames struct {
	numbered

	folded  []string
	letters []uint64 // see lettersOf
	starts  []uint64 // see startsOf
	firsts  []uint64 // lettersOf the bytes that begin words
	runes   []uint8  // how long the text is, at most 255
}

// add is the number of a text.
func (c *fieldNames) add(text string) int32 {
	id, known := c.number(text)
	if known {
		return id
	}
	folded := foldText(text)
	c.folded = append(c.folded, folded)
	starts := startsOf(text)
	c.starts = append(c.starts, starts)
	c.letters, c.firsts = append(c.letters, lettersOf(folded)), append(c.firsts, firstsOf(folded, starts))
	c.runes = append(c.runes, uint8(min(utf8.RuneCountInString(text), 0xFF)))
	return id
}

// cost is how well a word fits a name.
func (c *fieldNames) cost(id int32, w *foundWord, fits func(folded string, starts uint64, word string) uint8) uint8 {
	if c.letters[id]&w.letters != w.letters {
		return notFound
	}
	starts := c.starts[id]
	if c.firsts[id]&lettersOf(w.word[:1]) == 0 {
		starts = 0
	}
	return fits(c.folded[id], starts, w.word)
}

// foldText folds a text as package paths does.
func foldText(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return paths.Fold(text)
		}
	}
	return strings.ToLower(text) // the same for ASCII, and quicker
}

// startsOf is where words begin in a name: bit i is set if one does at byte i of
// what the name is folded to. Words begin behind what is neither letter nor
// digit, between letters and digits, and at the capitals of CamelCase and
// SQLServer.
func startsOf(text string) (starts uint64) {
	at, last := 0, sign
	for i := 0; i < len(text) && at < wordBytes; {
		r, size := utf8.DecodeRuneInString(text[i:])
		now := classOf(r)
		if begins(last, now, text[i+size:]) {
			starts |= 1 << at
		}
		last = now
		at += len(foldedRune(text[i : i+size]))
		i += size
	}
	return starts
}

// foldedStarts is startsOf a text that was folded before: capitals tell nothing.
func foldedStarts(folded string) (starts uint64) {
	last := sign
	for at, r := range folded {
		if at >= wordBytes {
			break
		}
		now := caseless(r)
		if begins(last, now, "") {
			starts |= 1 << at
		}
		last = now
	}
	return starts
}

// foldedRune is what foldText makes of one rune, but for the case of ASCII.
func foldedRune(r string) string {
	if r[0] < utf8.RuneSelf {
		return r // its case does not change its length
	}
	return paths.Fold(r)
}

// class is what kind of rune one is for the borders of words.
type class uint8

const (
	sign class = iota // neither letter nor digit
	lower
	upper
	digit
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return sign
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r), unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return sign
}

// begins tells whether a word begins at a rune, by the one before it and the
// text behind it.
func begins(last, now class, behind string) bool {
	switch {
	case now == sign:
		return false
	case last == sign, (last == digit) != (now == digit):
		return true
	case now != upper || last == lower:
		return now == upper
	}
	next, _ := utf8.DecodeRuneInString(behind)
	return classOf(next) == lower
}

// lettersOf is which bytes a folded text has: a bit for each letter and digit,
// the others share the rest. A text can hold a word only if it has its bits.
func lettersOf(folded string) (set uint64) {
	for i := range len(folded) {
		switch b := folded[i]; {
		case 'a' <= b && b <= 'z':
			set |= 1 << (b - 'a')
		case '0' <= b && b <= '9':
			set |= 1 << (26 + b - '0')
		default:
			set |= 1 << (36 + b%28)
		}
	}
	return set
}

// firstsOf is lettersOf the bytes that begin words.
func firstsOf(folded string, starts uint64) (set uint64) {
	for ; starts != 0; starts &= starts - 1 {
		at := bits.TrailingZeros64(starts)
		set |= lettersOf(folded[at : at+1])
	}
	return set
}
