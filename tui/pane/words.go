package pane

import "strings"

// ParseWords reads an expression of a filter: conditions, a word each, joined by
// "and" (or nothing) and "or". It gives any of: all of.
func ParseWords[T any](text string, parse func(word string) T) [][]T {
	var out [][]T
	var all []T
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		switch word {
		case "and":
		case "or":
			if len(all) > 0 {
				out = append(out, all)
			}
			all = nil
		default:
			all = append(all, parse(word))
		}
	}
	if len(all) > 0 {
		out = append(out, all)
	}
	return out
}
