package config

import (
	"reflect"
	"slices"
	"strings"

	"perfdeck/session/alert"
)

// shown are the fields of the tables about hosts, feeds, alerts and recordings that may be
// given to others.
var shown = map[reflect.Type][]string{
	reflect.TypeFor[Host](): {"Name", "Address"},
	reflect.TypeFor[Feed](): {"Name", "Metrics"},
}

// Private are the texts of a file that nobody but its user is to see: accounts, where
// passwords and tokens come from, addresses of webhooks, commands. A field that is new is
// among them until it stands in shown.
func (c *Config) Private() (out []string) {
	var actions []alert.Action
	add := func(text string) {
		if isTelling(text) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for i := range c.Alerts.Rules {
		r := &c.Alerts.Rules[i]
		actions = slices.Concat(actions, r.Actions, r.OnClear)
		add(r.Text)
	}
	for _, part := range []any{c.Hosts, c.Alerts.Tasks, c.Alerts.Webhooks, c.Feeds, c.Pushes, c.Engines, actions} {
		eachText(reflect.ValueOf(part), add)
	}
	for _, r := range c.Records {
		add(r.File)
	}
	return out
}

// isTelling tells a text from a plain word, as most names of programs and their first
// arguments are: those stand in other texts, too.
func isTelling(text string) bool {
	const leastTelling, leastWord = 4, 12
	return len(text) >= leastWord || len(text) >= leastTelling && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-") != ""
}

// eachText calls a function for each text in a value, but for fields that are shown.
func eachText(v reflect.Value, do func(string)) {
	switch v.Kind() {
	case reflect.String:
		do(v.String())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachText(v.Index(i), do)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			eachText(v.MapIndex(key), do)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachText(v.Elem(), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !slices.Contains(shown[v.Type()], v.Type().Field(i).Name) {
				eachText(v.Field(i), do)
			}
		}
	default:
	}
}
