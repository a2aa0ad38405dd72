package prom

import (
	"cmp"
	_ "embed" // the sheet
	"slices"
	"strings"
	"sync"

	"perfdeck/paths"
	"perfdeck/session/text/sheet"
)

// known is the name that windows_exporter has for a number that a counter gives: for its
// raw value where it grows, for the value as it is else.
type known struct {
	name     string // empty: labels alone are known
	grows    bool
	scale    float64 // 0 means 1
	instance string  // label of the instance's name; empty: it has none
	labels   []Label
	byNumber bool
}

// windowsExporter has [COUNTERSETS] WORDS and COUNTER = METRIC WORDS: the words are those of take.
//
//go:embed windows_exporter.txt
var windowsExporter string

// knownSets are the counters that are known, by the folded names of countersets and counters;
// "" is what is known of all others.
var knownSets = sync.OnceValue(func() map[string]map[string]*known {
	out := map[string]map[string]*known{}
	for r := range sheet.Rows(windowsExporter) {
		for set := range strings.SplitSeq(paths.Fold(r.Part), ", ") {
			if out[set] == nil {
				all := &known{}
				all.take(r.Of)
				out[set] = map[string]*known{"": all}
			}
			k := *out[set][""]
			k.name, k.grows = r.Words[0], strings.HasSuffix(r.Words[0], "_total")
			k.take(r.Words[1:])
			out[set][paths.Fold(r.Name)] = &k
		}
	}
	return out
})

// take takes in what words say: the unit, a label of the series, that instances are told apart
// by their number too, or the label that has their name.
func (k *known) take(words []string) {
	for _, word := range words {
		switch name, value, isLabel := strings.Cut(word, "="); {
		case isLabel:
			k.labels = append(slices.Clip(k.labels), Label{name, value})
		case word == "MiB":
			k.scale = 1 << 20
		case word == "bits":
			k.scale = 1. / 8
		case word == "numbered":
			k.byNumber = true
		default:
			k.instance = word
		}
	}
}

// knownAs is what is known of a counter; nil: nothing, nor of its counterset.
func knownAs(set, counter string) *known {
	of := knownSets()[paths.Fold(set)]
	return cmp.Or(of[paths.Fold(counter)], of[""])
}
