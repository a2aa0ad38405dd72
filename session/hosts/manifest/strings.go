package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// stringTables has the string tables of localization/resources, by culture.
type stringTables struct {
	byCulture map[string]map[string]string
	count     int
	full      bool
}

// english is the culture that names are taken from: en-US, else another
// English one, else the first of the file.
func (f *File) english() string {
	for _, prefix := range []string{"en-us", "en"} {
		for _, culture := range f.Cultures {
			if strings.HasPrefix(strings.ToLower(culture), prefix) {
				return culture
			}
		}
	}
	if len(f.Cultures) == 0 {
		return ""
	}
	return f.Cultures[0]
}

// textUse is a text that refers to the string table, which often stands behind
// it.
type textUse struct {
	text *Text
	at   int
	name string // of the attribute
}

// text reads a text that people see; a reference is resolved in the end.
func (r *reader) text(t token, name string, text *Text) {
	a := find(t, name)
	if a == nil {
		return
	}
	text.Value = a.value
	if !strings.Contains(a.value, "$(") {
		return
	}
	if id, ok := stringReference(a.value); ok {
		text.StringID = id
		r.texts = append(r.texts, textUse{text, a.valueAt, name})
	}
}

// stringReference reads $(string.id), which must be the whole value.
func stringReference(value string) (id string, ok bool) {
	const prefix = "$(string."
	value = strings.TrimSpace(value)
	if len(value) <= len(prefix)+len(")") || !strings.EqualFold(value[:len(prefix)], prefix) {
		return "", false
	}
	id, ok = strings.CutSuffix(value[len(prefix):], ")")
	return id, ok && !strings.ContainsAny(id, "$()")
}

// stringElement keeps one entry of a string table.
func (r *reader) stringElement(t token) {
	tables := &r.file.strings
	table := tables.byCulture[r.culture]
	if tables.count == MaxStrings || table == nil && len(r.file.Cultures) == MaxCultures {
		if !tables.full {
			r.fail(t.at, finding{RuleLimit, fmt.Sprintf("the string tables have more than %d strings or %d cultures", MaxStrings, MaxCultures), ""})
		}
		tables.full = true
		return
	}
	tables.count++
	if table == nil {
		table = map[string]string{}
		if tables.byCulture == nil {
			tables.byCulture = map[string]map[string]string{}
		}
		tables.byCulture[r.culture] = table
		r.file.Cultures = append(r.file.Cultures, r.culture)
	}
	if id := value(t, "id"); id != "" {
		table[id] = value(t, "value")
	}
}

// resolve replaces references to the string table by their texts.
func (r *reader) resolve() {
	order := append([]string{r.file.english()}, r.file.Cultures...)
	for _, use := range r.texts {
		text, found := r.file.strings.find(use.text.StringID, order)
		if !found {
			r.unresolved(use)
			continue
		}
		if !r.full(Warning) {
			r.warn(use.at, finding{RuleStringTable, use.name + " refers to the string table: " + quote(use.text.StringID), "the schema asks for the text itself: write " + quote(text)})
		}
		use.text.Value = text
		if rule := (attributeRule{name: use.name, form: "name"}); use.name == "name" && !rule.accepts(text) {
			r.fail(use.at, rule.complain(text))
		}
	}
}

// find looks a text up in the cultures, in their order.
func (s *stringTables) find(id string, cultures []string) (text string, ok bool) {
	for _, culture := range cultures {
		if text, ok = s.byCulture[culture][id]; ok {
			return text, true
		}
	}
	return "", false
}

func (r *reader) unresolved(use textUse) {
	id := use.text.StringID
	use.text.StringID = ""
	if r.broken {
		return // its table may stand where nothing could be read
	}
	hint := "write the text itself"
	if len(r.file.Cultures) > 0 {
		hint = "the string tables are those of " + strings.Join(quoted(r.file.Cultures), ", ")
	}
	r.fail(use.at, finding{RuleStringUnknown, "no string table has " + quote(id), hint})
}

func quoted(names []string) []string {
	names = slices.Clone(names[:min(len(names), 5)])
	for i := range names {
		names[i] = quote(names[i])
	}
	return names
}
