package session

import "strings"

// The shape of a text is what is left of it without what varies: numbers, hexadecimal ones too,
// and addresses.

// mostShape is how much of a text makes its shape, in bytes.
const mostShape = 200

// sameShape tells whether two texts have one shape.
func sameShape(a, b string) bool {
	a, b = a[:min(len(a), mostShape)], b[:min(len(b), mostShape)]
	for a != "" && b != "" {
		one, other := wordLength(a), wordLength(b)
		if a[:one] != b[:other] && shapeOfWord(a[:one]) != shapeOfWord(b[:other]) {
			return false
		}
		a, b = a[one:], b[other:]
	}
	return a == b || len(a) == 0 && len(b) == 0
}

func shapeOf(text string) string {
	var out strings.Builder
	for text = text[:min(len(text), mostShape)]; text != ""; {
		n := wordLength(text)
		out.WriteString(shapeOfWord(text[:n]))
		text = text[n:]
	}
	return out.String()
}

// wordLength is how long the word is that a text begins with, or what is none.
func wordLength(text string) int {
	n := 0
	for n < len(text) && (isDigit(text[n]) || isLetter(text[n])) {
		n++
	}
	return max(n, 1)
}

// shapeOfWord is a word without its digits, and nothing but a mark of a hexadecimal number.
func shapeOfWord(word string) string {
	if !strings.ContainsAny(word, "0123456789") {
		return word
	}
	out := make([]byte, 0, len(word))
	isHex := true
	for i := range len(word) {
		c := word[i]
		isHex = isHex && (isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' || c|0x20 == 'x' && i == 1)
		if !isDigit(c) {
			out = append(out, c)
		} else if len(out) == 0 || out[len(out)-1] != '#' {
			out = append(out, '#')
		}
	}
	if isHex {
		return "#"
	}
	return string(out)
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
