package config

import (
	"fmt"
	"strings"

	"perfdeck/session/text/field"
)

// decodeFields reads what a table says, key by key, but for keys that were read already. Of a list with wrong items those are reported.
func decodeFields[S any](t table, rows field.Rows[S], to S) {
	for i := range rows {
		f := &rows[i]
		if f.Help == "" || f.Set == nil || t.asked[f.Name] {
			continue
		}
		v, there := t.value(f.Name)
		if !there {
			continue
		}
		takes := func(said field.Values, ok bool) bool { return ok && plainText(said.Text()) && f.Set(to, said) == nil }
		at, key, expected := t.at.field(f.Name), t.key(f.Name), f.Expected(valueText)
		items, isList := v.([]any)
		if !f.Kind.IsList() || !isList || len(items) > mostListItems {
			if said, ok := f.Kind.Values(v); isList || !takes(said, ok) {
				word, _ := v.(string)
				t.d.fault(at.value, &FileError{Key: key, Reason: "found " + show(v), Expected: expected, hint: didYouMean(Nearest(word, f.Choices))})
			}
			continue
		}
		var good field.Values
		for i, item := range items {
			if s, ok := item.(string); takes(field.Values{s}, ok) {
				good = append(good, s)
			} else {
				t.d.found(at.item(i).value, fmt.Sprintf("%s[%d]", key, i+1), item, expected)
			}
		}
		_ = f.Set(to, good) // each was taken
	}
}

// appendFields appends what is said, as decodeFields reads it. as may have other values of a key.
func appendFields[S any](b []byte, rows field.Rows[S], of S, as func(key string, v field.Values) field.Values) []byte {
	for i := range rows {
		f := &rows[i]
		if f.Help == "" {
			continue
		}
		if v := as(f.Name, f.Values(of)); len(v) > 0 {
			b = fmt.Appendf(b, "%s = %s\n", f.Name, valueText(f.Kind, v))
		}
	}
	return b
}

// valueText writes values as TOML.
func valueText(k field.Kind, v field.Values) string {
	switch k {
	case field.Words, field.Lines:
		out := make([]string, len(v))
		for i, s := range v {
			out[i] = quote(s)
		}
		return "[" + strings.Join(out, ", ") + "]"
	case field.Number, field.Switch:
		return v.Text()
	case field.Text, field.Amount:
	}
	return quote(v.Text())
}
