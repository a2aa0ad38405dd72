package manifest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdeck/cooker"
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

// form is the form of an attribute's value (the simple types of the schema).
type form uint8

const (
	formText    form = iota
	formName         // at most 1023 characters
	formSymbol       // CSymbolType
	formNumber       // UInt32Type
	formGUID         // GUIDType
	formScale        // -10..10
	formWord         // one of words
	formType         // counter type
	formDisplay      // name of a counterAttribute
)

// attributeRule is an attribute of the schema. Required is what the schema
// marks use="required"; what a version or a mode requires is checked apart.
type attributeRule struct {
	name     string
	form     form
	required bool
	words    []string
}

const required = true

// schema has the attributes of each element.
var schema = map[string][]attributeRule{
	elementCounters: {{"schemaVersion", formText, false, nil}}, // absent: rule schema-version
	elementProvider: {
		{"symbol", formSymbol, false, nil},
		{"callback", formWord, false, []string{"default", "custom"}},
		{"providerGuid", formGUID, required, nil},
		{"applicationIdentity", formText, required, nil},
		{"providerType", formWord, false, []string{"userMode", "kernelMode"}},
		{"providerName", formText, false, nil},
		{"resourceBase", formNumber, false, nil},
	},
	elementSet: {
		{"guid", formGUID, required, nil},
		{"uri", formText, required, nil},
		{"symbol", formSymbol, required, nil},
		{"name", formName, required, nil},
		{"nameID", formNumber, false, nil},
		{"description", formText, required, nil},
		{"descriptionID", formNumber, false, nil},
		{"instances", formWord, false, instanceWords},
	},
	elementStructs: {},
	elementStruct: {
		{"name", formSymbol, required, nil},
		{"type", formSymbol, required, nil},
	},
	elementCounter: {
		{"id", formNumber, required, nil},
		{"uri", formText, required, nil},
		{"name", formName, false, nil},
		{"nameID", formNumber, false, nil},
		{"description", formText, false, nil},
		{"descriptionID", formNumber, false, nil},
		{"type", formType, required, nil},
		{"detailLevel", formWord, required, []string{"standard", "advanced"}},
		{"defaultScale", formScale, false, nil},
		{"aggregate", formWord, false, []string{"sum", "avg", "min", "max", "undefined"}},
		{"symbol", formSymbol, false, nil},
		{"baseID", formNumber, false, nil},
		{"perfTimeID", formNumber, false, nil},
		{"perfFreqID", formNumber, false, nil},
		{"multiCounterID", formNumber, false, nil},
		{"struct", formSymbol, false, nil},
		{"field", formSymbol, false, nil},
	},
	elementAttributes: {},
	elementAttribute:  {{"name", formDisplay, required, nil}},
}

// MaxNameLength is the length of a counterset's or counter's name in
// characters.
const MaxNameLength = 1023

// accepts says that a value has the form of the attribute.
func (a *attributeRule) accepts(value string) bool {
	ok := true
	switch a.form {
	case formName:
		ok = nameFits(value)
	case formSymbol:
		ok = isSymbol(value)
	case formNumber:
		_, ok = parseNumber(value)
	case formGUID:
		ok = isGUID(value)
	case formScale:
		_, ok = parseScale(value)
	case formWord:
		ok = slices.Contains(a.words, value)
	case formType:
		_, ok = typesByName[value]
	case formDisplay:
		_, ok = cooker.LookupAttribute(value)
	case formText:
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
	case formName:
		return finding{RuleNameSize, fmt.Sprintf("the name has %d characters, more than %d", utf8.RuneCountInString(value), MaxNameLength), "shorten it"}
	case formSymbol:
		return finding{RuleSymbol, what + " is no C symbol", "letters, digits and _, not a digit first, or empty"}
	case formNumber:
		return finding{RuleNumber, what + " is no 32-bit number", "decimal, or 0x with 1 to 8 hexadecimal digits"}
	case formGUID:
		if isGUID("{" + value + "}") {
			return finding{RuleGUID, what + " is no GUID", "write it in braces"}
		}
		return finding{RuleGUID, what + " is no GUID", "8, 4, 4, 4 and 12 hexadecimal digits with dashes, in braces"}
	case formScale:
		return finding{RuleScale, what + " is no whole number from -10 to 10", "it is a power of ten: 0 shows the value as it is"}
	case formWord:
		return finding{RuleValue, what + " is unknown", suggest(value, a.words)}
	case formType:
		return finding{RuleType, quote(value) + " is no counter type of the schema", suggestType(value)}
	case formDisplay:
		words := (cooker.Reference | cooker.NoDisplay | cooker.NoGrouping | cooker.DisplayReal | cooker.DisplayHex).Names()
		return finding{RuleDisplay, quote(value) + " is no display attribute", suggest(value, words)}
	case formText:
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
