package config

import "strings"

// nearest is the known word most like a word, empty when none is like it.
func nearest(word string, known []string) string {
	const longest = 40 // bytes; no key is longer
	if len(word) > longest {
		return ""
	}
	word = strings.ReplaceAll(strings.ToLower(word), "-", "_")
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		if n := distance(word, strings.ToLower(k)); n < least {
			best, least = k, n
		}
	}
	return best
}

// distance is the number of bytes to insert, remove, replace or swap with the
// next that make b of a (optimal string alignment).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	var above, twoAbove []int
	for i := range len(a) {
		twoAbove, above, row = above, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], twoAbove[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
