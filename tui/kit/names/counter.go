// Package names makes the names of counters and instances fit: what all of them
// say goes first, the part that tells them apart stays.
package names

import (
	"strings"
	"unicode/utf8"
)

// Counter fits a counter's name into w cells: words that the counterset's name
// says already go first, then words are abbreviated. What is still too long is
// for the caller to cut.
func Counter(name, set string, w int) string {
	if utf8.RuneCountInString(name) <= w {
		return name
	}
	name = dropWords(name, set)
	for _, a := range shorter {
		if utf8.RuneCountInString(name) <= w {
			return name
		}
		name = abbreviate(name, a.long, a.short)
	}
	return name
}

// dropWords leaves out the words of the set's name: "Avg. Disk sec/Transfer" of
// PhysicalDisk becomes "Avg. sec/Transfer". A name is never left empty.
func dropWords(name, set string) string {
	var kept []string
	for w := range strings.FieldsSeq(name) {
		if len(w) < 3 || !hasSuffix(set, w) && !hasPrefix(set, w+" ") {
			kept = append(kept, w)
		}
	}
	if len(kept) < 2 {
		return name
	}
	return strings.Join(kept, " ")
}
