package config

import (
	"path/filepath"
	"strings"

	"perfdeck/session/text/printable"
)

// PasswordRef says where a password is. At most one field is set; passwords
// themselves are never in a file.
type PasswordRef struct {
	File    string   // absolute, or below ~/
	Command []string // a program, by its bare name, absolute or below ~/, and its arguments
	Keyring string   // a service; the account is the user
}

// IsZero tells that nothing is said.
func (r PasswordRef) IsZero() bool { return r.File == "" && len(r.Command) == 0 && r.Keyring == "" }

// secretKeys are the keys of a table that say where a secret is, of which it has
// one at most, and bare, under which it must not stand itself.
type secretKeys struct{ bare, file, command, keyring string }

// secretRef reads where a secret is. What was found is never shown: it may be the
// secret itself, in the wrong place.
func (t table) secretRef(keys secretKeys) (ref PasswordRef) {
	one := "one of " + keys.file + ", " + keys.command + " and " + keys.keyring
	if _, there := t.value(keys.bare); there {
		t.fault(keys.bare, &FileError{Reason: "a " + keys.bare + " must not stand in the file", Expected: one})
	}
	said := ""
	for _, key := range []string{keys.keyring, keys.file, keys.command} {
		v, there := t.value(key)
		if !there {
			continue
		}
		if said != "" {
			t.fault(key, &FileError{Reason: "found beside " + said, Expected: one})
		}
		said = key
		switch key {
		case keys.file:
			ref.File = t.secretText(key, v, wholePath())
		case keys.command:
			ref.Command = t.command(key, v)
		case keys.keyring:
			ref.Keyring = t.secretText(key, v, name("a service in the keyring"))
		}
	}
	return ref
}

func (t table) secretText(key string, v any, r reader[string]) string {
	s, ok := r.read(v)
	if !ok {
		t.fault(key, &FileError{Reason: "found something else", Expected: r.expected})
	}
	return s
}

// maxCommandArgs bounds a password command.
const maxCommandArgs = 64

func (t table) command(key string, v any) []string {
	wrong := &FileError{Reason: "found something else", Expected: `a program and its arguments, as ["pass", "show", "web01"]`}
	items, _ := v.([]any)
	if len(items) == 0 || len(items) > maxCommandArgs {
		t.fault(key, wrong)
		return nil
	}
	var out []string
	for _, item := range items {
		s, ok := item.(string)
		if !ok || strings.ContainsRune(s, 0) {
			t.fault(key, wrong)
			return nil
		}
		out = append(out, s)
	}
	if !isProgram(out[0]) {
		t.fault(key, &FileError{Reason: "found something else", Expected: "a program by its bare name, or an absolute path, or one below ~/"})
	}
	return out
}

// isWholePath tells paths that mean the same wherever perfdeck is started.
func isWholePath(s string) bool {
	below, isHome := strings.CutPrefix(s, "~/")
	return printable.Text(s) == s && (isHome && below != "" || filepath.IsAbs(s))
}

func isProgram(s string) bool {
	return isWholePath(s) || s != "" && s != "." && s != ".." && !strings.ContainsAny(s, `/\`) && printable.Text(s) == s
}
