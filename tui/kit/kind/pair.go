package kind

import (
	"strings"

	"perfdeck/paths"
)

// pairs are the words by which the names of two counters that belong together
// differ.
var pairs = [...][2]string{
	{"Read", "Write"}, {"Reads", "Writes"}, {"Received", "Sent"}, {"Input", "Output"}, {"In", "Out"},
}

// PairName is the name that the two counters of a pair have in common, as
// Disk Read|Write Bytes/sec of Disk Read Bytes/sec; of others their own. The words may
// stand anywhere, in any case.
func PairName(counter string) string {
	for i := 0; i < len(counter); {
		end := i + strings.IndexAny(counter[i:]+" ", " /")
		for _, p := range pairs {
			if word := counter[i:end]; paths.EqualFold(word, p[0]) || paths.EqualFold(word, p[1]) {
				return counter[:i] + p[0] + "|" + p[1] + counter[end:]
			}
		}
		i = end + 1
	}
	return counter
}

// IsPair tells whether two counters of a counterset are one pair by their names.
func IsPair(a, b string) bool {
	pair := PairName(a)
	return !paths.EqualFold(a, b) && pair != a && paths.EqualFold(pair, PairName(b))
}
