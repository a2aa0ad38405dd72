package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/paths"
)

// maxWarnings bounds the warnings of one file: the first of a file that is none
// of ours say enough.
const maxWarnings = 100

// decoder collects what is wrong in a file.
type decoder struct {
	file     string
	data     []byte
	tables   []table
	faults   []located[*FileError]
	warnings []located[Warning]
}

// located is something that belongs to an offset of the file.
type located[T any] struct {
	offset int
	what   T
}

func byOffset[T any](a, b located[T]) int { return cmp.Compare(a.offset, b.offset) }

func (d *decoder) fault(offset int, e *FileError) {
	d.faults = append(d.faults, located[*FileError]{offset, e})
}

// mostFaults bounds what is told of a file, as maxWarnings does.
const mostFaults = 100

// firstFault is the one that stands first in the file, with the others behind it.
func (d *decoder) firstFault() error {
	if len(d.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(d.faults, func(a, b located[*FileError]) int {
		switch {
		case a.what.runs == b.what.runs:
			return byOffset(a, b)
		case a.what.runs:
			return -1
		}
		return 1
	})
	var all []*FileError
	for _, f := range d.faults[:min(len(d.faults), mostFaults)] {
		f.what.File = d.file
		f.what.Line, f.what.Column = position(d.data, f.offset)
		all = append(all, f.what)
	}
	all[0].Others = all[1:]
	return all[0]
}

func (d *decoder) sortedWarnings() []Warning {
	slices.SortStableFunc(d.warnings, byOffset)
	var out []Warning
	for _, w := range d.warnings[:min(len(d.warnings), maxWarnings)] {
		w.what.File = d.file
		w.what.Line, w.what.Column = position(d.data, w.offset)
		out = append(out, w.what)
	}
	return out
}

// table is a table of the file.
type table struct {
	d      *decoder
	name   string // as "deck[1]"; empty for the root
	values map[string]any
	at     *place
	asked  map[string]bool // keys that were asked for: those that are known
}

func (d *decoder) table(name string, values map[string]any, at *place) table {
	t := table{d, name, values, at, map[string]bool{}}
	d.tables = append(d.tables, t)
	return t
}

// value is what stands at a key, if anything.
func (t table) value(key string) (v any, there bool) {
	t.asked[key] = true
	v, there = t.values[key]
	return v, there
}

// has tells whether a key is there.
func (t table) has(key string) bool { return t.values[key] != nil }

// keys are those of a table in which each may stand.
func (t table) keys() []string {
	keys := slices.Sorted(maps.Keys(t.values))
	for _, key := range keys {
		t.asked[key] = true
	}
	return keys
}

// key is the full name of a key.
func (t table) key(key string) string {
	if t.name == "" {
		return keyText(key)
	}
	return t.name + "." + keyText(key)
}

// found reports what stands at an offset, which is that of a key or a part of its value.
func (d *decoder) found(offset int, key string, v any, expected string) {
	d.fault(offset, &FileError{Key: key, Reason: "found " + show(v), Expected: expected})
}

// fault reports what is wrong with the value of a key.
func (t table) fault(key string, e *FileError) {
	e.Key = t.key(key)
	t.d.fault(t.at.field(key).value, e)
}

// wrong reports a value. Its key must be in the table.
func (t table) wrong(key, expected string) {
	t.d.found(t.at.field(key).value, t.key(key), t.values[key], expected)
}

// misnamed reports a key that is a name, and none that can be.
func (t table) misnamed(key, expected string) {
	t.d.found(t.at.field(key).key, t.key(key), key, expected)
}

// missing reports a key that the table must have.
func (t table) missing(key, expected string) {
	t.d.fault(t.at.key, &FileError{Key: t.key(key), Reason: "missing", Expected: expected})
}

// warnUnknown reports the keys that nobody asked for.
func (t table) warnUnknown() {
	known := slices.Sorted(maps.Keys(t.asked))
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		if t.asked[key] {
			continue
		}
		near := Nearest(key, known)
		if near == "" {
			near = elsewhere(key)
		}
		t.d.warnings = append(t.d.warnings, located[Warning]{t.at.field(key).key, Warning{
			Key: t.key(key), Reason: "unknown key", Nearest: near,
		}})
	}
}

