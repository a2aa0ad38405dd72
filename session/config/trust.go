package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session/alert"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
)

// harmless are the tables that are taken from whoever wrote a file, as plain settings are: they say
// how things look. All others may send something, run or write it, and are taken from a file that
// nobody but the user, and root, may write. A key that is new is among those until it
// stands here. Tables of decks and of rules are taken one by one: see isHarmless.
func harmless() []string {
	return []string{numbersTable, counterTable, keysTable, alertsTable}
}

// isHarmless tells a deck that asks no host but the one that is looked at, and a rule that
// asks none either and is told on the terminal alone.
func isHarmless(table string, item any) bool {
	t, _ := item.(map[string]any)
	switch table {
	case deckTable:
		_, asks := t["host"]
		panes, _ := t["panes"].([]any)
		return !asks && !slices.ContainsFunc(panes, func(p any) bool {
			pane, _ := p.(map[string]any)
			_, asks := pane["host"]
			return asks
		})
	case alertTable:
		for _, key := range []string{"when", "absent"} {
			if text, _ := t[key].(string); strings.HasPrefix(strings.TrimSpace(text), `\\`) {
				return false
			}
		}
		then, _ := t["then"].([]any)
		cleared, _ := t["cleared"].([]any)
		return !slices.ContainsFunc(slices.Concat(then, cleared), func(a any) bool {
			text, _ := a.(string)
			action, ok := alert.ParseAction(text)
			return ok && action.Do.Place() != alert.OnTerminal
		})
	}
	return false
}

// refusal is a table, or a value that is none, that is not taken from others.
type refusal struct {
	key    string
	offset int
	runs   bool // the key names a program
}

// refusalOf is that of a value: of a program in it, if there is one.
func refusalOf(key string, v any, at *place) refusal {
	t, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if strings.HasSuffix(name, "command") {
			return refusal{key + "." + keyText(name), at.field(name).value, true}
		}
		if r := refusalOf(key+"."+keyText(name), t[name], at.field(name)); r.runs {
			return r
		}
	}
	return refusal{key: key, offset: at.key}
}

// distrusted takes away from the root of a file what is taken from nobody else than the user.
func (t table) distrusted() (refused []refusal) {
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		items, many := t.values[key].([]any)
		_, isTable := t.values[key].(map[string]any)
		switch {
		case !many && !isTable || slices.Contains(harmless(), key):
			continue
		case !many:
			refused = append(refused, refusalOf(key, t.values[key], t.at.field(key)))
			delete(t.values, key)
			continue
		}
		var fine []any
		for i, item := range items {
			if isHarmless(key, item) {
				fine = append(fine, item)
				continue
			}
			refused = append(refused, refusalOf(fmt.Sprintf("%s[%d]", key, i+1), item, t.at.field(key).item(i)))
		}
		t.values[key] = fine
	}
	return refused
}

// refuse makes faults of what a file that others may write says.
func (d *decoder) refuse(refused []refusal, distrust error) {
	for _, r := range refused {
		d.fault(r.offset, &FileError{Key: r.key, runs: r.runs, Reason: distrust.Error(), Expected: "a file that only you may write", Err: distrust, hint: failure.Hint(distrust)})
	}
}

// ignored tells what of a file of another user is not taken.
func ignored(file string, refused []refusal, why error) error {
	keys := make([]string, len(refused))
	for i := range keys {
		keys[i] = refused[i].key
	}
	return failure.WithHint(fmt.Errorf("%s: ignored: %s: %w", file, english.Some(keys, mostIgnored), why), "set HOME to your own, or name a file with --config")
}

const mostIgnored = 10

// distrustOf tells why a file is not the user's alone, nil if it is.
func distrustOf(path string, f *osfile.Input) error {
	if err := insecure(f.File, f.Info); err != nil {
		return err
	}
	if reason, hint := osfile.Replaceable(path); reason != "" {
		return &InsecureError{f.Info.Name(), reason, hint}
	}
	return nil
}

// isAnothers tells that somebody else's file is distrusted, not one of the user's that others
// may write.
func isAnothers(distrust error) bool {
	e, ok := errors.AsType[*InsecureError](distrust)
	return ok && strings.HasSuffix(e.Reason, osfile.AnothersOwn)
}

// Obeyed is the whole name of a file that says what is done, as a list of hosts, a manifest or
// certificates that are trusted: others may not write it, nor put another in its place.
func Obeyed(name string) (string, error) {
	whole, err := BelowHome(name)
	if err == nil && whole != "" {
		at, noFolder := filepath.Abs(whole)
		if err = noFolder; err == nil {
			_, err = Program(at)
		}
		if reason, hint := osfile.Replaceable(whole); err == nil && reason != "" {
			err = &InsecureError{filepath.Base(whole), reason, hint}
		}
	}
	return whole, err
}

// Program is the whole name of a program, or its bare one. Others may not write it; its folder
// is the system's in general, and as that has it.
func Program(name string) (string, error) {
	whole, err := BelowHome(name)
	if err != nil || !filepath.IsAbs(whole) {
		return whole, err
	}
	if err := insecureName(whole); err != nil {
		if _, is := errors.AsType[*InsecureError](err); is {
			return whole, err
		}
	}
	return whole, nil // who uses it says what else is wrong
}
