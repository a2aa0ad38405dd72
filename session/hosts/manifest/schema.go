package manifest

import (
	_ "embed" // the schema
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session/text/sheet"
)

// The elements of the schema.
const (
	elementCounters   = "counters"
	elementProvider   = "provider"
	elementSet        = "counterSet"
	elementStructs    = "structs"
	elementStruct     = "struct"
	elementCounter    = "counter"
	elementAttributes = "counterAttributes"
	elementAttribute  = "counterAttribute"
)

// schemaText has the attributes of each element.
//
//go:embed schema.txt
var schemaText string

// attributeRule is an attribute of the schema.
type attributeRule struct {
	name     string
	form     string // of its value
	required bool
	words    []string // of form word
}

// schema has the attributes of each element.
var schema = sync.OnceValue(func() map[string][]attributeRule {
	elements := map[string][]attributeRule{elementStructs: nil, elementAttributes: nil} // which have none
	for r := range sheet.Rows(schemaText) {
		rule := attributeRule{name: r.Name, form: r.Words[0], words: r.Words[1:]}
		if rule.required = slices.Contains(rule.words, "required"); rule.required {
			rule.words = rule.words[1:]
		}
		elements[r.Part] = append(elements[r.Part], rule)
	}
	return elements
})

// MaxNameLength is the length of a counterset's or counter's name in
// characters.
const MaxNameLength = 1023

// accepts says that a value has the form of the attribute.
func (a *attributeRule) accepts(value string) bool {
	ok := true
	switch a.form {
	case "name":
		ok = nameFits(value)
	case "symbol":
		ok = isSymbol(value)
	case "number":
		_, ok = parseNumber(value)
	case "guid":
		ok = isGUID(value)
	case "scale":
		_, ok = parseScale(value)
	case "word":
		ok = slices.Contains(a.words, value)
	case "type":
		_, ok = typesByName[value]
	case "display":
		_, ok = cooker.LookupAttribute(value)
	}
	return ok
}

func nameFits(name string) bool {
	return len(name) <= MaxNameLength || utf8.RuneCountInString(name) <= MaxNameLength
}

// complain says what is wrong with a value that is not accepted.
func (a *attributeRule) complain(value string) finding {
	what := a.name + " " + quote(value)
	switch a.form {
	case "name":
		return finding{RuleNameSize, fmt.Sprintf("the name has %d characters, more than %d", utf8.RuneCountInString(value), MaxNameLength), "shorten it"}
	case "symbol":
		return finding{RuleSymbol, what + " is no C symbol", "letters, digits and _, not a digit first, or empty"}
	case "number":
		return finding{RuleNumber, what + " is no 32-bit number", "decimal, or 0x with 1 to 8 hexadecimal digits"}
	case "guid":
		if isGUID("{" + value + "}") {
			return finding{RuleGUID, what + " is no GUID", "write it in braces"}
		}
		return finding{RuleGUID, what + " is no GUID", "8, 4, 4, 4 and 12 hexadecimal digits with dashes, in braces"}
	case "scale":
		return finding{RuleScale, what + " is no whole number from -10 to 10", "it is a power of ten: 0 shows the value as it is"}
	case "word":
		return finding{RuleValue, what + " is unknown", suggest(value, a.words)}
	case "type":
		return finding{RuleType, quote(value) + " is no counter type of the schema", suggestType(value)}
	case "display":
		words := (cooker.Reference | cooker.NoDisplay | cooker.NoGrouping | cooker.DisplayReal | cooker.DisplayHex).Names()
		return finding{RuleDisplay, quote(value) + " is no display attribute", suggest(value, words)}
	}
	return finding{}
}

// suggest names the word that a value differs from in case or blanks alone, or
// else all words.
func suggest(value string, words []string) string {
	for _, word := range words {
		if strings.EqualFold(word, strings.TrimSpace(value)) {
			return "write " + quote(word)
		}
	}
	return "one of " + strings.Join(words, ", ")
}

func suggestType(value string) string {
	name := strings.ToLower(strings.TrimSpace(value))
	for _, guess := range []string{name, "perf_" + name, "perf_counter_" + name} {
		if _, ok := typesByName[guess]; ok {
			return "write " + quote(guess)
		}
	}
	return `a name such as "perf_counter_rawcount"`
}

// typesByName has the counter types by their names in the schema.
var typesByName = indexTypes()

func indexTypes() map[string]cooker.CounterType {
	index := map[string]cooker.CounterType{}
	for _, info := range cooker.Types() {
		if _, taken := index[info.ManifestName]; !taken && info.ManifestName != "" {
			index[info.ManifestName] = info.Type
		}
	}
	return index
}

// typeName is the name of a counter type in the schema.
func typeName(t cooker.CounterType) string {
	info, _ := t.Info()
	return info.ManifestName
}
