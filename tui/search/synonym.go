package search

import "strings"

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