// elsewhere finds a key that belongs into another table.
func elsewhere(key string) string {
	for _, s := range settings {
		if s.key == key || strings.HasSuffix(s.key, "."+key) {
			return s.key
		}
	}
	return ""
}

// table is a table in the table.
func (t table) table(key string) (sub table, ok bool) {
	v, ok := t.value(key)
	if !ok {
		return table{}, false
	}
	values, ok := v.(map[string]any)
	if !ok {
		t.wrong(key, "a table: ["+t.key(key)+"]")
		return table{}, false
	}
	return t.d.table(t.key(key), values, t.at.field(key)), true
}

// texts reads a table of at most so many texts, by names that are expected.
func (t table) texts(key string, most int, isName func(string) bool, expected string, value reader[string]) map[string]string {
	all, ok := t.table(key)
	if !ok {
		return nil
	}
	names := all.keys()
	if len(names) > most {
		t.wrong(key, fmt.Sprintf("at most %d of them", most))
		return nil
	}
	out := map[string]string{}
	for _, name := range names {
		if !isName(name) {
			all.misnamed(name, expected)
			continue
		}
		if v := optional(all, name, value); v != nil {
			out[name] = *v
		}
	}
	return out
}

// tables are the tables of an array of them.
func (t table) tables(key, expected string) []table {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	items, ok := v.([]any)
	if !ok {
		t.wrong(key, expected)
		return nil
	}
	var out []table
	for i, item := range items {
		name, at := fmt.Sprintf("%s[%d]", t.key(key), i+1), t.at.field(key).item(i)
		values, ok := item.(map[string]any)
		if !ok {
			t.d.found(at.value, name, item, expected)
			continue
		}
		out = append(out, t.d.table(name, values, at))
	}
	return out
}

// listed decodes the tables of a list, as [[host]]. Each has a name that no other has, compared
// without case.
func listed[T any](root table, key, one string, name func(*T) string, decode func(table) T) (out []T) {
	taken := map[string]bool{}
	for _, t := range root.tables(key, "tables: [["+key+"]]") {
		item := decode(t)
		folded := paths.Fold(name(&item))
		if folded != "" && taken[folded] {
			t.wrong("name", "a name that no other "+one+" has")
		}
		taken[folded] = true
		out = append(out, item)
	}
	return out
}

// find finds an item of a list.
func find[T any](list []T, is func(*T) bool) (found T, ok bool) {
	for i := range list {
		if is(&list[i]) {
			return list[i], true
		}
	}
	return found, false
}

// reader reads one kind of value.
type reader[T any] struct {
	expected string   // what it takes, for messages
	words    []string // those it takes, if it takes nothing else
	read     func(v any) (T, bool)
}

// hint finds the word that may have been meant.
func (r reader[T]) hint(v any) string {
	s, _ := v.(string)
	return didYouMean(Nearest(s, r.words))
}

// optional reads a value that may be absent; nil if it is, or is wrong.
func optional[T any](t table, key string, r reader[T]) *T {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	out, ok := r.read(v)
	if !ok {
		t.fault(key, &FileError{Reason: "found " + show(v), Expected: r.expected, hint: r.hint(v)})
		return nil
	}
	return &out
}

// set reads a value that may be absent into a variable.
func set[T any](t table, key string, r reader[T], to *T) {
	if v := optional(t, key, r); v != nil {
		*to = *v
	}
}

// trimMark drops the byte order mark that editors of Windows write.
func trimMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// parseTOML checks the whole document and gives its values: string, bool,
// int64, float64, times, []any and map[string]any.
func parseTOML(file string, data []byte) (map[string]any, error) {
	var values map[string]any
	err := toml.Unmarshal(data, &values)
	if err == nil {
		return values, nil
	}
	out := &FileError{File: file, Reason: strings.TrimPrefix(err.Error(), "toml: ")}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		out.Line, out.Column = line, characters(data, line, column)
		out.Key = keyText(at.Key()...)
	}
	if strings.Contains(out.Reason, "escape") {
		out.hint = quoteHint
	}
	return nil, out
}

// characters turns a column in bytes into one in characters.
func characters(data []byte, line, column int) int {
	for range line - 1 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return utf8.RuneCount(data[:min(max(column-1, 0), len(data))]) + 1
}

// keyText writes a key as TOML does.
func keyText(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p
		if p == "" || strings.Trim(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			out[i] = show(p)
		}
	}
	return strings.Join(out, ".")
}
